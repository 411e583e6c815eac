"""Processes that read a store while another one writes to it: each answer is the state after some commit."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest

from kgreason.errors import QueryError, StoreLockedError
from kgreason.graph.fork import fork
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.store.homes import disk
from kgreason.store.oxigraph.store import OxigraphStore
from tests.graph.views import lines

E = "http://e/"
ONTOLOGY = f"<{E}p> <http://www.w3.org/2000/01/rdf-schema#domain> <{E}C> ."


def sizes(many: int) -> list[int]:
    """How many subjects each commit brings; most are small, and some are loads."""
    return [many if number % 30 == 13 else 3 for number in range(60)]


def states(many: int) -> list[int]:
    """How many subjects there are after each commit, from the first, which brings the ontology."""
    return [0, *accumulate(sizes(many))]


def write(store: Path, many: int) -> None:
    """Make the commits behind that of the ontology; checkpoints come often, and Oxigraph is compacted now and then."""

    disk._SMALLEST = 2_000
    disk._SHARE = 1 << 40
    first = 0
    with KnowledgeGraph.open(store) as graph:
        for number, size in enumerate(sizes(many)):
            with graph.transaction() as tx:
                rows = (f"<{E}s{subject}> <{E}p> <{E}o> .\n" for subject in range(first, first + size))
                tx.add_lines("".join(rows).encode())
            first += size
            if number % 25 == 20:
                graph._home.store._store.optimize()


class Reader:
    """Answers of every kind, each from a graph that is opened for it; how many commits each has seen."""

    def __init__(self, store: Path, many: int) -> None:
        self._store, self._known = store, states(many)
        self._seen: dict[str, int] = {}
        self.answers = 0

    def ask(self) -> None:
        for kind, ask in (
            ("query", self._query),
            ("dump", self._dump),
            ("stats", self._stats),
            ("match", self._match),
            ("explain", self._explain),
        ):
            with KnowledgeGraph.open(self._store, read_only=True) as graph:
                self._note(kind, ask(graph))
        with fork(self._store) as forked:
            self._note("fork", self._query(forked))

    def _note(self, kind: str, count: int) -> None:
        """An answer is of a state that is none before those that were seen."""
        assert count in self._known, (kind, count)
        commit = self._known.index(count)
        assert commit >= self._seen.get(kind, 0)
        self._seen[kind] = commit
        self.answers += 1

    def _query(self, graph: KnowledgeGraph) -> int:
        half = graph.select(f"SELECT ?x {{ ?x <{E}p> ?y FILTER NOT EXISTS {{ ?x a <{E}C> }} }}")
        assert not list(half)
        return len(list(graph.select(f"SELECT ?x {{ ?x a <{E}C> }}")))

    def _dump(self, graph: KnowledgeGraph) -> int:
        rows = lines(graph.dump())
        asserted = sum(f" <{E}p> " in row for row in rows)
        assert sum(row.endswith(f"<{E}C> .") and f" <{E}p> " not in row for row in rows) - 1 in (asserted, -1)
        return asserted

    def _stats(self, graph: KnowledgeGraph) -> int:
        stats = graph.stats()
        assert stats["inferred"] in (0, stats["asserted"] - 1)
        return int(stats["asserted"]) - 1

    def _match(self, graph: KnowledgeGraph) -> int:
        return sum(1 for _ in graph.match(None, f"{E}p"))

    def _explain(self, graph: KnowledgeGraph) -> int:
        found = len(list(graph.match(None, f"{E}p")))
        if found:
            assert len(graph.explain((f"{E}s0", "a", f"{E}C")).premises) == 1
        graph.rules()
        return found


def beside(store: Path, many: int, reading: Callable[[], object]) -> None:
    """Read as long as another process writes."""
    with KnowledgeGraph.open(store, rules=["rdfs"]) as graph:
        graph.add(ONTOLOGY)
    command = f"from tests.store.test_readers import *; write(Path(sys.argv[1]), {many})"
    writer = subprocess.Popen([sys.executable, "-c", command, str(store)], cwd=Path(__file__).parents[2])
    try:
        while writer.poll() is None:
            reading()
    finally:
        writer.kill()
        writer.wait()
    assert writer.returncode == 0
    reading()


def test_every_answer_is_the_state_after_some_commit(tmp_path: Path) -> None:
    reader = Reader(tmp_path / "store", 500)
    beside(tmp_path / "store", 500, reader.ask)
    assert reader.answers > 12
    assert set(reader._seen.values()) == {len(states(500)) - 1}


def test_every_answer_beside_large_loads(tmp_path: Path) -> None:
    reader = Reader(tmp_path / "store", 100_000)
    beside(tmp_path / "store", 100_000, reader.ask)
    assert reader.answers > 12
    assert set(reader._seen.values()) == {len(states(100_000)) - 1}


@pytest.fixture
def store(tmp_path: Path) -> Path:
    with KnowledgeGraph.open(tmp_path / "store") as graph:
        graph.add((f"{E}a", f"{E}p", f"{E}b"))
    return tmp_path / "store"


HOLDER = """
import sys, time
from kgreason import KnowledgeGraph
with KnowledgeGraph.open(sys.argv[1]) as graph:
    graph.add(("http://e/c", "http://e/p", "http://e/d"))
    print("open", flush=True)
    sys.stdin.readline()
"""


def test_a_second_writer_waits_for_the_first(store: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(store)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdin
        assert holder.stdout
        assert holder.stdout.readline() == "open\n"
        with pytest.raises(StoreLockedError):
            KnowledgeGraph.open(store, wait=0.1)
        holder.stdin.write("\n")
        holder.stdin.flush()
        with KnowledgeGraph.open(store, wait=30) as graph:
            assert len(graph) == 2


def ages(graph: KnowledgeGraph) -> set[str]:
    """What `match` and the dump say of ages, which must be the same."""
    found = {str(quad.object) for quad in graph.match(None, f"{E}age")}
    dumped = {line.split()[2] for line in lines(graph.dump()) if f"<{E}age>" in line}
    assert found == dumped
    return {text.split('"')[1] for text in found}


def age(number: int) -> tuple[str, str, int]:
    return f"{E}a", f"{E}age", number


def test_all_of_a_reader_is_of_the_commit_that_its_store_shows(store: Path) -> None:
    with KnowledgeGraph.open(store) as writer:
        writer.add(age(1))
        with KnowledgeGraph.open(store, read_only=True) as reader:
            writer.add(age(2))
            assert f"{E}b" in {str(row["x"].value) for row in reader.select(f"SELECT ?x {{ ?y <{E}p> ?x }}")}
            writer.add(age(3))
            assert ages(reader) == {"1", "2"}
            assert reader.explain(age(2)).is_asserted
            with pytest.raises(QueryError):
                reader.explain(age(3))


def test_a_store_that_is_behind_the_journal(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reader opens between the two steps of a commit."""
    with KnowledgeGraph.open(store) as writer:
        writer.add(age(1))
        with writer.transaction() as tx:
            tx.remove(age(1)).add(age(2))
        seen: list[set[str]] = []
        apply = OxigraphStore.apply

        def between(self: OxigraphStore, *arguments: Any) -> None:
            patch.setattr(OxigraphStore, "apply", apply)  # a reader may bring its own copy up to date
            with KnowledgeGraph.open(store, read_only=True) as reader:
                seen.append(ages(reader))
            apply(self, *arguments)

        with monkeypatch.context() as patch:
            patch.setattr(OxigraphStore, "apply", between)
            with writer.transaction() as tx:
                tx.remove(age(2)).add((f"{E}a", f"{E}age", '"01"^^<http://www.w3.org/2001/XMLSchema#integer>'))
        assert seen == [{"2"}]
        assert writer.ask(f"ASK {{ ?x <{E}age> 1 }}")
        with KnowledgeGraph.open(store, read_only=True) as reader:
            assert ages(reader) == {"01"}


def test_a_checkpoint_between_the_store_and_the_engine_of_a_reader(store: Path) -> None:
    with KnowledgeGraph.open(store) as writer:
        writer.add(age(1))
        with KnowledgeGraph.open(store, read_only=True) as reader:
            assert not reader.ask(f"ASK {{ ?x <{E}age> 2 }}")
            writer.add(age(2))
            writer._committer().checkpoint()
            assert reader.explain(age(2)).is_asserted
            assert ages(reader) == {"1", "2"}


def test_a_reader_of_a_store_that_is_being_recovered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Oxigraph may have all commits of the journal, which are replayed. Nobody sees a commit in between."""
    path = tmp_path / "store"
    command = (
        "import os; from tests.store.test_readers import *\n"
        f"graph = KnowledgeGraph.open({str(path)!r}, rules=['none'])\n"
        "graph.add(age(1)); graph._committer().settle(); "
        "graph.add(age(2)); graph.remove(age(2)); graph.add(age(3)); os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", command], check=True, cwd=Path(__file__).parents[2])
    seen: list[set[str]] = []
    apply = OxigraphStore.apply

    def watched(self: OxigraphStore, *arguments: Any) -> None:
        apply(self, *arguments)
        if self._path is not None:
            reader = OxigraphStore.read_only(self._path)
            seen.append({str(quad.object).split('"')[1] for quad in reader.match(None, None, None, None)})

    monkeypatch.setattr(OxigraphStore, "apply", watched)
    with KnowledgeGraph.open(path) as graph:
        assert ages(graph) == {"1", "3"}
    assert seen == [{"1", "3"}]


def test_the_answers_of_a_reader_agree(store: Path) -> None:
    with KnowledgeGraph.open(store) as writer, KnowledgeGraph.open(store, read_only=True) as reader:
        writer.add(age(1))
        writer.add(age(2))
        assert len(list(reader.select("SELECT * { ?s ?p ?o }"))) == len(reader) == len(lines(reader.dump())) == 3


FORKED = """
import os, sys
from kgreason import KnowledgeGraph
from kgreason.errors import StoreError
graph = KnowledgeGraph.open(sys.argv[1])
graph.add(("http://e/c", "http://e/p", "http://e/d"))
if child := os.fork():
    assert os.waitpid(child, 0)[1] == 0
    graph.add(("http://e/e", "http://e/p", "http://e/f"))
    graph.close()
else:
    try:
        graph.add(("http://e/x", "http://e/p", "http://e/y"))
    except StoreError as error:
        assert "was opened in another process" in str(error)
    graph.close()
    os._exit(0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_child_leaves_the_store_to_its_parent(store: Path) -> None:
    subprocess.run([sys.executable, "-c", FORKED, str(store)], check=True, timeout=120)
    with KnowledgeGraph.open(store) as graph:
        assert len(graph) == 3


BUSY = """
import gc, os, sys
from kgreason import KnowledgeGraph
from kgreason.store.homes import disk
graph = KnowledgeGraph.open(sys.argv[1])
for number in range(12):
    rows = "".join(f"<http://e/s{number}-{k}> <http://e/p> <http://e/o{k}> .\\n" for k in range(3000))
    graph._home.store.load([rows.encode()])
    graph._home.store.flush()
    if child := os.fork():
        assert os.waitpid(child, 0)[1] == 0
    else:
        if number % 2:
            graph.close()
        del graph
        gc.collect()
        os._exit(0)
graph.close()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_child_does_not_wait_for_the_threads_of_its_parent(store: Path) -> None:
    """RocksDB is often compacting when the process forks; the child closes the graph, or drops it."""
    subprocess.run([sys.executable, "-c", BUSY, str(store)], check=True, timeout=120)
