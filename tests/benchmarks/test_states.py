"""States and what is measured in them, at small sizes: the facts stay, and figures are of what they say."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from benchmarks import axioms, churn, cliques, commits, elastic, states
from benchmarks.completion import GALEN
from benchmarks.states import Measured, Series, Start, Turn, closure, measure, of_triples, recombined, turns
from benchmarks.workspace import Workspace
from kgreason.engine.changes import Strategy
from kgreason.engine.engine import Engine
from kgreason.materialize.schema.rows import is_schema
from kgreason.rules.model import Triple
from tests.benchmarks.small import materialized


def graph(workspace: Workspace) -> Start:
    return closure(20, 40)


def facts(engine: Engine) -> set[tuple[int, ...]]:
    """Every fact with its table and whether it is asserted."""
    found = engine.facts
    rows = found.present_rows()
    columns, tables = found.columns(rows)
    return set(map(tuple, np.column_stack([tables, found.kinds(rows), columns]).tolist()))


def test_a_twin_has_the_rules_and_no_facts() -> None:
    start = closure(20, 40)
    engine = start.fresh()
    twin = states.twin(engine)
    assert len(twin) == 0
    assert twin.rules == engine.rules
    twin.bootstrap({start.table: start.rows})
    assert facts(twin) == facts(engine)


def test_both_states_have_the_same_facts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(states, "GROWN", 25)
    start = closure(20, 40)
    assert facts(start.grown()) == facts(start.fresh())


def test_samples_are_data_and_share_nothing_until_all_were_drawn(tmp_path: Path) -> None:
    start = of_triples(materialized(tmp_path))
    assert start.changed < len(start.rows)
    assert is_schema(start.rows[start.changed :]).all()
    parts = list(islice(start.parts(10), start.changed // 10))
    drawn = np.concatenate(parts)
    assert not is_schema(drawn).any()
    assert len(np.unique(drawn, axis=0)) == len(drawn)
    assert {tuple(row) for row in drawn.tolist()} <= {tuple(row) for row in start.rows.tolist()}


@pytest.mark.parametrize("strategy", ["auto", "update", "bootstrap"])
def test_a_turn_leaves_the_facts_as_they_were(strategy: Strategy) -> None:
    start = closure(20, 40)
    engine = start.fresh()
    before = facts(engine)
    found = turns(engine, start.table, list(islice(start.parts(5), 3)), strategy)
    assert len(found) == 3
    assert all(turn.deleted > 0 and turn.added > 0 for turn in found)
    assert facts(engine) == before


def test_triples_are_recombined_within_their_predicate(tmp_path: Path) -> None:
    start = of_triples(materialized(tmp_path))
    engine, rows = start.fresh(), start.rows[: start.changed]
    made = recombined(engine, rows, 50)
    assert 0 < len(made) <= 50
    assert (engine.facts.find(made) < 0).all()
    known = {(predicate, object_) for _, predicate, object_ in rows.tolist()}
    assert all((predicate, object_) in known for _, predicate, object_ in made.tolist())


def test_a_series_has_its_turns_and_a_bootstrap_for_each_round() -> None:
    measured = measure(closure(20, 40), 2, rounds=3, parts=4)
    assert set(measured.series) == {"fresh", "grown"}
    assert all(len(series.turns) == 12 for series in measured.series.values())
    assert len(measured.bootstraps) == 3


def test_the_worse_state_counts_and_the_first_commit_stands_apart() -> None:
    series = {
        "fresh": Series(Turn(9.0, 8.0), [Turn(1.0, 2.0), Turn(3.0, 4.0), Turn(2.0, 2.0)]),
        "grown": Series(Turn(7.0, 6.0), [Turn(4.0, 1.0)] * 3),
    }
    found = commits.over_bootstrap(Measured(series, [10.0, 30.0, 20.0]), "deleted", 5)
    assert found.value == 4 / 20
    assert found.others["fresh"] == (2 / 20, "x")
    assert found.others["fresh-first"] == (9.0, "s")
    assert found.others["bootstrap"] == (20.0, "s")


def test_commits_are_measured(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commits, "_ROUNDS", 1)
    monkeypatch.setattr(commits, "_SINGLES", 3)
    assert commits.hundredth(graph, "deleted", workspace).value > 0
    assert commits.single(graph, "added", workspace).value > 0
    found = commits.triple(graph, workspace)
    medians = [f"{side}-{state}" for side in ("deleted", "added") for state in ("fresh", "grown")]
    assert found.value == max(found.others[name][0] for name in medians)
    assert {f"{name}-first" for name in medians} <= set(found.others)


def test_sizes_grow_from_one_fact_to_half_of_all() -> None:
    sizes = elastic.sizes(10_000)
    assert len(sizes) == 13
    assert (sizes[0], sizes[-1]) == (1, 5_000)
    assert sizes == sorted(sizes)


def test_auto_stands_beside_the_better_of_both(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elastic, "_COMMITS", 3)
    found = elastic.series(graph(workspace), 1)
    taken = {name: found.others[name][0] for name in ("auto", "update", "bootstrap")}
    assert found.value >= taken["auto"] / min(taken["update"], taken["bootstrap"])
    assert set(found.others) == {*taken, "deleted", "added"}


def test_the_law_is_the_worst_of_all_commits(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elastic, "_COMMITS", 3)
    found = elastic.worst(lambda _: states.completion(30, GALEN), workspace)
    ratios = [value for name, (value, _) in found.others.items() if name != "most"]
    assert len(ratios) == 2 * 3
    assert found.value == max(ratios) >= found.others["most"][0] > 0


def test_a_completion_keeps_its_told_subsumptions() -> None:
    start = states.completion(30, GALEN)
    engine = start.fresh()
    before = facts(engine)
    turns(engine, start.table, list(islice(start.parts(10), 3)))
    assert facts(engine) == before
    assert sum(map(len, start.facts.values())) < len(engine)


@pytest.mark.parametrize("axiom", [axioms.LOW, axioms.TRANSITIVE])
def test_an_axiom_comes_and_goes_and_leaves_the_graph_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, axiom: Triple
) -> None:
    monkeypatch.setattr(axioms, "GROWN", 0)
    materializer = materialized(tmp_path)
    before, rules = facts(materializer.engine), set(materializer.rules)
    found = axioms.over_bootstrap(materializer, axiom, 1)
    assert facts(materializer.engine) == before
    assert set(materializer.rules) == rules
    worst = {
        state: max(found.others[f"{side}-{state}"][0] for side in ("added", "removed")) for state in ("fresh", "grown")
    }
    assert found.value == max(worst.values())
    assert all(0 < found.others[f"engine-{state}"][0] < whole for state, whole in worst.items())


def test_pairs_leave_the_facts_as_they_were_and_count_all_arrays(tmp_path: Path) -> None:
    found = churn.after_pairs(of_triples(materialized(tmp_path)), 50)
    assert found.value >= found.others["arrays"][0] > 0
    assert found.others["first"][0] >= 1


def test_memory_stays_after_many_pairs_of_single_commits(tmp_path: Path) -> None:
    assert churn.after_pairs(of_triples(materialized(tmp_path)), 20_000).value <= 1.2


def test_a_clique_is_measured_with_the_facts_that_stand_for_it() -> None:
    (linked, asserted), (plain, _) = (cliques.engine_of(is_linked) for is_linked in (True, False))
    assert len(plain.engine) == cliques.MEMBERS * cliques.FACTS
    assert len(linked.engine) > 2 * len(plain.engine)
    before = facts(linked.engine)
    assert cliques.bootstrap(linked, asserted) > 0
    assert facts(linked.engine) == before
