"""An engine with next to no room and fuel, so that small inputs stop and resume at every point where large ones do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from kgreason.engine import circuit


@contextmanager
def small_quantum(rewrites: int = 3) -> Iterator[None]:
    """Kernel calls of a few rewrites each."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(circuit, "QUANTUM", rewrites)
        yield


@contextmanager
def small_rooms(heads: int = 4, segment: int = 64) -> Iterator[None]:
    """Circuits with a head buffer of a few heads and segments of a few hits, beside small kernel calls."""
    rooms = {"ranks": heads, "tables": heads, "hit_keys": segment, "hit_rows": segment}
    rooms |= {"grouped": segment, "group_key": segment, "group_low": segment + 1}
    with small_quantum(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(circuit, "_HEADS", heads)
        patch.setattr(circuit, "_SEGMENT", segment)
        patch.setattr(circuit, "_SCRATCH", circuit._SCRATCH | rooms)
        yield
