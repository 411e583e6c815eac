"""Axioms over lists, of any length, with data to which every member matters; and what can happen to a list.

The members of a list are `m1` to `mn`, its cells `l1` to `ln`; `new` is a member that may come. Data turns on the first
and on the last member alone, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from tests.oracle.graph import Triple
from tests.oracle.notation import triples

Triples = set[Triple]


def chain(members: Iterable[str], cell: str = "l") -> Triples:
    """The cells of a list."""
    names = list(members)
    text = ""
    for number, member in enumerate(names, 1):
        rest = f"{cell}{number + 1}" if number < len(names) else "rdf:nil"
        text += f"{cell}{number} rdf:first {member} . {cell}{number} rdf:rest {rest} . "
    return triples(text)


def head(count: int) -> str:
    return "l1" if count else "rdf:nil"


def members(count: int) -> list[str]:
    return [f"m{number}" for number in range(1, count + 1)]


def _triples_of(lines: Iterable[str]) -> Triples:
    return triples(" . ".join(lines))


def _types(names: list[str]) -> Triples:
    """Members of classes: of all of them, of all but the last, of two neighbours, of the first and the last."""
    groups = {"all": names, "most": names[:-1], "late": names[-2:], "ends": names[:1] + names[-1:]}
    return _triples_of(f"{name} rdf:type {class_}" for name, classes in groups.items() for class_ in classes)


def _edges(names: list[str]) -> Triples:
    """Values of properties: the same for two of all properties, for a third of all but the last."""
    shared = (f"{one} {name} v{name}" for name in names for one in ("i", "j"))
    ends = (f"ends {name} w" for name in names[:1] + names[-1:])
    return _triples_of([*shared, *(f"k {name} v{name}" for name in names[:-1]), *ends])


def _path(names: list[str]) -> Triples:
    """A path along properties, and one that lacks its last step."""
    steps = (f"{way}{number} {name} {way}{number + 1}" for way in "st" for number, name in enumerate(names))
    return _triples_of(steps) - (_triples_of([f"t{len(names) - 1} {names[-1]} t{len(names)}"]) if names else set())


def _same(names: list[str]) -> Triples:
    """The last two are one."""
    return _triples_of([" owl:sameAs ".join(names[-2:])] if len(names) > 1 else [])


class Kind(NamedTuple):
    """An axiom over a list: the rows that read it, its triples with `LIST` for the head of the list, and data."""

    rows: tuple[str, ...]
    axiom: str
    data: Callable[[list[str]], Triples]

    def about(self, head: str) -> Triples:
        return triples(self.axiom.replace("LIST", head))

    def example(self, count: int) -> Triples:
        """The axiom over a list of so many members, with its data."""
        return self.about(head(count)) | chain(members(count)) | self.data(members(count))


_KEYED = "A owl:hasKey LIST . i rdf:type A . j rdf:type A . k rdf:type A . ends rdf:type A"
KINDS = {
    "intersectionOf": Kind(("cls-int1", "cls-int2"), "A owl:intersectionOf LIST . x rdf:type A", _types),
    "unionOf": Kind(("cls-uni",), "A owl:unionOf LIST . x rdf:type A", _types),
    "oneOf": Kind(("cls-oo",), "A owl:oneOf LIST . x rdf:type A", lambda _: set()),
    "hasKey": Kind(("prp-key",), _KEYED, _edges),
    "propertyChainAxiom": Kind(("prp-spo2",), "p owl:propertyChainAxiom LIST", _path),
    "AllDisjointClasses": Kind(("cax-adc",), "x rdf:type owl:AllDisjointClasses . x owl:members LIST", _types),
    "AllDisjointProperties": Kind(("prp-adp",), "x rdf:type owl:AllDisjointProperties . x owl:members LIST", _edges),
    "AllDifferent members": Kind(("eq-diff2",), "x rdf:type owl:AllDifferent . x owl:members LIST", _same),
    "AllDifferent distinctMembers": Kind(
        ("eq-diff3",), "x rdf:type owl:AllDifferent . x owl:distinctMembers LIST", _same
    ),
}


class Change(NamedTuple):
    """Triples that go, and triples that come."""

    removed: Triples
    added: Triples


def _change(removed: str, added: str) -> Change:
    return Change(triples(removed), triples(added))


CHANGES = {
    "a member inserted": _change("l1 rdf:rest l2", "l1 rdf:rest l0 . l0 rdf:first new . l0 rdf:rest l2"),
    "a member put first": _change("", "l0 rdf:first new . l0 rdf:rest l1"),
    "a member appended": _change("l3 rdf:rest rdf:nil", "l3 rdf:rest l0 . l0 rdf:first new . l0 rdf:rest rdf:nil"),
    "a member dropped": _change("l1 rdf:rest l2", "l1 rdf:rest l3"),
    "the last member dropped": _change("l2 rdf:rest l3", "l2 rdf:rest rdf:nil"),
    "a member swapped": _change("l2 rdf:first m2", "l2 rdf:first new"),
    "two members exchanged": _change("l1 rdf:first m1 . l3 rdf:first m3", "l1 rdf:first m3 . l3 rdf:first m1"),
    "one member twice": _change("l2 rdf:first m2", "l2 rdf:first m3"),
    "the last triple taken": _change("l3 rdf:rest rdf:nil", ""),
    "no rest": _change("l1 rdf:rest l2", ""),
    "no first": _change("l2 rdf:first m2", ""),
    "a rest that is no cell": _change("l2 rdf:rest l3", "l2 rdf:rest nowhere"),
    "a circle": _change("l3 rdf:rest rdf:nil", "l3 rdf:rest l1"),
    "a loop": _change("l2 rdf:rest l3", "l2 rdf:rest l2"),
}
"""What may happen to the cells of a list of three."""

TWOFOLD = {
    "two rests, one to the end": _change("", "l1 rdf:rest rdf:nil"),
    "two rests, one to no cell": _change("", "l2 rdf:rest nowhere"),
    "two firsts": _change("", "l2 rdf:first new"),
    "two firsts at the end": _change("", "l3 rdf:first new"),
}
"""What leaves open which list is meant: the tables then mean each."""

ROUND = _change("", "l3 rdf:rest l1")
"""A list that may end, or go round first."""


def with_new(kind: Kind) -> Triples:
    """The example of three members, with data for the member that may come as well."""
    data = kind.data(["m1", "m2", "m3", "new"]) | kind.data(["m1", "new", "m3"])
    return kind.example(3) | data


def pairs(count: int) -> Iterator[tuple[int, int]]:
    """Every two places of a list."""
    return ((i, j) for j in range(1, count + 1) for i in range(1, j))
