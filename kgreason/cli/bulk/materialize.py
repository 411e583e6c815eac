"""`kgreason materialize`: reads files and writes their closure, without a store.

The output has the triples that `dump` would print after `load` of the same files. The triples of the default graph and
of all named graphs are one set. Generalised triples (with a literal as subject) are derived and used, but never
written.

Invariant: an output file is written as a whole or not at all. A pipe or a device gets the triples one after another.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, cast

import click

from kgreason.cli.bulk.pipelines import Pipeline, is_for_spark, pipeline, refuse_settings, session
from kgreason.cli.notation import PREFIXES, shown_prefixes
from kgreason.cli.options import (
    RULE_SETS,
    catalogue,
    check_stdin,
    equality,
    example,
    functions,
    limits,
    schema,
    threads,
    verbose,
    warn,
)
from kgreason.errors import InputError
from kgreason.files import whole_file
from kgreason.functions.registry import Registry
from kgreason.graph.input.terms import term_of
from kgreason.graph.opening.options import catalogue_of
from kgreason.graph.results.documents import document
from kgreason.graph.shapes.shapes_editor import triples_of_sources
from kgreason.interrupts import undivided
from kgreason.materialize.relations.facts import relation_rows, relations_with_facts, texts_of
from kgreason.materialize.selection import Selection, select
from kgreason.options import ALIASES, Limits, SameAsMode, SchemaMode, checked_limits
from kgreason.progress import Progress
from kgreason.rdf.document_prefixes import DocumentPrefixes
from kgreason.rdf.lines import parquet
from kgreason.rdf.lines.skipped_lines import Skipped
from kgreason.rdf.reader import read_files
from kgreason.rules.expressions import RESERVED
from kgreason.rules.model import Triple
from kgreason.shapes.graph import ShapesGraph
from kgreason.shapes.program import facts_of, rules_of
from kgreason.shapes.report import Report
from kgreason.shapes.vocabulary import COLUMNS, RESULT
from kgreason.store.rows import line_chunks
from kgreason.terms.dictionary import Dictionary, Ids
from kgreason.terms.prefixes import prefixes_to_remember

if TYPE_CHECKING:
    from kgreason.materialize.materializer import Materializer
    from kgreason.rdf.catalogue import Catalogue
    from kgreason.spark.out.write import Form

_LEVEL = 6
"""The compression level, the same as the default of the `gzip` command."""
_FILES = (".nt", ".nt.gz", ".ttl", ".ttl.gz")
_PARQUET = ".parquet"
"""A file in process, and a folder with Spark."""


@click.command(
    epilog=example(
        "kgreason materialize ontology.ttl data.nt.gz --rules owl2rl -o closure.nt",
        "kgreason materialize ontology.ttl data.nt.gz --pipeline spark -o closure.parquet",
    )
)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--rules", multiple=True, default=["owl2rl"], metavar="RULES", help=f"{RULE_SETS} (default: owl2rl).")
@click.option(
    "-o",
    "--output",
    required=True,
    metavar="OUT",
    help="An .nt, .nt.gz, .ttl, .ttl.gz or .parquet file; - is standard output, in N-Triples. With Spark: a folder.",
)
@click.option("--format", "syntax", metavar="NAME", help="The format of the files, if their suffix does not say it.")
@click.option(
    "--shapes",
    multiple=True,
    metavar="FILE",
    help="A file of SHACL shapes; the validation report goes to OUT.report.json. May be given several times.",
)
@click.option("--inferred", is_flag=True, help="Write only the triples that were derived, not those of the files.")
@schema
@equality
@catalogue
@functions
@limits
@threads
@pipeline
@shown_prefixes
@verbose
def materialize(
    files: tuple[str, ...],
    rules: tuple[str, ...],
    output: str,
    syntax: str | None,
    shapes: tuple[str, ...],
    inferred: bool,
    schema: SchemaMode | None,
    same_as: SameAsMode | None,
    aliases: int | None,
    catalogue: Path | None,
    functions: list[Callable[..., Any]],
    most_made_terms: int | None,
    most_rounds: int | None,
    threads: int | None,
    pipeline: Pipeline,
    master: str | None,
    conf: dict[str, str],
    work: Path | None,
    skip_malformed: bool,
    prefixes: dict[str, str],
    verbose: bool,
) -> None:
    """Read RDF files, derive what follows, and write the read and the derived triples. No store is made.

    The file - is standard input, and needs --format. The output has the triples of the files, those of named graphs
    included, the triples of documents that owl:imports names if --catalogue has them, and all triples that follow from
    all these triples. --inferred leaves out the triples of the files. The output file is written as a whole or not at
    all. Turtle (-o closure.ttl) is sorted, and has the prefixes of the files and of --prefix. Parquet has the columns
    subject, predicate, object and asserted; asserted is false for derived triples.

    Spark writes a folder: Parquet if the name ends in .parquet, else N-Triples. Spark does not follow owl:imports.

    With --shapes the closure is validated as well, and what the rules of the shapes make is in it. The report is
    written beside the output, and a line on standard error counts the results.
    """
    from kgreason.cli.progress import Bars

    progress, is_file = Bars(verbose), output == "-" or output.endswith(_FILES)
    refused = {"format": syntax, "catalogue": catalogue, "same-as": same_as not in (None, "rules"), "aliases": aliases}
    refused["threads"] = threads
    if is_for_spark("local" if is_file and pipeline == "auto" else pipeline, files, keeps=False, **refused):
        if is_file:
            raise click.UsageError(
                f"-o {output}: Spark writes a folder, and this name ends as that of a file; leave out the extension"
            )
        meaning = {"rules": rules, "schema": schema or "axioms", "functions": functions}
        if shapes and "://" in output:
            raise click.UsageError("--shapes needs a local folder: the report is written beside it")
        known_shapes = triples_of_sources(map(Path, shapes))
        how = {
            "inferred": inferred,
            "most_made_terms": most_made_terms,
            "most_rounds": most_rounds,
            "shapes": known_shapes,
            "on_error": "count" if skip_malformed else "raise",
            "progress": progress,
        }
        _on_spark(partial(session, master, conf, work), files, output, meaning, how)
        return
    check_stdin(files, syntax)
    if shapes and not is_plain(output):
        raise click.UsageError(f"-o {output}: --shapes needs a file, because the report is written beside it")
    refuse_settings(master=master, conf=conf, work=work)
    target = _output_file(output)
    registry, budget = Registry(functions, RESERVED), ALIASES if aliases is None else aliases
    selection = select(rules, schema or "axioms", same_as or "aliases", budget, registry.find)
    known_shapes = triples_of_sources(map(Path, shapes))
    selection = replace(selection, own=(*selection.own, *rules_of(known_shapes), *facts_of(known_shapes)))
    with _interrupt_with_state(output):
        most = checked_limits(made_terms=most_made_terms, rounds=most_rounds)
        program = Program(selection, registry, most, threads)
        inputs = Inputs(files, syntax, catalogue_of(catalogue), Skipped() if skip_malformed else None)
        materializer, known = _materialize(program, inputs, prefixes, progress)
        dictionary = materializer.dictionary
        if output.endswith(_PARQUET):
            flags = [False] if inferred else [True, False]
            _write_parquet(
                target, dictionary, [(_written_triples(materializer, flag), flag) for flag in flags], progress
            )
        elif output.removesuffix(".gz").endswith(".ttl"):
            wanted = False if inferred else None
            with progress("writing", None), target as out:
                out.writelines(document(dictionary, [_written_triples(materializer, wanted)], "ttl", known, wanted))
        else:
            _write(target, dictionary, _written_triples(materializer, False if inferred else None), progress)
        if shapes:
            _write_report(output, known_shapes, _results(materializer))


def is_plain(output: str) -> bool:
    """Whether `-o` names a file that is written as a whole, not a pipe or a device."""
    return output != "-" and (not Path(output).exists() or Path(output).is_file())


def _results(materializer: Materializer) -> list[tuple[str, ...]]:
    saved, dictionary = materializer.save(), materializer.dictionary
    found = (
        each for each in relations_with_facts(saved, dictionary) if (each.name, each.arity) == (RESULT, len(COLUMNS))
    )
    return [row for each in found for row in texts_of(relation_rows(saved, each.number, each.arity), dictionary)]


def _write_report(output: str, shapes: set[Triple], results: Iterable[Sequence[str]]) -> None:
    """Write the validation report beside the output, and say how many results it has."""
    report = Report(ShapesGraph(shapes), [tuple(map(term_of, row)) for row in results])
    name = f"{output.rstrip('/')}.report.json"
    with whole_file(Path(name)) as file:
        file.write(f"{json.dumps(report.to_json(), indent=1)}\n".encode())
    click.echo(f"{report.verdict()} ({name})", err=True)


@contextmanager
def _interrupt_with_state(output: str) -> Iterator[None]:
    """If Ctrl-C ends the block, raise KeyboardInterrupt with a text that says whether the output file was written."""
    path = Path(output)
    before = path.stat() if path.is_file() else None
    try:
        yield
    except KeyboardInterrupt:
        if output == "-" or (path.exists() and not path.is_file()):
            raise
        after = path.stat() if path.is_file() else None
        is_same = (before and before.st_ino) == (after and after.st_ino)  # `whole_file` makes a new file
        state = "nothing was written" if is_same else f"{output} was written before that"
        raise KeyboardInterrupt(f"interrupted; {state}") from None


class Program(NamedTuple):
    """The rules, the Python functions that rules call, the limits of a recursion, and the number of threads."""

    selection: Selection
    registry: Registry
    limits: Limits
    threads: int | None


class Inputs(NamedTuple):
    """The files and their format, the documents that owl:imports names, and the malformed lines that were skipped."""

    files: Sequence[str]
    syntax: str | None
    documents: Catalogue | None
    skipped: Skipped | None


def _materialize(
    program: Program, inputs: Inputs, prefixes: Mapping[str, str], progress: Progress
) -> tuple[Materializer, dict[str, str]]:
    """Load files into a new materializer, and print its warnings and contradictions.

    Returns the materializer, and `prefixes` together with those of the files.
    """
    from kgreason.materialize.edit import Edit
    from kgreason.materialize.imports import Imports
    from kgreason.materialize.materializer import Materializer
    from kgreason.proofs.contradictions import contradictions

    materializer = Materializer(program.selection, registry=program.registry, threads=program.threads)
    files, syntax, documents, skipped = inputs
    imports = Imports(materializer, documents)
    read = DocumentPrefixes()
    how: dict[str, Any] = {"progress": progress, "threads": program.threads, "skipped": skipped, "prefixes": read}
    find = documents.find if documents else None
    edit = Edit(added=read_files(files, materializer.dictionary, syntax=syntax, find=find, **how))
    edit = imports.with_imports(edit, progress)
    with undivided():
        materializer.change(edit, limits=program.limits, progress=progress)
        materializer.accept()
    found = contradictions(materializer.save(), materializer.dictionary, materializer.false_rules)
    told = skipped.messages() if skipped else ()
    known = {**prefixes_to_remember({}, read.prefixes()), **prefixes}
    warn([*told, *materializer.warnings, *imports.warnings()], found, prefixes=PREFIXES | known)
    return materializer, known


def _on_spark(
    started: Callable[[], AbstractContextManager[tuple[Any, str]]],
    files: Sequence[str],
    output: str,
    meaning: dict[str, Any],
    how: dict[str, Any],
) -> None:
    """Compute the closure of files on Spark, and write it to the folder `output`.

    `started` starts Spark for a block; it is called after the checks that do not need Spark. The arguments of
    `spark.pipeline.materialize` come in two parts: `meaning` has those that decide what the closure is, and `how` has
    the others.
    """
    from kgreason.spark.pipeline import check_materialize
    from kgreason.spark.pipeline import materialize as written

    check_materialize(files, output, **meaning)
    form: Form = "parquet" if output.endswith(_PARQUET) else "nt"
    with started() as (spark, folder):
        found = written(spark, files, output, form=form, folder=folder, **meaning, **how)
    warn(found.warnings, count=found.contradictions)
    if found.results is not None:
        _write_report(output, how["shapes"], found.results)


def _written_triples(materializer: Materializer, asserted: bool | None) -> Ids:
    """Return the triples that are written, int32[n, 3]; `asserted` is that of `Saved.triples`."""
    rows = materializer.save().triples(materializer.dictionary, asserted=asserted)
    return rows[materializer.dictionary.are_rdf(rows)]


def _write_parquet(
    target: AbstractContextManager[BinaryIO],
    dictionary: Dictionary,
    tables: Sequence[tuple[Ids, bool]],
    progress: Progress,
) -> None:
    with progress("writing", sum(len(rows) for rows, _ in tables)) as report, target as out:
        parquet.write(tables, dictionary, out, report)


def _write(target: AbstractContextManager[BinaryIO], dictionary: Dictionary, rows: Ids, progress: Progress) -> None:
    with progress("writing", len(rows)) as report, target as out:
        out.writelines(line_chunks(dictionary, rows, report))


def _output_file(output: str) -> AbstractContextManager[BinaryIO]:
    """Return a context that gives its block the file that `-o` names, open for writing; `-` is standard output."""
    path = Path(output)
    if output == "-":
        return nullcontext(sys.stdout.buffer)
    if output.endswith((".nt.gz", ".ttl.gz")):
        return _gzip_file(path)
    if output.endswith(_PARQUET):
        parquet.check_pyarrow()
        if path.is_dir():
            raise InputError(f"{output}: is a folder; without Spark the closure is written to one file")
        return whole_file(path)
    if output.endswith((".nt", ".ttl")) or (path.exists() and not path.is_file()):
        return whole_file(path)
    raise click.UsageError(f"-o {output}: the name must end in .nt, .nt.gz, .ttl, .ttl.gz or .parquet")


@contextmanager
def _gzip_file(path: Path) -> Iterator[BinaryIO]:
    with whole_file(path) as file, gzip.GzipFile("", "wb", _LEVEL, file, mtime=0) as packed:
        yield cast(BinaryIO, packed)
