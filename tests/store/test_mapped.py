"""A store that is opened works in the files of its snapshot, and never changes them."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kgreason import files, npy
from kgreason.engine.facts.table import FactTable
from kgreason.engine.index import arrangements
from kgreason.errors import StoreError
from kgreason.files import allocate
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.graph.state.statistics import COUNTS
from tests.graph.views import Lines, agrees, assert_counted, file_of, lasting, lines, view
from tests.store.test_store import AXIOMS, DATA, ONTOLOGY

Change = Callable[[Path], object]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store with a graph."""
    with KnowledgeGraph.open(tmp_path / "store") as graph:
        graph.load(file_of(tmp_path / "data.nq", f"{ONTOLOGY} . {DATA} . {AXIOMS}"))
    return tmp_path / "store"


def files_of(store: Path) -> dict[str, bytes]:
    """The files of the snapshot."""
    (folder,) = store.glob("snapshot-*")
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def works_in_files(graph: KnowledgeGraph) -> bool:
    """Whether the engine's rows are those of a mapped file."""
    materializer = graph._committer().materializer
    return isinstance(materializer.engine._circuit.memory["rows"].base, np.memmap)


def add(graph: KnowledgeGraph, count: int, name: str = "more") -> None:
    """Assert so many triples about new terms, and some that axioms speak of."""
    lines = "".join(f"<http://example.org/{name}{i}> <http://example.org/p> _:x{i} .\n" for i in range(count))
    with graph.transaction() as tx:
        tx.add_lines(lines.encode())


def refused(*_: object) -> None:
    raise AssertionError("a pass over all rows")


def test_opening_and_an_edit_look_at_no_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without equal terms, whose triples are looked up."""
    store = tmp_path / "store"
    with KnowledgeGraph.open(store) as graph:
        graph.load(file_of(tmp_path / "data.nq", 'A rdfs:subClassOf B . p rdfs:domain A . i p j . j value "01"'))
    for name in ("adopt", "present_rows", "present_and_gone_rows", "records_of_table"):
        monkeypatch.setattr(FactTable, name, refused)
    monkeypatch.setattr(arrangements, "count_present", refused)
    monkeypatch.setattr("kgreason.graph.state.running.statistics", refused)
    monkeypatch.setattr("kgreason.graph.state.running.contradictions", refused)
    with KnowledgeGraph.open(store) as graph:
        before, warnings = graph.stats(), graph.warnings
        graph.add(("http://example.org/new", "http://example.org/p", "http://example.org/other"))
        assert graph.stats()["asserted"] == before["asserted"] + 1
        assert graph.warnings == warnings
        assert works_in_files(graph)


PREFIX = "@prefix : <http://example.org/> . "
NEAR = f"{PREFIX} @rule near [?x, :near, ?y] :- [?x, :p, ?y] ."
FAR = f"{PREFIX} @rule far [?y, :far, ?x] :- [?x, :p, ?y] ."


def triple(subject: str, predicate: str, object_: str) -> tuple[str, str, str]:
    return f"http://example.org/{subject}", f"http://example.org/{predicate}", f"http://example.org/{object_}"


def closure(graph: KnowledgeGraph) -> Lines:
    return lines(graph.dump(asserted=True)) | lines(graph.dump(asserted=False))


def from_scratch(graph: KnowledgeGraph, *rules: str) -> Lines:
    """The closure that a new graph makes of the asserted triples and of `rules`."""
    with KnowledgeGraph.open() as other:
        with other.transaction() as tx:
            tx.add_lines(b"".join(graph.dump(asserted=True)))
            for rule in rules:
                tx.add_rules(rule)
        return closure(other)


def test_edits_of_an_opened_store_give_the_closure_from_scratch(store: Path) -> None:
    with KnowledgeGraph.open(store) as graph:
        assert works_in_files(graph)
        add(graph, 5)
        assert closure(graph) == from_scratch(graph)
        for edit in (graph.remove, graph.add, graph.remove):
            edit(triple("i", "p", "j"))
            assert closure(graph) == from_scratch(graph)


@pytest.mark.parametrize("kept", [slice(0), slice(0, None, 2), slice(1, None, 2), slice(None)])
def test_rules_change_where_counts_of_keys_are_missing(store: Path, kept: slice) -> None:
    """A rule comes or goes by a pass over the rows of a key. A key that seems to have no rows gets no pass."""
    with KnowledgeGraph.open(store) as graph, graph.transaction() as tx:
        tx.add_rules(NEAR)
    with KnowledgeGraph.open(store) as graph:
        graph._committer().checkpoint()
    (path,) = store.glob("snapshot-*/keys.npy")
    np.save(path, np.load(path)[kept])
    with KnowledgeGraph.open(store) as graph:
        assert works_in_files(graph)
        with graph.transaction() as tx:
            tx.add_rules(FAR)
        assert closure(graph) == from_scratch(graph, NEAR, FAR)
        with graph.transaction() as tx:
            tx.remove_rules("near")
        assert closure(graph) == from_scratch(graph, FAR)


@pytest.mark.parametrize("is_killed", [False, True])
def test_counts_of_a_store_with_commits_after_its_snapshot(tmp_path: Path, is_killed: bool) -> None:
    """The manifest has the counts of a later commit than the snapshot. After a kill the log has still later ones."""
    store = tmp_path / "store"
    with KnowledgeGraph.open(store) as graph:
        graph.load(file_of(tmp_path / "data.nq", "A rdfs:subClassOf B . p rdfs:domain A . i p j"))
    with KnowledgeGraph.open(store) as graph:
        graph.add(triple("k", "p", "l"), triple("i", "p", "l"))
        if is_killed:
            graph._committer().settle()
            graph.add(triple("m", "p", "l"))
            graph.remove(triple("i", "p", "l"))
        expected = graph.stats()
        if is_killed:
            graph._home.close()
    with KnowledgeGraph.open(store) as graph:
        graph._committer()
        assert_counted(graph)
        assert {name: graph.stats()[name] for name in COUNTS} == {name: expected[name] for name in COUNTS}
        graph.add(triple("n", "p", "l"))
        assert_counted(graph)
        assert graph.stats()["asserted"] == expected["asserted"] + 1


def test_edits_leave_the_files_as_they_are(store: Path) -> None:
    before = files_of(store)
    for turn in range(3):
        with KnowledgeGraph.open(store) as graph:
            assert works_in_files(graph)
            add(graph, 5, f"turn{turn}-")
            graph.remove(("http://example.org/i", "http://example.org/p", "http://example.org/j"))
            assert agrees(graph)
            seen = view(graph)
        with KnowledgeGraph.open(store) as graph:
            add(graph, 0)
            assert lasting(view(graph)) == lasting(seen)
    assert files_of(store) == before


def test_free_rows_are_closed_up_by_a_checkpoint(store: Path) -> None:
    with KnowledgeGraph.open(store) as graph:
        add(graph, 30)
        graph.remove(("http://example.org/i", "http://example.org/p", "http://example.org/j"))
        before = lasting(view(graph))
        graph._committer().checkpoint()
        assert lasting(view(graph)) == before
        add(graph, 3, "later")
        assert agrees(graph)
        expected = lasting(view(graph))
    with KnowledgeGraph.open(store) as graph:
        assert works_in_files(graph)
        assert lasting(view(graph)) == expected


def test_more_rows_and_terms_than_the_files_have_room_for(store: Path) -> None:
    with KnowledgeGraph.open(store) as graph:
        assert works_in_files(graph)
        add(graph, 3_000)
        assert not works_in_files(graph)
        assert agrees(graph)
        graph.remove(("http://example.org/i", "http://example.org/p", "http://example.org/j"))
        assert agrees(graph)


def _without(*names: str) -> Change:
    def change(folder: Path) -> None:
        for name in names:
            (folder / name).unlink()

    return change


def _without_room(folder: Path) -> None:
    for path in folder.rglob("*.npy"):
        array = np.load(path)
        np.save(path, array)


def _other_axioms(folder: Path) -> None:
    """A list that another version made."""
    path = folder / "state.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"axioms": 1}))
    np.save(folder / "axioms.npy", np.zeros((0, 3), dtype=np.int32))


def _other_hash(folder: Path) -> None:
    """A hash table of another hash."""
    path = folder / "hashed.npy"
    np.save(path, np.roll(np.load(path), 1))


def _few_entries(folder: Path) -> None:
    """A hash table that has lost some of its entries."""
    path = folder / "hashed.npy"
    table = np.load(path)
    table[np.flatnonzero(table)[1::7]] = 0
    np.save(path, table)


def _wild_entry(folder: Path) -> None:
    """A hash table with the number of a row that does not exist."""
    path = folder / "hashed.npy"
    table = np.load(path)
    table[np.flatnonzero(table)[3]] |= table.size - 1
    np.save(path, table)


def _other_keys(folder: Path) -> None:
    """The counts of keys of other rules."""
    path = folder / "keys.npy"
    np.save(path, np.load(path)[::2])


@pytest.mark.parametrize(
    ("change", "is_mapped"),
    [
        (_without("keys.npy"), False),
        (_without("hashed.npy"), False),
        (_without("others.npy"), True),
        (_without_room, True),
        (_other_axioms, True),
        (_other_hash, False),
        (_few_entries, False),
        (_wild_entry, False),
        (_other_keys, True),
    ],
)
def test_a_snapshot_that_lacks_something(store: Path, change: Change, is_mapped: bool) -> None:
    """Another version wrote it, or another tool copied it: the graph is the same."""
    with KnowledgeGraph.open(store) as graph:
        expected = lasting(view(graph))
    (folder,) = store.glob("snapshot-*")
    change(folder)
    with KnowledgeGraph.open(store) as graph:
        assert works_in_files(graph) == is_mapped
        assert lasting(view(graph)) == expected
        add(graph, 5)
        graph.remove(("http://example.org/i", "http://example.org/p", "http://example.org/j"))
        assert agrees(graph)


def test_an_import_of_a_later_commit_is_known_after_reopening(store: Path) -> None:
    importing = ("http://example.org/o", "http://www.w3.org/2002/07/owl#imports", "http://example.org/missing")
    with KnowledgeGraph.open(store) as graph:
        graph.add(importing)
        assert ["missing" in warning for warning in graph.warnings] == [True]
    with KnowledgeGraph.open(store) as graph:
        graph.add(("http://example.org/new", "http://example.org/p", "http://example.org/other"))
        assert ["missing" in warning for warning in graph.warnings] == [True]
        graph.remove(importing)
        assert not graph.warnings


def test_a_triple_that_turns_asserted_can_be_a_mistake_of_its_own() -> None:
    """The count of contradictions depends on what is asserted, not on facts of `false` alone."""
    p, q = "<http://e/p>", "<http://e/q>"
    rules = f"{p} <http://www.w3.org/2000/01/rdf-schema#subPropertyOf> {q} ."
    wrong = '"x"^^<http://www.w3.org/2001/XMLSchema#integer>'
    with KnowledgeGraph.open() as graph:
        for lines in (f"{rules}\n<http://e/a> {p} {wrong} .", f"<http://e/a> {q} {wrong} ."):
            with graph.transaction() as tx:
                tx.add_lines(f"{lines}\n".encode())
            assert_counted(graph)
        assert graph.stats()["contradictions"] == 2


def test_a_load_that_fails_leaves_no_import(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with KnowledgeGraph.open(store) as graph:
        monkeypatch.setattr("kgreason.graph.commits.SMALL", 0)
        monkeypatch.setattr("kgreason.store.snapshot.write", full)
        with pytest.raises(StoreError):
            graph.add(("http://e/o", "http://www.w3.org/2002/07/owl#imports", "http://e/missing"))
        assert not graph.warnings


def unsupported(*_: object) -> None:
    raise OSError(errno.EOPNOTSUPP, "the file system cannot do that")


@pytest.mark.parametrize("has_call", [True, False])
@pytest.mark.parametrize("shape", [(0,), (7,), (5, 3), (0, 3)])
def test_an_array_with_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shape: tuple[int, ...], has_call: bool
) -> None:
    array = np.arange(np.prod(shape), dtype=np.int32).reshape(shape)
    with (tmp_path / "array.npy").open("w+b") as file:
        np.save(file, array)
        monkeypatch.setattr(files, "_PIECE", 40)
        if not has_call:
            monkeypatch.setattr(os, "posix_fallocate", unsupported, raising=False)
        allocate(file, 64)
    found, count = npy.map_file(tmp_path / "array.npy")
    assert np.array_equal(found[:count], array)
    assert np.array_equal(np.load(tmp_path / "array.npy"), array)
    assert found.dtype == array.dtype
    assert len(found) * found[:1].nbytes >= array.nbytes + 60 - 4 * found[:1].size
    found[:] = 9
    assert np.array_equal(np.load(tmp_path / "array.npy"), array)


@pytest.mark.skipif(not hasattr(os, "posix_fallocate"), reason="the system cannot tell what has its place on the disk")
def test_a_snapshot_has_no_holes(store: Path) -> None:
    """The kernel would look for room on the disk when a hole is first written, and end the process without."""
    written = [path for path in store.glob("snapshot-*/**/*.npy") if path.stat().st_size]
    assert len(written) > 5
    assert all(path.stat().st_blocks * 512 >= path.stat().st_size for path in written)


@pytest.mark.parametrize("dtype", [np.uint8, np.int64, ">u4", np.float64, np.bool_])
def test_an_array_as_numpy_saves_it(tmp_path: Path, dtype: Any) -> None:
    array = np.arange(15).reshape(5, 3).astype(dtype)
    for saved in (array, array.T):
        np.save(tmp_path / "array.npy", saved)
        for found in (npy.load(tmp_path / "array.npy"), npy.map_file(tmp_path / "array.npy")[0]):
            assert np.array_equal(found, saved)
            assert found.dtype == saved.dtype


@pytest.mark.parametrize("array", [np.float64(3), np.array([None]), np.zeros(2, [("a", "<i4")]), np.zeros(2, "S3")])
def test_an_array_that_no_store_has(tmp_path: Path, array: Any) -> None:
    np.save(tmp_path / "array.npy", array)
    with pytest.raises(ValueError, match=r"array\.npy: the file is damaged"):
        npy.load(tmp_path / "array.npy")


def test_threads_that_parse_do_not_disturb_the_opening_of_a_store(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def disturbed(*_: object, **__: object) -> object:
        """What Python before 3.11.8 may do while another thread parses."""
        raise SystemError("AST constructor recursion depth mismatch (before=72, after=68)")

    with monkeypatch.context() as patched:
        patched.setattr("ast.parse", disturbed)
        with KnowledgeGraph.open(store) as graph:
            assert graph.add(("http://e/new", "http://e/p", "http://e/o"))
            assert graph.stats()["asserted"]


def test_a_file_that_is_too_short(tmp_path: Path) -> None:
    np.save(tmp_path / "array.npy", np.arange(1_000, dtype=np.int32))
    with (tmp_path / "array.npy").open("r+b") as file:
        file.truncate(1_000)
    with pytest.raises(ValueError, match=r"array\.npy: the file is damaged"):
        npy.map_file(tmp_path / "array.npy")
