"""A kill at any moment leaves a history that has every commit and agrees with the graph, once the store is opened."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.volume import many


def killed(folder: Path, first: int, stride: int) -> set[str]:
    """The names of the steps ahead of which a process was killed."""
    command = [sys.executable, "-m", "tests.history.killed", str(folder), str(first), str(stride)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    found = [line.split() for line in done.stdout.splitlines()]
    last = [int(words[-1]) for words in found]
    assert last == sorted(last)
    return {name for words in found for name in words[1:-1]}


def test_kills_ahead_of_many_steps(tmp_path: Path) -> None:
    """A kill ahead of every seventh step. With KGREASON_HISTORIES=7, there is a kill ahead of every step."""
    names = killed(tmp_path, 0, max(1, 7 // many(1)))
    assert len(names) > 4, "the kills fall ahead of too few kinds of steps to say much"
