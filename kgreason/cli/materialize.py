"""`kgreason materialize`: files in, the closure out, without a store.

The triples are those that `load` and `dump` of the same files would give. Triples of all graphs are taken together.
Generalised triples (a literal as subject) are used inside and never written.

Invariant: the output is written as a whole or not at all; a pipe or a device is written to as it comes.
"""

from __future__ import annotations

import gzip
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import BinaryIO, cast

import click

from kgreason.cli.options import RULE_SETS, example, schema, verbose, warn
from kgreason.files import whole
from kgreason.graph.modes import SchemaMode
from kgreason.graph.storing import chunks
from kgreason.rdf.generalised import is_rdf

_LEVEL = 6
"""How hard gzip tries: as hard as its command line does."""


@click.command(epilog=example("kgreason materialize ontology.ttl data.nt.gz --rules owl2rl -o closure.nt"))
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--rules", multiple=True, default=["owl2rl"], metavar="RULES", help=f"{RULE_SETS} (owl2rl).")
@click.option("-o", "--output", required=True, metavar="OUT", help="An .nt or .nt.gz file; - is stdout.")
@click.option("--format", "syntax", metavar="NAME", help="The format of the files, where their suffix does not say it.")
@click.option("--inferred", is_flag=True, help="Only the triples that were derived.")
@schema
@verbose
def materialize(
    files: tuple[str, ...],
    rules: tuple[str, ...],
    output: str,
    syntax: str | None,
    inferred: bool,
    schema: SchemaMode | None,
    verbose: bool,
) -> None:
    """Read RDF files (- is stdin) and write every triple that follows, as N-Triples.

    Triples of named graphs are part of it. The file is written as a whole or not at all.
    """
    from kgreason.cli.progress import Bars
    from kgreason.graph.materializer import Materializer
    from kgreason.graph.report import contradictions
    from kgreason.graph.selection import select

    target = _target(output)
    progress, materializer = Bars(verbose), Materializer(select(rules, schema or "axioms"))
    materializer.load(files, syntax=syntax, progress=progress)
    saved, dictionary = materializer.save(), materializer.dictionary
    warn(materializer.program.warnings, len(contradictions(saved, dictionary)))
    rows = saved.triples(asserted=False if inferred else None)
    rows = rows[is_rdf(dictionary, *rows.T)]
    with progress("writing", len(rows)) as report, target as out:
        out.writelines(chunks(dictionary, rows, report))


def _target(output: str) -> AbstractContextManager[BinaryIO]:
    """Where `-o` says that the triples go."""
    path = Path(output)
    if output == "-":
        return nullcontext(sys.stdout.buffer)
    if output.endswith(".nt.gz"):
        return _packed(path)
    if output.endswith(".nt") or (path.exists() and not path.is_file()):
        return whole(path)
    raise click.UsageError(f"-o {output}: the name has to end in .nt or .nt.gz")


@contextmanager
def _packed(path: Path) -> Iterator[BinaryIO]:
    with whole(path) as file, gzip.GzipFile("", "wb", _LEVEL, file, mtime=0) as packed:
        yield cast(BinaryIO, packed)
