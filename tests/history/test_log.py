"""The history in files and in memory: what it keeps, what it cuts off, and what it says of commits that it lacks."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from kgreason.errors import HistoryError, InputError, StoreError
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.store.history import log
from kgreason.store.history.entry import Count, Entry, Head
from kgreason.store.history.log import FileHistory, History, MemoryHistory
from kgreason.store.history.retention import Retention
from kgreason.store.journal.journal import Journal
from kgreason.store.journal.record import now
from tests.tables import table


def entry(number: int, text: str = "") -> Entry:
    head = Head(number, now(), Count(1, 2), Count(3, 4), ((1, "p() ."),), 5, (6, 7), {"a": "b"}, {"strategy": "update"})
    return Entry(head, {"triples 0 2": f"<e:{number}{text}> <e:p> <e:o> .\n".encode(), "added": b""})


def numbers(history: History, after: int, to: int) -> list[int]:
    return [head.commit for head in history.heads(after, to)]


def test_an_entry_is_what_was_written(tmp_path: Path) -> None:
    file = FileHistory(tmp_path / "history")
    file.begin(0)
    memory = MemoryHistory()
    for each in (file, memory):
        each.append(entry(1))
        each.append(entry(2))
        assert list(each.entries(0, 2)) == [entry(1), entry(2)] or [e.head.commit for e in each.entries(0, 2)] == [1, 2]
        assert [found.sections for found in each.entries(1, 2)] == [entry(2).sections]
        assert numbers(each, 0, 1) == [1]
        assert numbers(each, 2, 2) == []


@pytest.mark.parametrize("make", [FileHistory, lambda _: MemoryHistory()], ids=["file", "memory"])
def test_the_entry_of_a_commit_that_failed_goes(tmp_path: Path, make: Callable[[Path], History]) -> None:
    history = make(tmp_path / "history")
    if isinstance(history, FileHistory):
        history.begin(0)
    for each in (entry(1), entry(2, "failed"), entry(2, "failed too"), entry(2)):
        history.append(each)
    assert [found.sections for found in history.entries(0, 2)] == [entry(1).sections, entry(2).sections]


def test_files_are_short_and_entries_are_found_in_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "_MOST", 3)
    history = FileHistory(tmp_path / "history")
    history.begin(0)
    for number in range(1, 9):
        history.append(entry(number))
    assert sorted(path.name for path in (tmp_path / "history").iterdir()) == ["1", "4", "7"]
    for after in range(9):
        for to in range(after, 9):
            assert numbers(history, after, to) == list(range(after + 1, to + 1))
    history.append(entry(8, "again"))
    again = FileHistory(tmp_path / "history")
    again.begin(6)
    assert sorted(path.name for path in (tmp_path / "history").iterdir()) == ["1", "4", "7"]
    again.append(entry(7))
    assert numbers(again, 0, 7) == list(range(1, 8))


@pytest.mark.parametrize("kept", [1, 8])
def test_a_number_of_commits_is_kept(tmp_path: Path, kept: int) -> None:
    for path in (tmp_path / "store", None):
        with KnowledgeGraph.open(path, rules=["none"], history=kept) as graph:
            for number in range(40):
                graph.add(f"<e:{number}> <e:p> <e:o> .")
            assert kept <= len(graph.log()) <= 2 * kept + 2
            with graph.as_of(40 - kept) as past:
                assert len(past) == 40 - kept
            with pytest.raises(HistoryError, match=r"the history has the commits after \d+, and commit 3 is older"):
                graph.deltas_since(3)


def test_reader_and_reopening(tmp_path: Path) -> None:
    """A reader sees the history up to its commit, while a writer goes on; the store remembers the option."""
    with KnowledgeGraph.open(tmp_path, rules=["none"], history="all") as graph:
        graph.add("<e:1> <e:p> <e:o> .")
        graph.add("<e:2> <e:p> <e:o> .")
        with KnowledgeGraph.open(tmp_path, read_only=True) as reader:
            assert len(reader) == 2
            graph.add("<e:3> <e:p> <e:o> .")
            assert [head.commit for head in reader.log()] == [2, 1]
            assert [delta.commit for delta in reader.deltas_since(0)] == [1, 2]
            with reader.as_of(1) as past:
                assert len(past) == 1
            with pytest.raises(StoreError, match="reading only"):
                reader.revert(1)
            with pytest.raises(HistoryError, match="there is no commit 3; the last commit is 2"):
                reader.as_of(3)
    with KnowledgeGraph.open(tmp_path) as graph:
        graph.add("<e:4> <e:p> <e:o> .")
        assert len(graph.log()) == 4
        assert [head.commit for head in graph.log(2)] == [4, 3]


def test_a_history_may_begin_late(tmp_path: Path) -> None:
    with KnowledgeGraph.open(tmp_path, rules=["none"]) as graph:
        graph.add("<e:1> <e:p> <e:o> .")
        for ask in (graph.log, lambda: graph.changes(0, 1), lambda: graph.as_of(1), lambda: graph.revert(1)):
            with pytest.raises(HistoryError, match="keeps no history"):
                ask()
    with KnowledgeGraph.open(tmp_path, history="all") as graph:
        assert graph.log() == []
        graph.add("<e:2> <e:p> <e:o> .")
        assert [head.commit for head in graph.log()] == [2]
        with graph.as_of(1) as past:
            assert len(past) == 1
        with pytest.raises(HistoryError, match="the commits after 1, and commit 0 is older"):
            graph.changes(0, 2)
    with pytest.raises(StoreError, match="keeps its history"):
        KnowledgeGraph.open(tmp_path, history="none")
    with KnowledgeGraph.open(tmp_path) as graph:
        assert len(graph.log()) == 1


@pytest.mark.parametrize("make", [FileHistory, lambda _, kept: MemoryHistory(kept)], ids=["file", "memory"])
def test_the_commits_of_some_days_are_kept(tmp_path: Path, make: Callable[[Path, Retention], History]) -> None:
    history = make(tmp_path / "history", Retention.of_mode("8d"))
    if isinstance(history, FileHistory):
        history.begin(0)
    for number in range(1, 41):  # a commit every twelve hours
        time = datetime(2026, 1, 1, tzinfo=UTC) + number * timedelta(hours=12)
        history.append(Entry(Head(number, time.isoformat())))
        assert max(0, number - 26) <= history.base <= max(0, number - 17)
    assert numbers(history, 23, 40) == list(range(24, 41))


def test_a_store_remembers_the_days_of_its_history(tmp_path: Path) -> None:
    with KnowledgeGraph.open(tmp_path, rules=["none"], history="90d") as graph:
        graph.add("<e:s> <e:p> <e:o> .")
    with KnowledgeGraph.open(tmp_path) as graph:
        graph.add("<e:s> <e:p> <e:r> .")
        assert [each.commit for each in graph.log()] == [2, 1]
        with graph.as_of(1) as past:
            assert len(past) == 1


@table("value", ["some", 0, True, 1.5, "0d", "90", "9.5d", "d", "-1d"])
def test_wrong_values(value: object) -> None:
    with pytest.raises(InputError, match="it must be all, none, or a number of commits"):
        KnowledgeGraph.open(history=value)  # type: ignore[arg-type]
    with KnowledgeGraph.open(history="all") as graph, pytest.raises(InputError, match="whole number"):
        graph.as_of("1")  # type: ignore[arg-type]


@pytest.mark.parametrize("how", ["bytes", "gone", "shorter"])
def test_damage_is_told(tmp_path: Path, how: str, caplog: pytest.LogCaptureFixture) -> None:
    with KnowledgeGraph.open(tmp_path, rules=["none"], history="all") as graph:
        for number in range(3):
            graph.add(f"<e:{number}> <e:p> <e:o> .")
    file = tmp_path / "history" / "1"
    if how == "bytes":
        data = bytearray(file.read_bytes())
        data[40] ^= 1
        file.write_bytes(data)
    elif how == "shorter":
        file.write_bytes(file.read_bytes()[:-3])
    else:
        file.unlink()
    with KnowledgeGraph.open(tmp_path, read_only=True) as graph, pytest.raises(StoreError, match="history"):
        list(graph.deltas_since(0))
    with KnowledgeGraph.open(tmp_path) as graph:
        if how != "gone":
            assert "a new history begins after this commit" in caplog.text
        graph.add("<e:more> <e:p> <e:o> .")
        assert [head.commit for head in graph.log()] == [4]
        assert len(graph) == 4


def test_a_commit_that_cannot_be_made_leaves_no_trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with KnowledgeGraph.open(tmp_path, rules=["none"], history="all") as graph:
        graph.add("<e:1> <e:p> <e:o> .")
        for owner in (FileHistory, Journal):
            with monkeypatch.context() as patched:
                patched.setattr(owner, "append", full)
                with pytest.raises(OSError, match="No space"):
                    graph.add("<e:2> <e:p> <e:o> .")
            assert [head.commit for head in graph.log()] == [1]
        graph.add("<e:3> <e:p> <e:o> .")
        assert [delta.appeared() for delta in graph.deltas_since(1)] == [[("<e:3>", "<e:p>", "<e:o>")]]


def test_two_threads(tmp_path: Path) -> None:
    """Reading the past needs no lock: a thread may look back while another one has a transaction open."""
    with KnowledgeGraph.open(tmp_path, rules=["none"], history="all") as graph:
        graph.add("<e:1> <e:p> <e:o> .")
        graph.add("<e:2> <e:p> <e:o> .")
        found: list[object] = []

        def look() -> None:
            with graph.as_of(1) as past:
                found.extend([len(graph.log()), len(past)])

        with graph.transaction() as tx:
            tx.add("<e:3> <e:p> <e:o> .")
            thread = threading.Thread(target=look)
            thread.start()
            thread.join(60)
        assert found == [2, 1]


def test_a_past_graph_answers_and_does_not_change() -> None:
    with KnowledgeGraph.open(rules=["rdfs"], history="all") as graph:
        sub = "<http://www.w3.org/2000/01/rdf-schema#subClassOf>"
        graph.add(f"<e:Cat> {sub} <e:Pet> . <e:tom> a <e:Cat> .")
        graph.remove(f"<e:Cat> {sub} <e:Pet> .")
        with graph.as_of(1) as past:
            assert past.ask("ASK { <e:tom> a <e:Pet> }")
            assert ("<e:tom>", "a", "<e:Pet>") in past
            assert "subClassOf" in past.explain("<e:tom> a <e:Pet>").to_text()
            with past.what_if() as tx:
                tx.remove("<e:tom> a <e:Cat> .")
            assert len(tx.delta.disappeared()) == 2
            with pytest.raises(StoreError, match="as of commit 1, which cannot be changed"):
                past.add("<e:a> a <e:b> .")
        assert not graph.ask("ASK { <e:tom> a <e:Pet> }")
