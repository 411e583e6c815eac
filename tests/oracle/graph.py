"""`Graph`: a set of triples with three indexes, and the lists in it; what the rows of the tables read.

Triples are generalised: any term may stand anywhere. What a method returns belongs to the graph and changes with it,
so whoever adds triples while reading copies first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeAlias

from .vocabulary import FIRST, NIL, REST, TYPE

Triple: TypeAlias = tuple[str, str, str]
Items: TypeAlias = tuple[frozenset[str], ...]

_NOTHING: set[str] = set()
_NO_PAIRS: set[tuple[str, str]] = set()


class Contradiction(NamedTuple):
    """A row that derives false: its name, the triples it reads as axioms (lists left out) and the offending facts."""

    rule: str
    axioms: frozenset[Triple]
    facts: frozenset[Triple]


class Graph:
    """A set of triples, found by predicate, by predicate and object, and by subject and predicate."""

    def __init__(self, triples: Iterable[Triple] = ()) -> None:
        self.triples: set[Triple] = set()
        self._pairs: dict[str, set[tuple[str, str]]] = defaultdict(set)
        self._subjects: dict[tuple[str, str], set[str]] = defaultdict(set)
        self._objects: dict[tuple[str, str], set[str]] = defaultdict(set)
        for triple in triples:
            self.add(triple)

    def __contains__(self, triple: Triple) -> bool:
        return triple in self.triples

    def add(self, triple: Triple) -> None:
        subject, predicate, object_ = triple
        self.triples.add(triple)
        self._pairs[predicate].add((subject, object_))
        self._subjects[predicate, object_].add(subject)
        self._objects[subject, predicate].add(object_)

    def pairs(self, predicate: str) -> set[tuple[str, str]]:
        """The (subject, object) of every triple with the predicate."""
        return self._pairs.get(predicate, _NO_PAIRS)

    def subjects(self, predicate: str, object_: str) -> set[str]:
        return self._subjects.get((predicate, object_), _NOTHING)

    def objects(self, subject: str, predicate: str) -> set[str]:
        return self._objects.get((subject, predicate), _NOTHING)

    def instances(self, class_: str) -> set[str]:
        return self.subjects(TYPE, class_)

    def lists(self, head: str) -> Iterator[Items]:
        """Every finite list that starts at the head; an item is the set of the values of rdf:first.

        Replacing equals gives a node several values: LIST[h, e1, ..., en] of the tables holds for each choice of one
        value from every set. A node occurs once in a list, and the empty list is none.
        """
        return self._lists(head, frozenset())

    def _lists(self, node: str, seen: frozenset[str]) -> Iterator[Items]:
        items = frozenset(self.objects(node, FIRST))
        if not items or node in seen:
            return
        for rest in self.objects(node, REST):
            if rest == NIL:
                yield (items,)
            for tail in self._lists(rest, seen | {node}):
                yield (items, *tail)
