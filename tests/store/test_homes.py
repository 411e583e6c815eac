"""The five homes keep one protocol, and a position says which part has to work."""

from __future__ import annotations

from itertools import combinations, permutations
from pathlib import Path

import pytest

from kgreason.errors import StoreError
from kgreason.graph.fork import fork
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.store.homes.disk import Disk
from kgreason.store.homes.fork import Fork
from kgreason.store.homes.memory import Memory
from kgreason.store.homes.past import Past
from kgreason.store.homes.position import UNKNOWN, Position
from kgreason.store.homes.reader import Reader
from tests.tables import table

HOMES = (Disk, Reader, Memory, Past, Fork)


def test_no_home_is_a_subclass_of_another() -> None:
    assert not any(issubclass(one, other) for one, other in permutations(HOMES, 2))


def test_no_home_overrides_what_homes_in_memory_share_except_its_end() -> None:
    for home in (Memory, Past, Fork):
        shared = {name for base in home.mro()[1:-1] for name in vars(base)} & set(vars(home))
        assert {name for name in shared if not name.startswith("__")} <= {"close"}


@table(
    ("position", "is_ahead", "is_behind", "is_unknown"),
    [
        (Position(4, 4, 4), False, False, False),
        (Position(4, 6, 6), True, False, False),
        (Position(4, 6, 5), True, True, False),
        (Position(4, 6, UNKNOWN), True, True, True),
        (Position(4, 4, UNKNOWN), False, True, True),
        (Position(0, 0, 0), False, False, False),
    ],
)
def test_the_states_of_a_position(position: Position, is_ahead: bool, is_behind: bool, is_unknown: bool) -> None:
    assert (position.is_ahead, position.is_behind, position.is_unknown) == (is_ahead, is_behind, is_unknown)


def test_every_home_that_has_started_is_where_its_last_commit_is(tmp_path: Path) -> None:
    store = tmp_path / "store"
    with KnowledgeGraph.open(store, rules=["none"], history="all") as writer, KnowledgeGraph.open() as memory:
        for graph in (writer, memory):
            graph.add("<http://e/a> <http://e/p> <http://e/b> .")
            graph.add("<http://e/b> <http://e/p> <http://e/b> .")
        with KnowledgeGraph.open(store, read_only=True) as reader, writer.as_of(2) as past, fork(store) as copy:
            graphs = (writer, reader, memory, past, copy)
            assert tuple(type(graph._home) for graph in graphs) == HOMES
            for graph in graphs:
                graph._committer()
                assert graph.commit == 2
                assert graph is reader or not graph._home.position.is_behind
            for one, other in combinations(graphs, 2):
                assert set(one) == set(other)
            for graph in (reader, past):
                with pytest.raises(StoreError):
                    graph._home.writable()
            copy.add("<http://e/c> <http://e/p> <http://e/b> .")
            assert [len(graph) for graph in graphs] == [2, 2, 2, 2, 3]
