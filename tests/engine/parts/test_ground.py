"""Heads that are copies of rows are made column by column; with one more atom in the body, row by row."""

from __future__ import annotations

import pytest

from kgreason.engine.changes import Strategy
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


@pytest.mark.parametrize("strategy", ["update", "bootstrap"])
@pytest.mark.parametrize("threads", [1, 2])
def test_heads_are_those_of_rules_with_one_more_atom(threads: int, strategy: Strategy) -> None:
    always = Atom("always", ())
    longer = [Rule(rule.heads, (*rule.body, always)) for rule in RULES]
    with crews(threads):
        by_column, by_row = quiet_system(), quiet_system()
        by_column.commit(dict.fromkeys(FACTS, 1), dict.fromkeys(RULES, 1), strategy)
        by_row.commit(dict.fromkeys([*FACTS, always], 1), dict.fromkeys(longer, 1), strategy)
        states, others = by_column.states(), by_row.states()
        del others["always", ()]
        assert states == others
        assert by_column.spares().items() == by_row.spares().items() - {(("always", ()), 0)}
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
