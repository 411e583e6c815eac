"""The files in which facts travel: rows of tables of triples, divided into ranges."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kgreason.spark.rounds import exchange


def test_ranges_have_each_row_of_all_files_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "_RANGE", 70_000)  # more than a batch of Parquet has
    sizes = {"none": 0, "one": 1, "a range": 70_000, "a %41 b": 150_001, "many": 900_000}
    for first, (name, size) in enumerate(sizes.items()):
        ids = pa.array(range(first * 1_000_000, first * 1_000_000 + size), pa.int32())
        pq.write_table(pa.table([ids] * 3, names=list("spo")), tmp_path / f"{name}.parquet", row_group_size=400_000)
    ranges = exchange.row_ranges(path.as_uri() for path in tmp_path.iterdir())
    found = Counter(row for each in ranges for batch in each.batches() for row in batch.column("o").to_pylist())
    assert found == Counter(first * 1_000_000 + row for first, size in enumerate(sizes.values()) for row in range(size))
    assert {each.size for each in ranges} == {1, 10_001, 30_000, 70_000, 100_000}
