"""A large load holds few copies of its rows, and its snapshot is written from the engine's own."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from kgreason.engine.memory import layout as at
from kgreason.materialize.edit import Edit
from kgreason.materialize.materializer import Materializer
from kgreason.materialize.selection import select
from kgreason.store import snapshot
from kgreason.terms.dictionary import Dictionary

ROWS = 400_000


@contextmanager
def peak_below(most: float, rows: int = ROWS) -> Iterator[None]:
    """Fail if a block has more than `most` bytes a row in addition to what there was before."""
    tracemalloc.start()
    try:
        yield
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < most * rows, f"{peak / rows:.0f} bytes a row"


def triples(dictionary: Dictionary, rows: int = ROWS) -> Edit:
    """Distinct triples, as an edit."""
    ids = dictionary.intern(f"<http://e/{number}>" for number in range(rows // 100))
    subjects, objects = np.divmod(np.arange(rows, dtype=np.int32), 100)
    columns = ids[subjects], np.repeat(ids[:1], rows), ids[objects], np.zeros(rows, dtype=np.int32)
    return Edit(added=np.column_stack(columns))


def test_a_first_commit_takes_few_bytes_for_a_row() -> None:
    warm = Materializer(select(["rdfs"]))  # kernels that are compiled now take memory, too
    warm.change(triples(warm.dictionary, 100_000))
    warm.accept()
    materializer = Materializer(select(["rdfs"]))
    edit = triples(materializer.dictionary)
    with peak_below(145):
        change = materializer.change(edit)
        materializer.accept()
    assert len(change.rows) >= ROWS
    with peak_below(12):
        records = materializer.save(is_borrowed=True).records
    assert np.shares_memory(records, materializer.engine._circuit.memory["rows"])


def test_records_are_written_without_a_copy_of_all(tmp_path: Path) -> None:
    records = np.arange(ROWS * 6, dtype=np.int32).reshape(-1, 6)
    with peak_below(10):
        snapshot._save_records(tmp_path / "records.npy", records)
    expected = records.copy()
    expected[:, at.STATE] &= ~at.LOGGED
    assert np.array_equal(np.load(tmp_path / "records.npy"), expected)
