"""Closures of edges, and commits by `auto`: what tests of budgets and strategies edit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kgreason.engine.changes import Changes
from kgreason.rules.model import Atom, Rule, Variable
from tests.engine.systems import System

X, Y, Z = Variable("x"), Variable("y"), Variable("z")
STEP = Rule((Atom("path", (X, Y)),), (Atom("edge", (X, Y)),))
JOIN = Rule((Atom("path", (X, Z)),), (Atom("path", (X, Y)), Atom("path", (Y, Z))))
LINEAR = Rule((Atom("path", (X, Z)),), (Atom("path", (X, Y)), Atom("edge", (Y, Z))))


def chain(count: int, start: int = 0) -> list[Atom]:
    """A path of this many edges."""
    return [Atom("edge", (f"<{number}>", f"<{number + 1}>")) for number in range(start, start + count)]


def apart(count: int, name: str = "apart") -> list[Atom]:
    """Edges that no other edge leads to or goes on from."""
    return [Atom("edge", (f"<{name}>", f"<{name}{number}>")) for number in range(count)]


def inert(count: int) -> list[Atom]:
    """Facts that no rule meets."""
    return [Atom("node", (f"<{number}>",)) for number in range(count)]


def closed(*parts: list[Atom], rules: Iterable[Rule] = (STEP, LINEAR)) -> System:
    """The closure of facts, by Bootstrap."""
    system = System()
    system.bootstrap([atom for part in parts for atom in part], rules)
    return system


def edited(
    system: System,
    *,
    added: Iterable[Atom] = (),
    gone: Iterable[Atom] = (),
    rules: Mapping[Rule, int] | None = None,
    budget: int | None = None,
) -> Changes:
    """One commit by `auto`; rules come with weight 1, and go with -1."""
    facts = dict.fromkeys(added, 1) | dict.fromkeys(gone, -1)
    return system.engine.commit(*system.wishes(facts, rules or {}), budget=budget)
