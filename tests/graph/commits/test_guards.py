"""What a graph refuses: writing where it may only read, and anything once it is closed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kgreason import KnowledgeGraph
from kgreason.errors import StoreError


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "a.nt"
    path.write_text("<http://e/a> <http://e/p> <http://e/b> .\n")
    return path


def test_a_graph_opened_for_reading_loads_nothing(tmp_path: Path, data: Path) -> None:
    with KnowledgeGraph.open(tmp_path / "store", rules=["none"]) as graph:
        graph.load(data)
    before = (tmp_path / "store" / "kgreason.json").read_text()
    with KnowledgeGraph.open(tmp_path / "store", read_only=True) as graph:
        with pytest.raises(StoreError, match="opened for reading only"):
            graph.load(data)
        assert graph.query("ASK { ?x ?y ?z }")
    assert (tmp_path / "store" / "kgreason.json").read_text() == before


@pytest.mark.parametrize("is_on_disk", [True, False])
def test_a_closed_graph_is_closed(tmp_path: Path, data: Path, is_on_disk: bool) -> None:
    graph = KnowledgeGraph.open(tmp_path / "store" if is_on_disk else None, rules=["none"])
    graph.load(data)
    lines = graph.dump()
    graph.close()
    with pytest.raises(StoreError, match="the graph is closed"):
        graph.query("ASK { ?x ?y ?z }")
    asked: list[Callable[[], object]] = [
        lambda: graph.load(data),
        graph.transaction,
        graph.what_if,
        lambda: graph.update("CLEAR ALL"),
        lambda: graph.explain(("<http://e/a>", "<http://e/p>", "<http://e/b>")),
        graph.dump,
        graph.rules,
        graph.contradictions,
    ]
    for ask in asked:
        with pytest.raises(StoreError, match="the graph is closed"):
            ask()
    assert b"".join(lines) == data.read_bytes()


def test_a_graph_that_is_closed_in_a_transaction(data: Path) -> None:
    graph = KnowledgeGraph.open(rules=["none"])
    tx = graph.transaction().load(data)
    graph.close()
    for is_good in (True, False):
        with pytest.raises(StoreError, match="the graph was closed while the transaction was open"):
            tx.end(is_good)


@pytest.mark.parametrize("step", ["apply", "changes"])
def test_a_failure_after_the_engine_has_changed_leaves_no_trace(
    tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """The dictionary must not be truncated under facts that stay."""
    more, last = tmp_path / "b.nt", tmp_path / "c.nt"
    more.write_text("<http://e/x> <http://e/q> <http://e/y> .\n")
    last.write_text("<http://e/u> <http://e/r> <http://e/v> .\n")
    with KnowledgeGraph.open(rules=["none"]) as graph:
        graph.load(data)
        engine = graph._committer().materializer.engine
        function = getattr(engine, step)

        def interrupted(*arguments: object, **options: object) -> None:
            function(*arguments, **options)
            raise KeyboardInterrupt

        with monkeypatch.context() as patched:
            patched.setattr(engine, step, interrupted)
            with pytest.raises(KeyboardInterrupt):
                graph.load(more)
        graph.load(last)
        assert sorted(b"".join(graph.dump()).splitlines(keepends=True)) == sorted(
            [data.read_bytes(), last.read_bytes()]
        )
