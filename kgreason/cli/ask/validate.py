"""`kgreason validate`: says whether RDF files or a store conform to SHACL shapes, and what violates them.

    status   meaning
    0        there is no validation result
    1        there are results; each is shown as one line, or the report in another format
    2        an error: kgreason could not find out

Cost: files are materialized in memory together with the shapes, and nothing is made for queries. With `--data
asserted` no rules run but those of the shapes. For a store with shapes of its own, the results are read; with --shapes,
these are evaluated in a what-if, and the store is not changed.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal, get_args

import click

from kgreason.cli.failures import Verdict
from kgreason.cli.notation import prefixes_of, shown_prefixes
from kgreason.cli.options import RULE_SETS, catalogue, example, verbose, warn
from kgreason.cli.places import PLACE, Place, require_folder, require_store
from kgreason.graph.shapes.validation import DataMode
from kgreason.shapes.report import Report

Format = Literal["text", "markdown", "ttl", "json"]
_EXAMPLE = example(
    "kgreason validate facts.ttl --shapes shapes.ttl",
    "kgreason validate ontology.ttl facts.nt --shapes shapes.ttl --rules owl2rl --format ttl",
    "kgreason validate -l store",
)


@click.command(cls=Verdict, epilog=_EXAMPLE)
@click.argument("files", nargs=-1, metavar="[FILE...]")
@click.option("-l", "--location", type=PLACE, metavar="STORE", help="A store, instead of files.")
@click.option("--shapes", multiple=True, metavar="FILE", help="A file of shapes; may be given several times.")
@click.option(
    "--rules",
    multiple=True,
    metavar="RULES",
    help=f"For files: {RULE_SETS} (default: owl2rl; none with --data asserted).",
)
@click.option(
    "--data",
    type=click.Choice(get_args(DataMode)),
    default="inferred",
    show_default=True,
    help="Whether triples that rules derive count.",
)
@click.option(
    "--format", "form", type=click.Choice(get_args(Format)), default="text", show_default=True, help="How to write."
)
@click.option("--language", metavar="TAG", help="The language of messages, if a shape has several.")
@catalogue
@shown_prefixes
@verbose
@click.pass_context
def validate(
    context: click.Context,
    files: tuple[str, ...],
    location: Place | None,
    shapes: tuple[str, ...],
    rules: tuple[str, ...],
    data: DataMode,
    form: Format,
    language: str | None,
    catalogue: Path | None,
    prefixes: dict[str, str],
    verbose: bool,
) -> None:
    """Validate RDF files or a store (-l) against SHACL shapes.

    The files are loaded together, as one graph; no store is made. A store is validated against its own shapes, or
    against those of --shapes. The exit status is 0 if the data conforms, and 1 if there are validation results. After
    an error the status is 2.
    """
    from kgreason.cli.progress import Bars
    from kgreason.graph.knowledge_graph import KnowledgeGraph

    if bool(files) == (location is not None):
        raise click.UsageError("give RDF files, or a store with -l")
    if files and not shapes:
        raise click.UsageError("give the shapes with --shapes")
    if location is not None and (rules or catalogue):
        raise click.UsageError("--rules and --catalogue are for files: a store already has its rules and documents")
    given = list(map(Path, shapes)) or None
    if location is None:
        chosen = rules or (["none"] if data == "asserted" else None)
        graph = KnowledgeGraph.open(rules=chosen, catalogue=catalogue, late=True)
    else:
        path = require_folder(require_store(location), "validate")
        graph = KnowledgeGraph.open(path, read_only=True)
    with graph:
        if files:
            with graph.transaction() as transaction:
                transaction.load(*files, progress=Bars(verbose))
                if given and data == "inferred":
                    transaction.shapes.load(*given)
                    given = None
                transaction.end(is_good=True, progress=Bars(verbose))
            warn(graph.warnings)
        report = graph.validate(data, shapes=given)
        names = prefixes_of(graph, prefixes)
    click.echo(_text(report, form, names, language))
    context.exit(0 if report.conforms else 1)


def _text(report: Report, form: Format, prefixes: dict[str, str], language: str | None) -> str:
    if form == "json":
        return json.dumps(report.to_json(language), indent=1)
    if form == "markdown":
        return report.to_markdown(prefixes)
    if form == "ttl":
        return report.to_rdf("ttl", prefixes).rstrip("\n")
    return report.to_text(prefixes, language)
