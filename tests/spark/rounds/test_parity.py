"""Rounds of parts beside the engine on graphs that people made: LUBM and well-known ontologies, under OWL 2 RL."""

from __future__ import annotations

from pathlib import Path
from random import Random
from unittest.mock import patch

import pytest

from benchmarks.rounds import close
from kgreason.materialize.edit import Edit
from kgreason.materialize.materializer import Materializer
from kgreason.materialize.schema.rows import SAME_AS
from kgreason.materialize.selection import select
from kgreason.rdf.reader import read_files
from kgreason.resources import resource
from kgreason.spark.rounds.placement import placement
from kgreason.spark.rounds.plan import FLAG, plan
from kgreason.zset.columns import IS_ASSERTED
from tests.graph.axioms.test_wide import POOL, statements
from tests.spark.rounds.whole import rows_of
from tests.volume import many

ONTOLOGIES = ("brick_building_VM3A_v1.1.ttl", "time.nq", "pizza.owl", "prov.nq", "org.nq", "foaf.nq", "Brick-1.1.n3")
"""By default the first two: the building has many facts, time has restrictions. KGREASON_HISTORIES adds more."""


def check(*paths: Path) -> None:
    """Three parts have the facts and flags of one engine, which had all facts about literals and equal terms."""
    materializer = Materializer(select(["owl2rl"], "axioms", "rules"))
    materializer.change(Edit(added=read_files(paths, materializer.dictionary)))
    materializer.accept()
    columns, tables, kinds = materializer.engine.facts.contents()
    made = plan(placement(materializer.rules), 3, materializer.engine, materializer.dictionary.intern, quiet=SAME_AS)
    wanted = rows_of(columns, tables, kinds == IS_ASSERTED, made.width)
    found = close(made, wanted[wanted[:, FLAG] == 1]).facts
    assert len(found) == len(wanted)
    assert set(map(tuple, found.tolist())) == set(map(tuple, wanted.tolist()))


@pytest.mark.parametrize("name", ONTOLOGIES[: many(2)])
def test_ontologies(name: str, shared_data: Path) -> None:
    check(shared_data / "ontologies" / f"{name}.gz")


@pytest.mark.parametrize("limit", [0, 2])
def test_wide_kinds(limit: int, tmp_path: Path) -> None:
    """One generic rule reads axioms that all parts have (`materialize/schema/wide_kinds.py`)."""
    for seed in range(many(3)):
        random, path = Random(seed), tmp_path / f"{seed}.ttl"
        path.write_text(statements(set(random.sample(POOL, random.randint(10, len(POOL))))))
        with patch("kgreason.materialize.materialized_graph.LIMIT", limit):
            check(path)


def test_lubm(shared_data: Path) -> None:
    check(resource("ontologies", "univ-bench.ttl"), shared_data / "lubm" / "lubm1.nt.gz")
