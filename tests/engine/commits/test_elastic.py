"""`auto`: what an Update is tried for and how far it may go, and when Bootstrap runs at once."""

from __future__ import annotations

import pytest

from kgreason.engine.changes import Changes
from kgreason.engine.engine import Engine
from kgreason.engine.limits import UNLIMITED
from kgreason.engine.update import ALWAYS, DOUBT, FEW, FRACTION, TELLING, TRIAL, Forecasts
from kgreason.errors import LimitError
from kgreason.rules.model import Atom, Rule, Variable
from tests.engine.paths import JOIN, LINEAR, STEP, X, Y, Z, apart, chain, closed, edited, inert
from tests.engine.systems import System

W = Variable("w")


def test_facts_that_only_arrive_are_an_update_however_much_they_derive() -> None:
    """A chain that becomes twice as long has four times the paths."""
    paths = closed(chain(200))
    foreseen = paths.engine.work or 0
    changes = edited(paths, added=chain(200, 200))
    assert changes.rewrites > foreseen
    assert (changes.strategy, changes.switched) == ("update", False)


def test_an_update_that_derives_nothing_by_many_rewrites_is_dropped() -> None:
    """Joins that start at what arrives meet all pairs, those that start at the one `a` nothing."""

    def copy(head: str, body: str) -> Rule:
        return Rule((Atom(head, (X, Y)),), (Atom(body, (X, Y)),))

    pairs = [(i, j) for i in range(200) for j in range(200)]
    facts = [Atom("a", ("<x>", "<q>")), Atom("c", ("<v>",))]
    facts += [Atom("b0", (f"<y{i}>", f"<z{j}>")) for i, j in pairs]
    facts += [Atom("d0", (f"<z{i}>", f"<w{j}>")) for i, j in pairs]
    body = (Atom("a", (X, Y)), Atom("b", (Y, Z)), Atom("d", (Z, W)), Atom("c", (W,)))
    rules = [Rule((Atom("h", (X,)),), body), copy("d", "d0"), copy("b", "b1"), copy("b1", "b0")]
    joins = closed(facts, rules=rules)
    foreseen = joins.engine.work or 0
    changes = edited(joins, added=[Atom("c", (f"<w{j}>",)) for j in range(200)])
    assert (changes.strategy, changes.switched) == ("bootstrap", True)
    assert changes.rewrites < 2.5 * foreseen


def test_more_than_a_bootstrap_takes_arrives_by_bootstrap() -> None:
    small = closed(chain(10))
    assert edited(small, added=apart(FEW)).strategy == "update"
    changes = edited(small, added=apart(20 * FEW, "others"))
    assert (changes.strategy, changes.switched) == ("bootstrap", False)
    assert len(small.engine) == 10 + 55 + 42 * FEW


def test_facts_that_no_rule_meets_leave_by_update_however_many_they_are() -> None:
    nodes = inert(20_000)
    paths = closed(chain(300), nodes)
    changes = edited(paths, gone=nodes[:15_000], budget=1_000)
    assert (changes.strategy, changes.rewrites) == ("update", 0)


def test_one_fact_that_leaves_does_not_limit_those_that_arrive() -> None:
    paths = closed(chain(200), apart(1))
    foreseen = paths.engine.work or 0
    changes = edited(paths, gone=apart(1), added=chain(200, 200))
    assert (changes.strategy, changes.switched) == ("update", False)
    assert changes.rewrites > FRACTION * foreseen


def test_rules_that_leave_have_their_share() -> None:
    paths = closed(chain(80), rules=[STEP, LINEAR, JOIN])
    changes = edited(paths, rules={JOIN: -1})
    assert (changes.strategy, changes.switched) == ("bootstrap", True)


def test_new_rules_over_loaded_facts_are_an_update() -> None:
    """Each meets all facts and derives one, so the facts that arrive do not raise the limit."""
    nodes = [f"<x{i}>" for i in range(15_000)]
    facts = [*(Atom("a", (node, "<k>")) for node in nodes), *(Atom("b", (node, node)) for node in nodes)]
    system = closed(facts, rules=[])
    foreseen = system.engine.work or 0
    body = (Atom("a", (X, Y)), Atom("b", (X, X)))
    changes = edited(system, rules={Rule((Atom(f"h{number}", (Y, Y)),), body): 1 for number in range(4)})
    assert changes.rewrites > foreseen
    assert (changes.strategy, changes.switched) == ("update", False)


def count_of_lost(system: System, changes: Changes) -> int:
    """The rewrites of the Update that a commit dropped before its Bootstrap."""
    return changes.rewrites - ((system.engine.work or 0) - len(system.engine))


def test_a_dropped_update_says_what_a_larger_one_would_take() -> None:
    links = chain(390)
    paths = closed(links)
    first = count_of_lost(paths, edited(paths, gone=links[::5]))
    assert edited(paths, added=links[::5]).strategy == "update"
    changes = edited(paths, gone=links[::3])
    assert changes.switched
    assert 0 < count_of_lost(paths, changes) < first / 2


def test_no_forecast_keeps_from_an_update_what_needs_little() -> None:
    """What some facts took says nothing of others: an Update of these takes 3 rewrites for each."""
    links, leaves = chain(390), apart(3_000)
    paths = closed(links, leaves)
    assert edited(paths, gone=links[::5]).switched
    assert edited(paths, added=links[::5]).strategy == "update"
    for part in (leaves[:1_000], leaves[1_000:]):
        changes = edited(paths, gone=part)
        assert (changes.strategy, changes.rewrites) == ("update", 3 * len(part))


def test_an_update_says_what_a_larger_one_would_take() -> None:
    """Short chains: the links of each that leave take as much as those of another."""
    chains = [chain(20, 100 * number) for number in range(400)]
    paths = closed(*chains)
    first = edited(paths, gone=[link for links in chains[:80] for link in links[::5]])
    assert (first.strategy, first.switched) == ("update", False)
    second = edited(paths, gone=[link for links in chains[80:] for link in links[::5]])
    assert second.switched
    assert 0 < count_of_lost(paths, second) < 2 * first.rewrites


def test_facts_that_arrive_are_not_charged_to_those_that_leave() -> None:
    first, leaves = apart(TELLING, "first"), apart(2_000, "second")
    paths = closed(chain(100), first, leaves)
    assert edited(paths, gone=first, added=apart(8_000, "more")).strategy == "update"
    assert edited(paths, gone=leaves).strategy == "update"


@pytest.mark.parametrize("is_enough", [False, True])
def test_a_budget_too_small_for_a_bootstrap_has_the_update_tried(is_enough: bool) -> None:
    """The forecast is wrong: the last links take less than those from all over the chain."""
    links = chain(390)
    paths = closed(links)
    assert edited(paths, gone=links[::5]).switched
    edited(paths, added=links[::5])
    work = paths.engine.work or 0
    changes = edited(paths, gone=links[-100:], budget=2 * work if is_enough else work - 1)
    assert (changes.strategy, changes.switched) == (("bootstrap", True) if is_enough else ("update", False))


def test_a_budget_is_for_the_update_and_the_bootstrap_after_it() -> None:
    links = chain(390)
    paths = closed(links)
    before = paths.states()
    with pytest.raises(LimitError, match="the budget ran out"):
        edited(paths, gone=links[::100], budget=40_000)
    assert paths.states() == before
    assert edited(paths, gone=links[::100], budget=400_000).switched


def test_a_rollback_takes_back_what_was_learnt() -> None:
    links = chain(390)
    paths = closed(links)
    foreseen = paths.engine.work
    for part in (links[::5], links):
        paths.engine.begin()
        paths.apply(dict.fromkeys(part, -1), {})
        assert paths.engine.work != foreseen
        paths.engine.rollback()
        assert paths.engine.work == foreseen
    assert edited(paths, gone=links[::3]).switched


def test_a_first_bootstrap_that_is_rolled_back_was_none() -> None:
    system = System()
    for end in (system.engine.rollback, system.engine.accept):
        system.engine.begin()
        system.apply(dict.fromkeys(chain(3), 1), {STEP: 1})
        assert system.engine.changes().strategy == "bootstrap"
        end()
    assert system.engine.work == 3 + 3 + 3


@pytest.mark.parametrize("step", [500, 3_000])
def test_the_work_of_a_bootstrap_is_foreseen_as_facts_come_and_go(step: int) -> None:
    """Loose edges take little each, whatever those took that were there before."""
    paths, loose = closed(chain(100)), apart(9_000)
    for low in range(0, len(loose), step):
        assert edited(paths, added=loose[low : low + step]).strategy == "update"
    assert foreseen_well(paths)
    for low in range(0, len(loose), step):
        edited(paths, gone=loose[low : low + step])
    assert foreseen_well(paths)


def foreseen_well(system: System) -> bool:
    """Whether a Bootstrap takes half to twice the work that is foreseen for it."""
    engine = system.engine
    foreseen = engine.work or 0
    changes = engine.commit({}, strategy="bootstrap")
    return bool(0.5 * foreseen < changes.rewrites + len(engine) < 2 * foreseen)


def test_the_forecast_is_restored() -> None:
    paths = closed(chain(20))
    engine, rules = paths.engine, paths.engine.rules
    records = engine.facts.records(engine.facts.present_rows())
    engine.restore(records, rules, 1_000)
    assert engine.work == 1_000
    fresh = Engine()
    fresh.restore(records, [])
    assert fresh.work is None


def test_a_forecast_that_ended_an_update_counts_less() -> None:
    forecasts = Forecasts(1_000_000)
    most = forecasts.limit_for_leaving(0, UNLIMITED, is_first=True)
    forecasts.note_retraction(TELLING, TELLING * 1_000, is_first=True, is_dropped=False)
    assert forecasts.limit_for_leaving(most // 1_000, UNLIMITED, is_first=True) == most
    more = int(most / 1_000 / DOUBT**1.5)
    trial = int(TRIAL * most)
    for limit in (trial, trial, most):
        assert forecasts.limit_for_leaving(more, UNLIMITED, is_first=True) == limit
        forecasts.note_retraction(more, trial + 1, is_first=True, is_dropped=True)


def test_an_update_that_ends_replaces_the_forecast() -> None:
    forecasts = Forecasts(1_000_000)
    most = forecasts.limit_for_leaving(0, UNLIMITED, is_first=True)
    forecasts.note_retraction(TELLING, 10**9, is_first=True, is_dropped=False)
    assert forecasts.limit_for_leaving(TELLING, UNLIMITED, is_first=True) == TRIAL * most
    forecasts.note_retraction(TELLING, TELLING, is_first=True, is_dropped=False)
    assert forecasts.limit_for_leaving(most, UNLIMITED, is_first=True) == most


def test_few_facts_say_nothing_and_have_the_whole_limit() -> None:
    forecasts = Forecasts(100_000)
    forecasts.note_retraction(TELLING - 1, 10**9, is_first=True, is_dropped=False)
    assert forecasts.limit_for_leaving(20_000, UNLIMITED, is_first=True) == FRACTION * 100_000
    forecasts.note_retraction(TELLING, 10**9, is_first=True, is_dropped=False)
    assert forecasts.limit_for_leaving(TELLING - 1, UNLIMITED, is_first=True) == FRACTION * 100_000
    assert forecasts.limit_for_leaving(TELLING, UNLIMITED, is_first=True) == FRACTION * TRIAL * 100_000


def test_little_work_is_always_tried() -> None:
    forecasts = Forecasts(100)
    forecasts.note_retraction(TELLING, 10**9, is_first=True, is_dropped=False)
    assert forecasts.limit_for_leaving(TELLING, UNLIMITED, is_first=True) == ALWAYS
    assert not forecasts.is_hopeless(FEW)
    assert forecasts.is_hopeless(FEW + 1)


def test_a_graph_has_a_fraction_of_its_own() -> None:
    forecasts = Forecasts(100 * ALWAYS)
    forecasts.note_retraction(TELLING, 100 * TELLING, is_first=True, is_dropped=False)
    limits, trials = [], []
    for fraction in (None, 0.0, 0.5, 0.08, 2.0):
        forecasts.fraction = fraction
        limits.append(forecasts.limit_for_leaving(0, UNLIMITED, is_first=True))
        trials.append(forecasts.limit_for_leaving(ALWAYS, UNLIMITED, is_first=True))
    assert limits == [50 * ALWAYS, ALWAYS, 50 * ALWAYS, 8 * ALWAYS, 200 * ALWAYS]
    assert trials == [12.5 * ALWAYS, ALWAYS, 12.5 * ALWAYS, 2 * ALWAYS, 200 * ALWAYS]
