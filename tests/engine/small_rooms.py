"""An engine with next to no room and fuel, so that small inputs stop and resume at every point where large ones do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from kgreason.engine import circuit, scratch, update
from kgreason.engine.index import arrangements, candidates


@contextmanager
def small_quantum(rewrites: int = 3) -> Iterator[None]:
    """Kernel calls of a few rewrites each, and limits of an Update that small inputs reach."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(circuit, "QUANTUM", rewrites)
        patch.setattr(update, "ALWAYS", 0)
        yield


@contextmanager
def counted_as_large(share: int) -> Iterator[None]:
    """A key that more than one of so many rows meets counts as large; where none does, the catalogue lists its rows."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrangements, "_LARGE_SHARE", share)
        patch.setattr(arrangements, "_MANY_ROWS", share)
        patch.setattr(candidates, "_LOOKS", 0)
        yield


@contextmanager
def filled_by_comparing() -> Iterator[None]:
    """An empty arrangement is filled by comparing each row with all its keys, however many rows and keys these are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrangements, "_FEW_KEYS", 1 << 20)
        patch.setattr(arrangements, "_FEW_SHARE", 0)
        yield


@contextmanager
def few_notes() -> Iterator[None]:
    """Circuits with room for the notes of only one row that leaves."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scratch, "NOTES", 0)
        yield


@contextmanager
def small_rooms(heads: int = 4, segment: int = 64) -> Iterator[None]:
    """Circuits with a head buffer of a few heads and segments of a few hits, small kernel calls and no large keys."""
    rooms = {"ranks": heads, "tables": heads, "hit_keys": segment, "hit_rows": segment}
    rooms |= {"grouped": segment, "group_key": segment, "group_low": segment + 1}
    with small_quantum(), counted_as_large(0), pytest.MonkeyPatch.context() as patch:
        patch.setattr(scratch, "HEADS", heads)
        patch.setattr(scratch, "SEGMENT", segment)
        patch.setattr(scratch, "_SCRATCH", scratch._SCRATCH | rooms)
        yield
