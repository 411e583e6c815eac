"""What a process keeps of each commit: nothing, once the caches are full. Python objects are counted, not bytes."""

from __future__ import annotations

import gc
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from kgreason import KnowledgeGraph

TOM = "<http://e/tom> a <http://e/Cat> ; <http://e/name> 'Tom' ."


def growth(call: Callable[[], object], times: int = 30) -> int:
    """How many more objects with parts there are after so many calls. As many calls before that fill the caches.

    It is the least of three measures: threads of a server may hold some more objects at the end of one of them.
    """
    counts = list[int]()
    for _ in range(4):
        for _ in range(times):
            call()
        gc.collect()
        counts.append(len(gc.get_objects()))
    return min(after - before for before, after in pairwise(counts))


@pytest.mark.parametrize("is_on_disk", [False, True])
def test_a_graph_keeps_nothing_of_a_commit(tmp_path: Path, is_on_disk: bool) -> None:
    heard = []
    with KnowledgeGraph.open(tmp_path / "store" if is_on_disk else None) as graph:
        graph.add("<http://e/Cat> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <http://e/Animal> .")
        graph.subscribe(lambda delta: heard.append(len(delta)))

        def edits() -> None:
            graph.add(TOM)
            graph.update(f"PREFIX : <http://e/> DELETE DATA {{ {TOM} }}")

        assert growth(edits) < 30  # an object for each commit would be 60
    assert len(heard) == 8 * 30


def test_retained_memory_is_counted() -> None:
    deltas: list[object] = []
    with KnowledgeGraph.open() as graph:
        graph.subscribe(deltas.append)

        def edits() -> None:
            graph.add(TOM)
            graph.remove(TOM)

        assert growth(edits, 10) > 20
