"""Which rows are schema triples, and other questions about rows that mention fixed ids of the vocabulary.

The terms of the vocabulary have fixed small ids. So the test for a schema triple compares one id of each triple, and
looks up only the few triples that pass. Rows are triples: int32[n, 3] of subject, predicate and object.
"""

from __future__ import annotations

import zlib
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kgreason.ontology.read.schema import SCHEMA_CLASSES, SCHEMA_PREDICATES
from kgreason.ontology.read.unread_kinds import KINDS
from kgreason.ontology.twins import DECLARATIONS, PREDICATES
from kgreason.terms import vocabulary as v
from kgreason.terms.dictionary import Dictionary
from kgreason.terms.vocabulary import VOCABULARY
from kgreason.zset.columns import Int32

Mask = NDArray[np.bool_]
_IDS = {text: number for number, text in enumerate(VOCABULARY, 1)}
TYPE, SAME_AS, DIFFERENT_FROM = _IDS[v.RDF_TYPE], _IDS[v.OWL_SAME_AS], _IDS[v.OWL_DIFFERENT_FROM]
SUB_CLASS_OF = _IDS[v.RDFS_SUB_CLASS_OF]
IMPORTS, ONTOLOGY, VERSION_IRI = _IDS[v.OWL_IMPORTS], _IDS[v.OWL_ONTOLOGY], _IDS[v.OWL_VERSION_IRI]

TERM_FACTS = (
    *(f"dt_{name}" for name in ("value/2", "type/2", "differ/2", "may_equal/2", "not/2", "ill/1", "literal/1")),
    "dt_used/1",
    "el_iri/1",
    "el_blank/1",
    "el_is/2",
)
"""The relations for facts about terms (datatypes.dl, owl2el.dl). They are not part of the graph, and may stay when
facts go."""
_PART = 1 << 20
"""So many rows are looked at together, so that a large load needs little memory beside its rows."""
_LIMITS = np.array(
    [_IDS[v.OWL_MAX_CARDINALITY], _IDS[v.OWL_MAX_QUALIFIED_CARDINALITY], _IDS[v.OWL_HAS_SELF]], dtype=np.int32
)


def flags_of(texts: frozenset[str]) -> Mask:
    """Return for each id of the vocabulary whether its text is in `texts`: bool[len(VOCABULARY) + 1].

    Id 0 gives False.
    """
    flags = np.zeros(len(VOCABULARY) + 1, dtype=np.bool_)
    flags[[_IDS[text] for text in texts if text in _IDS]] = True
    return flags


_PREDICATES, _CLASSES = flags_of(SCHEMA_PREDICATES), flags_of(SCHEMA_CLASSES)
_STATED = (
    flags_of(SCHEMA_PREDICATES.union(kind.predicate for kind in KINDS if not kind.is_type)),
    flags_of(SCHEMA_CLASSES.union(kind.predicate for kind in KINDS if kind.is_type)),
)
_OF_RESTRICTIONS, _DECLARATIONS = flags_of(frozenset(PREDICATES)), flags_of(frozenset(DECLARATIONS))
PREDICATE_IDS, CLASS_IDS = (np.flatnonzero(flags).tolist() for flags in (_PREDICATES, _CLASSES))
"""The ids of the predicates of schema triples, and of the classes whose instances are part of the schema."""
STATED_PREDICATE_IDS, STATED_CLASS_IDS = (np.flatnonzero(flags).tolist() for flags in _STATED)
"""The same for the triples that `is_stated` names."""


def have_flag(ids: Int32, flags: Mask) -> Mask:
    """Return for each id of `ids`, of any shape, `flags[id]`. An id that is not of the vocabulary gives False."""
    known = ids < flags.size
    known[known] = flags[ids[known]]
    return known


def is_schema(rows: Int32) -> Mask:
    """Return for each row of `rows`, int32[n, 3], whether it is a schema triple: bool[n]."""
    return _have_predicate_or_class(rows, _PREDICATES, _CLASSES)


def is_stated(rows: Int32) -> Mask:
    """Return for each row, int32[n, 3], whether it is a schema triple or part of an axiom that no rule reads: bool[n].

    `unread` counts the latter. Rules see these triples as data.
    """
    return _have_predicate_or_class(rows, *_STATED)


def are_axioms(rows: Int32) -> Mask:
    """Return for each row, int32[n, 3], whether it is part of an axiom, or says what an ontology is: bool[n]."""
    return is_stated(rows) | are_headers(rows)


AXIOMS = zlib.crc32(
    np.array([*STATED_PREDICATE_IDS, 0, *STATED_CLASS_IDS, 0, IMPORTS, ONTOLOGY, VERSION_IRI]).tobytes()
)
"""A number that another version of `are_axioms` does not have, so that lists of an older version are not used."""


class Mentions(NamedTuple):
    """Which of some rows concern more than the data: the schema triples and the owl:sameAs triples among them, bool[n].

    `are_linked`: whether there is an owl:sameAs triple. `are_schema`: whether there is one, or a schema triple.
    `has_datatype`: whether one of the rows says that a term has a supported datatype as its type.
    """

    schema: Mask
    same: Mask
    are_linked: bool
    are_schema: bool
    has_datatype: bool


def mentions(rows: Int32) -> Mentions:
    """Return which of the rows, int32[n, w], concern more than the data."""
    schema, same = is_schema(rows), rows[:, 1] == SAME_AS
    are_linked = bool(same.any())
    return Mentions(schema, same, are_linked, are_linked or bool(schema.any()), has_supported_datatype(rows))


@cache
def datatype_ids() -> dict[str, int]:
    """Return the supported datatypes with their ids of the vocabulary, which are the same in every dictionary."""
    from kgreason.datatypes.datatype_map import DATATYPES  # a reader of a store needs no datatypes

    return {name: _IDS[name] for name in DATATYPES}


@cache
def _datatype_flags() -> Mask:
    return flags_of(frozenset(datatype_ids()))


def is_datatype(ids: Int32) -> Mask:
    """Return for each term of `ids`, int32[n], whether it is a supported datatype: bool[n]."""
    return have_flag(ids, _datatype_flags())


def has_supported_datatype(rows: Int32) -> bool:
    """Whether any of the rows int32[n, w] says that a term has a supported datatype as its type."""
    parts = (rows[low : low + _PART] for low in range(0, len(rows), _PART))
    return any(bool(is_datatype(part[part[:, 1] == TYPE, 2]).any()) for part in parts)


def are_about_restrictions(rows: Int32) -> Mask:
    """Return for each row, int32[n, 3], whether it describes a restriction, or declares a class or a property."""
    return _have_predicate_or_class(rows, _OF_RESTRICTIONS, _DECLARATIONS)


def _have_predicate_or_class(rows: Int32, predicates: Mask, classes: Mask) -> Mask:
    """Return for each row whether its predicate is in `predicates`, or it is `x a C` with C in `classes`: bool[n].

    `rows`: int32[n, 3]. `predicates` and `classes` are flags, as `flags_of` returns them.
    """
    found = np.zeros(len(rows), dtype=np.bool_)
    for low in range(0, len(rows), _PART):
        part = rows[low : low + _PART]
        found[low : low + _PART] = have_flag(part[:, 1], predicates)
        types = np.flatnonzero(part[:, 1] == TYPE)
        found[low + types] |= have_flag(part[types, 2], classes)
    return found


def has_header(quads: Int32) -> bool:
    """Whether a quad of int32[n, 4] has the predicate owl:imports or owl:versionIRI, or the object owl:Ontology."""
    return bool(are_headers(quads).any())


def are_headers(rows: Int32) -> Mask:
    """Return for each row, int32[n, 3] or [n, 4], whether it says what an ontology is or imports: bool[n]."""
    predicates, objects = rows[:, 1], rows[:, 2]
    found: Mask = (predicates == IMPORTS) | (predicates == VERSION_IRI) | (objects == ONTOLOGY)
    return found


def same_as_pairs(rows: Int32) -> Int32:
    """Return subject and object of each owl:sameAs triple of `rows`, int32[n, 3], if they differ: int32[m, 2]."""
    same = rows[rows[:, 1] == SAME_AS]
    return np.ascontiguousarray(same[same[:, 0] != same[:, 2]][:, [0, 2]])


def make_rows(relation: int, terms: Int32) -> Int32:
    """Make rows int32[n, w] of a relation: the id `relation`, then the terms `terms`, int32[n] or int32[n, w - 1]."""
    return np.column_stack([np.full(len(terms), relation), terms]).astype(np.int32)


def has_schema_link(rows: Int32, schema: Int32) -> bool:
    """Whether an owl:sameAs triple of `rows` links a term of the closed schema `schema` with a different term.

    The predicates and classes that make a triple schema count as terms of the schema. Limits of cardinalities do not
    count, because rules are translated from the value of a limit.
    """
    same = same_as_pairs(rows)
    if not len(same):
        return False
    limits = are_limits(schema)
    terms = np.concatenate([schema[~limits].ravel(), schema[limits, 0]])
    return bool(have_flag(same.ravel(), _PREDICATES | _CLASSES).any() or np.isin(same, terms).any())


def are_limits(rows: Int32) -> Mask:
    """Return for each row of int32[n, 3] whether it says the limit of a maximum cardinality, or owl:hasSelf: bool[n].

    The predicate of such a row is owl:maxCardinality, owl:maxQualifiedCardinality or owl:hasSelf. Its object is a
    literal, of which the translation reads the value.
    """
    return np.isin(rows[:, 1], _LIMITS)


def decode_triples(dictionary: Dictionary, rows: Int32) -> list[tuple[str, str, str]]:
    """Convert rows int32[n, 3] to triples of texts. Equal terms are the same string object, which saves memory."""
    ids, numbers = np.unique(rows, return_inverse=True)
    texts = iter(map(dictionary.decode(ids).__getitem__, numbers.ravel().tolist()))
    return list(zip(texts, texts, texts, strict=True))
