"""`triples`: the rows of a user's own DataFrame as triples, by names of columns and templates of IRIs.

    id  name  knows        subject="http://e/{id}", vocabulary="http://e/"      <http://e/1> <http://e/name> "Tom"
    1   Tom   [2, 3]       columns={"knows": ("ex:knows", "http://e/{knows}")}  <http://e/1> <http://e/knows> <http://e/2>

Law: the triples are those that `graph.add(frame, ...)` adds for the same rows and the same arguments; the mapping and
its kernels are the same (`kgreason.mapping`). Cost: one pass over the rows, in the tasks; nothing is shuffled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from kgreason.errors import InputError, InputTypeError
from kgreason.graph.input.frames import FrameMapping, Meaning, mapping_of
from kgreason.graph.input.terms import checked_prefixes
from kgreason.mapping.mapping import RowMapping
from kgreason.mapping.triples import triples as mapped
from kgreason.spark.cluster.workers import check_workers
from kgreason.spark.input.read import Batches
from kgreason.spark.input.terms import SCHEMA, record


def triples(
    frame: DataFrame,
    *,
    subject: str,
    vocabulary: str | None = None,
    columns: Mapping[str, Meaning] | None = None,
    types: str | Sequence[str] = (),
    graph: str | None = None,
    prefixes: Mapping[str, str] | None = None,
) -> DataFrame:
    """Turn the rows of a DataFrame into triples: the columns subject, predicate, object, graph, in N-Triples syntax.

    The arguments mean what they mean in `KnowledgeGraph.add` for a frame: `subject` is the template of the IRI of a
    row, such as `"http://e/{id}"`; `{+iri}` takes whole IRIs from a column. `vocabulary` is the beginning of the
    predicates of all other columns. `columns` says what single columns mean, `types` which classes a row has, and
    `graph` the name of the graph, which is empty for the default graph. The result can be given to `write_to_store`.

    Raises InputError for a column that is missing, for a template that makes no IRIs, for values that XSD has no
    datatype for, and for workers that cannot run kgreason; InputTypeError. A wrong value fails the job that computes
    the rows: the text of the failure has InputError, with column and value, and the row of the task that it is in.
    """
    if not isinstance(frame, DataFrame):
        raise InputTypeError(f"pass a DataFrame of Spark; `KnowledgeGraph.add` takes a {type(frame).__name__}")
    given: FrameMapping = {
        "subject": subject,
        "vocabulary": vocabulary,
        "columns": columns,
        "types": types,
        "graph": graph,
    }
    if twice := [name for name in frame.columns if frame.columns.count(name) > 1]:
        raise InputError(f"the frame has two columns {twice[0]}")
    mapping = mapping_of(frame.columns, given, checked_prefixes(prefixes))
    check_workers(frame.sparkSession)
    names = mapping.names or frame.columns[:1]  # without a column the frame would have no rows
    read = frame.select(*(F.col(f"`{name.replace('`', '``')}`") for name in names))
    read = read.toDF(*map(str, range(len(names))))  # PySpark's Arrow functions refuse names with a point
    schema = read.limit(0).toArrow().rename_columns(names).schema
    mapped(pa.RecordBatch.from_pylist([], schema=schema), mapping)  # a type that XSD does not have is an error here
    return read.mapInArrow(partial(_quads_of_rows, mapping, names), SCHEMA)


def _quads_of_rows(mapping: RowMapping, names: list[str], batches: Batches) -> Batches:
    """Turn rows with columns of these `names` into quads, in a task."""
    first = 1
    for batch in batches:
        table = mapped(pa.RecordBatch.from_arrays(batch.columns, names), mapping, first)
        columns = {name: table.column(name).cast(pa.string()).combine_chunks() for name in table.column_names}
        yield record(SCHEMA, **{"graph": pa.repeat(pa.scalar(""), len(table)), **columns})
        first += len(batch)
