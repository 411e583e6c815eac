"""How many parts there are, and how large a part may become, from settings, cores and memory."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

pytest.importorskip("pyspark", reason="PySpark is not installed: pip install 'kgreason[spark]'")

from kgreason.errors import InputError
from kgreason.spark.cluster.sizes import BYTES, Sizes, fit_partitions, parts_for, sizes


def of(settings: dict[str, str]) -> Sizes:
    """The sizes for facts of a session with these settings. Nobody counts the cores."""
    return sizes(cast(Any, SimpleNamespace(conf=settings)), 10, 5)


def test_settings() -> None:
    parts = {"spark.kgreason.parts": "7"}
    assert of(parts) == Sizes(7, 0, 5)
    assert of(parts | {"spark.kgreason.partMemory": "2g", "spark.kgreason.mostAlike": "3"}) == Sizes(7, 2 << 30, 3)
    workers = {"spark.executor.pyspark.memory": "4g", "spark.executor.cores": "4"}
    assert of(parts | workers) == Sizes(7, (1024 - 600) << 20, 5)
    mebibytes = {"spark.executor.pyspark.memory": "4096"}  # as Spark has it
    assert of(parts | workers | mebibytes) == Sizes(7, (1024 - 600) << 20, 5)
    with pytest.raises(InputError, match=r"pyspark\.memory gives Python 125 MB for each core"):
        of(parts | workers | {"spark.executor.pyspark.memory": "500m"})
    for name, value in (("parts", "many"), ("partMemory", "2 cups"), ("mostAlike", "-1")):
        with pytest.raises(InputError, match=rf"^spark\.kgreason\.{name} must be a .*; got {value}$"):
            of(parts | {f"spark.kgreason.{name}": value})


def test_the_partitions_of_a_session_of_somebody_else_stay() -> None:
    fit_partitions(cast(Any, object()))  # it has no setting that could be changed


@pytest.mark.parametrize("memory", [1 << 26, 1 << 30])
def test_the_facts_of_a_part_fit_into_its_memory(memory: int) -> None:
    for count in (0, 10, 100_000, 10_000_000):
        parts = parts_for(count, 4, memory)
        assert parts >= 1
        assert -(-count // parts) * BYTES <= memory
    assert parts_for(10, 4, memory) == 1
    assert parts_for(1_000_000, 4, 0) == 4
