"""Work is counted in rewrites: a budget ends a commit with the rule named, and Update gives way to Bootstrap."""

from __future__ import annotations

import pytest

from kgreason.engine.changes import Strategy
from kgreason.engine.update import ALWAYS, FRACTION
from kgreason.errors import LimitError
from kgreason.rules.model import Atom, Rule
from tests.engine.crews import crews
from tests.engine.paths import JOIN, STEP, X, Y, chain, closed, edited, inert
from tests.engine.systems import System, encode_facts

EXPLODING = Rule((Atom("all", (X, Y)),), (Atom("node", (X,)), Atom("node", (Y,))), name="pairs", group="mine")
SQUARE = Rule((Atom("hit", (X,)),), (Atom("node", (X,)), Atom("node", (Y,))))
NODES = inert(400)


@pytest.mark.parametrize("strategy", ["auto", "update", "bootstrap"])
def test_a_rule_that_explodes_is_named_and_leaves_nothing(strategy: Strategy) -> None:
    system = System()
    system.bootstrap([*NODES, *chain(20)], [STEP, JOIN])
    before, rules = system.states(), set(system.engine.rules)
    asserted, _, added, _ = system.wishes({Atom("node", ("<x>",)): 1}, {EXPLODING: 1})
    with pytest.raises(LimitError, match=r"budget of 50,000 rewrites, .* ran out, most of it in rule mine/pairs"):
        system.engine.commit(asserted, added=added, strategy=strategy, budget=50_000)
    assert system.states() == before
    assert set(system.engine.rules) == rules
    system.commit({chain(21)[-1]: 1}, {}, "update")
    assert ("path", ("<0>", "<21>")) in system.states()


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_a_budget_ends_an_evaluation_within_a_segment(threads: int) -> None:
    """All rewrites derive few facts, so that no array has to grow."""
    with crews(threads):
        system, seen = System(), [0]
        wishes = system.wishes(dict.fromkeys(inert(1_000), 1), {SQUARE: 1})

        def look() -> None:
            seen.append(system.engine._circuit.rewrites)

        with pytest.raises(LimitError, match="budget of 20,000 rewrites"):
            system.engine.commit(*wishes, budget=20_000, check=look)
    assert max(seen) <= 20_000 + 2 * ALWAYS, "of 2,000,000"


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_a_dropped_update_takes_no_more_of_the_budget_than_its_limit(threads: int) -> None:
    """How far an Update goes past its limit depends on threads; what becomes of the commit does not."""
    with crews(threads):
        system = System()
        system.bootstrap(chain(120), [STEP, JOIN])
        limit = max(ALWAYS, int(FRACTION * (system.engine.work or 0)))
        changes = edited(system, gone=chain(120), budget=limit + 1)
    assert (changes.strategy, changes.switched, len(system.engine)) == ("bootstrap", True, 0)
    assert changes.rewrites > limit + 1


@pytest.mark.parametrize("strategy", ["auto", "update", "bootstrap"])
def test_a_small_budget_is_kept_to_the_rewrite(strategy: Strategy) -> None:
    """Small evaluations are over before anybody looks."""
    system = closed(chain(20))
    before, wishes = system.states(), system.wishes(dict.fromkeys(chain(1, 20), 1), {})
    needed = system.engine.commit(*wishes, strategy=strategy).rewrites
    system.engine.commit({}, wishes[0], strategy="bootstrap")
    with pytest.raises(LimitError, match=f"budget of {needed - 1:,} rewrites"):
        system.engine.commit(*wishes, strategy=strategy, budget=needed - 1)
    assert system.states() == before
    assert system.engine.commit(*wishes, strategy=strategy, budget=needed).rewrites == needed


def test_a_budget_that_suffices_is_not_noticed() -> None:
    system = System()
    asserted, _, added, _ = system.wishes(dict.fromkeys(chain(10), 1), {STEP: 1, JOIN: 1})
    system.engine.commit(asserted, added=added, budget=100_000)
    assert len(system.engine) == 10 + 55


def test_a_small_change_stays_an_update() -> None:
    system = closed(chain(120), rules=[STEP, JOIN])
    changes = edited(system, gone=chain(1, 119))
    assert (changes.strategy, changes.switched) == ("update", False)
    assert changes.rewrites <= FRACTION * (system.engine.work or 0)


def test_a_large_change_becomes_a_bootstrap() -> None:
    system = System()
    system.bootstrap(chain(120), [STEP, JOIN])
    planner, work = system.engine._planner, (system.engine.work or 0)
    gone = encode_facts(chain(120)[::2], planner, system.intern)
    changes = system.engine.commit({}, gone)
    assert (changes.strategy, changes.switched) == ("bootstrap", True)
    assert changes.rewrites > FRACTION * work
    assert (system.engine.work or 0) < work
    assert len(system.engine) == 60 + 60


def test_a_first_commit_is_a_bootstrap_and_no_switch() -> None:
    system = System()
    changes = system.engine.commit(encode_facts(chain(3), system.engine._planner, system.intern))
    assert (changes.strategy, changes.switched) == ("bootstrap", False)


def test_retractions_of_facts_that_were_not_asserted_are_counted() -> None:
    system = System()
    system.bootstrap(chain(3), [STEP])
    wishes = encode_facts(
        [*chain(2), Atom("edge", ("<x>", "<y>")), Atom("path", ("<0>", "<1>"))], system.engine._planner, system.intern
    )
    assert system.engine.commit({}, wishes).missed == 2


def test_a_size_that_was_dropped_is_tried_again() -> None:
    """One fact that changes much says nothing of the next."""
    system = System()
    leaves = [Atom("edge", ("<leaf>", f"<l{number}>")) for number in range(50)]
    system.bootstrap([*chain(120), *leaves], [STEP, JOIN])
    planner, intern = system.engine._planner, system.intern
    assert system.engine.commit({}, encode_facts(chain(120)[60:61], planner, intern)).switched
    assert system.engine.commit({}, encode_facts(leaves[:1], planner, intern)).strategy == "update"


def test_facts_that_no_rule_meets_are_updated() -> None:
    system = closed(NODES, rules=[])
    assert edited(system, gone=NODES[:200]).strategy == "update"


def test_a_budget_does_not_limit_proofs() -> None:
    system = System()
    system.bootstrap(chain(60), [STEP, JOIN])
    facts = system.engine.facts.present_rows().tolist()
    before = [len(system.engine.derivations(row)) for row in facts]
    system.engine.commit(encode_facts([Atom("node", ("<x>",))], system.engine._planner, system.intern), budget=10)
    assert [len(system.engine.derivations(row)) for row in facts] == before


def test_a_budget_is_for_the_whole_commit() -> None:
    """What the first part leaves is too little for the second, which would do with less than the first had."""
    system = System()
    system.bootstrap([], [EXPLODING])
    first, second = (
        encode_facts(part, system.engine._planner, system.intern) for part in (NODES[:200], NODES[200:240])
    )
    needed = [system.engine.commit(part, strategy="update").rewrites for part in (first, second)]
    assert needed[0] > needed[1] > 15_000
    system.engine.commit({}, second)
    system.engine.commit({}, first)
    system.engine.begin()
    system.engine.apply(first, budget=needed[0] + 100, strategy="update")
    with pytest.raises(LimitError):
        system.engine.apply(second, budget=needed[0] + 100, strategy="update")
    system.engine.rollback()
    assert len(system.engine) == 0
