"""What a follower is told adds up to the writer's graph, whatever the writer does to the files meanwhile."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kgreason.errors import StoreError
from kgreason.graph.changes.follower import FollowedCommit, Follower
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.store.journal import journal
from kgreason.store.journal.record import Record
from kgreason.store.rows import SMALL
from tests.graph.views import lines
from tests.strategies.ontologies import datasets, nquads

E, RDFS = "http://e/", "http://www.w3.org/2000/01/rdf-schema#"
RULES = (
    "[?y, <http://e/near>, ?x] :- [?x, <http://e/p>, ?y] .",
    "[?x, <http://e/near>, ?x] :- [?x, <http://e/p>, ?y] .",
)
WRITER = """
import sys
from kgreason import KnowledgeGraph
with KnowledgeGraph.open(sys.argv[1]) as graph:
    for number in range(40):
        with graph.transaction() as tx:
            tx.add(f"<http://e/{number}> <http://e/p> <http://e/{number + 1}> .")
            tx.remove(f"<http://e/{number // 2}> <http://e/p> <http://e/{number // 2 + 1}> .")
        if number % 7 == 6:
            graph._committer().checkpoint()
"""


class Copy:
    """The rows that patches come to."""

    def __init__(self, rows: Iterable[str] = (), asserted: Iterable[str] = ()) -> None:
        self.rows, told = set(rows), set(asserted)
        self.kinds = {line: line in told for line in self.rows}
        self.commits: list[int] = []

    def apply(self, records: Iterable[Record]) -> None:
        for record in records:
            removed, added = (set(text.decode().splitlines()) for text in (record.removed, record.added))
            assert removed <= self.rows
            assert not added & self.rows
            self.rows = self.rows - removed | added
            self.commits.append(record.commit)

    def follow(self, commits: Iterable[FollowedCommit]) -> None:
        """Apply commits; their lines by kind come to the same rows."""
        for each in commits:
            self.apply([each.record])
            for sign, asserted, text in each.lines_by_kind():
                for line in text.decode().splitlines():
                    assert (self.kinds.pop(line) is asserted) if sign < 0 else line not in self.kinds
                    if sign > 0:
                        self.kinds[line] = asserted
            assert set(self.kinds) == self.rows

    @property
    def asserted(self) -> set[str]:
        return {line for line, asserted in self.kinds.items() if asserted}


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture
def graph(store: Path) -> Iterator[KnowledgeGraph]:
    """A store with two commits in a snapshot, and two in the journal."""
    with KnowledgeGraph.open(store) as opened:
        for name in "abcd":
            add(opened, name)
            if name == "b":
                checkpoint(opened)
        yield opened


def add(graph: KnowledgeGraph, name: str) -> None:
    with graph.transaction() as tx:
        tx.add(f"@prefix : <{E}> . :{name} a :{name.upper()} .")
        tx.add((f"<{E}{name.upper()}>", f"<{RDFS}subClassOf>", f"<{E}Thing>"))


def checkpoint(graph: KnowledgeGraph) -> None:
    graph._committer().checkpoint()


def rows(graph: KnowledgeGraph) -> frozenset[str]:
    return lines(graph.dump(graphs=True))


def asserted(graph: KnowledgeGraph) -> frozenset[str]:
    """A triple of the closure is asserted if it is in some graph."""
    return lines(graph.dump(asserted=True)) | lines(graph.dump(asserted=True, graphs=True))


def commits(follower: Follower) -> list[int]:
    return [record.commit for record in follower.read()]


_steps = st.one_of(
    st.tuples(st.sampled_from(["add", "add", "load"]), datasets(max_axioms=3)),
    st.tuples(st.just("remove"), st.randoms(use_true_random=False)),
    st.tuples(st.sampled_from(["add rule", "remove rule"]), st.sampled_from(RULES)),
    st.tuples(st.sampled_from(["checkpoint", "look", "reopen"]), st.none()),
)


@settings(max_examples=10)
@given(steps=st.lists(_steps, max_size=10), after=st.sampled_from([0, None]))
@example(steps=[("add rule", RULES[0]), ("add rule", RULES[1]), ("remove rule", RULES[0]), ("look", None)], after=0)
def test_records_of_a_follower_add_up_to_the_graph(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, object]], after: int | None
) -> None:
    store = tmp_path_factory.mktemp("stores") / "store"
    graph = KnowledgeGraph.open(store)
    try:
        add(graph, "a")
        follower, copy = Follower(store, after), Copy(*((rows(graph), asserted(graph)) if after is None else ()))
        for kind, what in steps:
            if kind == "look":
                copy.follow(follower.commits())
                assert copy.rows == rows(graph)
                assert copy.asserted == asserted(graph)
            elif kind == "reopen":
                graph.close()
                graph = KnowledgeGraph.open(store)
            else:
                take(graph, kind, what)
        copy.follow(follower.commits())
        assert copy.rows == rows(graph)
        assert copy.asserted == asserted(graph)
        assert follower.commit == graph._home.last
        assert copy.commits == sorted(set(copy.commits))
        assert commits(follower) == []
    finally:
        graph.close()


def take(graph: KnowledgeGraph, kind: str, what: object) -> None:
    """One step of the writer."""
    if kind == "checkpoint":
        checkpoint(graph)
        return
    with mock.patch("kgreason.graph.commits.SMALL", 0 if kind == "load" else SMALL), graph.transaction() as tx:
        if kind in ("add", "load"):
            tx.add_lines(nquads(what).encode())  # type: ignore[arg-type]
        elif kind == "remove":
            asserted = sorted(lines(graph.dump(asserted=True, graphs=True)))
            gone = what.sample(asserted, len(asserted) // 2)  # type: ignore[attr-defined]
            tx.remove_lines("".join(f"{line}\n" for line in gone).encode())
        elif kind == "add rule":
            tx.add_rules(str(what))
        elif own := graph.own_rules():
            tx.remove_parsed_rules(own[:1])  # not by name: each rule that was added as text may be `rule-1`


def test_another_process_writes_meanwhile(store: Path) -> None:
    with KnowledgeGraph.open(store) as graph:
        add(graph, "a")
        before = rows(graph)
    follower, copy = Follower(store), Copy(before)
    writer = subprocess.Popen([sys.executable, "-c", WRITER, store])
    until = time.monotonic() + 120
    while writer.poll() is None and time.monotonic() < until:
        copy.apply(follower.read())
    assert writer.wait(timeout=120) == 0
    copy.apply(follower.read())
    with KnowledgeGraph.open(store, read_only=True) as graph:
        assert copy.rows == rows(graph) != before
        assert follower.commit == copy.commits[-1] == graph._home.last == 40


def test_where_to_begin(store: Path, graph: KnowledgeGraph) -> None:
    assert commits(Follower(store)) == []
    assert commits(Follower(store, 0)) == [2, 3, 4]
    assert commits(Follower(store, 2)) == [3, 4]
    assert commits(Follower(store, 3)) == [4]
    assert commits(Follower(store, 4)) == []
    with pytest.raises(StoreError, match=r"commits after 1 are not in the journal any more; it has those after 2 "):
        Follower(store, 1)
    with pytest.raises(StoreError, match="there is no commit 5; the last commit is 4"):
        Follower(store, 5)
    follower = Follower(store, 3)
    assert follower.commit == 3
    add(graph, "e")
    assert commits(follower) == [4, 5]
    assert follower.commit == 5


def test_a_record_has_its_headers_and_rules(store: Path, graph: KnowledgeGraph) -> None:
    follower = Follower(store)
    with graph.transaction({"stream": "s", "batch": "7"}) as tx:
        tx.add_rules(f"@rule kind [?x, <{E}kind>, ?c] :- [?x, a, ?c], [?c, <{E}kind>, <{E}yes>] .")
        tx.add((f"<{E}A>", f"<{E}kind>", f"<{E}yes>"))
    [record] = follower.read()
    assert record.headers == {"stream": "s", "batch": "7"}
    assert record.rules[0][1].startswith("@rule kind\n")
    assert sorted(record.added.decode().splitlines()) == [
        f"<{E}A> <{E}kind> <{E}yes> .",
        f"<{E}a> <{E}kind> <{E}A> .",
    ]


def test_a_commit_that_changes_no_row_is_told(store: Path, graph: KnowledgeGraph) -> None:
    follower = Follower(store)
    with graph.transaction() as tx:
        tx.add(f"<{E}a> a <{E}Thing> .")  # which was inferred
    assert [replace(record, time="") for record in follower.read()] == [Record(5)]


def test_a_store_to_which_nothing_was_committed(store: Path) -> None:
    with KnowledgeGraph.open(store) as graph:
        one, other, copy = Follower(store), Follower(store, 0), Copy()
        assert [commits(one), commits(other)] == [[], []]
        add(graph, "a")
        add(graph, "b")
        copy.apply(one.read())
        assert copy.rows == rows(graph)
        assert copy.commits == commits(other) == [1, 2]


def test_a_checkpoint_that_is_only_half_done(store: Path, graph: KnowledgeGraph) -> None:
    """The manifest names the new snapshot, the journal is not empty yet."""
    follower = Follower(store)
    journal = (store / "journal").read_bytes()
    checkpoint(graph)
    (store / "journal").write_bytes(journal)
    assert commits(follower) == commits(Follower(store)) == commits(follower) == []
    (store / "journal").write_bytes(b"")
    assert commits(follower) == []
    add(graph, "e")
    assert commits(follower) == [5]


def test_a_record_that_is_not_whole_waits(store: Path, graph: KnowledgeGraph) -> None:
    before = rows(graph)
    add(graph, "e")
    journal = store / "journal"
    whole, end = journal.read_bytes(), len(journal.read_bytes())
    start = whole.rindex(b'H frame "')
    journal.write_bytes(whole[:start])
    follower, copy = Follower(store), Copy(before)
    for size in (start + 1, start + 20, start + 60, end - 1):
        journal.write_bytes(whole[:size])
        assert commits(follower) == []
    journal.write_bytes(whole)
    copy.apply(follower.read())
    assert copy.rows == rows(graph)


def test_a_record_that_was_withdrawn_is_taken_back(store: Path, graph: KnowledgeGraph) -> None:
    """As where its sync fails: the writer cuts it off, and its number goes to the next one."""
    before, journal = rows(graph), store / "journal"
    follower, copy = Follower(store), Copy(before)
    whole = journal.read_bytes()
    add(graph, "e")
    copy.apply(follower.read())
    assert copy.rows == rows(graph) != before
    journal.write_bytes(whole)
    copy.apply(follower.read())
    assert copy.rows == before
    assert copy.commits == [5, 4]
    assert commits(follower) == []


def test_a_store_that_is_damaged_or_gone(store: Path, graph: KnowledgeGraph, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="there is no store"):
        Follower(tmp_path / "missing")
    other = tmp_path / "other"
    shutil.copytree(store, other)
    one, two = Follower(other), Follower(other)
    with (other / "journal").open("ab") as journal:
        journal.write(b"x" * 100)
    with pytest.raises(StoreError, match="journal is damaged at byte"):
        commits(one)
    with pytest.raises(StoreError, match="journal is damaged at byte"):
        Follower(other)
    shutil.rmtree(other)
    with pytest.raises(StoreError, match="there is no store"):
        commits(two)


def test_a_commit_that_failed_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The follower has read its record, in whose place is one of the same length."""
    path = tmp_path / "store"
    with KnowledgeGraph.open(path, rules=["none"]) as graph:
        graph.add(("http://e/a", "http://e/p", "http://e/o"))
        follower = Follower(path)
        told: list[Record] = []

        def broken(_: int) -> None:
            told.extend(follower.read())
            raise OSError(28, "No space left on device")

        with monkeypatch.context() as patch:
            patch.setattr(journal, "_sync", broken)
            with pytest.raises(StoreError):
                graph.add(("http://e/LOST", "http://e/p", "http://e/o"))
        graph.add(("http://e/KEPT", "http://e/p", "http://e/o"))
        graph.add(("http://e/b", "http://e/p", "http://e/o"))
        told.extend(follower.read())
        rows = {b"<http://e/a> <http://e/p> <http://e/o> ."}
        for record in told:
            rows = (rows - set(record.removed.splitlines())) | set(record.added.splitlines())
        assert rows == set(b"".join(graph.dump()).splitlines())
