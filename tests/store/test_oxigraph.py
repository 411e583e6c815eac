"""Transactions are whole, blank nodes keep their labels, and every failure is one clear error."""

from __future__ import annotations

import errno
import subprocess
import sys
import threading
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from types import FrameType
from typing import Any, cast

import pytest
from pyoxigraph import QueryBoolean, QuerySolutions

from kgreason import KnowledgeGraph
from kgreason.errors import QueryError, StoreError, StoreLockedError
from kgreason.store.oxigraph import update
from kgreason.store.oxigraph.store import OxigraphStore

ROW = b"<http://e/s> <http://e/p> <http://e/o> .\n"
BLANK = b'_:b0123456789xwho <http://e/p> <<( _:b01234567891 <http://e/p> "x" )>> _:g .\n'


def _row(number: int) -> bytes:
    return b"<http://e/%d> <http://e/p> %s .\n" % (number, b"_:b" if number % 3 else b"<http://e/o>")


def _rows(numbers: range) -> bytes:
    return b"".join(map(_row, numbers))


def _all(store: OxigraphStore) -> bytes:
    return b"".join(sorted(b"".join(store.lines()).splitlines(keepends=True)))


def test_blank_nodes_keep_their_labels() -> None:
    store = OxigraphStore()
    store.load([BLANK, ROW])
    assert _all(store) == ROW + BLANK
    store.apply(BLANK, b"")
    assert _all(store) == ROW
    store.apply(b"", BLANK)
    assert _all(store) == ROW + BLANK


def test_a_delta_is_seen_whole_or_not_at_all(tmp_path: Path) -> None:
    store = OxigraphStore(tmp_path / "store")
    even, odd = _rows(range(0, 300, 2)), _rows(range(1, 300, 2))
    store.load([even])
    seen, done = set(), threading.Event()

    def look() -> None:
        while not done.wait(0.001):  # beside a busy Python loop the writer would wait for the GIL at every row
            seen.add(b"".join(sorted(b"".join(store.lines()).splitlines(keepends=True))))

    reader = threading.Thread(target=look)
    reader.start()
    for _ in range(10):
        store.apply(even, odd)
        store.apply(odd, even)
    done.set()
    reader.join()
    assert seen <= {b"".join(sorted(rows.splitlines(keepends=True))) for rows in (even, odd)}


def test_a_delta_that_fails_changes_nothing() -> None:
    store = OxigraphStore()
    store.load([ROW])
    with pytest.raises(StoreError, match="not N-Quads"):
        store.apply(ROW, _row(1) + b"oops\n")
    assert _all(store) == ROW


def _is_applied(store: OxigraphStore, removed: bytes, added: bytes, check: update.Check) -> bool:
    try:
        store.apply(removed, added, check)
    except update.StoppedError as error:
        return str(error.reason) != "enough"
    return True


@pytest.mark.parametrize("kind", ["some go and some come", "some go", "all come"])
def test_a_delta_of_many_rows_can_be_stopped(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """By the check, whenever that is called; then nothing of the delta has come about."""
    monkeypatch.setattr(update, "_PIECE", 300)
    before = b"" if kind == "all come" else _rows(range(40)) + BLANK
    after = _rows(range(40, 60)).replace(b" .", b" <http://e/g> .") if "come" in kind else b""

    left = 0

    def check() -> None:
        nonlocal left
        left -= 1
        if left == 0:
            raise ValueError("enough")

    for number in count(1):
        store, left = OxigraphStore(), number
        store.load([before])
        if _is_applied(store, before, after, check):
            break
        assert _all(store) == b"".join(sorted(before.splitlines(keepends=True)))
    assert number > (3 if kind == "all come" else 9)
    assert _all(store) == b"".join(sorted(after.splitlines(keepends=True)))


@pytest.mark.skipif(sys.gettrace() is not None, reason="a debugger or a coverage tool traces already")
def test_a_delta_that_is_interrupted_is_there_or_not() -> None:
    """Ctrl-C ahead of any line that runs meanwhile, Oxigraph's calls into Python among them."""
    before, after = _rows(range(8)), _rows(range(4, 12)).replace(b" .", b" <http://e/g> .")
    outcomes = []
    for at in count():
        store = OxigraphStore()
        store.load([before])
        lines = count()

        def watch(frame: FrameType, event: str, _: Any, lines: Iterator[int] = lines, at: int = at) -> Any:
            if "kgreason/store" not in frame.f_code.co_filename:
                return None
            if event == "line" and next(lines) == at:
                raise KeyboardInterrupt
            return watch

        sys.settrace(watch)
        try:
            store.apply(before, after)
        except KeyboardInterrupt:
            outcomes.append(_all(store))
        finally:
            sys.settrace(None)
        if next(lines) <= at:
            break
        assert len(outcomes) == at + 1
    assert set(outcomes) == {b"".join(sorted(rows.splitlines(keepends=True))) for rows in (before, after)}
    assert len(outcomes) > 20


def test_an_error_in_a_loading_thread_is_raised() -> None:
    store = OxigraphStore()

    def chunks() -> Iterator[bytes]:
        yield ROW
        yield b"oops\n"
        for _ in range(10):
            yield ROW

    with pytest.raises(StoreError, match="the store in memory: a row is not N-Quads"):
        store.load(chunks())


def test_threads_that_load_blank_nodes_do_not_wait_for_each_other() -> None:
    store = OxigraphStore()
    chunks = [b"".join(_row(1000 * chunk + i) for i in range(50)) for chunk in range(40)]
    done = threading.Event()

    def change() -> None:
        while not done.is_set():
            store.apply(b"", BLANK)
            store.apply(BLANK, b"")

    writer = threading.Thread(target=change)
    writer.start()
    store.load(chunks)
    done.set()
    writer.join()
    assert len(store) == 2000


def test_a_delta_may_be_empty() -> None:
    store = OxigraphStore()
    store.apply(b"", b"")
    store.load([])
    assert len(store) == 0


def test_queries_take_prefixes_and_a_base() -> None:
    store = OxigraphStore()
    store.load([ROW])
    answer = store.query("ASK { e:s <p> ?o }", prefixes={"e": "http://e/"}, base="http://e/")
    assert isinstance(answer, QueryBoolean)
    assert bool(answer)
    solutions = store.query("SELECT ?o { ?s ?p ?o }")
    assert isinstance(solutions, QuerySolutions)
    assert [str(solution["o"]) for solution in solutions] == ["<http://e/o>"]


def test_query_errors() -> None:
    store = OxigraphStore()
    with pytest.raises(QueryError, match=r"the query does not parse: error at 2:\d"):
        store.query("SELECT * {\n ?s ?p }")
    with pytest.raises(QueryError, match="cannot be evaluated: Invalid"):
        store.query("ASK {}", base="no iri")


def test_a_store_is_open_once(tmp_path: Path) -> None:
    path = tmp_path / "store"
    store = OxigraphStore(path)
    store.load([ROW])
    with pytest.raises(StoreLockedError, match="this process has the store open already"):
        OxigraphStore(path)
    program = f"""
from pathlib import Path
from kgreason.errors import StoreLockedError
from kgreason.store.oxigraph.store import OxigraphStore
path = Path({str(path)!r})
assert len(OxigraphStore.read_only(path)) == 1
try:
    OxigraphStore(path)
except StoreLockedError as error:
    assert str(error) == f"{{path}}: another process has the store open"
else:
    raise AssertionError
"""
    subprocess.run([sys.executable, "-c", program], check=True, cwd=Path(__file__).parents[2])
    store.close()
    assert len(OxigraphStore(path)) == 1


def test_a_store_that_is_read_only(tmp_path: Path) -> None:
    path = tmp_path / "store"
    OxigraphStore(path).load([ROW])
    store = OxigraphStore.read_only(path)
    assert _all(store) == ROW
    with pytest.raises(StoreError, match="read-write"):
        store.apply(b"", _row(1))
    with pytest.raises(StoreError, match="there is no store"):
        OxigraphStore.read_only(tmp_path / "nowhere")


def test_paths_that_are_no_store(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "file").write_text("x")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "CURRENT").write_text("x")
    for name, problem in [
        ("folder", "not a store, but a folder with other files"),
        ("folder/file", "exists but is not a directory"),
        ("broken", "CURRENT file does not end with newline"),
    ]:
        with pytest.raises(StoreError, match=problem) as caught:
            OxigraphStore(tmp_path / name)
        assert str(caught.value).startswith(f"{tmp_path / name}: ")
        assert "\n" not in str(caught.value)


def test_a_full_disk_is_a_clear_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def full(path: Path) -> None:
        raise OSError(errno.ENOSPC, "IO error: No space left on device: While appending to file")

    monkeypatch.setattr("pyoxigraph.Store", full)
    with pytest.raises(StoreError, match="the disk is full"):
        OxigraphStore(tmp_path / "store")


def test_a_graph_goes_in_the_transaction_that_takes_its_last_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that no query finds its name meanwhile."""
    store, row = OxigraphStore(), b'<http://e/a> <http://e/p> "01" <http://e/g> .\n'
    store.apply(b"", row)
    monkeypatch.setattr(store, "_forget_empty", lambda _: None)
    store.apply(row, b"")
    assert not list(cast(QuerySolutions, store.query("SELECT ?g { GRAPH ?g {} }")))


@pytest.mark.parametrize("is_full", [False, True])
def test_a_load_that_doubles_a_store_compacts_it(
    is_full: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The commit stands whatever becomes of the compaction, and the store takes the next edit."""
    compacted, plain = list[int](), OxigraphStore.compact

    def compact(store: OxigraphStore) -> None:
        compacted.append(len(store))
        if is_full:
            raise StoreError("no space left on the device")
        plain(store)

    monkeypatch.setattr(OxigraphStore, "compact", compact)
    with KnowledgeGraph.open(tmp_path / "store", rules=["none"]) as graph:
        assert graph.add(*((f"<http://e/{number}>", "<http://e/p>", number) for number in range(9))).commit == 1
        assert graph.add(("<http://e/a>", "<http://e/p>", 1)).commit == 2
        assert (compacted, graph.store.is_broken) == ([9], False)
    with KnowledgeGraph.open(tmp_path / "store", read_only=True) as graph:
        assert len(graph) == 10


def test_postponed_rows_come_with_the_first_reader_and_again_after_an_error() -> None:
    store, tries = OxigraphStore(), count()

    def load(filled: OxigraphStore) -> None:
        filled.load(_rows(range(number, number + 3)) for number in (0, 3))
        if not next(tries):
            raise StoreError("no memory")

    store.postpone(load)
    store.postpone(lambda filled: filled.apply(_row(1), ROW))
    with pytest.raises(StoreError, match="no memory"):
        len(store)
    assert _all(store) == b"".join(sorted([*map(_row, (0, 2, 3, 4, 5)), ROW]))
    store.apply(ROW, b"")
    assert len(store) == 5


def test_a_store_that_is_closed_while_postponed_rows_come_stays_closed() -> None:
    store = OxigraphStore()

    def load(filled: OxigraphStore) -> None:
        filled.load([ROW])
        store.close()

    store.postpone(load)
    for _ in range(2):
        with pytest.raises(StoreError, match="the graph is closed"):
            len(store)


def test_a_late_graph_is_as_another_graph() -> None:
    text = "<e:a> <e:p> <e:b> . <e:b> a <e:C> . <e:C> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <e:D> ."
    graphs = [KnowledgeGraph.open(rules=["rdfs"], late=late) for late in (False, True)]
    quads = []
    for graph in graphs:
        with graph:
            graph.add(text)
            assert ("<e:b>", "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>", "<e:D>") in graph
            graph.remove("<e:a> <e:p> <e:b> .")
            quads.append(sorted(map(str, graph.match())))
    assert quads[0] == quads[1]
