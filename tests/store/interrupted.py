"""Loads in processes of their own, which are killed: at a random moment, or at the n-th step towards the disk.

Children come from a fork server which has imported `preloaded_kernels`, so that they start at once, kernels compiled.
"""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, TypeAlias

from kgreason.graph import commits
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.graph.state import running
from kgreason.store import folder, snapshot
from kgreason.store.journal import journal
from kgreason.store.oxigraph.store import OxigraphStore
from kgreason.terms.dictionary import Dictionary

Step = Callable[[str], object]
Work: TypeAlias = tuple[int, float]
"""Steps and seconds."""

STEPS: tuple[tuple[Any, str], ...] = (
    (snapshot, "sync"),
    (snapshot, "sync_folder"),
    (folder, "sync"),
    (folder, "sync_folder"),
    (folder.Folder, "write_manifest"),
    (folder.Folder, "tidy"),
    (journal, "_write"),
    (journal, "_sync"),
    (shutil, "rmtree"),
    (Path, "replace"),
    (running, "statistics"),
    (commits, "without_shared_rows"),
    (Dictionary, "save"),
    (OxigraphStore, "load"),
    (OxigraphStore, "apply"),
    (OxigraphStore, "flush"),
)
"""What a load does to the disk and to the store, by owner and name."""


@contextmanager
def steps(before: Step, of: Sequence[tuple[Any, str]] = STEPS) -> Iterator[None]:
    """While this lasts, `before` is called with the name of each step ahead of it."""
    kept = [(owner, name, getattr(owner, name)) for owner, name in of]

    def watched(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            before(name)
            return function(*args, **kwargs)

        return call

    try:
        for owner, name, function in kept:
            setattr(owner, name, watched(name, function))
        yield
    finally:
        for owner, name, function in kept:
            setattr(owner, name, function)


def load(store: Path, file: Path, small: int, kill_at: int | None, ready: Connection) -> None:
    """Load a file into a store, in a child; it kills itself ahead of the step with this number.

    A delta of more than `small` rows takes the way of a bulk load.
    """
    setattr(commits, "SMALL", small)  # noqa: B010
    number = iter(range(1_000_000))

    def count(_: str) -> None:
        if next(number) == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    with KnowledgeGraph.open(store) as graph:
        ready.send(None)
        begun = time.perf_counter()
        with steps(count):
            graph.load(file)
        ready.send((next(number), time.perf_counter() - begun))


def run(
    store: Path, file: Path, small: int, *, kill_at: int | None = None, kill_after: float | None = None
) -> Work | None:
    """Load in a child; what it took, or None if it was killed."""
    with started(load, store, file, small, kill_at) as (child, messages):
        messages.recv()
        if kill_after is not None:
            time.sleep(kill_after)
            child.kill()
        child.join()
        work: Work | None = messages.recv() if child.exitcode == 0 else None
        return work


@contextmanager
def started(target: Callable[..., None], *arguments: Any) -> Iterator[tuple[BaseProcess, Connection]]:
    """A child that calls `target` with these and a connection; here is the other end of it."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.store.preloaded_kernels"])
    mine, theirs = context.Pipe()
    child = context.Process(target=target, args=(*arguments, theirs))
    child.start()
    theirs.close()
    try:
        yield child, mine
    finally:
        child.join()
        child.close()
        mine.close()
