"""The level loop beside the engine on graphs that people made: LUBM and well-known ontologies, under OWL 2 RL."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("pyspark", reason="PySpark is not installed: pip install 'kgreason[spark]'")

from kgreason.engine.engine import Engine
from kgreason.materialize.edit import Edit
from kgreason.materialize.materializer import Materializer
from kgreason.materialize.schema.rows import SAME_AS
from kgreason.materialize.selection import select
from kgreason.rdf.reader import read_files
from kgreason.resources import resource
from kgreason.spark.close.levels import materialize
from tests.spark.close.engines import as_set, asserted, collected, frame, program_of, states
from tests.volume import many

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


ONTOLOGIES = [
    "brick_building_VM3A_v1.1.ttl",
    "org.nq",
    "sosa.nq",
    "time.nq",
    "foaf.nq",
    "pizza.owl",
    "Brick-1.1.n3",
    "dcat.nq",
    "prov.nq",
    "schemaorg-30.0-current-https.ttl",
    "skos.nq",
]
"""By default the first four: the building has many facts, time has restrictions. KGREASON_HISTORIES adds more."""


def bootstrapped(*paths: Path) -> Engine:
    """An engine that has evaluated what files hold, and what their terms stand for, from scratch."""
    materializer = Materializer(select(["owl2rl"]))
    materializer.change(Edit(added=read_files(paths, materializer.dictionary)))
    materializer.accept()
    engine, rows = Engine(quiet=SAME_AS), asserted(materializer.engine)
    tables = materializer.engine.tables
    numbers = [engine.table(*kind) for kind in tables]
    facts = {n: rows[rows[:, 0] == n, 1 : 1 + width] for n, (_, width) in zip(numbers, tables, strict=True)}
    engine.bootstrap(facts, materializer.engine.rules)
    return engine


@pytest.mark.parametrize("name", ONTOLOGIES[: many(4)])
def test_ontologies(name: str, shared_data: Path, spark: SparkSession, tmp_path: Path) -> None:
    check(bootstrapped(shared_data / "ontologies" / f"{name}.gz"), spark, tmp_path)


def test_lubm(shared_data: Path, spark: SparkSession, tmp_path: Path) -> None:
    files = resource("ontologies", "univ-bench.ttl"), shared_data / "lubm" / "lubm1.nt.gz"
    check(bootstrapped(*files), spark, tmp_path)


def check(engine: Engine, spark: SparkSession, folder: Path) -> None:
    """From scratch all is equal; by insert of every tenth fact, facts and flags are."""
    facts, program, wanted = asserted(engine), program_of(engine), states(engine)
    found = materialize(frame(spark, facts), program, str(folder / "scratch"), quiet=SAME_AS)
    assert as_set(collected(found)) == as_set(wanted)
