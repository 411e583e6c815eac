"""The program of the tests' examples: the transitive closure, by edges in front."""

from __future__ import annotations

from kgreason.rules.model import Atom, Rule, Term, Variable

X, Y, Z = map(Variable, "xyz")


def edge(*terms: Term) -> Atom:
    return Atom("edge", terms)


def path(*terms: Term) -> Atom:
    return Atom("path", terms)


BASE = Rule((path(X, Y),), (edge(X, Y),))
STEP = Rule((path(X, Z),), (edge(X, Y), path(Y, Z)))
CLOSURE = {BASE: 1, STEP: 1}
CHAIN = {edge("a", "b"): 1, edge("b", "c"): 1, edge("c", "d"): 1}
