"""`close`: a closure by rounds of parts on Spark.

    facts (tbl, c0..) -> round 0 -> parts evaluate -> round 1 -> ... -> a round without facts -> operators decide
                                                                                              -> more facts -> round n

A round is a job of one task for each part (`tasks`), and a folder of Parquet files (`travel`). When a round has no
facts for any part, others may assert more facts (about equal terms: `more`). Then the operators of each part decide,
and the rounds go on. The *news* of a part are the facts that are new at its home. All news together are the closure.

A marker says that a step is whole. So a job that was stopped goes on after its last whole step. The folders of a job
are a function of its plan and its facts.

Cost: a small job for each round, one for the news, and one for each decision; two more if operators read texts, and
some if they make new terms.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from hashlib import sha256
from typing import TypeAlias

import numpy as np
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everybody writes it

from kgreason.errors import LimitError, StratificationError
from kgreason.progress import SILENT, Progress
from kgreason.spark.close.decisions import Decisions
from kgreason.spark.folders.markers import count_rows, mark, marked, parquet, uri
from kgreason.spark.input.paths import by_name
from kgreason.spark.rounds.operators import Strata
from kgreason.spark.rounds.plan import PartsPlan
from kgreason.spark.rounds.tasks import COUNTS, NEEDS, At, Job, counting, decide, need, tell
from kgreason.spark.rounds.texts import UNKNOWN
from kgreason.spark.rounds.travel import ByShuffles, InFiles
from kgreason.spark.start.failures import clear_errors
from kgreason.zset.columns import Int64

More: TypeAlias = Callable[[DataFrame, DataFrame, Callable[[DataFrame], None]], bool]
"""Asserts more facts when no part has facts for another one. It gets all facts, those that are new since the last call
(rows `tbl, c0.., asserted`), and a function that takes facts to assert (`tbl, c0..`). Returns whether there are any."""
_WHOLE = "facts bigint, alike string"
_NUMBER = re.compile(re.escape(UNKNOWN) + r"(\d+)")


def close(
    facts: DataFrame,
    plan: PartsPlan,
    folder: str,
    *,
    decisions: Decisions | None = None,
    more: More | None = None,
    made_from: object = None,
    memory: int = 0,
    progress: Progress = SILENT,
) -> DataFrame:
    """Compute the closure of asserted facts, rows `tbl, c0..`. Returns rows `tbl, c0.., asserted`.

    `folder` is a path that driver and workers see, or a URI. The result is read back from Parquet files there. A plan
    with operators needs `decisions`. `more` asserts further facts (`More`). A run on the same folder goes on if the
    plan is the same and `made_from`, which identifies all facts. `memory`: how many bytes a part may use; 0: what is
    free.
    """
    name = sha256(repr((plan, made_from)).encode()).hexdigest()[:16]
    place = f"{folder.rstrip('/')}/{name}"
    job = Job(plan, place, memory=memory)
    if decisions:
        job = job._replace(terms=decisions.constants, registry=decisions.registry)
    rounds = _Rounds(facts.sparkSession, job, progress, decisions)
    try:
        return rounds.closed(facts, more)
    except _AlikeError as error:
        plan = plan.divided(error.counts, plan.most)
    return close(
        facts, plan, folder, decisions=decisions, more=more, made_from=made_from, memory=memory, progress=progress
    )  # from the first round, with this value divided


def with_hot_values(plan: PartsPlan, facts: DataFrame, total: int, most: int) -> PartsPlan:
    """Return the plan that divides each value that more than `most` of the asserted facts have in a place.

    `total`: about how many facts there are. Cost: a pass over them, if they are more than `most`. A count over some
    rows at a time that is far below its share of `most` is left out.
    """
    if plan.parts == 1 or total <= most:
        return plan._replace(most=most)
    found = facts.mapInArrow(counting(plan, most, total), COUNTS).toArrow()["counts"].to_pylist()
    return plan.divided(np.array(found, dtype=np.int64), most)


class _AlikeError(Exception):
    """Too many facts have a value in a place, so that the value must be divided. `counts`: see `PartsPlan.counts`."""

    def __init__(self, counts: Int64) -> None:
        self.counts = counts


class _Rounds:
    """The rounds of a job. `_next` is the number of the next round, for which there are `_moved` facts.

    `_told` are the rounds before which the parts have told their news. `_decided` is the number of the next decision,
    `_learnt` are those before which parts have learnt texts. `_begins` are the rounds before which strata have begun,
    `_dropped` are those that turns of recursions have dropped.
    """

    def __init__(self, spark: SparkSession, job: Job, progress: Progress, decisions: Decisions | None) -> None:
        self._spark, self._job, self._folder, self._progress = spark, job, job.folder, progress
        self._by = decisions
        self._travel = ByShuffles(spark, job) if "://" in job.folder else InFiles(spark, job)
        self._next = self._moved = self._decided = 0
        self._learnt: tuple[int, ...] = ()
        self._told: list[int] = []
        self._begins: dict[int, int] = {}
        self._dropped: tuple[tuple[int, int], ...] = ()
        self._steps = Strata(job.plan.operated)
        self._columns = ", ".join(f"{name} int" for name in ("tbl", *(f"c{n}" for n in range(job.plan.width))))
        self._schema = f"{self._columns}, asserted boolean"

    @property
    def facts(self) -> DataFrame:
        """All facts that the parts have told."""
        return parquet(self._spark, self._schema, *map(self._news, self._told))

    @property
    def latest(self) -> DataFrame:
        """The facts that the parts have told last."""
        return parquet(self._spark, self._schema, self._news(self._told[-1]))

    @property
    def _at(self) -> At:
        return At(self._next, self._told[-1] if self._told else 0, self._decided, self._learnt, self._dropped)

    def closed(self, facts: DataFrame, more: More | None) -> DataFrame:
        """Compute the closure of asserted facts (`close`). Raises _AlikeError if a value must be divided first."""
        with self._with_texts():
            if self._by:
                self._by.begin()
            self.place(facts)
            while True:
                self.run()
                if more is not None:
                    self.tell()
                    if more(self.facts, self.latest, self.place):
                        continue
                if self._by is None or not self.decide(self._by):
                    self.tell()
                    return self.facts

    def place(self, facts: DataFrame) -> None:
        """Place asserted facts, rows `tbl, c0..`, among those of the next round."""
        at = self._next
        self._moved += self._whole(f"placed-{at}", "placing", partial(self._travel.place, facts, at))

    def run(self) -> None:
        """Let all parts evaluate, round after round, until none has facts for another one."""
        while self._moved or not self._next:  # rules without a body derive facts from nothing
            work = partial(self._evaluated, self._at)
            self._next += 1
            self._moved, alike = self._step(f"round-{self._next}", f"round {self._next}", work)
            if alike:
                raise _AlikeError(np.array(json.loads(alike), dtype=np.int64))

    def _evaluated(self, at: At) -> tuple[int, str]:
        sent, alike = self._travel.evaluate(at)
        return sent, json.dumps(alike.tolist()) if len(alike) else ""

    def tell(self) -> None:
        """Let all parts tell which facts are new."""
        if self._next not in self._told:
            self._whole(f"news-{self._next}", "writing news", partial(self._write_news, self._at))
            self._told.append(self._next)

    def decide(self, decisions: Decisions) -> bool:
        """Let the operators of all parts decide, until they assert facts; place these. Returns whether there are any.

        A turn of a recursion counts as facts. Raises StratificationError if the facts make the rules circular.
        """
        operated, schema = self._job.plan.operated, f"{self._columns}, place int, text string"
        are_learnt = False
        for level, before in self._steps.due():
            if before < level:
                self._begins.setdefault(level, self._next)
            at, number = self._at, self._decided
            if operated.read_texts(level) and not are_learnt:
                are_learnt = True
                self._whole(f"texts-{number}", "reading texts", partial(self._write_texts, at, decisions.terms()))
                self._learnt = (*self._learnt, number)
            self._decided += 1
            after, path = self._at, f"{self._folder}/decided-{number}"
            step = decide(after, level, before, schema)
            work = partial(self._write, path, partial(self._travel.rows, step, schema, at, after))
            count = self._whole(f"decided-{number}", "operators", work)
            if not count:
                continue
            rows = parquet(self._spark, schema, path)
            better = rows.where("place >= 0") if operated.outlasts else rows
            if not operated.outlasts or not better.isEmpty():
                self.place(decisions.facts(better, level))
                return True
            if level:
                self._take_turn(level, rows)
                return True
        return False

    def _take_turn(self, level: int, worse: DataFrame) -> None:
        """Drop the rounds since the recursions of a stratum have begun; place what outlasts the turn.

        `worse`: values that are worse than others, rows `tbl, c0..`.
        """
        self._steps.take_turn(level)
        begin, columns = self._begins[level], ["tbl", *(f"c{n}" for n in range(self._job.plan.width))]
        schema = ", ".join(f"{name} int" for name in ("part", "flag", *columns))
        paths = [by_name(uri(self._job.round(number))) for number in self._at.rounds(begin, self._next)]
        rows = self._spark.read.option("recursiveFileLookup", "true").schema(schema).parquet(*paths)
        rows = rows.where((F.col("flag") == 1) & F.col("c0").isin(self._job.plan.operated.outlasting(level)))
        rows = rows.select(*columns).distinct().join(worse, columns, "left_anti")
        self._dropped = (*(each for each in self._dropped if each[0] < begin), (begin, self._next))
        self._told = [number for number in self._told if number <= begin]
        self.place(rows)

    def _write_texts(self, at: At, terms: DataFrame) -> int:
        """Write the texts that parts need, in a folder for each part."""
        needs = self._travel.rows(need, NEEDS, at, at)
        rows = needs.join(terms, "id").repartition("part")
        rows.write.mode("overwrite").partitionBy("part").parquet(uri(self._job.texts(at.decided)))
        return 0

    @contextmanager
    def _with_texts(self) -> Iterator[None]:
        """A context in which errors of parts get the texts of the terms that they name."""
        try:
            with clear_errors(self._folder):
                yield
        except (LimitError, StratificationError) as error:
            ids = sorted({int(number) for number in _NUMBER.findall(str(error))})
            wanted = self._by.terms().where(F.col("id").isin(ids)) if ids and self._by else None
            texts = dict(wanted.select("id", "text").collect()) if wanted is not None else {}
            clear = _NUMBER.sub(lambda found: texts.get(int(found[1]), f"number {found[1]}"), str(error))
            raise type(error)(clear) from error

    def _write_news(self, at: At) -> int:
        after = at._replace(told=at.round)
        rows = partial(self._travel.rows, tell(self._schema), self._schema, at, after)
        return self._write(self._news(at.round), rows)

    def _write(self, path: str, rows: Callable[[], DataFrame]) -> int:
        found = rows()
        found.write.mode("overwrite").parquet(uri(path))
        return count_rows(self._spark, path, found.schema)

    def _news(self, number: int) -> str:
        return f"{self._folder}/news-{number}"

    def _whole(self, name: str, title: str, work: Callable[[], int]) -> int:
        """Do a step that returns how many facts it has written, unless it is whole already (`_step`)."""
        return self._step(name, title, lambda: (work(), ""))[0]

    def _step(self, name: str, title: str, work: Callable[[], tuple[int, str]]) -> tuple[int, str]:
        """Do a step, unless it is whole already. Returns what `work` returns.

        This is how many facts the step has written, and counts of facts that are alike. `name` is the name of its
        marker.
        """
        marker = f"{self._folder}/{name}.whole"
        found = marked(self._spark, marker, _WHOLE)
        if found is not None:
            return int(found.facts), found.alike
        with self._progress(title) as report:
            result = work()
            report(result[0])
        mark(self._spark, marker, _WHOLE, result)
        return result
