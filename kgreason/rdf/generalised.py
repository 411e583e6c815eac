"""Which rows are RDF triples, and which are generalised ones that rules derive and only the engine may hold.

A generalised triple has a literal or a triple term as its subject, or anything but an IRI as its predicate. It is
never stored, printed or shown to a query (DESIGN.md section 4).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from kgreason.terms.dictionary import Dictionary, Ids, Kind

_SUBJECT = np.isin(np.arange(len(Kind)), [Kind.IRI, Kind.BLANK])
_OBJECT = np.isin(np.arange(len(Kind)), [Kind.IRI, Kind.BLANK, Kind.LITERAL, Kind.TRIPLE])


def is_rdf(dictionary: Dictionary, subjects: Ids, predicates: Ids, objects: Ids) -> npt.NDArray[np.bool_]:
    """Whether each row of three id columns is an RDF triple: bool[n]."""
    predicate = dictionary.kinds(predicates) == Kind.IRI
    mask: npt.NDArray[np.bool_] = predicate & _SUBJECT[dictionary.kinds(subjects)] & _OBJECT[dictionary.kinds(objects)]
    return mask
