"""The whole Spark pipeline: `load` reads files into a graph, `materialize` writes their closure to a folder.

    files -> quads in groups -> engine: ids, closure, Oxigraph                      (`load`)
          -> terms and ids -> rounds of parts -> N-Triples or Parquet               (`materialize`)

Law: after `load` the graph is the same as after a load of the same files without Spark, and later commits work in the
same way. Each load is one commit, with the delta that a load without Spark has. `materialize` writes the triples that a
graph with these files shows.

Cost: the work of Spark, then one pass over terms and quads. A load also has the work of an Update or a Bootstrap, and
after it the engine holds all facts and terms in memory. If they do not fit, use `materialize`: each of its engines
holds a part of the facts.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from os import PathLike, fspath
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.dataset as ds
from pyspark.sql import SparkSession

from kgreason.errors import InputError, RuleError
from kgreason.functions.builtins import PREFIX
from kgreason.functions.function import PythonFunction
from kgreason.functions.registry import HOW_TO_PASS, Registry
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.graph.opening.options import DEFAULT_RULES
from kgreason.materialize.selection import Selection, select
from kgreason.options import SchemaMode, checked_limits
from kgreason.progress import SILENT, Progress
from kgreason.rules.expressions import RESERVED, function_names
from kgreason.rules.model import Rule, Triple, label
from kgreason.rules.strata import has_closed, stratify
from kgreason.shapes.program import facts_of, rules_of
from kgreason.shapes.vocabulary import COLUMNS, RESULT
from kgreason.spans import span
from kgreason.spark.close.close import compute_closure
from kgreason.spark.cluster.sizes import fit_partitions, worker_memory
from kgreason.spark.cluster.watch import watched
from kgreason.spark.cluster.workers import check_workers
from kgreason.spark.encode.dictionary import quads_of_groups
from kgreason.spark.encode.encode import encode, group
from kgreason.spark.folders.folders import check_free
from kgreason.spark.input.lines import Malformed
from kgreason.spark.input.paths import Inputs, files_of_table, sort
from kgreason.spark.input.read import OnError
from kgreason.spark.out.write import Form, write
from kgreason.spark.start.failures import clear_errors, reason
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.columns import Int32

File = str | PathLike[str]
_MOST_RESULTS = 100_000


def load(
    graph: KnowledgeGraph,
    paths: Sequence[File],
    spark: SparkSession,
    *,
    on_error: OnError = "raise",
    folder: File | None = None,
    progress: Progress = SILENT,
) -> dict[str, Any]:
    """Load files into a graph with Spark, as one commit. Returns the statistics of the graph.

    What the result shows is what a load of the same files without Spark gives, also if the graph has facts already.

    Spark reads and parses the files. The engine computes the closure, because it holds all facts after the load in any
    case.

    Spark writes its tables below `folder`, which driver and workers must both see; by default to a temporary folder. A
    load that was interrupted continues from the tables in `folder`. A malformed line is an error. With
    `on_error="count"` malformed lines are skipped, and `skipped` in the statistics is their number. Raises the errors
    of `encode` and `check_load`; after an error nothing has changed.
    """
    inputs = check_load(paths, folder)
    skipped: list[Malformed] = []

    def grouped(dictionary: Dictionary) -> Int32:
        with watched(spark, progress("reading")):
            groups = group(spark, list(paths), f"{place}/encoded", on_error=on_error)
        skipped.extend(groups.skipped)
        with progress("encoding"), span("intern"):
            return quads_of_groups(ds.dataset(files_of_table(groups.table)), dictionary)

    with work_folder(folder) as place, clear_errors(place):
        prepare(spark, inputs, place)
        loaded = graph.load_interned(grouped, progress)
    return loaded | {"skipped": sum(each.lines for each in skipped)}


def check_load(paths: Sequence[File], folder: File | None = None) -> Inputs:
    """Raise the errors of `load` that can be found without Spark. Returns the files.

    The error is InputError for a missing path, for an unknown format, and for a folder at a URI, because this process
    cannot read such a folder.
    """
    if folder is not None and "://" in fspath(folder):
        raise InputError(f"{folder}: give a local path, because this process reads the tables that Spark writes there")
    return sort(list(paths))


class Written(NamedTuple):
    """The problems that `materialize` found in the data: the number of contradictions, and one-line warnings.

    `results` are the validation results, as rows of N-Triples texts; None without shapes. They are at most 100,000,
    because this process holds them; a warning says that there are more.
    """

    contradictions: int
    warnings: tuple[str, ...]
    results: list[tuple[str, ...]] | None = None


def materialize(
    spark: SparkSession,
    paths: Sequence[File],
    output: File,
    *,
    rules: Sequence[str] = DEFAULT_RULES,
    schema: SchemaMode = "axioms",
    functions: Sequence[Callable[..., Any]] = (),
    shapes: Collection[Triple] = (),
    form: Form = "nt",
    inferred: bool = False,
    most_made_terms: int | None = None,
    most_rounds: int | None = None,
    overwrite: bool = False,
    on_error: OnError = "raise",
    folder: File | None = None,
    progress: Progress = SILENT,
) -> Written:
    """Write the closure of files into the folder `output`, in the format `form`; with `inferred` only inferred triples.

    `on_error` and `folder` are as for `load`, but `folder` may be at a URI. `functions`: Python functions for rules;
    Spark's workers must be able to import them. `shapes`: the triples of a shapes graph (SHACL) as N-Triples texts;
    what its rules make is in the closure, and the results are returned. Triples of all graphs are put together.
    For owl:sameAs the plain rules of the W3C are used; their cost is the cube of the number of equal terms. In Parquet
    the column `asserted` says whether a triple is asserted. Spark does not follow owl:imports; warnings name the
    documents that are missing. `most_made_terms` and `most_rounds` limit a recursion through BIND, as in
    `KnowledgeGraph.open`; beyond them LimitError is raised.
    Raises the errors of `encode` and `check_materialize`.
    """
    selection = check_materialize(paths, output, rules=rules, schema=schema, functions=functions, overwrite=overwrite)
    selection = replace(selection, own=(*selection.own, *rules_of(shapes), *facts_of(shapes)))
    registry, limits = Registry(functions, RESERVED), checked_limits(made_terms=most_made_terms, rounds=most_rounds)
    with work_folder(folder) as place, clear_errors(place):
        prepare(spark, sort(list(paths)), place, fspath(output))
        _check_functions(selection.own, registry, spark)
        with watched(spark, progress("encoding")):
            encoded = encode(spark, list(paths), f"{place}/encoded", on_error=on_error)
        closed = compute_closure(selection, encoded, f"{place}/closure", progress, registry, limits)
        triples = closed.triples_to_write(only_visible=selection.is_single, only_inferred=inferred)
        skipped = (f"{each.file}: {each.lines} malformed lines skipped" for each in encoded.skipped)
        found = (*closed.planned.warnings, *closed.driver.unknown_imports(), *skipped)
        results = closed.rows_of(RESULT, len(COLUMNS), _MOST_RESULTS + 1) if shapes else None
        if results and len(results) > _MOST_RESULTS:
            found, results = (*found, f"the report has {_MOST_RESULTS:,} results; there are more"), results[:-1]
        told = Written(closed.contradictions(), found, results)  # before the output: only writing can still fail
        with watched(spark, progress("writing")):
            write(triples, closed.terms.all, output, place, form=form, overwrite=overwrite)
        return told


def check_materialize(
    paths: Sequence[File],
    output: File,
    *,
    rules: Sequence[str] = DEFAULT_RULES,
    schema: SchemaMode = "axioms",
    functions: Sequence[Callable[..., Any]] = (),
    overwrite: bool = False,
) -> Selection:
    """Raise the errors of `materialize` that can be found without Spark. Returns the selected rules.

    These are the errors of `select`; StratificationError for rules that say NOT or aggregate in a circle; InputError
    for a missing path, for an unknown format and for an output folder that is not empty; StoreError for an output
    folder that cannot be made.
    """
    selection = select(rules, schema, "rules", functions=Registry(functions, RESERVED).find)
    if any(map(has_closed, selection.own)):
        stratify(selection.own)
    sort(list(paths))
    if "://" not in fspath(output):
        check_free(output, overwrite=overwrite)
    return selection


def prepare(spark: SparkSession, inputs: Inputs, *folders: str) -> None:
    """Check the workers of a session, and fit the number of parts to its cores and to the files.

    Raises InputError, also for workers whose memory is too small for their libraries, and for a worker that does not
    see a file, or a path of `folders` to which this process writes.
    """
    worker_memory(spark)  # workers with too little would say that kgreason cannot be imported
    files, places = [*inputs.lines, *inputs.files], [Path(each).resolve() for each in folders if "://" not in each]
    check_workers(spark, {next(each for each in (place, *place.parents) if each.is_dir()) for place in places}, files)
    fit_partitions(spark, files)


def _check_functions(rules: Collection[Rule], registry: Registry, spark: SparkSession) -> None:
    """Raise RuleError if a Python function of `rules` is missing, or if Spark's workers cannot import it.

    Cost: a small job for each function.
    """

    def give_back(_function: PythonFunction, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from batches

    calls = {name: label(rule) for rule in rules for name in function_names([rule])}
    for name, rule in calls.items():
        function = registry.get(name)
        if function is None:
            raise RuleError(f"{rule}: the function {name} is missing: {HOW_TO_PASS}")
        if name.startswith(PREFIX):
            continue
        try:
            spark.range(1).mapInArrow(partial(give_back, function), "id long").collect()
        except Exception as error:  # an exception of Java is not always a PySparkException
            problem = f"Spark's workers cannot import the function {name}: {reason(str(error))}"
            raise RuleError(f"{rule}: {problem}; install its module there, or load without Spark") from error


@contextmanager
def work_folder(folder: File | None) -> Iterator[str]:
    """A context that gives the absolute path of the folder for Spark's tables: `folder`, or a temporary folder.

    A temporary folder is removed when the context ends.
    """
    if folder is not None:
        yield fspath(folder) if "://" in fspath(folder) else str(Path(folder).resolve())
        return
    with tempfile.TemporaryDirectory(prefix="kgreason-", ignore_cleanup_errors=True) as path:
        yield path
