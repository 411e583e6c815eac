"""The generators at small sizes, and the floor against the engine: it hashes what the engine hashes."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest

from benchmarks import engine
from benchmarks.completion import COMPLETION, GALEN, ontology
from benchmarks.floor import hash_all, record
from benchmarks.programs import (
    POINTS_TO,
    TRANSITIVE_CLOSURE,
    Input,
    Statements,
    idle_rules,
    pointers,
    random_graph,
    relational,
)
from kgreason.engine.circuit import Circuit
from kgreason.engine.memory import layout as at

SMALL = Statements(addr=30, copy=30, load=10, store=10)


def closure() -> Input:
    return relational(TRANSITIVE_CLOSURE, {"edge": random_graph(30, 60)})


def points_to() -> Input:
    return relational(POINTS_TO, pointers(40, SMALL, 0.8))


def completion() -> Input:
    return relational(COMPLETION, ontology(60, GALEN))


def rows(circuit: Circuit) -> set[tuple[int, ...]]:
    columns, tables = circuit.facts.columns(circuit.facts.present_rows())
    return set(map(tuple, np.column_stack([tables, columns]).tolist()))


def test_a_random_graph_has_the_edges_asked_for_and_is_the_same_again() -> None:
    graph = random_graph(100, 1_000)
    assert len(set(map(tuple, graph.tolist()))) == len(graph) == 1_000
    assert graph.min() >= 0
    assert graph.max() < 100
    assert (graph == random_graph(100, 1_000)).all()


def test_pointers_are_skewed_on_one_side_and_the_same_again() -> None:
    found = pointers(1_000, Statements(500, 500, 500, 500), 1.0)
    assert list(found) == ["addr", "copy", "load", "store"]
    assert all((found[name] == again).all() for name, again in pointers(1_000, Statements(*[500] * 4), 1.0).items())
    for name, pairs in found.items():
        assert pairs.min() >= 0
        assert pairs.max() < 1_000
        most = [np.bincount(column).max() for column in pairs.T]
        assert most[name != "store"] > 5 * most[name == "store"], name


def test_the_rules_mean_what_they_say() -> None:
    edges = random_graph(30, 60)
    reach = set(map(tuple, edges.tolist()))
    while more := {(a, d) for (a, b), (c, d) in product(reach, reach) if b == c} - reach:
        reach |= more
    start = relational(TRANSITIVE_CLOSURE, {"edge": edges})
    start.engine.bootstrap(start.facts)
    assert len(start.engine) == len(edges) + len(reach)


def test_axioms_lead_from_special_classes_to_general_ones_and_are_the_same_again() -> None:
    found = ontology(500, GALEN)
    assert all((rows == again).all() for rows, again in zip(found.values(), ontology(500, GALEN).values(), strict=True))
    assert all(len(np.unique(rows, axis=0)) == len(rows) for rows in found.values())
    special, general = found["sub"].T
    assert (special > general).all()
    assert (found["both"][:, 2] < found["both"][:, :2].min(axis=1)).all()
    assert found["restriction"][:, 2].max() <= found["some"][:, 0].min()
    assert {rows.shape[1] for rows in found.values()} == {2, 3}


@pytest.mark.parametrize("make", [closure, points_to, completion])
def test_the_floor_hashes_every_derivation_and_ends_with_the_same_facts(make: Callable[[], Input]) -> None:
    recording = record(*(start := make()))
    assert len(start.engine) == 0
    floor = hash_all(recording)
    start.engine.bootstrap(start.facts)
    assert len(recording.heads) == start.engine._circuit.block[at.DERIVATIONS] > 0
    assert rows(floor) == rows(start.engine._circuit)


def test_over_floor_gives_a_ratio_and_counts() -> None:
    measurement = engine.over_floor(points_to(), rounds=1, counts=True)
    assert measurement.value > 0
    assert set(measurement.others) == {"rewrites", "derivations"}
    assert measurement.others["rewrites"][0] >= measurement.others["derivations"][0] > 0


def test_idle_rules_are_as_many_as_asked_for_and_all_different() -> None:
    rules = idle_rules(20)
    assert len({(rule.heads, rule.body) for rule in rules}) == 20
