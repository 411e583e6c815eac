"""Who hears of a commit, how far a stream has come, and what Ctrl-C leaves behind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.engine.changes import Strategy
from kgreason.errors import StoreError
from kgreason.graph import commits
from kgreason.graph.changes.delta import Delta
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.store.homes import disk
from tests.graph.commits.test_edits import check, commit, content
from tests.graph.dog_graph import ONTOLOGY, PREFIX, REX, InjectedError, add, asserted, remove
from tests.graph.histories import Edit, Model, histories
from tests.graph.views import lines, view


def test_subscribers_hear_of_every_commit_in_order(graph: KnowledgeGraph) -> None:
    told_of: list[Delta] = []
    stop = graph.subscribe(told_of.append)
    for text in (":a a :Dog .", ":b a :Dog ."):
        add(graph, PREFIX + text)
    with graph.what_if() as tx:
        tx.add(PREFIX + ":c a :Dog .")
    graph.update("INSERT DATA { <http://e/d> a <http://e/Dog> } ; DELETE WHERE { ?x a <http://e/Dog> }")
    stop()
    add(graph, PREFIX + ":e a :Dog .")
    assert [delta.commit for delta in told_of] == list(range(2, 2 + len(told_of)))
    assert [len(delta) for delta in told_of] == [2, 2, 6]  # what came and went in the update is not told


def test_a_subscriber_is_called_and_may_leave_more_than_once(graph: KnowledgeGraph) -> None:
    with pytest.raises(TypeError, match=r"subscribe\(\) takes a function .* got None"):
        graph.subscribe(None)  # type: ignore[arg-type]
    heard: list[Delta] = []
    leave, _ = graph.subscribe(heard.append), graph.subscribe(heard.append)
    leave()
    leave()
    add(graph, f"{PREFIX} :rex a :Puppy .")
    assert len(heard) == 1


def test_a_subscriber_that_raises(graph: KnowledgeGraph) -> None:
    """The commit stands, the others are told, and whoever made the commit gets the error."""
    told_of: list[Delta] = []

    def fails(delta: Delta) -> None:
        raise InjectedError(delta.commit)

    stop = graph.subscribe(fails)
    graph.subscribe(told_of.append)
    with pytest.raises(InjectedError, match="2"), graph.transaction() as tx:
        tx.add(PREFIX + ":a a :Dog .")
    assert told_of == [tx.delta]
    graph.subscribe(fails)
    with pytest.raises(ExceptionGroup) as caught:
        graph.update("INSERT DATA { <http://e/b> a <http://e/Dog> }")
    assert [str(error) for error in caught.value.exceptions] == ["3", "3"]
    assert [delta.commit for delta in told_of] == [2, 3]
    stop()
    assert graph.query("ASK { <http://e/a> a <http://e/Animal> . <http://e/b> a <http://e/Animal> }")


def test_a_subscriber_may_edit(graph: KnowledgeGraph) -> None:
    numbers: list[int] = []

    def answer(delta: Delta) -> None:
        if delta.appeared() and len(numbers) < 4:
            add(graph, PREFIX + f":a{delta.commit} a :Dog .")

    graph.subscribe(answer)
    graph.subscribe(lambda delta: numbers.append(delta.commit))
    add(graph, PREFIX + ":a a :Dog .")
    assert numbers == [2, 3, 4, 5, 6]
    assert graph._lock.depth == 0  # so that other threads can go on


def test_a_journal_that_has_outgrown_its_share_becomes_a_snapshot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ahead of the subscribers; where that fails the commit stands, and closing says what is wrong."""
    monkeypatch.setattr(disk, "_SMALLEST", 300)
    monkeypatch.setattr(disk, "_SHARE", 1 << 40)
    path, sizes = tmp_path / "store", list[int]()
    graph = KnowledgeGraph.open(path)
    add(graph, ONTOLOGY)
    graph.subscribe(lambda _: sizes.append((path / "journal").stat().st_size))
    for number in range(9):
        add(graph, f"<http://e/{number}> <http://e/p> <http://e/o> .")
    assert max(sizes) <= 300
    assert 0 in sizes
    before = view(graph)
    with monkeypatch.context() as patched:
        patched.setattr(disk, "_SMALLEST", 0)
        patched.setattr(graph._home, "_limit", 0)
        patched.setattr(graph._committer(), "write", fails)
        add(graph, "<http://e/last> <http://e/p> <http://e/o> .")
        with pytest.raises(StoreError, match="the disk is full"):
            graph.close()
    with KnowledgeGraph.open(path) as graph:
        assert len(lines(graph.dump())) == len(before.asserted | before.inferred) + 1


def fails(_: object) -> None:
    raise StoreError("the disk is full")


def test_streams_say_how_far_they_have_come(tmp_path: Path) -> None:
    """Through journal, checkpoint and bulk load; a batch that changes nothing is noted as well."""
    path, texts = tmp_path / "store", iter(f"<http://e/a> <http://e/p> {n} ." for n in range(9))

    def batch(graph: KnowledgeGraph, stream: str, number: int, text: str = "") -> None:
        with graph.transaction({"stream": stream, "batch": str(number)}) as tx:
            tx.add(text or next(texts))
        assert graph.streams()[stream] == {"stream": stream, "batch": str(number)}

    with KnowledgeGraph.open(path) as graph:
        assert graph.streams() == {}
        batch(graph, "one", 1)
        batch(graph, "one", 2, "<http://e/a> <http://e/p> 0 .")
        batch(graph, "two", 7)
        add(graph, next(texts))
    with KnowledgeGraph.open(path) as graph:
        assert {name: headers["batch"] for name, headers in graph.streams().items()} == {"one": "2", "two": "7"}
        graph._committer().checkpoint()
        batch(graph, "two", 8)
        with pytest.raises(InjectedError), graph.transaction({"stream": "two", "batch": "9"}):
            raise InjectedError
        graph._home.close()
    with KnowledgeGraph.open(path) as graph, pytest.MonkeyPatch.context() as patched:
        patched.setattr(commits, "SMALL", 0)
        batch(graph, "one", 3)
        patched.undo()
        with pytest.raises(ValueError, match="not a name"), graph.transaction({"stream": "two", "commit": "9"}) as tx:
            tx.add(next(texts))
    with KnowledgeGraph.open(path, read_only=True) as graph:
        assert {name: headers["batch"] for name, headers in graph.streams().items()} == {"one": "3", "two": "8"}


def test_streams_stand_after_a_load_that_failed_and_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "store"
    with KnowledgeGraph.open(path) as graph:
        add(graph, "<http://e/a> <http://e/p> 1 .")
        with graph.transaction({"stream": "one", "batch": "1"}) as tx:
            tx.add("<http://e/a> <http://e/p> 2 .")
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(commits, "SMALL", 0)
            patched.setattr(commits, "write_rows", lambda *_: fails(None))
            with pytest.raises(StoreError, match="the disk is full"):
                add(graph, "<http://e/a> <http://e/p> 3 .")
        graph._home.close()
    with KnowledgeGraph.open(path) as graph:
        assert graph.streams() == {"one": {"stream": "one", "batch": "1"}}


class Interrupting:
    """Progress that raises when it is told of for the n-th time, or else when the reasoning is done."""

    def __init__(self, after: int) -> None:
        self._left = after

    @contextmanager
    def __call__(self, stage: str, total: int | None = None, /) -> Iterator[Callable[[int], object]]:
        yield self._count
        raise InjectedError

    def _count(self, _done: int) -> None:
        self._left -= 1
        if self._left < 0:
            raise InjectedError


@pytest.mark.parametrize("strategy", ["auto", "update", "bootstrap"])
@settings(max_examples=8)
@given(edits=histories(), moments=st.lists(st.integers(0, 12), min_size=5, max_size=5))
def test_a_commit_that_is_interrupted_at_any_moment(strategy: Strategy, edits: list[Edit], moments: list[int]) -> None:
    """It leaves no trace: neither now, nor in what the next commits do."""
    model = Model()
    with KnowledgeGraph.open(strategy=strategy) as graph, KnowledgeGraph.open(strategy=strategy) as calm:
        for edit, moment in zip(edits, moments, strict=False):
            before = view(graph)
            for begin in (graph.transaction, graph.what_if):
                edit.tell(tx := begin())
                with pytest.raises(InjectedError):
                    tx.end(True, Interrupting(moment))
                assert view(graph) == before
            model = model.after(edit)
            assert content(commit(graph, edit)) == content(commit(calm, edit))
            check(graph, model)


@pytest.mark.parametrize("step", ["accept", "engine.accept", "_home.commit"])
def test_ctrl_c_once_the_journal_has_a_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    """It stands, and subscribers are told of it."""
    told_of: list[Delta] = []
    with KnowledgeGraph.open(tmp_path / "store") as graph:
        add(graph, ONTOLOGY)
        graph.subscribe(told_of.append)
        side = graph._committer()
        owner, name = {
            "accept": (side.materializer, "accept"),
            "engine.accept": (side.materializer.engine, "accept"),
            "_home.commit": (side._home, "commit"),
        }[step]
        function = getattr(owner, name)
        left = iter([True])

        def stopped(*arguments: object) -> None:
            if name == "commit":
                function(*arguments)
            if next(left, False):
                raise KeyboardInterrupt
            if name == "accept":
                function(*arguments)

        with monkeypatch.context() as patched:
            patched.setattr(owner, name, stopped)
            with pytest.raises(KeyboardInterrupt):
                add(graph, PREFIX + ":tom a :Dog .")
        assert [delta.commit for delta in told_of] == [2]
        after = view(graph)
        assert "<http://e/tom>" in "".join(after.inferred)
        remove(graph, REX)
        assert len(told_of) == 2
    with KnowledgeGraph.open(tmp_path / "store") as graph:
        assert len(asserted(graph)) == 2
