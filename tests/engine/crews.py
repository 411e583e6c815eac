"""An engine that divides even the smallest product among workers, whose buffers have room for a few heads."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from kgreason.engine import engine
from kgreason.engine.crew import crew, keepers


@contextmanager
def crews(threads: int, heads: int = 1 << 15, rows: int = 1, chunks: int = 1 << 12, batch: int = 7) -> Iterator[None]:
    """Engines with so many workers. A chunk has at most `rows` rows; `batch` facts are asserted at a time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "default_threads", lambda _: threads)
        values = {"HITS": 1, "HEADS": threads * heads, "_FEWEST": 1, "ROWS": rows, "CHUNKS": chunks}
        values |= {"FEWEST_ROWS": 1, "NOTES": 2, "BATCH": batch}
        for name, value in values.items():
            patch.setattr(crew, name, value)
        for name, value in {"FACTS": 1, "FIND_ROWS": 7, "FEWEST_GROUPS": 3, "FEWEST_POSTINGS": 5}.items():
            patch.setattr(keepers, name, value)
        yield
