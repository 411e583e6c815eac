"""`environment`: a fresh environment with the wheel that `scripts/wheel` builds, as `pip install` makes it for a user.

It is made when it is first asked for, and shared by the benchmarks of a run. pip takes the dependencies from its index
or its cache. Raises SkippedError without a network, or where no wheel can be built. Cost: a minute for the wheel, half
a minute for an environment.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.process import CommandError, failed
from benchmarks.workspace import SkippedError, Workspace
from kgreason.compiled.library import can_build

_ROOT = Path(__file__).parents[1]


def environment(workspace: Workspace) -> Path:
    """The environment with the wheel that most of these benchmarks share, made when it is first asked for."""
    folder = workspace.folder / "environment"
    return folder if folder.exists() else installed(workspace, sys.executable, folder)


def installed(workspace: Workspace, python: str, folder: Path) -> Path:
    """Install the wheel into a new environment in `folder`. Raises SkippedError."""
    wheel = _wheel(workspace)
    try:
        output_of([python, "-m", "venv", folder])
        output_of([folder / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check", wheel])
    except CommandError as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise SkippedError(f"the wheel cannot be installed: {error}") from error
    return folder


def _wheel(workspace: Workspace) -> Path:
    """The wheel of this platform, built when it is first asked for."""
    if not can_build():
        raise SkippedError("no wheel with compiled kernels can be built for this platform")
    folder = workspace.folder / "wheel"
    if not folder.exists():
        output_of([_ROOT / "scripts" / "wheel", folder])
    (wheel,) = folder.glob("*.whl")
    return wheel


def output_of(command: Sequence[str | Path], environment: dict[str, str] | None = None) -> str:
    """The standard output of a command. Raises CommandError if it fails."""
    variables = os.environ | (environment or {})
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise failed(command, done.returncode, done.stderr)
    return done.stdout
