"""`Stages`: the tables of a job below a folder, each written once. A stopped job continues after its last whole table.

    folder/NAME         the table, as Parquet
    folder/NAME.whole   its marker, written after the table: one row that identifies the input of the job

A table is *whole* if it has a marker. Invariant: a table is read only if its marker names the input of this job. A
table without a marker is written again. One more marker, `begun.whole`, is written when a job begins. Files that are in
the folder before that are never overwritten.
Cost: a marker for each table (`markers`).
"""

from __future__ import annotations

from collections.abc import Callable

from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession

from kgreason.errors import InputError
from kgreason.spark.folders.markers import mark, marked, parquet
from kgreason.spark.start.failures import clear_errors

_MARKER = "input string"
_BEGUN = "begun"


class Stages:
    """The tables of one job in `folder`. `made_from` is a text that identifies the input of the job."""

    def __init__(self, spark: SparkSession, folder: str, made_from: str) -> None:
        self._spark, self._folder, self._made_from = spark, folder.rstrip("/"), made_from
        self._is_begun = bool(self._marked(_BEGUN))
        if not self._is_begun:
            self._mark(_BEGUN)

    def written(self, name: str, schema: str, table: Callable[[], DataFrame]) -> DataFrame:
        """Return the table `name`, read from the folder. If it is not whole, `table` computes it first.

        Raises InputError if the folder has tables of a job with other input, or if there are files under this name that
        no such job has written.
        """
        path = f"{self._folder}/{name}"
        if not (self._is_begun and self._is_whole(name)):
            with clear_errors(self._folder):
                self._write(table(), path)
            self._mark(name)
        return parquet(self._spark, schema, path)

    def _write(self, table: DataFrame, path: str) -> None:
        try:
            table.write.mode("overwrite" if self._is_begun else "error").parquet(path)
        except AnalysisException as error:
            if error.getCondition() != "PATH_ALREADY_EXISTS":
                raise
            # remove the marker `begun`, so that the next run does not treat these files as its own
            mark(self._spark, self._marker(_BEGUN), _MARKER, None)
            problem = "already exists, and this job has not written it; choose an empty folder"
            raise InputError(f"{path}: {problem}") from error

    def _mark(self, name: str) -> None:
        with clear_errors(self._folder):
            mark(self._spark, self._marker(name), _MARKER, (self._made_from,))

    def _is_whole(self, name: str) -> bool:
        """Whether a table is whole. Raises InputError if it was made from other input."""
        made_from = self._marked(name)
        if made_from and made_from != self._made_from:
            raise InputError(f"{self._folder}: has tables of a job with other input; choose an empty folder")
        return bool(made_from)

    def _marked(self, name: str) -> str:
        """Return the input that the marker of the table `name` has; "" if there is no marker or it has no row."""
        found = marked(self._spark, self._marker(name), _MARKER)
        return found.input if found else ""

    def _marker(self, name: str) -> str:
        return f"{self._folder}/{name}.whole"
