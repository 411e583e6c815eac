"""`Stages`: tables below a folder, each written once; a job that was stopped goes on after the last whole one.

    folder/NAME         the table, as Parquet
    folder/NAME.whole   written after it: one row, which says what the table was made from

Invariant: a table is read only where its marker is whole and says the same input. One without it, whole or not, is
written again. What was in the folder before the job began there (`begun.whole`) is never written over.
Cost: a marker for each table (`markers`).
"""

from __future__ import annotations

from collections.abc import Callable

from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession

from kgreason.errors import InputError
from kgreason.spark.folders.markers import mark, marked
from kgreason.spark.start.failures import clear_errors

_MARKER = "input string"
_BEGUN = "begun"


class Stages:
    """The tables of one job in `folder`; `made_from` says what its input is, in any words that tell inputs apart.

    Raises InputError where the folder holds another job's tables, or something else in their place.
    """

    def __init__(self, spark: SparkSession, folder: str, made_from: str) -> None:
        self._spark, self._folder, self._made_from = spark, folder.rstrip("/"), made_from
        self._is_begun = bool(self._marked(_BEGUN))
        if not self._is_begun:
            self._mark(_BEGUN)

    def written(self, name: str, schema: str, table: Callable[[], DataFrame]) -> DataFrame:
        """The table of that name, read from the folder; written first where it is not whole."""
        path = f"{self._folder}/{name}"
        if not (self._is_begun and self._is_whole(name)):
            with clear_errors(self._folder):
                self._write(table(), path)
            self._mark(name)
        return self._spark.read.schema(schema).parquet(path)

    def _write(self, table: DataFrame, path: str) -> None:
        try:
            table.write.mode("overwrite" if self._is_begun else "error").parquet(path)
        except AnalysisException as error:
            if error.getCondition() != "PATH_ALREADY_EXISTS":
                raise
            # so that the next try does not take the folder for its own either
            mark(self._spark, self._marker(_BEGUN), _MARKER, None)
            raise InputError(f"{path}: is there already, and is not of this job; choose an empty folder") from error

    def _mark(self, name: str) -> None:
        with clear_errors(self._folder):
            mark(self._spark, self._marker(name), _MARKER, (self._made_from,))

    def _is_whole(self, name: str) -> bool:
        """Whether a table is whole. Raises InputError where it is, and was made from other input."""
        made_from = self._marked(name)
        if made_from and made_from != self._made_from:
            raise InputError(f"{self._folder}: holds what was made from other input; choose an empty folder")
        return bool(made_from)

    def _marked(self, name: str) -> str:
        """What a marker says; nothing where it is not there, or not whole."""
        found = marked(self._spark, self._marker(name), _MARKER)
        return found.input if found else ""

    def _marker(self, name: str) -> str:
        return f"{self._folder}/{name}.whole"
