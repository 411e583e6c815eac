"""A load that fails at whatever point, leaves the graph as it was."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pytest

from kgreason.errors import InputError, RdfSyntaxError, StoreError
from kgreason.graph import commits
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.graph.state import running
from kgreason.store.rows import SMALL
from tests.graph.views import agrees, file_of, view
from tests.store import interrupted
from tests.store.test_store import AXIOMS, BREAK, DATA, ONTOLOGY

SECOND = f"{BREAK} . k p i . A rdfs:subClassOf H . H owl:sameAs F . i value2 j"
"""A later load that takes rules away, brings others, and links terms of the schema."""


@pytest.fixture(autouse=True)
def in_bulk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Later loads take the way of a bulk load too, however small they are."""
    monkeypatch.setattr(commits, "SMALL", 0)


class InjectedError(Exception):
    """What the tests inject."""


class Faults:
    """Counts the points at which a load can fail, and fails at one of them, or from that one on."""

    def __init__(self, at: int | None = None, *, lasting: bool = False) -> None:
        self.points: list[str] = []
        self.at = at
        self.lasting = lasting

    def __call__(self, name: str) -> None:
        if name in SAFE:
            return
        number = len(self.points)
        self.points.append(name)
        if self.at is not None and (number == self.at or (self.lasting and number > self.at)):
            raise InjectedError(name) if name.startswith("progress") else ERRORS.get(name, NO_SPACE)

    @contextmanager
    def progress(self, stage: str, _total: int | None = None) -> Iterator[Callable[[int], object]]:
        """A progress callback whose calls are points."""
        self(f"progress: {stage} begins")
        yield lambda _done: self(f"progress: {stage}")


SAFE = ("write_manifest", "tidy", "rmtree")
"""Steps that call others, or cannot fail."""
NO_SPACE = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
IN_MEMORY = ("progress: reading begins", "progress: reasoning begins", "progress: storing begins", "statistics")
"""Points that are tried in memory alone, unless there is time."""
ERRORS: dict[str, Exception] = dict.fromkeys(("load", "apply", "flush", "save"), StoreError("the disk is full"))
ERRORS["statistics"] = ERRORS["without_shared_rows"] = MemoryError()
"""What a step raises, where it is not what the operating system does."""
EXPECTED = InjectedError, StoreError, MemoryError
"""What a load raises where a step fails."""


def files(folder: Path) -> tuple[Path, Path]:
    """What the first and the later load read."""
    one = file_of(folder / "first.nq", f"{ONTOLOGY} . {DATA} . {AXIOMS}")
    return one, file_of(folder / "second.nq", SECOND)


def opened(folder: Path, is_on_disk: bool) -> KnowledgeGraph:
    return KnowledgeGraph.open(folder / "store" if is_on_disk else None)


def prepare(graph: KnowledgeGraph, folder: Path, is_first: bool) -> Path:
    """Bring the graph to the state before the load that fails; the file for that load."""
    first, second = files(folder)
    if is_first:
        return first
    graph.load(first)
    return second


SITUATIONS = pytest.mark.parametrize(
    ("is_on_disk", "is_first"), [(True, True), (True, False), (False, True), (False, False)]
)


def points_of(folder: Path, is_on_disk: bool, is_first: bool) -> list[str]:
    """Where a load can fail. In memory the statistics are counted when the load stands already."""
    folder.mkdir()
    faults = Faults()
    with opened(folder, is_on_disk) as graph:
        path = prepare(graph, folder, is_first)
        with interrupted.steps(faults):
            graph.load(path, progress=faults.progress)
    return faults.points if is_on_disk else faults.points[: faults.points.index("statistics")]


def fail(folder: Path, is_on_disk: bool, is_first: bool, faults: Faults) -> None:
    """A load with a fault: nothing has changed, here and in a graph that is opened again; then the load works."""
    folder.mkdir()
    with opened(folder, is_on_disk) as graph:
        path = prepare(graph, folder, is_first)
        before = view(graph)
        with interrupted.steps(faults), pytest.raises(EXPECTED):
            graph.load(path, progress=faults.progress)
        if not faults.lasting:
            assert view(graph) == before
            assert agrees(graph)
        if not is_on_disk:
            compare_after(graph, folder, is_first)
    if is_on_disk:
        with opened(folder, is_on_disk) as graph:
            assert view(graph) == before
            compare_after(graph, folder, is_first)


def compare_after(graph: KnowledgeGraph, folder: Path, is_first: bool) -> None:
    """The load works now, and gives what it gives in a fresh graph."""
    graph.load(files(folder)[0 if is_first else 1])
    assert agrees(graph)
    compare_with_fresh(graph, folder, is_first)


def compare_with_fresh(graph: KnowledgeGraph, folder: Path, is_first: bool) -> None:
    """The graph shows what a fresh one shows after the same loads."""
    with KnowledgeGraph.open() as fresh:
        for path in files(folder)[: 1 if is_first else 2]:
            fresh.load(path)
        assert view(graph)._replace(stats={}) == view(fresh)._replace(stats={})


@pytest.mark.parametrize(("is_on_disk", "is_first"), [(True, False), (False, True)])
def test_a_fault_at_every_kind_of_point(tmp_path: Path, is_on_disk: bool, is_first: bool) -> None:
    """A later load on disk has all kinds of points. `test_a_fault_at_every_point` has all situations."""
    points = points_of(tmp_path / "count", is_on_disk, is_first)
    for name in dict.fromkeys(name for name in points if not is_on_disk or name not in IN_MEMORY):
        number = points.index(name)
        fail(tmp_path / str(number), is_on_disk, is_first, Faults(number))


def test_a_fault_in_a_load_that_goes_to_the_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Until the journal has it nothing has changed; then it stands, and the store gets it when it is asked next."""
    monkeypatch.setattr(commits, "SMALL", SMALL)
    points = points_of(tmp_path / "count", True, False)
    assert {"_write", "_sync", "apply"} < set(points)
    for name in dict.fromkeys(points[: points.index("apply") + 1]):
        number = points.index(name)
        fail_in_journal(tmp_path / str(number), Faults(number), stands=name == "apply")


def fail_in_journal(folder: Path, faults: Faults, *, stands: bool) -> None:
    folder.mkdir()
    with opened(folder, True) as graph:
        path = prepare(graph, folder, False)
        before = view(graph)
        with interrupted.steps(faults), nullcontext() if stands else pytest.raises(EXPECTED):
            graph.load(path, progress=faults.progress)
        assert (view(graph) == before) != stands
        assert agrees(graph)
        after = view(graph)
    with opened(folder, True) as graph:
        assert view(graph) == after
        compare_after(graph, folder, False)


@SITUATIONS
def test_a_fault_at_every_point(tmp_path: Path, is_on_disk: bool, is_first: bool) -> None:
    for number in range(len(points_of(tmp_path / "count", is_on_disk, is_first))):
        fail(tmp_path / str(number), is_on_disk, is_first, Faults(number))


@pytest.mark.parametrize("is_first", [True, False])
def test_a_load_in_memory_stands_if_its_statistics_cannot_be_counted(tmp_path: Path, is_first: bool) -> None:
    with opened(tmp_path, False) as graph:
        path = prepare(graph, tmp_path, is_first)
        with interrupted.steps(Faults(0), of=[(running, "statistics")]), pytest.raises(MemoryError):
            graph.load(path)
        assert agrees(graph)
        compare_with_fresh(graph, tmp_path, is_first)


@pytest.mark.parametrize("is_first", [True, False])
def test_a_disk_that_is_full_from_some_point_on(tmp_path: Path, is_first: bool) -> None:
    """But for the last point: by then the new manifest is in its place, and only its folder is not synced."""
    *points, last = points_of(tmp_path / "count", True, is_first)
    assert last == "sync_folder"
    for number in range(len(points)):
        fail(tmp_path / str(number), True, is_first, Faults(number, lasting=True))


def test_a_load_after_a_disk_was_full(tmp_path: Path) -> None:
    """The store could not be brought back: the next load does that first."""
    first, second = files(tmp_path)
    with KnowledgeGraph.open(tmp_path / "store") as graph:
        graph.load(first)
        points = points_of(tmp_path / "count", True, False)
        faults = Faults(points.index("flush"), lasting=True)
        with interrupted.steps(faults), pytest.raises(StoreError):
            graph.load(second, progress=faults.progress)
        compare_after(graph, tmp_path, False)


def test_reasoning_that_is_stopped_while_it_asks_for_more_rules(tmp_path: Path) -> None:
    """What is inferred links terms of the schema, so that a load moves to other rules half way."""
    first = file_of(
        tmp_path / "first.nq", "f rdf:type owl:FunctionalProperty . A rdfs:subClassOf C . i f A . j rdf:type B"
    )
    second = file_of(tmp_path / "second.nq", "i f B . k rdf:type B . B rdfs:subClassOf D")
    counted = Faults()
    with KnowledgeGraph.open() as graph:
        graph.load(first)
        graph.load(second, progress=counted.progress)
        after = view(graph)
    reasoning = [number for number, name in enumerate(counted.points) if name == "progress: reasoning"]
    assert len(reasoning) > 3
    for number in reasoning:
        with KnowledgeGraph.open() as graph:
            graph.load(first)
            before = view(graph)
            with pytest.raises(InjectedError):
                graph.load(second, progress=Faults(number).progress)
            assert view(graph) == before
            assert agrees(graph)
            graph.load(second)
            assert view(graph)._replace(stats={}) == after._replace(stats={})


@SITUATIONS
def test_a_file_that_cannot_be_read_changes_nothing(tmp_path: Path, is_on_disk: bool, is_first: bool) -> None:
    with opened(tmp_path, is_on_disk) as graph:
        path = prepare(graph, tmp_path, is_first)
        before = view(graph)
        (tmp_path / "broken.ttl").write_text("<http://e/new> a <http://e/New> .\n<http://e/new> a")
        with pytest.raises(RdfSyntaxError, match=r"broken\.ttl:2"):
            graph.load(path, tmp_path / "broken.ttl")
        with pytest.raises(InputError, match=r"missing\.nt"):
            graph.load(path, tmp_path / "missing.nt")
        assert view(graph) == before
        assert agrees(graph)
        graph.load(path)
        assert agrees(graph)
