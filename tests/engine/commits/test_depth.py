"""Stamps near the end of their int32: an Update whose facts need a larger level becomes a Bootstrap, or says so."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from kgreason.engine.changes import Strategy
from kgreason.engine.memory import layout as at
from kgreason.errors import LimitError
from kgreason.rules.model import Atom
from kgreason.rules.parser import parse
from tests.engine.crews import crews
from tests.engine.systems import System
from tests.oracle.datalog import materialize, spares, violations

RULES = parse("reached(?x) :- start(?x) . reached(?y) :- reached(?x), next(?x, ?y) .").rules
NODES = [f"<http://e/{number}>" for number in range(6)]
START, STEPS = Atom("start", (NODES[0],)), [Atom("next", pair) for pair in pairwise(NODES)]


def aged(steps: int, levels: int) -> System:
    """The first steps of a chain, whose inferred facts are as old as if `levels` levels lay before them."""
    system = System()
    system.bootstrap([START, *STEPS[:steps]], RULES)
    rows = system.engine._circuit.memory["rows"]
    rows[rows[:, at.STAMP] > 0, at.STAMP] += levels * at.ONE_LEVEL
    return system


@pytest.mark.parametrize("strategy", ["update", "auto"])
def test_an_update_numbers_levels_up_to_the_last(strategy: Strategy) -> None:
    system = aged(2, at.LAST_LEVEL - 1 - 4)  # a third step has the last possible level
    system.commit({STEPS[2]: 1}, {}, "update")
    states = system.states()
    assert max(state.stamp >> at.LEVEL_BITS for state in states.values()) == at.LAST_LEVEL - 1
    assert violations(states, RULES) == []
    changes = system.engine.commit(*system.wishes({STEPS[3]: 1}, {}), strategy=strategy)
    assert (changes.strategy, changes.switched) == ("bootstrap", True)
    assert system.states() == materialize([START, *STEPS[:4]], RULES)


def test_the_last_level_fits_into_an_int32() -> None:
    assert np.iinfo(np.int32).max == (at.LAST_LEVEL << at.LEVEL_BITS) + at.ONE_LEVEL - 1


@pytest.mark.parametrize(
    ("levels", "strategy"), [(at.LAST_LEVEL - 1 - 7, "update"), (at.LAST_LEVEL - 1 - 6, "bootstrap")]
)
def test_facts_that_return_have_a_last_level_too(levels: int, strategy: Strategy) -> None:
    """The second node loses its way from the first one, and returns by one from the last, which has another start."""
    system, back, other = aged(5, levels), Atom("next", (NODES[5], NODES[1])), Atom("start", (NODES[2],))
    system.commit(dict.fromkeys([back, other], 1), {}, "update")
    changes = system.engine.commit(*system.wishes({STEPS[0]: -1}, {}), strategy="update")
    assert changes.strategy == strategy
    states = system.states()
    assert violations(states, RULES) == []
    assert system.spares() == spares({fact: state.stamp for fact, state in states.items()}, RULES)
    level = states["reached", (NODES[1],)].stamp >> at.LEVEL_BITS
    assert level == (at.LAST_LEVEL - 1 if strategy == "update" else 5)


def test_a_proof_is_found_after_a_commit_that_went_too_deep() -> None:
    system = aged(2, at.LAST_LEVEL - 1 - 3)
    system.engine.begin()
    system.apply({STEPS[2]: 1}, {}, "update")
    assert system.engine.changes().strategy == "bootstrap"
    system.engine.rollback()
    before = system.states()
    rows = system.engine.facts.present_rows().tolist()
    assert sum(len(system.engine.derivations(row)) for row in rows) == sum(state.support for state in before.values())


@pytest.mark.parametrize("threads", [1, 2])
def test_a_bootstrap_of_too_many_levels_says_so_and_changes_nothing(
    threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with crews(threads):
        system = System()
        system.bootstrap([START, STEPS[0]], RULES)
        before = system.states()
        monkeypatch.setattr("kgreason.engine.memory.layout.LAST_LEVEL", 4)
        for strategy in ("update", "bootstrap", "auto"):
            with pytest.raises(LimitError, match="a chain of 4 or more derivations"):
                system.commit(dict.fromkeys(STEPS, 1), {}, strategy)
            assert system.states() == before
        with pytest.raises(LimitError, match="a chain of 4 or more derivations"):
            system.bootstrap([START, *STEPS], RULES)
        assert system.states() == before
        system.commit({STEPS[1]: 1}, {})
        assert system.states() == materialize([START, *STEPS[:2]], RULES)
