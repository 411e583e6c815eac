"""`close`: a closure by rounds of parts on Spark.

    facts (tbl, c0..) -> round 0 -> parts evaluate -> round 1 -> ... -> a round without facts -> operators decide
                                                                                              -> more facts -> round n

A round is a job of one task for each part (`tasks`), and a folder of Parquet files (`travel`). When a round has no
facts for any part, facts about the literals of new links are asserted. Then the operators of each part decide, and the
rounds go on. The *news* of a part are the new facts whose home is this part. A part writes its news in each round; all
news together are the closure. Tasks that place and evaluate also count two kinds of facts: facts that are alike, and
news that the driver must look at (`PartsPlan.noted`). If the second count is 0, the driver reads none.

A marker says that a step is whole. So a job that was stopped goes on after its last whole step. The folders of a job
are a function of its plan and its facts.

Cost: a small job for each round and for each decision; two more if operators read texts, and some if they make new
terms.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import numpy as np
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everybody writes it

from kgreason.errors import LimitError, StratificationError
from kgreason.progress import SILENT, Progress
from kgreason.spark.close.decisions import Decisions
from kgreason.spark.close.planner import LINKED
from kgreason.spark.encode.dictionary import texts_of
from kgreason.spark.folders.markers import mark, marker_text, uri, whole_table
from kgreason.spark.rounds.operators import Strata
from kgreason.spark.rounds.plan import ASSERTED, NEWS, NOTED, PartsPlan
from kgreason.spark.rounds.tasks import NEEDS, At, Job, decide, need
from kgreason.spark.rounds.texts import UNKNOWN
from kgreason.spark.rounds.travel import ByShuffles, InFiles, Moved, rows_of_rounds
from kgreason.spark.start.failures import clear_errors

_NUMBER = re.compile(re.escape(UNKNOWN) + r"(\d+)")


class PartsNews(NamedTuple):
    """Facts that are new at their homes, rows `tbl, c0.., asserted`.

    `noted` are those of a kind that the driver looks at; `counts` has at least their number for each kind; 0 is exact.
    `folders` are the folders with the files of these facts (`exchange`). It is empty if only Spark can read the files.
    """

    facts: DataFrame
    noted: DataFrame
    counts: tuple[int, ...]
    folders: tuple[Path, ...]


def close(
    facts: DataFrame,
    plan: PartsPlan,
    folder: str,
    decisions: Decisions,
    *,
    triples: DataFrame | None = None,
    made_from: object = None,
    memory: int = 0,
    total: int = 0,
    progress: Progress = SILENT,
) -> PartsNews:
    """Compute the closure of asserted facts, rows `tbl, c0..`. Returns all of its facts.

    `triples` are more of them, rows `s, p, o` that are read from Parquet files; tasks read these files themselves.
    `folder` is a path that driver and workers see, or a URI. The result is read back from Parquet files there. A run on
    the same folder goes on if the plan is the same and `made_from`, which identifies all facts. `memory`: how many
    bytes a part may use; 0: what is free. If more than `plan.most` facts have a value in a place, the rounds begin
    again with this value divided; `total`, about how many facts are asserted, finds most of these values before the
    first round.
    """
    while True:
        place = f"{folder.rstrip('/')}/{sha256(repr((plan, made_from)).encode()).hexdigest()[:16]}"
        job = Job(plan, place, decisions.constants, decisions.registry, memory)
        try:
            return _Rounds(facts.sparkSession, job, progress, decisions).compute(facts, triples, total)
        except _AlikeError as error:
            plan = error.plan


class _AlikeError(Exception):
    """Too many facts have a value in a place, so that the value must be divided, as in `plan`."""

    def __init__(self, plan: PartsPlan) -> None:
        self.plan = plan


class _Rounds:
    """The rounds of a job. `_next` is the number of the next round, for which there are `_moved` facts.

    `_noted` has for each round how many noted facts of each kind its folder has; facts about literals are placed for
    the news of all rounds before `_seen`. `_decided` is the number of the next decision, `_learnt` are those before
    which parts have learnt texts. `_begins` are the rounds before which strata have begun, `_dropped` are those that
    turns of recursions have dropped.
    """

    def __init__(self, spark: SparkSession, job: Job, progress: Progress, decisions: Decisions) -> None:
        self._spark, self._job, self._folder, self._progress = spark, job, job.folder, progress
        self._decisions = decisions
        self._travel = ByShuffles(spark, job) if "://" in job.folder else InFiles(spark, job)
        self._next = self._moved = self._decided = 0
        self._learnt: tuple[int, ...] = ()
        self._seen, self._noted = 0, dict[int, Sequence[int]]()
        self._begins: dict[int, int] = {}
        self._dropped: tuple[tuple[int, int], ...] = ()
        self._steps = Strata(job.plan.operators)
        self._columns = ["tbl", *job.plan.columns]

    @property
    def _at(self) -> At:
        return At(self._next, self._decided, self._learnt, self._dropped)

    def news(self, first: int = 0) -> PartsNews:
        """Return the news of all rounds since the round `first`."""
        folders, asserted = self._folders(first), F.col("flag").bitwiseAND(ASSERTED) > 0
        found = rows_of_rounds(self._spark, self._job, folders)
        facts, noted = found.where(F.col("part").isin(NEWS, NOTED)), found.where(F.col("part") == NOTED)
        columns = *self._columns, asserted.alias("asserted")
        paths = self._travel.folders(folders)
        return PartsNews(facts.select(*columns), noted.select(*columns), self._counts(folders), paths)

    def _folders(self, first: int) -> list[int]:
        """Return the numbers of the folders with the news of all rounds since the round `first`."""
        return [number + 1 for number in self._at.rounds(first, self._next)]

    def _counts(self, folders: list[int]) -> tuple[int, ...]:
        return tuple(map(sum, zip(*(self._noted[number] for number in folders), strict=True)))

    def compute(self, facts: DataFrame, triples: DataFrame | None, total: int) -> PartsNews:
        """Compute the closure of asserted facts (`close`). Raises _AlikeError if a value must be divided first."""
        with self._texts_in_errors():
            self._decisions.begin()
            plan = self._job.plan
            self.place(facts, total if plan.parts > 1 and total > plan.most and not plan.hot else 0, triples)
            while True:
                self.run()
                if not (self.link_literals() or self.decide()):
                    return self.news()

    def place(self, facts: DataFrame, total: int = 0, triples: DataFrame | None = None) -> None:
        """Place asserted facts among those of the next round (`InFiles.place`). With their number they are counted."""
        at = self._next
        moved = self._step(f"placed-{at}", "placing", partial(self._travel.place, facts, at, total, triples))
        self._divide(moved)
        self._moved += moved.facts

    def run(self) -> None:
        """Let all parts evaluate, round after round, until none has facts for another one."""
        while self._moved or not self._next:  # rules without a body derive facts from nothing
            work = partial(self._travel.evaluate, self._at)
            moved = self._step(f"round-{self._next + 1}", f"round {self._next + 1}", work)
            self._divide(moved)
            self._next, self._moved = self._next + 1, moved.facts
            self._noted[self._next] = moved.noted

    def link_literals(self) -> bool:
        """Place facts about the literals that the latest news link or type. Returns whether there are any."""
        literals = self._decisions.literals
        if literals is None or self._seen == self._next:
            return False
        first, self._seen = self._seen, self._next
        has_links = self._counts(self._folders(first))[LINKED] > 0
        facts = literals.facts_about_links(self.news(first).noted) if has_links else None
        if facts is not None:
            self.place(facts)
        return facts is not None

    def _divide(self, moved: Moved) -> None:
        """Raise _AlikeError if a value must be divided that is not."""
        plan = self._job.plan
        divided = plan.with_hot_values(np.array(moved.alike, dtype=np.int64), plan.most)
        if len(divided.hot) > len(plan.hot):
            raise _AlikeError(divided)

    def decide(self) -> bool:
        """Let the operators of all parts decide, until they assert facts; place these. Returns whether there are any.

        A turn of a recursion counts as facts. Raises StratificationError if the facts make the rules circular.
        """
        operators, columns = self._job.plan.operators, ", ".join(f"{name} int" for name in self._columns)
        schema = f"{columns}, place int, text string"
        are_learnt = False
        for level, before in self._steps.due():
            if before < level:
                self._begins.setdefault(level, self._next)
            at, number = self._at, self._decided
            if operators.read_texts(level) and not are_learnt:
                are_learnt = True
                self._step(f"texts-{number}", "reading texts", partial(self._write_texts, at))
                self._learnt = (*self._learnt, number)
            self._decided += 1
            after = self._at
            found = partial(self._travel.rows, decide(after, level, before, schema), schema, at, after)
            with self._progress("operators") as report:
                rows, count = whole_table(self._spark, f"{self._folder}/decided-{number}", schema, found)
                report(count)
            if not count:
                continue
            better = rows.where("place >= 0") if operators.outlasts else rows
            if not operators.outlasts or not better.isEmpty():
                self.place(self._decisions.facts(better, level))
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
        begin = self._begins[level]
        outlasting = self._job.plan.operators.outlasting(level)
        rows = rows_of_rounds(self._spark, self._job, self._at.rounds(begin, self._next)).where("part >= 0")
        rows = rows.where((F.col("flag").bitwiseAND(ASSERTED) > 0) & F.col("c0").isin(outlasting))
        rows = rows.select(*self._columns).distinct().join(worse, self._columns, "left_anti")
        self._dropped = (*(each for each in self._dropped if each[0] < begin), (begin, self._next))
        self.place(rows)

    def _write_texts(self, at: At) -> Moved:
        """Write the texts that parts need, in a folder for each part."""
        needs = self._travel.rows(need, NEEDS, at, at)
        rows = needs.join(self._decisions.terms.all, "id").repartition("part")
        rows.write.mode("overwrite").partitionBy("part").parquet(uri(self._job.texts(at.decided)))
        return Moved(0)

    @contextmanager
    def _texts_in_errors(self) -> Iterator[None]:
        """A context in which errors of parts get the texts of the terms that they name."""
        try:
            with clear_errors(self._folder):
                yield
        except (LimitError, StratificationError) as error:
            texts = texts_of(self._decisions.terms.all, {int(number) for number in _NUMBER.findall(str(error))})
            clear = _NUMBER.sub(lambda found: texts.get(int(found[1]), f"number {found[1]}"), str(error))
            raise type(error)(clear) from error

    def _step(self, name: str, title: str, work: Callable[[], Moved]) -> Moved:
        """Do a step, unless it is whole already. Returns what `work` returns. `name` is the name of its marker."""
        marker = f"{self._folder}/{name}.whole"
        found = marker_text(self._spark, marker)
        if found is not None:
            return Moved(*json.loads(found))
        with self._progress(title) as report:
            result = work()
            report(result.facts)
        mark(self._spark, marker, json.dumps(result))
        return result
