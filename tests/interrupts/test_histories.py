"""Random histories of edits that Ctrl-C interrupts. `histories.py` says the law."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.volume import many, many_seeds

from .histories import follow

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the system has no SIGINT of its own")
is_traced = pytest.mark.skipif(sys.gettrace() is not None, reason="a debugger or a coverage tool traces already")


@is_traced
@pytest.mark.parametrize("seed", many_seeds(0, 5))
def test_an_interrupted_history_is_as_if_nobody_had_interrupted_it(seed: int, tmp_path: Path) -> None:
    assert follow(seed, tmp_path, 2).interrupted <= 2


@is_traced
def test_most_edits_are_interrupted(tmp_path: Path) -> None:
    assert follow(3, tmp_path, 4).interrupted > 1


def test_interrupted_histories_on_kernels_that_check_their_indices() -> None:
    """In a process of its own: a kernel reads neither beside an array nor in one that has moved."""
    command = [sys.executable, "-m", "tests.interrupts.histories", "100", str(100 + many(60))]
    kernels = os.environ | {"KGREASON_KERNELS": "bounds"}
    ran = subprocess.run(command, capture_output=True, text=True, check=False, env=kernels)
    assert ran.returncode == 0, ran.stderr
    assert "seed" not in ran.stdout
    assert f"'histories': {many(60)}" in ran.stdout
