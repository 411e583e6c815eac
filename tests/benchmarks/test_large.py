"""The lane of large graphs: its check of the disk, its table and its verdicts. Nothing is measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import large
from benchmarks.__main__ import main
from benchmarks.process import Outcome


def run(universities: int, triples: int, seconds: float, peak: int) -> large.Run:
    phases = {"load": Outcome(seconds, peak), "14 queries": Outcome(1.5, 10**8)}
    return large.Run(universities, triples, 3 * 10**8, phases)


def test_a_disk_that_is_too_small_is_named_before_anything_is_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(large.FullDiskError, match="1000000000 universities need"):
        large.check_disk(10**9, tmp_path)
    large.check_disk(0, tmp_path)
    assert main(["--large", "--universities", "1000000000"]) == 1
    assert "are free" in capsys.readouterr().out


def test_the_table_has_a_column_for_each_size() -> None:
    runs = [run(10, 1_500_000, 30, 10**9), run(100, 15_000_000, 330, 4 * 10**9)]
    assert list(large.table(runs)) == [
        "|  | 10 universities, 1.5 M triples | 100 universities, 15.0 M triples |",
        "| --- | --- | --- |",
        "| load | 30.0 s, 1.00 GB | 330.0 s, 4.00 GB |",
        "| 14 queries | 1.5 s, 0.10 GB | 1.5 s, 0.10 GB |",
        "| load, for each triple | 20.0 us | 22.0 us |",
        "| peak of memory, for each triple | 667 bytes | 267 bytes |",
        "| store on disk | 0.30 GB | 0.30 GB |",
    ]


def test_the_verdicts_compare_with_one_and_with_ten_million_triples() -> None:
    runs = [run(10, 1_500_000, 30, 10**9), run(100, 15_000_000, 330, 4 << 30), run(800, 10**8, 3000, 23 << 30)]
    assert list(large.verdicts(runs)) == [
        "peak of memory, GiB: 23.00, at most 22: MISSED",
        "cost of a triple at 100 M over 1.5 M triples: 1.50, at most 2: met",
        "cost of a triple at 100 M over 15.0 M triples: 1.36, at most 1.3: MISSED",
    ]
    assert list(large.verdicts(runs[:1])) == ["peak of memory, GiB: 0.93, at most 22: met"]
