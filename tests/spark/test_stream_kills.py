"""A process that is killed in the middle of a batch, then started again, applies every patch exactly once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.store.journal.journal import Journal

pytest.importorskip("pyspark", reason="PySpark is not installed: pip install 'kgreason[spark]'")

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="the system has no SIGKILL of its own"),
]
STREAMS, RUNS = 10, 2
PATCHES = 2 * RUNS + 1


def row(number: int) -> str:
    return f"<http://e/x> <http://e/at> <http://e/{number}> ."


def prepare(folder: Path) -> Path:
    """A store with a first commit, and patches each of which moves on what the one before it did."""
    (folder / "patches").mkdir(parents=True)
    for number in range(PATCHES):
        path = folder / "patches" / str(number)
        path.write_text(f"TX .\nD {row(number)}\nA {row(number + 1)}\nTC .\n")
        os.utime(path, (1_000_000_000 + number,) * 2)
    with KnowledgeGraph.open(folder / "store", rules=["none"]) as graph, graph.transaction() as tx:
        tx.add(row(0))
    return folder


@contextmanager
def started(folder: Path, *seed: object) -> Iterator[subprocess.Popen[str]]:
    """A process that runs the streams; in the end it and all that it started are killed."""
    command = [sys.executable, "-m", "tests.spark.stopped", str(folder), *map(str, seed)]
    with (
        (folder / "errors").open("a") as errors,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True, start_new_session=True) as process,
    ):
        try:
            yield process
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def killed(folder: Path, seed: int) -> list[str]:
    """Where each stream was when all of them, and Java, were killed."""
    with started(folder, seed) as process:
        assert process.stdout
        return [process.stdout.readline().removeprefix("stopped ") for _ in range(STREAMS)]


def errors(folder: Path) -> str:
    return (folder / "errors").read_text()[-3000:]


def is_between(checkpoint: Path) -> bool:
    """Whether Spark has begun a batch and does not know that it is done."""
    begun, done = (
        max((int(path.name) for path in (checkpoint / log).glob("[0-9]*")), default=-1)
        for log in ("offsets", "commits")
    )
    return begun > done


def test_every_patch_is_applied_exactly_once_after_kills(tmp_path: Path) -> None:
    streams = [prepare(tmp_path / f"stream-{number}") for number in range(STREAMS)]
    kills = 0
    for seed in range(RUNS):
        stopped = killed(tmp_path, seed)
        assert len({line.split()[0] for line in stopped}) == STREAMS, errors(tmp_path)
        kills += sum(is_between(folder / "checkpoint") for folder in streams)
    assert kills == 20
    with started(tmp_path) as process:
        assert process.wait() == 0, errors(tmp_path)
    for folder in streams:
        with Journal(folder / "store" / "journal", write=False, last=1) as journal:
            done = [(record.headers["batch"], record.removed, record.added) for record in journal.records(1)]
        rows = [f"{row(number)}\n".encode() for number in range(PATCHES + 1)]
        assert done == [(str(number), rows[number], rows[number + 1]) for number in range(PATCHES)]
        with KnowledgeGraph.open(folder / "store") as graph:
            assert b"".join(graph.dump()) == rows[-1]
