"""Errors of the disk at each place that writes: nothing changes, or the commit is made, and the next edit is made.

The error comes once, or from that place on until somebody makes room.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from kgreason import KnowledgeGraph
from kgreason.errors import DiskFullError, StoreError
from kgreason.graph import commits
from kgreason.store import folder, snapshot
from kgreason.store.history.log import FileHistory
from kgreason.store.journal import journal
from kgreason.store.oxigraph.store import OxigraphStore
from kgreason.terms import dictionary

PLACES: tuple[tuple[Any, str], ...] = (
    (FileHistory, "_write"),
    (journal, "_write"),
    (journal, "_sync"),
    (dictionary, "allocate"),
    (snapshot, "allocate"),
    (snapshot, "sync"),
    (snapshot, "sync_folder"),
    (folder, "sync"),
    (folder, "sync_folder"),
    (Path, "replace"),
    (OxigraphStore, "copy"),
    (OxigraphStore, "load"),
    (OxigraphStore, "apply"),
    (OxigraphStore, "flush"),
)
"""What a commit writes, by owner and name."""
ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EIO)
FULL = {errno.ENOSPC: "the disk is full", errno.EDQUOT: "the disk quota is used up"}
Fails = Callable[[int, str], bool]


def _fails(place: int, lasts: bool, number: int, _: str) -> bool:
    return number == place or (lasts and number > place)


@contextmanager
def failing(number: int, fails: Fails) -> Iterator[list[str]]:
    """While this lasts, a place raises an OSError if `fails(i, name)`; it is the i-th that is reached. Yields names."""
    names: list[str] = []

    def at(owner: Any, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            if owner is OxigraphStore and args[0].path is None:
                return function(*args, **kwargs)
            names.append(name)
            if not fails(len(names) - 1, name):
                return function(*args, **kwargs)
            error = OSError(number, os.strerror(number))
            if owner is OxigraphStore:
                with args[0]._errors_of_change():
                    raise OSError(f"IO error: {error.strerror}: While appending to file")
            raise error

        return call

    with pytest.MonkeyPatch.context() as patch:
        for owner, name in PLACES:
            patch.setattr(owner, name, at(owner, name, getattr(owner, name)))
        yield names


class Edits:
    """A graph, and what its acknowledged edits come to."""

    def __init__(self, graph: KnowledgeGraph) -> None:
        self.graph, self.values, self._number = graph, set[str](), 0

    def edit(self) -> None:
        """Add a value, and take another one away."""
        self._number += 1
        new, old = str(self._number), min(self.values, default="")
        with self.graph.transaction() as tx:
            tx.add(f'<http://e/s> <http://e/p> "{new}" . <http://e/s{new}> a <http://e/A> .')
            tx.remove(f'<http://e/s> <http://e/p> "{old}" .')
        self.values = self.values - {old} | {new}

    def check(self) -> None:
        query = "SELECT ?v { ?s <http://e/p> ?v }"
        assert {str(row[0].value) for row in self.graph.select(query)} == self.values
        assert {row[2].value for row in self.graph.match(None, "<http://e/p>", None)} == self.values


@pytest.mark.parametrize(
    ("number", "is_bulk"), [*((number, False) for number in ERRORS), (errno.ENOSPC, True), (errno.EIO, True)]
)
def test_an_error_at_each_place_that_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, is_bulk: bool
) -> None:
    with KnowledgeGraph.open(tmp_path / "store", history="all") as graph:
        edits = Edits(graph)
        edits.edit()
        if is_bulk:
            monkeypatch.setattr(commits, "SMALL", 0)
        with failing(number, lambda *_: False) as names:
            edits.edit()
        places = [n for n, name in enumerate(names) if name not in names[:n]]
        assert len(places) >= (9 if is_bulk else 3)
        refused = 0
        for place in places:
            for lasts in (False, True):
                commit, raised = graph.commit, None
                with failing(number, partial(_fails, place, lasts)):
                    try:
                        edits.edit()
                    except StoreError as error:
                        raised = error
                if raised:
                    refused += 1
                    assert isinstance(raised, DiskFullError) == (number in FULL)
                    assert FULL.get(number, os.strerror(number)) in str(raised)
                assert graph.commit == commit + (raised is None)
                edits.check()
                edits.edit()
                edits.check()
        assert refused >= len(places)
    with KnowledgeGraph.open(tmp_path / "store") as graph:
        again = Edits(graph)
        again.values = edits.values
        again.check()


@pytest.mark.parametrize("number", ERRORS, ids=errno.errorcode.get)
def test_a_checkpoint_that_fails(tmp_path: Path, number: int) -> None:
    """It may fail at each place; all commits stay in the journal, and the graph is closed without an error."""
    with KnowledgeGraph.open(tmp_path / "store") as graph:
        edits = Edits(graph)
        edits.edit()
        edits.edit()
        committer = graph._committer()
        with failing(number, lambda *_: False) as names:
            committer.checkpoint()
        for place in [n for n, name in enumerate(names) if name not in names[:n]]:
            edits.edit()
            with (
                failing(number, partial(_fails, place, True)),
                pytest.raises(StoreError),
            ):
                committer.checkpoint()
            edits.check()
            edits.edit()
            edits.check()
    with KnowledgeGraph.open(tmp_path / "store") as graph:
        again = Edits(graph)
        again.values = edits.values
        again.check()


def test_a_graph_is_closed_on_a_full_disk(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with KnowledgeGraph.open(tmp_path / "store") as graph:
        edits = Edits(graph)
        edits.edit()
        edits.edit()
        with failing(errno.ENOSPC, lambda *_: True):
            graph.close()
    assert "the disk is full; all commits are in the journal" in caplog.text
    with KnowledgeGraph.open(tmp_path / "store") as graph:
        again = Edits(graph)
        again.values = edits.values
        again.check()
