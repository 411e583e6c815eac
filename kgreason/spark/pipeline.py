"""Files -> Spark -> a store that is live: the pipeline from end to end.

    files -> quads -> terms and ids -> closure, level by level -> Parquet -> engine and Oxigraph    (`load`)
                                                                          -> N-Triples or Parquet   (`materialize`)

Law: the graph is that of an in-process load of the same files, and goes on as that would: what rules need to know of
equal terms and of literals is worked out by the engine once it has taken over the closure (docs/architecture.md, The
Spark path). What is written are the triples that such a graph shows.

Cost: Spark's, then one pass over facts and terms. The engine holds all of them in the end: what does not fit there is
for `materialize`, which needs no engine.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any, NamedTuple

from pyspark.sql import SparkSession

from kgreason.engine.memory.layout import Int32
from kgreason.errors import InputError, StoreError
from kgreason.graph.knowledge_graph import DEFAULT_RULES, KnowledgeGraph
from kgreason.materialize.materializer import Materializer
from kgreason.materialize.options import SchemaMode
from kgreason.materialize.precomputed import Evaluated
from kgreason.materialize.selection import Selection, select
from kgreason.progress import SILENT, Progress
from kgreason.spark.close.close import close_alone, close_for
from kgreason.spark.encode.dictionary import files_of, intern_terms, quads_of, records_of
from kgreason.spark.encode.encode import Encoded, encode
from kgreason.spark.encode.imports import unknown_imports
from kgreason.spark.folders.folders import check_free
from kgreason.spark.out.write import Form, decoded, write
from kgreason.spark.read.lines import Malformed
from kgreason.spark.read.paths import sort
from kgreason.spark.read.read import OnError
from kgreason.spark.start.failures import clear_errors

File = str | PathLike[str]


def load(
    graph: KnowledgeGraph,
    paths: Sequence[File],
    spark: SparkSession,
    *,
    on_error: OnError = "raise",
    folder: File | None = None,
    progress: Progress = SILENT,
) -> dict[str, Any]:
    """Load files into a graph that is empty, by Spark; the statistics after it, and the seconds it took.

    What Spark works out is written below `folder`, which driver and workers both see, and where a load that was broken
    off goes on; without it, in a temporary one. Malformed lines are an error, or passed over where `on_error` is
    "count"; `skipped` of the statistics is their number. Raises what `encode` and `check_load` raise; then nothing has
    changed.
    """
    check_load(graph, paths, folder)
    skipped: list[Malformed] = []

    def evaluate(live: Materializer) -> tuple[Int32, Evaluated]:
        with progress("encoding"):
            encoded = encode(spark, list(paths), f"{place}/encoded", on_error=on_error)
        skipped.extend(encoded.skipped)
        return _evaluated(live, encoded, place, progress)

    with room(folder) as place, clear_errors(place):
        stats = graph.start_from(evaluate, progress)
    return stats | {"skipped": sum(each.lines for each in skipped)}


def check_load(graph: KnowledgeGraph, paths: Sequence[File], folder: File | None = None) -> None:
    """Raise what `load` can tell without Spark.

    That is InputError for a path that is missing or of no known format, and for a folder at a URI, which this process
    cannot read; StoreError for a graph that has facts.
    """
    if folder is not None and "://" in fspath(folder):
        raise InputError(f"{folder}: give a path, from which this process reads what Spark worked out")
    sort(list(paths))
    if graph.stats()["facts"]:
        raise StoreError("the graph has facts already: Spark fills only an empty one; load into it without Spark")


def _evaluated(live: Materializer, encoded: Encoded, folder: str, progress: Progress) -> tuple[Int32, Evaluated]:
    """The quads of files, and what follows from them, in the ids of a materializer."""
    facts, planned = close_for(replace(live.selection, own=live.own), encoded, f"{folder}/closure", progress)
    with progress("handing over"):
        ids = intern_terms(files_of(encoded.terms), planned.fresh, live.dictionary)
        records = records_of(files_of(facts), planned.program.width, ids)
        return quads_of(files_of(encoded.quads), ids), Evaluated(records, planned.program.tables, planned.rules)


class Written(NamedTuple):
    """What is wrong with data whose closure was written: the number of contradictions, and warnings, a line each."""

    contradictions: int
    warnings: tuple[str, ...]


def materialize(
    spark: SparkSession,
    paths: Sequence[File],
    output: File,
    *,
    rules: Sequence[str] = DEFAULT_RULES,
    schema: SchemaMode = "axioms",
    form: Form = "nt",
    inferred: bool = False,
    overwrite: bool = False,
    on_error: OnError = "raise",
    folder: File | None = None,
    progress: Progress = SILENT,
) -> Written:
    """Write every triple that follows from files into a folder, or those that were derived.

    `on_error` and `folder`, which may be at a URI, are as for `load`. Triples of all graphs are taken together;
    owl:sameAs is followed by the plain rules of the W3C, whose cost is the cube of a clique's size. In Parquet a column
    `asserted` tells the triples apart. No owl:imports is followed, of which the warnings tell. Raises what `encode` and
    `check_materialize` raise.
    """
    selection = check_materialize(paths, output, rules=rules, schema=schema, overwrite=overwrite)
    with room(folder) as place, clear_errors(place):
        with progress("encoding"):
            encoded = encode(spark, list(paths), f"{place}/encoded", on_error=on_error)
        closed = close_alone(selection, encoded, f"{place}/closure", progress)
        triples = closed.triples.where("NOT asserted") if inferred else closed.triples
        skipped = (f"{each.file}: {each.lines} malformed lines passed over" for each in encoded.skipped)
        found = (*closed.planned.warnings, *unknown_imports(encoded), *skipped)
        told = Written(closed.contradictions(), found)  # ahead of the output, which is the last thing that may fail
        with progress("writing"):
            write(decoded(triples, closed.terms(encoded)), output, form=form, overwrite=overwrite)
        return told


def check_materialize(
    paths: Sequence[File],
    output: File,
    *,
    rules: Sequence[str] = DEFAULT_RULES,
    schema: SchemaMode = "axioms",
    overwrite: bool = False,
) -> Selection:
    """Raise what `materialize` can tell without Spark; the rules that it takes.

    That is what `select` raises, InputError for a path that is missing or of no known format and for an output folder
    that is not empty, StoreError for one that cannot be made.
    """
    selection = select(rules, schema, "rules")
    sort(list(paths))
    if "://" not in fspath(output):
        check_free(output, overwrite=overwrite)
    return selection


@contextmanager
def room(folder: File | None) -> Iterator[str]:
    """The folder that Spark writes to, absolute; one that goes at the end, where none is given."""
    if folder is not None:
        yield fspath(folder) if "://" in fspath(folder) else str(Path(folder).resolve())
        return
    with tempfile.TemporaryDirectory(prefix="kgreason-", ignore_cleanup_errors=True) as path:
        yield path
