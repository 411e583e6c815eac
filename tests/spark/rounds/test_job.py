"""Rounds on Spark: the facts and flags of one engine, in files and by shuffles, also after a stop."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest

pytest.importorskip("pyspark", reason="PySpark is not installed: pip install 'kgreason[spark]'")

from kgreason.errors import LimitError
from kgreason.functions.registry import Registry
from kgreason.options import DEFAULT_LIMITS
from kgreason.spark.close.decisions import Decisions
from kgreason.spark.close.job import close
from kgreason.spark.close.planner import Planned
from kgreason.spark.close.terms import Terms
from kgreason.spark.cluster.sizes import BYTES
from kgreason.spark.rounds import tasks
from kgreason.spark.rounds.plan import FIRST, PartsPlan
from kgreason.spark.rounds.tasks import At, Job
from kgreason.zset.columns import Int32
from tests.oracle.datalog import materialize
from tests.spark.programs import rules_in, triples_in
from tests.spark.rounds.test_rounds import CASE, Program
from tests.spark.rounds.whole import Whole, written_program

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class CrashError(Exception):
    """The machine is switched off."""


class Stages:
    """A `Progress` that keeps what it was told, and fails where a stage begins."""

    def __init__(self, fails_at: str = "") -> None:
        self.done: list[str] = []
        self._fails_at = fails_at

    @contextmanager
    def __call__(self, stage: str, total: int | None = None) -> Iterator[Callable[[int], object]]:
        if stage == self._fails_at:
            raise CrashError
        self.done.append(stage)
        yield lambda done: None


@pytest.fixture(autouse=True)
def planning() -> None:
    """Spark plans for little data."""


def frame(spark: SparkSession, rows: Int32) -> DataFrame:
    columns = rows[:, 1:].T
    names = ["tbl", *(f"c{n}" for n in range(len(columns) - 1))]
    return spark.createDataFrame(pa.table([pa.array(np.ascontiguousarray(each)) for each in columns], names=names))


def closed(given: DataFrame, plan: PartsPlan, folder: str, stages: Stages) -> Int32:
    """The closure on Spark, as rows of the plan, which has no operators."""
    terms = Terms(given.sparkSession.createDataFrame([], "id int, text string"), {}, 0, folder, "")
    decisions = Decisions(Planned(plan, {}, {}, 0, ()), terms, None, Registry(), DEFAULT_LIMITS)
    result = close(given, plan, folder, decisions, progress=stages)
    columns = [column.to_numpy().astype(np.int32) for column in result.facts.toArrow().columns]
    rows = np.column_stack([columns[-1], *columns[:-1]])
    assert len(np.unique(rows[:, 1:], axis=0)) == len(rows), "each fact is news once"
    return rows


@pytest.mark.parametrize("scheme", ["", "file://"])
def test_a_closure_in_three_parts(spark: SparkSession, tmp_path: Path, scheme: str) -> None:
    rules, facts = CASE
    program = Program(rules, facts, 3)
    wanted = {fact: state.asserted for fact, state in materialize(facts, rules).items()}
    folder, given = f"{scheme}{tmp_path}/work", frame(spark, program.facts)
    with pytest.raises(CrashError):
        closed(given, program.plan, folder, Stages("round 3"))
    stages = Stages()
    assert program.texts(closed(given, program.plan, folder, stages)) == wanted
    assert stages.done[0] == "round 3"
    (round_2,) = Path(tmp_path).rglob("round-2.whole")
    shutil.rmtree(round_2)
    again = Stages()
    assert program.texts(closed(given, program.plan, folder, again)) == wanted
    assert again.done == ["round 2"], "what was whole is not done again"
    assert FIRST + program.plan.width == program.facts.shape[1]


def test_a_worker_drops_a_part_that_went_on_in_another_worker(tmp_path: Path) -> None:
    plan = Program(*CASE, 3).plan
    job = Job(plan, str(tmp_path))
    source = tasks.PartRows([], {})
    held = [job.made(number, At(0), source) for number in range(3)]
    for each in held:
        job.keep(each, At(min(1, each.number)))
    assert job.part(1, At(1), source) is held[1], "it was kept"
    assert [number for folder, number in tasks._parts if folder == str(tmp_path)] == [2]
    tasks._parts.clear()


def test_each_task_gets_a_part_of_its_own_which_its_worker_has_if_possible(tmp_path: Path) -> None:
    plan = Program(*CASE, 5).plan
    job, at, after = Job(plan, str(tmp_path)), At(1), At(2)
    held = job.made(3, At(0), tasks.PartRows([], {}))
    job.keep(held, at)
    job.keep(held._replace(number=4), At(0))
    assert job.part_for(0, at, after) == 3, "the worker has part 3, and part 4 as of another round"
    tasks._parts.clear()  # the other tasks run in other workers
    assert [job.part_for(task, at, after) for task in (3, 1, 3, 0, 2, 4)] == [0, 1, 0, 3, 2, 4]
    with ThreadPoolExecutor(5) as pool:
        given = list(pool.map(lambda task: job.part_for(task, after, At(3)), [0, 1, 2, 3, 4] * 3))
    assert given[:5] == given[5:10] == given[10:]
    assert sorted(given[:5]) == [0, 1, 2, 3, 4]


def test_a_part_that_does_not_fit_says_so(tmp_path: Path) -> None:
    program = Program(*CASE, 3)
    job = Job(program.plan, str(tmp_path), memory=BYTES * 5)
    held = job.made(1, At(0), tasks.PartRows([], {}))
    job.receive(held, np.repeat(program.facts[:5], 2, axis=0))  # a fact from two parts counts once
    with pytest.raises(LimitError, match=r"^part 2 of 3 has \d+ facts, .* \(spark\.kgreason\.parts\)") as caught:
        job.receive(held, program.facts)
    assert re.search(r" \(\d+ of them are facts of .+ with the same term .+\); divide", str(caught.value))


def test_a_value_is_hot_whatever_the_size_of_a_partition() -> None:
    """A value with a tenth of the facts, twice as many as the limit, in partitions of 500 facts and of all."""
    case = Whole(triples_in("a p b", "a q c"), rules_in("[?y, :r, ?z] :- [?x, :p, ?y], [?x, :q, ?z] ."))
    plan, total = case.plan(4)._replace(most=250), 5_000
    near, predicate = case.ids("a", "p")
    rows = np.zeros((total, 1 + plan.width), dtype=np.int32)
    rows[:, 0], rows[:, 2] = plan.tables.index((True, 3)), predicate
    rows[:, 1], rows[:, 3] = np.arange(total) + 10_000, np.arange(total) + 50_000
    rows[::10, 1] = near
    for size in (500, total):
        columns = [rows[low : low + size].T for low in range(0, total, size)]
        names = ["tbl", *(f"c{number}" for number in range(plan.width))]
        batches = [
            pa.RecordBatch.from_arrays([pa.array(np.ascontiguousarray(c)) for c in each], names) for each in columns
        ]
        placed = pa.Table.from_batches([part for each in batches for part in tasks.placed(plan, total)([each])])
        found = np.column_stack([column.to_numpy() for column in placed.columns]).astype(np.int64)
        made = plan.with_hot_values(found[found[:, 0] == tasks.ALIKE, 1:], plan.most)
        assert [hot.value for hot in made.hot] == [near]


@pytest.mark.parametrize("scheme", ["", "file://"])
def test_a_value_that_becomes_hot_later_is_divided_on_spark(spark: SparkSession, tmp_path: Path, scheme: str) -> None:
    text = (
        " ".join(f"a({n}, {n}) ." for n in range(20))
        + """
        b(0, ?x) :- a(?x, ?y) .
        f(0, 1) .
        pair(?y, ?z) :- b(?x, ?y), f(?x, ?z) ."""
    )
    rules, facts = written_program(text)
    program = Program(rules, facts, 3)
    wanted = {fact: state.asserted for fact, state in materialize(facts, rules).items()}
    plan = program.plan.with_hot_values(program.plan.counts(program.facts, 1), 10)
    assert not plan.hot
    stages = Stages()
    given, folder = frame(spark, program.facts), f"{scheme}{tmp_path}/work"
    assert program.texts(closed(given, plan, folder, stages)) == wanted
    assert stages.done.count("round 1") == 2, "the rounds began again"
    again = Stages()
    assert program.texts(closed(given, plan, folder, again)) == wanted
    assert again.done == [], "the rounds that are dropped are whole, too"
