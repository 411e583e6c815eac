"""`Steps`: the fixpoint of rules, then what operators assert, then the fixpoint again, until they assert nothing.

    step 0       the fixpoint over the asserted facts                         (`levels.materialize`)
    step n + 1   the fixpoint over what step n had and what was asserted next  (`levels.inserted`)

Law: facts and flags are those of the in-process engine over the same asserted facts, which takes the same steps: one
Bootstrap, then an Update for each assertion (`materialize/operators`). Each step is in a folder of its own, so a job
that was stopped goes on from the last whole level.

Cost: for each step the work of the levels, and reading and writing all facts once.
"""

from __future__ import annotations

from typing import NamedTuple

from pyspark.sql import DataFrame

from kgreason.progress import Progress
from kgreason.spark.close.fixpoint import Kept, Told
from kgreason.spark.close.levels import inserted, materialize
from kgreason.spark.close.operators.operators import Assertions
from kgreason.spark.close.plans import Program, names


class Steps(NamedTuple):
    """A program, the folder for its levels, the quiet property (`levels`), and how progress and links are told."""

    program: Program
    folder: str
    quiet: int
    progress: Progress
    told: Told | None

    def run(self, facts: DataFrame, assertions: Assertions) -> DataFrame:
        """All facts `tbl, c0.., stamp, support, asserted` that follow from the asserted facts `tbl, c0..`."""
        key, number = ("tbl", *names("c", self.program.width)), 0
        found = arrived = materialize(
            facts, self.program, self.folder, quiet=self.quiet, progress=self.progress, told=self.told
        )
        while True:
            with Kept() as kept:
                wanted = assertions.wanted(found.select(*key), arrived.select(*key), kept)
                if wanted is None:
                    return found
                number += 1
                found, arrived = self._step(found, wanted, number)

    def _step(self, facts: DataFrame, wanted: DataFrame, number: int) -> tuple[DataFrame, DataFrame]:
        """The fixpoint with what is wanted, and what is new in it."""
        return inserted(
            facts,
            wanted,
            self.program,
            f"{self.folder}-{number}",
            quiet=self.quiet,
            progress=self.progress,
            told=self.told,
        )
