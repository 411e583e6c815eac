"""A graph that is killed ahead of any step towards the disk, or loses its power there, has all that was committed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.store.killed_histories import STEPS


def killed(folder: Path, first: int, stride: int, kind: str) -> tuple[list[int], set[str]]:
    """The states that were found behind the kills, in the order of these, and the steps ahead of which they were."""
    command = [sys.executable, "-m", "tests.store.killed_histories", str(folder), str(first), str(stride), kind]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    *kills, end = [line.split() for line in done.stdout.splitlines()]
    assert [int(words[0]) for words in (*kills, end)] == list(range(first, int(end[0]) + 1, stride))
    return [int(words[-1]) for words in kills], {name for words in kills for name in words[1:-1]}


@pytest.mark.parametrize("kind", ["kill", "power"])
def test_a_kill_ahead_of_every_step(tmp_path: Path, kind: str) -> None:
    reached, names = killed(tmp_path, 0, 1, kind)
    assert reached == sorted(reached)
    assert names == {name for _, name in STEPS}
