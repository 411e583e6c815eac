"""Compare literals by value: literals with the same value become one term, and facts about values become triples.

    "01"^^xsd:integer       is replaced by the first literal with the same value
    "1"^^xsd:byte           gets rdf:type triples for those datatypes of premises and conclusion that contain its value
    "a"^^xsd:integer        is ill-typed; a graph with such a literal is a contradiction (RDF 1.1 Semantics, section 7)

Under OWL, datatypes are classes as well. So there are triples which say that one datatype contains another, is disjoint
with another, or contains the intersection of two others. A clash is an ill-typed literal, a literal with a type that
does not contain its value, or an owl:sameAs between two different values. Only recognized datatypes count; xsd:string
and rdf:langString are always recognized. Cost: a look-up for each literal and each pair of named datatypes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import compress, permutations
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason.datatypes.datatype_map import DATATYPE_MAP, is_member, values
from kgreason.datatypes.hierarchy import are_disjoint, is_subtype
from kgreason.datatypes.literals import parts_of_literal
from kgreason.datatypes.spaces.numeric import WHOLE
from kgreason.datatypes.value import Value
from kgreason.materialize.schema.rows import SAME_AS, TYPE
from kgreason.rules.model import Constant, Triple
from kgreason.terms import vocabulary as v
from kgreason.terms.dictionary import Dictionary, Kind
from kgreason.zset.columns import Int32

_TAGGED = re.compile(r'("(?:[^"\\]|\\.)*+")(@[\w-]+)')
"""A literal with a language tag, inside a term."""
_Bounds: TypeAlias = tuple[int | None, int | None]


def _is_between(one: _Bounds, other: _Bounds, third: _Bounds) -> bool:
    """Whether the range of integers `third` contains all integers that are both in `one` and in `other`."""
    lows, highs = zip(one, other, strict=True)
    low = third[0] is None or any(each is not None and each >= third[0] for each in lows)
    return low and (third[1] is None or any(each is not None and each <= third[1] for each in highs))


def _intersection_triples(node: Constant, parts: tuple[Constant, Constant], above: Constant) -> Iterator[Triple]:
    """Yield triples that say: the intersection of the two classes `parts` is a subclass of the class `above`.

    `node` is a new blank node, which stands for the intersection.
    """
    yield node, v.OWL_INTERSECTION_OF, f"{node}first"
    yield f"{node}first", v.RDF_FIRST, parts[0]
    yield f"{node}first", v.RDF_REST, f"{node}second"
    yield f"{node}second", v.RDF_FIRST, parts[1]
    yield f"{node}second", v.RDF_REST, v.RDF_NIL
    yield node, v.RDFS_SUB_CLASS_OF, above


class Values:
    """The values of all literals that were read so far. `recognized` are the datatypes whose values count."""

    def __init__(self, dictionary: Dictionary, recognized: Iterable[Constant]) -> None:
        self._dictionary = dictionary
        self._recognized = {v.XSD_STRING, v.RDF_LANG_STRING, *recognized} & DATATYPE_MAP.keys()
        self._values: dict[int, Value] = {}
        self._first: dict[Value, int] = {}
        self._ill_typed: set[int] = set()
        self._datatypes: set[Constant] = set()

    def with_first_literals(self, rows: Int32) -> Int32:
        """Return `rows`, int32[n, k], with the first literal of the same value in place of each literal in column 2.

        The literals count as read from now on.
        """
        objects, places = np.unique(rows[:, 2], return_inverse=True)
        literals = objects[self._dictionary.kinds(objects) == Kind.LITERAL].tolist()
        self._read(literals)
        first = {each: self._first[value] for each in literals if (value := self._values.get(each))}
        first |= self._with_small_tags(objects[self._dictionary.kinds(objects) == Kind.TRIPLE])
        settled = rows.copy()
        settled[:, 2] = np.array([first.get(each, each) for each in objects.tolist()], dtype=np.int32)[places]
        return settled

    def _with_small_tags(self, terms: Int32) -> dict[int, int]:
        """Return for each of the triple terms `terms` the same with language tags in small letters.

        Tags that differ only in capitals are the same tag (RDF 1.2 Concepts, section 3.4), also inside a triple term.
        """
        texts = [
            _TAGGED.sub(lambda found: found[1] + found[2].lower(), each) for each in self._dictionary.decode(terms)
        ]
        return dict(zip(terms.tolist(), self._dictionary.intern(texts).tolist(), strict=True))

    def _read(self, literals: list[int]) -> None:
        """Store the values of literals, which are given by their ids."""
        texts = self._dictionary.decode(literals)
        datatypes = [parts_of_literal(text).datatype for text in texts]
        known = [datatype in self._recognized for datatype in datatypes]
        self._datatypes.update(compress(datatypes, known))
        literals = list(compress(literals, known))
        for literal, value in zip(literals, values(compress(texts, known)), strict=True):
            if isinstance(value, Value):
                self._values[literal] = value
                self._first.setdefault(value, literal)
            else:
                self._ill_typed.add(literal)

    @property
    def datatypes(self) -> frozenset[Constant]:
        """The recognized datatypes that some literal read so far names."""
        return frozenset(self._datatypes)

    def recognized_datatypes(self, terms: Iterable[Constant]) -> frozenset[Constant]:
        """Return those of `terms` that are recognized datatypes."""
        return frozenset(self._recognized.intersection(terms))

    def are_ill_typed(self, literals: Int32) -> NDArray[np.bool_]:
        """Return for each id of `literals` (int32[n]) whether the literal was read before and is ill-typed: bool[n]."""
        return np.isin(literals, list(self._ill_typed))

    def types(self, terms: Iterable[Constant]) -> list[Triple]:
        """Return a triple `literal rdf:type T` for each literal read so far and each datatype T with its value.

        T must be a recognized datatype in `terms`. Of literals with the same value only the first gets triples.
        """
        if not (named := self._recognized.intersection(terms)):
            return []
        found = zip(self._dictionary.decode(list(self._first.values())), self._first, strict=True)
        return [(text, v.RDF_TYPE, each) for text, value in found for each in sorted(named) if is_member(value, each)]

    def classes(self, terms: Iterable[Constant]) -> Iterator[Triple]:
        """Yield rdfs:subClassOf and owl:disjointWith triples between those of `terms` that are recognized datatypes.

        If a datatype of whole numbers contains the intersection of two others, further triples say so.
        """
        named = sorted(self._recognized.intersection(terms))
        for one, other in permutations(named, 2):
            if is_subtype(one, other):
                yield one, v.RDFS_SUB_CLASS_OF, other
            if are_disjoint(one, other):
                yield one, v.OWL_DISJOINT_WITH, other
        for number, (one, other, third) in enumerate(permutations((each for each in named if each in WHOLE), 3)):
            if one < other and _is_between(WHOLE[one], WHOLE[other], WHOLE[third]):
                yield from _intersection_triples(f"_:both{number}", (one, other), third)

    def clash(self, rows: Int32) -> bool:
        """Whether one of `rows`, int32[n, 3], is a clash: a triple that contradicts the value of a literal."""
        if self._ill_typed and self.are_ill_typed(rows[:, 2]).any():
            return True
        about = rows[np.isin(rows[:, 1], (TYPE, SAME_AS))]
        about = about[self._dictionary.kinds(about[:, 0]) == Kind.LITERAL]
        return any(self._is_clash(*row) for row in about.tolist())

    def _is_clash(self, literal: int, predicate: int, object_: int) -> bool:
        value = self._values.get(literal)
        if value is None:
            return False
        if predicate == SAME_AS:
            return self._values.get(object_, value) != value
        [datatype] = self._dictionary.decode([object_])
        return datatype in self._recognized and not is_member(value, datatype)
