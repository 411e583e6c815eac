"""The level loop beside the engine: facts, stamps, supports and flags are equal, from scratch and by insert."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

pytest.importorskip("pyspark", reason="PySpark is not installed: pip install 'kgreason[spark]'")

from pyspark.sql import functions as F  # noqa: N812 - as everybody writes it

from kgreason.engine.engine import Engine
from kgreason.engine.program.shapes import EncodedRule, Pattern, Shape
from kgreason.errors import InputError
from kgreason.spark.close import fixpoint, kept
from kgreason.spark.close.kept import Computed, Kept
from kgreason.spark.close.levels import insert, materialize
from kgreason.spark.close.plans import Program, names, plan
from kgreason.spark.close.rewrites import arranged, rules_on
from tests.oracle.datalog import violations
from tests.spark.batches import Batch, Case, case_of, dense_case, written_case
from tests.spark.close.engines import as_set, asserted, collected, frame, program_of, states
from tests.strategies.counterexamples import COUNTEREXAMPLES

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

TEXTS = {
    "symmetric atoms": """
        p(1, 2)
        p(2, 1)
        p(3, 3)
        + p(1, 1)
        q(?x, ?y) :- p(?x, ?y), p(?y, ?x)
        p(?x, ?z) :- p(?x, ?y), p(?y, ?z), p(?z, ?x)
        """,
    "one rule derives a head twice": """
        p(1, 1)
        p(1, 2)
        + p(2, 2)
        q(?x), q(?y), q(1) :- p(?x, ?y)
        q(1), q(?x) :- p(?x, ?y), p(?y, ?x)
        """,
    "constants and repeated variables everywhere": """
        t(1, 1, 2)
        t(1, 2, 1)
        t(2, 2, 2)
        + t(1, 1, 1)
        q(?x, 3) :- t(?x, ?x, 2), t(?y, 2, ?y)
        r(?x) :- t(?x, ?x, ?x), t(1, 1, 2)
        s() :- t(1, 2, 1), t(2, 2, 2)
        """,
    "a product": """
        a(1)
        a(2)
        b(3)
        + b(4)
        + c(7)
        p(?x, ?y) :- a(?x), b(?y)
        q(?x, ?y, ?z) :- a(?x), b(?y), c(?z)
        """,
    "more atoms than plans are made of for each set": """
        e(1, 2)
        e(2, 3)
        e(3, 1)
        + e(1, 1)
        p(?a, ?h) :- e(?a, ?b), e(?b, ?c), e(?c, ?d), e(?d, ?e), e(?e, ?f), e(?f, ?g), e(?g, ?h)
        """,
    "triples beside a relation of three": """
        [<http://e/a>, <http://e/p>, <http://e/b>]
        t(<http://e/a>, <http://e/p>, <http://e/c>)
        + [<http://e/b>, <http://e/p>, <http://e/c>]
        q(?x, ?y) :- [?x, ?p, ?y], t(?x, ?p, ?z)
        [?x, <http://e/p>, ?z] :- [?x, <http://e/p>, ?y], [?y, <http://e/p>, ?z]
        """,
    "given heads": """
        p(1)
        p(1) :-
        p(2) :-
        + p(3)
        + p(2)
        q(?x) :- p(?x)
        q(2) :-
        """,
}


def check_both_ways(cases: Sequence[Case], spark: SparkSession, folder: Path) -> None:
    """From scratch all is as after Bootstrap; with more facts it is as after Update, which keeps the invariants."""
    batch = Batch(cases)
    program, later = batch.program, frame(spark, batch.later())
    result = materialize(frame(spark, batch.asserted()), program, str(folder / "scratch"))
    batch.check(collected(result))
    batch.update()
    batch.check(collected(insert(result, later, program, str(folder / "insert"))))
    for system, case in zip(batch.systems, batch.cases, strict=True):
        assert violations(system.states(), case.rules) == []


def test_programs_in_which_one_thing_is_at_stake(spark: SparkSession, tmp_path: Path) -> None:
    check_both_ways([*map(written_case, TEXTS.values()), *map(case_of, COUNTEREXAMPLES.values())], spark, tmp_path)


def test_many_random_programs(spark: SparkSession, tmp_path: Path) -> None:
    check_both_ways(list(map(dense_case, range(100, 300))), spark, tmp_path)


def test_many_rewrites_are_shuffled(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fixpoint, "LITTLE", -1)
    monkeypatch.setattr(kept, "FEW", -1)
    supported = ("SameLevelNotCounted", "SameLevelCounted", "SameStampCounted")
    cases = [*map(written_case, TEXTS.values()), *(case_of(COUNTEREXAMPLES[name]) for name in supported)]
    batch = Batch(cases)
    result = materialize(frame(spark, batch.asserted()), batch.program, str(tmp_path / "scratch"))
    batch.check(collected(result))
    assert result.where("NOT asserted AND support > 127 - stamp % 128").count() > 0, "a fact gained support"


# A level's plan


def chains(count: int) -> Program:
    """Rules `p(x, z) :- q(x, y), r(y, z)`, each over relations of its own."""
    shape = Shape((Pattern(0, (6, 1, 3)),), (Pattern(0, (4, 1, 2)), Pattern(0, (5, 2, 3))), 3)
    return Program([(False, 3)], [EncodedRule(shape, (3 * n + 100, 3 * n + 101, 3 * n + 102)) for n in range(count)])


class Explained(Kept):
    """Prints the plans of all DataFrames that are computed."""

    def computed(self, frame: DataFrame) -> Computed:
        frame.explain()
        return super().computed(frame)


def joins_of_a_level(spark: SparkSession, program: Program, read: Callable[[], str]) -> int:
    """How many joins there are in the physical plans of a level."""
    old = frame(spark, np.array([[0, 100, 1, 2]], np.int32)).withColumn("stamp", F.lit(0))
    delta = frame(spark, np.array([[0, 101, 2, 3]], np.int32)).withColumn("stamp", F.lit(1))
    rules, key = rules_on(spark, plan(program)), ("tbl", "c0", "c1", "c2")
    read()
    with Explained() as level:
        heads, _ = fixpoint.consequences(rules, old, delta, 0, level)
        assert heads is not None
        new, _ = fixpoint.distinct(heads, old.union(delta), key, level)
        assert new.count() == 1
        new.explain()
        return read().count("Join ")


def test_a_level_of_many_rules_has_the_joins_of_few(spark: SparkSession, capsys: pytest.CaptureFixture[str]) -> None:
    few, many = (joins_of_a_level(spark, chains(n), lambda: capsys.readouterr().out) for n in (10, 10_000))
    assert few == many
    assert 0 < few < 20


def test_a_class_of_many_members_is_no_key_of_many_rows(spark: SparkSession) -> None:
    """rdf:type: all facts have one predicate and one class, and no two of them the key of a shuffle."""
    shape = Shape((Pattern(0, (1, 3, 5)),), (Pattern(0, (1, 3, 4)), Pattern(0, (2, 6, 1))), 2)
    program = Program([(True, 3)], [EncodedRule(shape, (1, 2, 3, 4))])
    rules = rules_on(spark, plan(program))
    rows = np.array([[0, n, 1, 2] for n in range(10, 1_000)] + [[0, 5, 4, n] for n in range(10, 1_000)], np.int32)
    facts = frame(spark, rows).withColumns({"stamp": F.lit(0), "age": F.lit(1)})
    keys = arranged(rules, 0, facts).groupBy("arrangement", *names("b", rules.plans.bound)).count()
    assert (keys.count(), keys.agg(F.max("count")).first()[0]) == (1_980, 1)


# Progress, resuming, and what is refused


CLOSURE = """
    e(1, 2)
    e(2, 3)
    e(3, 4)
    e(4, 5)
    + e(5, 6)
    p(?x, ?y) :- e(?x, ?y)
    p(?x, ?z) :- p(?x, ?y), e(?y, ?z)
    strong(?x) :- p(1, ?x), p(?x, 3)
    strong(?x) :- p(1, ?x), p(?x, 3), p(2, 3)
    weak(?x) :- p(1, ?x), p(?x, 3)
    weak(?x) :- strong(?x)
    """
"""In level 3 a fact of level 2 gains support: `weak(2)` from `strong(2)`, which has two derivations."""


class CrashError(Exception):
    """The machine is switched off."""


class Stages:
    """A `Progress` that keeps what it was told, and fails where a stage begins."""

    def __init__(self, fails_at: str = "") -> None:
        self.told: list[tuple[str, int]] = []
        self._fails_at = fails_at

    @contextmanager
    def __call__(self, stage: str, total: int | None = None) -> Iterator[Callable[[int], object]]:
        if stage == self._fails_at:
            raise CrashError
        yield lambda done: self.told.append((stage, done))


class Run:
    """One program on one folder."""

    def __init__(self, spark: SparkSession, folder: Path, text: str = CLOSURE) -> None:
        self.batch, self.folder = Batch([written_case(text)]), folder
        self._facts = frame(spark, self.batch.asserted())
        self._spark = spark

    def crash(self, level: int) -> None:
        """Run until a level begins."""
        with pytest.raises(CrashError):
            self._materialize(Stages(f"level {level}"))

    def finish(self) -> list[tuple[str, int]]:
        """Run to the end, which is right; the levels that were computed, with their facts."""
        stages = Stages()
        self.batch.check(collected(self._materialize(stages)))
        return stages.told

    def spoil(self, level: int) -> None:
        """Leave half of what belongs there as the facts of a level."""
        facts = self.folder / f"level-{level}" / "facts"
        half = self._spark.read.parquet(str(facts)).limit(1).toArrow()
        self._spark.createDataFrame(half).write.mode("overwrite").parquet(str(facts))

    def _materialize(self, stages: Stages) -> DataFrame:
        return materialize(self._facts, self.batch.program, str(self.folder), progress=stages)


@pytest.mark.parametrize("level", [2, 4])
def test_a_crash_resumes_after_the_last_whole_level(spark: SparkSession, tmp_path: Path, level: int) -> None:
    run = Run(spark, tmp_path)
    run.crash(level)
    assert run.finish() == [("level 2", 5), ("level 3", 2), ("level 4", 1), ("level 5", 0)][level - 2 :]
    assert run.finish() == []


def test_a_level_that_was_half_written_is_written_again(spark: SparkSession, tmp_path: Path) -> None:
    run = Run(spark, tmp_path)
    run.crash(3)
    shutil.rmtree(tmp_path / "level-2" / "whole")
    run.spoil(2)
    assert run.finish()[0] == ("level 2", 5)
    shutil.rmtree(tmp_path / "level-5" / "whole")
    (tmp_path / "level-5" / "whole").mkdir()
    assert run.finish() == [("level 5", 0)]


def test_levels_of_other_facts_and_of_earlier_runs_are_not_taken(spark: SparkSession, tmp_path: Path) -> None:
    run, other = Run(spark, tmp_path), Run(spark, tmp_path, CLOSURE.replace("e(1, 2)", "e(2, 1)"))
    run.finish()
    other.crash(1)
    run.crash(2)
    run.spoil(2)
    assert run.finish()[0] == ("level 2", 5)


def test_the_same_facts_under_other_rules_are_another_computation(spark: SparkSession, tmp_path: Path) -> None:
    run = Run(spark, tmp_path)
    run.finish()
    assert len(Run(spark, tmp_path, CLOSURE.replace("p(?x, ?z)", "p(?z, ?x)")).finish()) > 1


def test_columns_that_are_missing_are_named(spark: SparkSession, tmp_path: Path) -> None:
    facts = frame(spark, np.array([[0, 1, 2, 3]], np.int32)).drop("c2")
    with pytest.raises(InputError, match=r"columns tbl, c0, c1, c2; c2 is missing"):
        materialize(facts, chains(1), str(tmp_path))


def test_no_facts_and_no_rules(spark: SparkSession, tmp_path: Path) -> None:
    facts = frame(spark, np.empty((0, 4), np.int32))
    assert materialize(facts, Program([(False, 3)], []), str(tmp_path / "a")).count() == 0
    assert materialize(facts, chains(2), str(tmp_path / "b")).count() == 0


def test_reflexive_triples_of_the_quiet_property_are_not_derived(spark: SparkSession, tmp_path: Path) -> None:
    shape = Shape((Pattern(0, (1, 3, 2)), Pattern(0, (2, 3, 1))), (Pattern(0, (1, 4, 2)),), 2)
    rule, rows = EncodedRule(shape, (1, 2)), np.array([[5, 2, 5], [5, 2, 6], [6, 1, 6]], np.int32)
    engine = Engine(quiet=1)
    engine.bootstrap({engine.table(True, 3): rows}, [rule])
    given = frame(spark, asserted(engine))
    found = materialize(given, program_of(engine), str(tmp_path / "quiet"), quiet=1)
    assert as_set(collected(found)) == as_set(states(engine))
    assert materialize(given, program_of(engine), str(tmp_path / "all")).count() == found.count() + 1


def test_on_a_spark_connect_session(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.spark.close.connected_levels", str(tmp_path)]
    done = subprocess.run(command, cwd=Path(__file__).parents[3], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
