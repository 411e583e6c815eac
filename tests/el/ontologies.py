"""Random ontologies in OWL 2 EL, as axioms of the oracle (`tests.oracle.el`) and as triples."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import NamedTuple

from tests.oracle.el import BOTTOM, TOP, Axiom, Expression
from tests.oracle.graph import Triple
from tests.oracle.vocabulary import OWL, RDF, RDFS

E = "http://e/"
_NIL = f"<{RDF}nil>"


class Knobs(NamedTuple):
    """What an ontology has: how many names, how deep expressions are, and how likely each kind of axiom is."""

    classes: int = 6
    roles: int = 3
    individuals: int = 0
    depth: int = 2
    axioms: int = 9
    weights: tuple[tuple[str, int], ...] = (
        *(("sub", 8), ("same", 4), ("role", 2), ("chain", 2)),
        *(("disjoint", 1), ("domain", 1), ("range", 1), ("reflexive", 1)),
    )


KNOBS = (
    Knobs(),
    Knobs(axioms=16, depth=3),
    Knobs(classes=4, axioms=14),
    Knobs(individuals=3, axioms=12),
    Knobs(classes=5, roles=2, axioms=12, depth=1),
)


def axioms_of(random: Random, knobs: Knobs) -> list[Axiom]:
    """Draw the axioms of an ontology. Ranges keep the global restriction of OWL 2 EL (OWL 2 Profiles, 2.2.6)."""
    made = _Drawing(random, knobs)
    kinds, weights = zip(*knobs.weights, strict=True)
    found = [made.axiom(kind) for kind in random.choices(kinds, weights, k=knobs.axioms)]
    found += [made.fact() for _ in range(2 * knobs.individuals)]
    return [axiom for axiom in dict.fromkeys(found) if not _breaks(axiom, found)]


def _breaks(axiom: Axiom, axioms: Iterable[Axiom]) -> bool:
    """Whether an axiom puts a range on a role that a chain leads to, or that has such a role below it."""
    if axiom[0] != "range":
        return False
    above: set[str] = {chain[3] for chain in axioms if chain[0] == "chain"}
    while more := {s for kind, *rest in axioms if kind == "role" for r, s in [rest] if r in above} - above:
        above |= more
    return axiom[1] in above


class _Drawing:
    def __init__(self, random: Random, knobs: Knobs) -> None:
        self._random, self._depth = random, knobs.depth
        self._classes = [*(f"C{number}" for number in range(knobs.classes)), TOP]
        self._roles = [f"r{number}" for number in range(knobs.roles)]
        self._individuals = [f"i{number}" for number in range(knobs.individuals)]

    def axiom(self, kind: str) -> Axiom:
        role = self._random.choice(self._roles)
        match kind:
            case "sub":
                return (kind, self._expression(), self._right())
            case "same":
                return (kind, self._random.choice(self._classes[:-1]), self._expression())
            case "disjoint":
                return (kind, self._random.choice(self._classes[:-1]), self._expression(1))
            case "domain" | "range":
                return (kind, role, self._expression(1))
            case "reflexive":
                return (kind, role)
            case "role":
                return (kind, role, self._random.choice(self._roles))
            case _:
                return (kind, role, *self._random.choices(self._roles, k=2))

    def fact(self) -> Axiom:
        one, other = self._random.choices(self._individuals, k=2)
        if self._random.random() < 0.5:
            return ("type", one, self._expression(1))
        return ("link", one, self._random.choice(self._roles), other)

    def _right(self) -> Expression:
        return (
            ("not", self._random.choice(self._classes[:-1]))
            if self._random.random() < 0.05
            else BOTTOM
            if self._random.random() < 0.05
            else self._expression()
        )

    def _expression(self, depth: int | None = None) -> Expression:
        depth = self._depth if depth is None else depth
        kind = self._random.choice(("name", "and", "some", "some")) if depth else "name"
        if kind == "name":
            return self._random.choice(self._classes)
        if kind == "and":
            return ("and", self._expression(depth - 1), self._expression(depth - 1))
        return ("some", self._random.choice(self._roles), self._expression(depth - 1))


def triples_of(number: int, axiom: Axiom) -> list[Triple]:
    """Return an axiom as the OWL 2 mapping to RDF writes it. `number` makes its blank nodes different from others."""
    return list(_Writing(f"_:n{number}").axiom(*axiom))


def named(name: str) -> str:
    """Return the IRI of a name, as text."""
    return f"<{OWL}{name}>" if name in (TOP, BOTTOM) else f"<{E}{name}>"


class _Writing:
    def __init__(self, prefix: str) -> None:
        self._prefix, self._count = prefix, 0
        self._found: list[Triple] = []

    def axiom(self, kind: str, *parts: Expression) -> Sequence[Triple]:
        pairs = {
            "sub": f"<{RDFS}subClassOf>", "same": f"<{OWL}equivalentClass>", "disjoint": f"<{OWL}disjointWith>",
            "domain": f"<{RDFS}domain>", "range": f"<{RDFS}range>", "role": f"<{RDFS}subPropertyOf>",
            "type": f"<{RDF}type>",
        }  # fmt: skip
        match kind, parts:
            case "reflexive", (role,):
                self._add(named(role), f"<{RDF}type>", f"<{OWL}ReflexiveProperty>")
            case "chain", (first, second, role):
                self._add(named(role), f"<{OWL}propertyChainAxiom>", self._list(map(named, (first, second))))
            case "link", (one, role, other):
                self._add(named(role), f"<{RDF}type>", f"<{OWL}ObjectProperty>")
                self._add(*map(named, (one, role, other)))
            case _, (left, right):
                self._add(self._node(left), pairs[kind], self._node(right))
        return self._found

    def _add(self, *triple: str) -> None:
        subject, predicate, object_ = triple
        self._found.append((subject, predicate, object_))

    def _new(self) -> str:
        self._count += 1
        return f"{self._prefix}x{self._count}"

    def _list(self, members: Iterable[str]) -> str:
        node = _NIL
        for member in reversed(list(members)):
            rest, node = node, self._new()
            self._add(node, f"<{RDF}first>", member)
            self._add(node, f"<{RDF}rest>", rest)
        return node

    def _node(self, expression: Expression) -> str:
        if isinstance(expression, str):
            return named(expression)
        node = self._new()
        match expression:
            case "and", *_:
                self._add(node, f"<{OWL}intersectionOf>", self._list(map(self._node, _members(expression))))
            case "some", role, filler:
                self._add(node, f"<{OWL}onProperty>", named(role))
                self._add(node, f"<{OWL}someValuesFrom>", self._node(filler))
            case "not", other:
                self._add(node, f"<{OWL}complementOf>", self._node(other))
        return node


def _members(expression: Expression) -> Iterator[Expression]:
    """Yield the members of an intersection that is written as one list."""
    _, left, right = expression
    yield left
    if not isinstance(right, str) and right[0] == "and":
        yield from _members(right)
    else:
        yield right
