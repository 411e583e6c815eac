"""Heads that are copies of rows are made column by column in a Bootstrap; an Update makes them row by row."""

from __future__ import annotations

import pytest

from kgreason.engine.engine import Engine
from kgreason.rules.model import Atom, Rule, Variable, triple
from tests.engine.crews import crews
from tests.engine.systems import System

X, Y, Z = Variable("x"), Variable("y"), Variable("z")
SAME = "<same>"

RULES = [
    Rule((triple(X, SAME, Y),), (triple(X, "<alike>", Y),)),  # the predicate is the quiet one
    Rule((triple(X, Y, Z),), (Atom("told", (X, Y, Z)),)),  # it may be the quiet one
    Rule((triple(Y, "<back>", X),), (triple(X, "<alike>", Y),)),
    Rule((triple("<c>", "<d>", "<e>"),), (triple(X, "<alike>", Y),)),  # no variable, and a support for each fact
    Rule((Atom("known", (Y,)),), (triple(X, "<alike>", Y),)),  # narrower than the facts
    Rule((Atom("wide", (X, X, Y, Z, Y)),), (Atom("told", (X, Y, Z)),)),  # wider
    Rule((Atom("loop", (X,)),), (triple(X, "<alike>", X),)),  # a comparison
]
FACTS = [
    *(triple(x, "<alike>", y) for x, y in (("<a>", "<a>"), ("<a>", "<b>"), ("<b>", "<c>"))),
    *(Atom("told", row) for row in (("<a>", SAME, "<a>"), ("<a>", SAME, "<c>"), ("<a>", "<p>", "<a>"))),
]


def quiet_system() -> System:
    """An engine that derives no `x <same> x`."""
    system = System()
    system.engine = Engine(quiet=system.intern([SAME])[0])
    return system


@pytest.mark.parametrize("threads", [1, 2])
def test_a_bootstrap_makes_the_heads_of_an_update(threads: int) -> None:
    with crews(threads):
        at_once, one_by_one = quiet_system(), quiet_system()
        at_once.bootstrap(FACTS, RULES)
        one_by_one.bootstrap([], RULES)
        for fact in FACTS:
            one_by_one.update([fact])
        states = at_once.states()
        assert states == one_by_one.states()
        assert at_once.spares() == one_by_one.spares()
    heads = {fact for fact, state in states.items() if not state.asserted}
    assert heads == {
        (None, ("<a>", SAME, "<b>")),
        (None, ("<b>", SAME, "<c>")),
        (None, ("<a>", SAME, "<c>")),
        (None, ("<a>", "<p>", "<a>")),
        (None, ("<a>", "<back>", "<a>")),
        (None, ("<b>", "<back>", "<a>")),
        (None, ("<c>", "<back>", "<b>")),
        (None, ("<c>", "<d>", "<e>")),
        *(("known", (term,)) for term in ("<a>", "<b>", "<c>")),
        ("wide", ("<a>", "<a>", SAME, "<a>", SAME)),
        ("wide", ("<a>", "<a>", SAME, "<c>", SAME)),
        ("wide", ("<a>", "<a>", "<p>", "<a>", "<p>")),
        ("loop", ("<a>",)),
    }
    assert states[None, ("<c>", "<d>", "<e>")].support == 3
