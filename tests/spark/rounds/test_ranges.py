"""Rows of files that tasks read themselves: ranges of them, in shares."""

from __future__ import annotations

from collections import Counter
from itertools import chain
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kgreason.spark.rounds import ranges


def test_shares_have_each_row_of_all_files_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranges, "_ROWS", 70_000)  # more than a batch of Parquet has
    sizes = {"none": 0, "one": 1, "a range": 70_000, "a %41?#b": 150_001, "many": 900_000, "z1": 5, "z2": 6}
    for first, (name, size) in enumerate(sizes.items()):
        ids = pa.array(range(first * 1_000_000, first * 1_000_000 + size), pa.int32())
        pq.write_table(pa.table([ids] * 3, names=list("spo")), tmp_path / f"{name}.parquet", row_group_size=400_000)
    shares = ranges.shares(map(str, tmp_path.iterdir()))
    batches = chain.from_iterable(each.batches("so") for each in chain.from_iterable(shares))
    found = Counter(row for batch in batches for row in batch.column("o").to_pylist())
    assert found == Counter(first * 1_000_000 + row for first, size in enumerate(sizes.values()) for row in range(size))
    rows = [sum(each.size for each in share) for share in shares]
    assert max(rows) == 100_000
    assert len(rows) < sum(map(len, shares))


def test_a_table_without_files_has_no_share() -> None:
    assert ranges.shares([]) == []
