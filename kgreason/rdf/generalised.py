"""Tell RDF triples from generalised triples, which rules may derive and only the engine holds.

The subject of a generalised triple is a literal or a triple term, or its predicate is not an IRI. A generalised triple
is never stored, printed or shown to a query.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from kgreason.terms.dictionary import Dictionary, Ids, Kind

_FEW = 1000
_SUBJECT = np.isin(np.arange(len(Kind)), [Kind.IRI, Kind.BLANK])
_OBJECT = np.isin(np.arange(len(Kind)), [Kind.IRI, Kind.BLANK, Kind.LITERAL, Kind.TRIPLE])


def is_rdf(dictionary: Dictionary, subjects: Ids, predicates: Ids, objects: Ids) -> npt.NDArray[np.bool_]:
    """For each row of three id columns whether it is an RDF triple: bool[n]."""
    if len(subjects) > len(dictionary):
        return _looked_up(dictionary, subjects, predicates, objects)
    if len(subjects) < _FEW:  # one call for all columns; for large columns it would take too much memory
        subject, predicate, object_ = dictionary.kinds(np.stack([subjects, predicates, objects]))
    else:
        subject, predicate, object_ = map(dictionary.kinds, (subjects, predicates, objects))
    mask: npt.NDArray[np.bool_] = (predicate == Kind.IRI) & _SUBJECT[subject] & _OBJECT[object_]
    return mask


def _looked_up(dictionary: Dictionary, subjects: Ids, predicates: Ids, objects: Ids) -> npt.NDArray[np.bool_]:
    """As `is_rdf`, for more rows than the dictionary has terms: it looks at each term only once."""
    kinds = dictionary.kinds(np.arange(len(dictionary) + 1, dtype=np.int32))
    mask: npt.NDArray[np.bool_] = (kinds == Kind.IRI)[predicates]
    mask &= _SUBJECT[kinds][subjects]
    mask &= _OBJECT[kinds][objects]
    return mask
