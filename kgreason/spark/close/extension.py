"""`extended`: the closure of a graph with more quads, which Spark computes from the closure that the graph has.

    encoded quads -> ids of the graph, on the driver -> Parquet
    facts of the graph                               -> Parquet    -> levels.insert -> closure, for the engine

Spark works with the ids of the graph from the beginning, so no text leaves the driver. The program is the one that the
engine runs, with all hidden relations. NOT, expressions and aggregates are facts of hidden relations, which Spark
treats like any other facts. Then the commit goes on in the engine, which sees all that Spark has derived as changes of
the commit. The engine does what it does after any Update: it decides NOT and aggregates again and takes back what no
longer holds, follows new schema triples, and asserts what equal terms and literals call for.

Law: facts, stamps, supports and asserted flags are those of an Update of the engine that asserts the same triples under
the same rules (`levels.insert`). Cost: one pass over all facts of the graph, here and in Spark; each step of a level
reads all facts once.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession

from kgreason.engine.records import are_asserted, fact_columns, fact_tables, stamps, supports
from kgreason.materialize.materializer import Materializer
from kgreason.materialize.precomputed import Evaluated
from kgreason.materialize.schema.rows import SAME_AS
from kgreason.progress import Progress
from kgreason.spans import span
from kgreason.spark.close.levels import insert
from kgreason.spark.close.plans import Program, names
from kgreason.spark.encode.dictionary import files_of, intern_terms, quads_of, records_of
from kgreason.spark.encode.encode import Encoded
from kgreason.spark.folders.markers import parquet
from kgreason.zset.columns import Int32

_ROWS = 1 << 20
"""The number of rows in a file of the graph's facts."""


def extended(materializer: Materializer, encoded: Encoded, folder: str, progress: Progress) -> tuple[Int32, Evaluated]:
    """Compute the closure of the graph `materializer` with encoded quads. The graph stays as it is.

    Returns the quads, int32[n, 4], and the closure, both with the ids of the graph, whose dictionary gets the terms of
    the quads. The tables of the computation are written below `folder`, a local path.
    """
    spark, engine = encoded.quads.sparkSession, materializer.engine
    program = Program(engine.tables, engine.rules)
    with progress("handing over"), span("intern"):
        ids = intern_terms(files_of(encoded.terms), {}, materializer.dictionary)
        quads = quads_of(files_of(encoded.quads), ids)
        before = _shared(spark, _before(materializer, program.width), f"{folder}/before")
        added = _shared(spark, _added(materializer, quads, program.width), f"{folder}/added")
    with span("evaluate"):
        quiet = 0 if materializer.selection.is_reflexive else SAME_AS
        facts = insert(before, added, program, f"{folder}/levels", quiet=quiet, progress=progress)
    with progress("handing over"), span("intern"):
        same = np.arange(len(materializer.dictionary) + 1, dtype=np.int32)
        records = records_of(files_of(facts), program.width, same)
    return quads, Evaluated(records, program.tables, tuple(materializer.rules))


def _before(materializer: Materializer, width: int) -> pa.Table:
    """Return the facts of a graph as rows `tbl, c0.., stamp, support, asserted`; the columns are not copied."""
    records = materializer.save(is_borrowed=True).records
    table = _table(fact_tables(records), fact_columns(records)[:, :width])
    for name, column in (("stamp", stamps), ("support", supports)):
        table = table.append_column(name, pa.array(np.ascontiguousarray(column(records))))
    return table.append_column("asserted", pa.array(are_asserted(records)))


def _added(materializer: Materializer, quads: Int32, width: int) -> pa.Table:
    """Return the triples among `quads` that the graph does not assert yet as rows `tbl, c0..`, each triple once."""
    triples = np.unique(quads[:, :3], axis=0)
    triples = triples[~materializer.engine.facts.are_asserted(triples)]
    rows = np.zeros((len(triples), width), dtype=np.int32)
    rows[:, :3] = triples
    return _table(np.full(len(triples), materializer.triples, dtype=np.int32), rows)


def _table(numbers: Int32, rows: Int32) -> pa.Table:
    parts = [numbers, *(np.ascontiguousarray(column) for column in rows.T)]
    return pa.table([pa.array(part) for part in parts], names=["tbl", *names("c", rows.shape[1])])


def _shared(spark: SparkSession, table: pa.Table, folder: str) -> DataFrame:
    """Write rows to Parquet files in a new folder or over the files of an earlier run, and read them on Spark."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    for file in Path(folder).glob("*.parquet"):
        file.unlink()
    for number, start in enumerate(range(0, max(1, len(table)), _ROWS)):
        pq.write_table(table.slice(start, _ROWS), f"{folder}/{number:05}.parquet")
    schema = ", ".join(
        f"{field.name} {'boolean' if pa.types.is_boolean(field.type) else 'int'}" for field in table.schema
    )
    return parquet(spark, schema, f"file://{Path(folder).resolve()}")
