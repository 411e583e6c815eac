"""`Graph`: a set of triples with indexes, and the lists in it; what the rows of the tables read.

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
    """A set of triples, found by predicate, by subject, by object, and by predicate and one of these."""

    def __init__(self, triples: Iterable[Triple] = ()) -> None:
        self.triples: set[Triple] = set()
        self._around: dict[str, set[Triple]] = defaultdict(set)
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
        self._around[subject].add(triple)
        self._around[object_].add(triple)
        self._pairs[predicate].add((subject, object_))
        self._subjects[predicate, object_].add(subject)
        self._objects[subject, predicate].add(object_)

    def matching(self, subject: str | None, predicate: str | None, object_: str | None) -> Iterable[Triple]:
        """The triples with these terms; None is any term."""
        if predicate is None:
            known = [each for each in (subject, object_) if each is not None]
            found = self._around.get(known[0], set()) if known else self.triples
            return [each for each in found if subject in (None, each[0]) and object_ in (None, each[2])]
        if subject is None:
            pairs = (
                self.pairs(predicate) if object_ is None else [(s, object_) for s in self.subjects(predicate, object_)]
            )
            return [(s, predicate, o) for s, o in pairs]
        objects = self.objects(subject, predicate)
        return [(subject, predicate, o) for o in (objects if object_ is None else {object_} & objects)]

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
