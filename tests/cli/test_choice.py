"""`--pipeline auto` takes Spark for files that would not fit into memory, and never for a store."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgreason.cli.bulk import choice, pipelines
from kgreason.cli.bulk.choice import bytes_needed, is_spark_faster, unpacked_size
from kgreason.cpus import free_memory

FREE = 10 << 30


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A file whose load needs a little more than 90 % of the free memory."""
    monkeypatch.setattr(choice, "free_memory", lambda: FREE)
    path = tmp_path / "data.nt"
    with path.open("wb") as file:
        file.truncate((int(FREE * 0.9) - bytes_needed(0)) // 2 + 1)  # a hole, which takes no space
    return [str(path)]


def test_files_that_do_not_fit_are_for_spark_if_no_store_is_made(files: list[str]) -> None:
    assert is_spark_faster(files, keeps=False)
    assert not is_spark_faster(files, keeps=True)
    Path(files[0]).write_bytes(b"")
    assert not is_spark_faster(files, keeps=False)


def test_a_packed_file_counts_as_unpacked(tmp_path: Path) -> None:
    for name in ("a.nt", "b.nt.gz"):
        (tmp_path / name).write_bytes(b"x" * 100)
    assert unpacked_size([str(tmp_path / "a.nt")]) == 100
    assert unpacked_size([str(tmp_path / name) for name in ("a.nt", "b.nt.gz", "missing.nt")]) == 1_300


def test_auto_chooses_by_the_size_of_the_files(files: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    is_for_spark = pipelines.is_for_spark
    monkeypatch.setattr(pipelines, "find_spec", lambda name: object())
    assert is_for_spark("auto", files, keeps=False)
    assert not is_for_spark("auto", files, keeps=True)
    assert not is_for_spark("auto", [*files, "-"], keeps=False)
    assert not is_for_spark("auto", files, keeps=False, budget=5)
    assert not is_for_spark("local", files, keeps=False)
    assert is_for_spark("spark", files, keeps=True)
    monkeypatch.setattr(pipelines, "find_spec", lambda name: None)
    assert not is_for_spark("auto", files, keeps=False)


def test_the_memory_of_a_container_counts(tmp_path: Path) -> None:
    memory = tmp_path / "meminfo"
    memory.write_text("MemTotal: 99 kB\nMemAvailable:    2000 kB\n")
    assert free_memory(memory, tmp_path) == 2000 << 10
    for limit, used, expected in (("1000000", "400000", 600_000), ("max", "5", 2000 << 10), ("7", "9", 0)):
        (tmp_path / "memory.max").write_text(f"{limit}\n")
        (tmp_path / "memory.current").write_text(f"{used}\n")
        assert free_memory(memory, tmp_path) == expected
    (tmp_path / "memory.stat").write_text("anon 1\nfile 6\ninactive_file 4\nactive_file 2\n")
    assert free_memory(memory, tmp_path) == 2, "files that were read take no memory for good"
    assert free_memory(tmp_path / "missing", tmp_path / "missing") > 1 << 20
