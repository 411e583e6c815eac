"""A load that fails or is killed, at whatever point, leaves the graph as it was; and what cannot be opened says why."""

from __future__ import annotations

import errno
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import pytest

from kgreason.errors import InputError, RdfSyntaxError, StoreError, StoreLockedError, StoreVersionError
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.graph.progress import Progress

from . import interrupted
from .test_store import BREAK, DATA, ENUMERATION, ONTOLOGY
from .views import View, agrees, file_of, rows, view

SECOND = f"{BREAK} . k p i . A rdfs:subClassOf H . H owl:sameAs F . i value2 j"
"""A later load that takes rules away, brings others, and links terms of the schema."""


class Fault(Exception):
    """What the tests inject."""


class Faults:
    """Counts the points at which a load can fail, and fails at one of them, or at all from one on."""

    def __init__(self, at: int | None = None, *, lasting: bool = False) -> None:
        self.points: list[str] = []
        self._at, self._lasting = at, lasting

    def __call__(self, name: str) -> None:
        number = len(self.points)
        self.points.append(name)
        if self._at is not None and (number == self._at or (self._lasting and number > self._at)):
            if name.startswith("progress"):
                raise Fault(name)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    @contextmanager
    def progress(self, stage: str, total: int | None = None) -> Iterator[Callable[[int], object]]:
        """A progress callback whose calls are points."""
        self(f"progress: {stage} begins")
        yield lambda done: self(f"progress: {stage}")


def files(folder: Path) -> tuple[Path, Path]:
    """What the first and the later load read."""
    one = file_of(folder / "first.nq", f"{ONTOLOGY} . {DATA} . {ENUMERATION}")
    return one, file_of(folder / "second.nq", SECOND)


def opened(folder: Path, is_on_disk: bool) -> KnowledgeGraph:
    return KnowledgeGraph.open(folder / "store" if is_on_disk else None)


def prepared(graph: KnowledgeGraph, folder: Path, is_first: bool) -> Path:
    """Bring the graph to the state before the load that fails; the file for that load."""
    first, second = files(folder)
    if is_first:
        return first
    graph.load(first)
    return second


def without_seconds(seen: View) -> View:
    return seen._replace(stats={name: value for name, value in seen.stats.items() if not name.endswith("_bytes")})


SITUATIONS = pytest.mark.parametrize(
    ("is_on_disk", "is_first"), [(True, True), (True, False), (False, True), (False, False)]
)


def fail_once(folder: Path, is_on_disk: bool, is_first: bool, faults: Faults) -> None:
    """A load with a fault: nothing has changed, here and in a graph that is opened again; then it works."""
    with opened(folder, is_on_disk) as graph:
        path = prepared(graph, folder, is_first)
        before = view(graph)
        with interrupted.steps(faults), pytest.raises((Fault, StoreError)):
            graph.load(path, progress=faults.progress)
        assert view(graph) == before, faults.points[-1]
        assert agrees(graph)
        if is_on_disk:
            graph.close()
            graph = opened(folder, is_on_disk)
            assert view(graph) == before, faults.points[-1]
        graph.load(path)
        assert agrees(graph)
        after = view(graph)
        graph.close()
    with KnowledgeGraph.open() as fresh:
        for each in files(folder)[: 1 if is_first else 2]:
            fresh.load(each)
        assert after._replace(stats={}) == view(fresh)._replace(stats={})


def points_of(folder: Path, is_on_disk: bool, is_first: bool) -> list[str]:
    """Where a load can fail."""
    faults = Faults()
    with opened(folder, is_on_disk) as graph:
        path = prepared(graph, folder, is_first)
        with interrupted.steps(faults):
            graph.load(path, progress=faults.progress)
    return faults.points


@SITUATIONS
def test_a_fault_at_every_point(tmp_path: Path, is_on_disk: bool, is_first: bool) -> None:
    (tmp_path / "count").mkdir()
    points = points_of(tmp_path / "count", is_on_disk, is_first)
    failed = {}
    for number, name in enumerate(points):
        folder = tmp_path / str(number)
        folder.mkdir()
        try:
            fail_once(folder, is_on_disk, is_first, Faults(number))
        except BaseException as e:
            failed[number] = name, repr(e)[:300]
    assert not failed, failed
