"""Kills a history of loads, commits and checkpoints ahead of steps towards the disk, each time in a process of its own.

    python -m tests.store.killed_histories FOLDER FIRST STRIDE KIND        KIND: kill or power

At every STRIDE-th step from FIRST on, until the history comes to its end. After `power` Oxigraph has what it had when
it was flushed last, which is the least that a power loss leaves. Then the opening that follows is killed as well, ahead
of one of its first steps. Prints one line for each kill: its number, the steps ahead of which it was, and the number of
the state that was found. The process itself opens no store, so that it may fork.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from typing import Any

from kgreason.store import folder
from kgreason.store.folder import Folder
from kgreason.store.journal import journal
from kgreason.store.journal.journal import Journal
from kgreason.store.oxigraph.store import OxigraphStore
from tests.store.toy import Rows, Toy, rows

HISTORY: tuple[tuple[str, str, str], ...] = (
    ("load", "", "a b c"),
    ("commit", "a", "d"),
    ("commit", "", "a e"),
    ("load", "", "f g"),
    ("commit", "f", "h"),
    ("commit", "h", "f"),
    ("checkpoint", "", ""),
    ("commit", "f a", "i"),
    ("reopen", "", ""),
    ("commit", "i", "j k"),
    ("checkpoint", "", ""),
)
STEPS: tuple[tuple[Any, str], ...] = (
    (os, "write"),
    (os, "ftruncate"),
    (os, "fsync"),
    (journal, "_sync"),
    (folder, "sync_folder"),
    (shutil, "rmtree"),
    (Path, "replace"),
    (Toy, "_write"),
    (Journal, "append"),
    (OxigraphStore, "load"),
    (OxigraphStore, "apply"),
    (OxigraphStore, "flush"),
    (Folder, "close"),
)


def states() -> list[Rows]:
    """The asserted rows before the history, and after each of its operations."""
    found: list[Rows] = [rows("")]
    for _, removed, added in HISTORY:
        found.append((found[-1] - rows(removed)) | rows(added))
    return found


def say(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def watch(kill_at: int, steps: Sequence[tuple[Any, str]] = STEPS) -> None:
    """Have the process kill itself ahead of a step; a write gets half way."""
    number = count()

    def watched(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            if next(number) == kill_at:
                say(f"{name} ")
                if name == "write":
                    function(args[0], args[1][: len(args[1]) // 2])
                os.kill(os.getpid(), signal.SIGKILL)
            return function(*args, **kwargs)

        return call

    for owner, name in steps:
        setattr(owner, name, watched(name, getattr(owner, name)))


def keep_what_is_flushed(store: Path) -> None:
    """Have each flush of Oxigraph copied to a folder beside the store."""
    flush, kept = OxigraphStore.flush, store.with_name("flushed")

    def flushed(self: OxigraphStore) -> None:
        flush(self)
        copy = kept / Path(self._name).name
        shutil.rmtree(copy, ignore_errors=True)
        kept.mkdir(exist_ok=True)
        self._store.backup(str(copy))

    OxigraphStore.flush = flushed  # type: ignore[method-assign]


def live(store: Path, done: Path) -> None:
    """Go through the history, and note after each operation that it is done."""
    toy = Toy(store)
    for number, (verb, removed, added) in enumerate(HISTORY, 1):
        if verb == "reopen":
            toy.__exit__()
            toy = Toy(store)
        elif verb == "load":
            toy.load(added)
        elif verb == "checkpoint":
            toy.checkpoint()
        else:
            toy.commit(removed, added)
        done.write_text(str(number))
    toy.__exit__()


def inspect(store: Path, done: int) -> None:
    """The last operation that was done is there, and perhaps the next; the store agrees, and works."""
    expected = states()[done : done + 2]
    with Toy(store, read_only=done > 0) as toy:
        found = toy.start()
        assert found in expected
        assert toy.agrees()
    with Toy(store) as toy:
        toy.load("x")
        toy.commit("x", "y")
    with Toy(store) as toy:
        assert toy.seen()
        assert toy.engine is None
        assert toy.start() == found | rows("y")
        assert toy.agrees()
    say(f"{expected.index(found) + done}\n")


def lose_power(store: Path) -> None:
    """Give Oxigraph back what it was flushed with."""
    manifest = folder.read_manifest(store)
    if manifest and (flushed := store.with_name("flushed") / manifest.oxigraph).exists():
        shutil.rmtree(store / manifest.oxigraph)
        shutil.copytree(flushed, store / manifest.oxigraph)


def in_child(work: Callable[[], None]) -> int:
    """Do something in a process of its own; the status with which it ended."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    try:
        work()
    except BaseException:
        sys.excepthook(*sys.exc_info())
        os._exit(1)
    os._exit(0)


def besiege(folder: Path, kill_at: int, kind: str) -> bool:
    """Kill the history at a step and look at what is left; whether it was long enough for that."""
    folder.mkdir()
    store, done = folder / "store", folder / "done"

    def work() -> None:
        if kind == "power":
            keep_what_is_flushed(store)
        watch(kill_at)
        live(store, done)

    def reopen() -> None:
        watch(kill_at % 12)
        Toy(store).home.close()

    say(f"{kill_at} ")
    if (status := in_child(work)) != -signal.SIGKILL:
        assert status == 0
        return False
    if kind == "power":
        lose_power(store)
    assert in_child(reopen) in (0, -signal.SIGKILL)
    reached = int(done.read_text()) if done.exists() else 0
    assert in_child(lambda: inspect(store, reached)) == 0
    shutil.rmtree(folder)
    return True


def main(folder: str, first: str, stride: str, kind: str) -> None:
    number = int(first)
    while besiege(Path(folder) / str(number), number, kind):
        number += int(stride)


if __name__ == "__main__":
    main(*sys.argv[1:])
