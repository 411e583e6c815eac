"""A graph is equal to one that has not seen the transactions that came to nothing."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from kgreason import KnowledgeGraph
from kgreason.engine.memory import layout as at
from tests.graph.commits.abandoned import KINDS, READS, Draw, Dud, Edits, committed, content, options
from tests.graph.views import lasting, view
from tests.volume import many_seeds

_STEPS = 9


def _facts(graph: KnowledgeGraph) -> list[tuple[Any, ...]]:
    """All facts of the engine, hidden ones too, with stamp, support and flag."""
    materializer = graph._committer().materializer
    facts, decode = materializer.engine.facts, materializer.dictionary.decode
    return sorted(
        (
            *decode([term for term in row[at.FIRST :] if term]),
            row[at.STAMP],
            row[at.SUPPORT],
            bool(row[at.STATE] & at.ASSERTED),
        )
        for row in facts.records(facts.present_rows()).tolist()
    )


def _assert_equal(one: KnowledgeGraph, other: KnowledgeGraph, label: str) -> None:
    assert lasting(view(one)) == lasting(view(other)), label
    assert sorted(one.dump_relations()) == sorted(other.dump_relations()), label
    assert _facts(one) == _facts(other), label


def _run(seed: int, folder: Path) -> None:
    random = Random(seed)
    draw, how = Draw(random), options(random, folder)
    path = folder / "store" if random.random() < 0.4 else None
    graph, plain = KnowledgeGraph.open(path, **how), KnowledgeGraph.open(**how)
    made: list[Edits] = []
    refused: list[tuple[int, Edits, str]] = []
    for step in range(_STEPS):
        label = f"history {seed}, step {step}"
        if step % 3 == 2:
            Dud(random.choice(KINDS), draw.edits(is_dud=True)).make(graph)
            continue
        edits = draw.edits(is_dud=False)
        found = committed(graph, edits)
        if isinstance(found, str):
            refused.append((len(made), edits, found))
            continue
        wanted = committed(plain, edits)
        assert not isinstance(wanted, str), f"{label}: {wanted}"
        assert content(found) == content(wanted), label
        made.append(edits)
        random.choice(READS)(graph)
        if path and random.random() < 0.3:
            graph.close()
            graph = KnowledgeGraph.open(path, **how)
    _assert_equal(graph, plain, f"history {seed}")
    if path:
        graph.close()
        graph = KnowledgeGraph.open(path, **how)
        _assert_equal(graph, plain, f"history {seed}, opened again")
    if refused:
        count, edits, error = refused[-1]
        with KnowledgeGraph.open(**how) as fresh:
            for each in made[:count]:
                committed(fresh, each)
            assert committed(fresh, edits) == error, f"history {seed}: refused for no reason"
    graph.close()
    plain.close()


@pytest.mark.parametrize("seed", many_seeds(0, 6))
def test_a_transaction_that_comes_to_nothing_leaves_nothing(seed: int, tmp_path: Path) -> None:
    _run(seed, tmp_path)
