"""Temporary folders with nothing in them but what a benchmark puts there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.workspace import Workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    """A workspace that has no LUBM data."""
    with Workspace(tmp_path / "missing") as made:
        yield made
