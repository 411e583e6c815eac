"""`kgreason compare`: shows the triples that only one of two versions of an ontology entails, grouped by axioms.

Cost: the closures of both versions, and a proof for each difference (`entailment.versions.comparison`).
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import click

from kgreason.cli.notation import PREFIXES, shown_prefixes
from kgreason.cli.options import RULE_SETS, FileList, catalogue, example, integer, verbose

_PREFIX = re.compile(r"^[ \t]*@?prefix[ \t]+([\w.-]*):[ \t]*<([^<>\s]*)>", re.IGNORECASE | re.MULTILINE)
_BEGINNING = 1 << 16
"""Prefixes are looked for in this many characters of a Turtle file."""


@click.command(
    cls=FileList,
    epilog=example(
        "kgreason compare old.ttl new.ttl --data data/*.nt.gz",
        "kgreason compare old.ttl new.ttl --format markdown --rules rdfs",
    ),
)
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@click.option("--data", multiple=True, metavar="FILE...", help="RDF files that belong to both versions.")
@click.option("--rules", multiple=True, default=("owl2rl",), metavar="RULES", help=f"{RULE_SETS} (default: owl2rl).")
@click.option(
    "--format",
    "syntax",
    type=click.Choice(["text", "markdown", "json"]),
    default="text",
    show_default=True,
    help="text for a terminal, markdown for a pull request, json for programs.",
)
@integer("--most", least=0, default=20, help="Show at most N triples for the same axioms. JSON has all.")
@integer(
    "--limit", least=0, default=10_000, help="Explain at most N gained and N lost triples; the others are counted."
)
@catalogue
@shown_prefixes
@verbose
def compare(
    old: str,
    new: str,
    data: tuple[str, ...],
    rules: tuple[str, ...],
    syntax: str,
    most: int,
    limit: int,
    catalogue: Path | None,
    prefixes: dict[str, str],
    verbose: bool,
) -> None:
    """Show the triples that only one of the versions OLD and NEW of an ontology entails.

    The entailed triples are grouped by the axioms that are responsible for them. kgreason proves each triple in the
    version that entails it. An axiom of the proof is responsible if the other version lacks this axiom. --data adds
    files to both versions, so that the answer also shows what changes for the individuals of these files.
    Contradictions that only one version has are shown, too. Triples with blank nodes are counted and not shown.

    --prefix shortens IRIs. If NEW is a Turtle file, its prefixes shorten IRIs, too. `kgreason diff` shows what an edit
    would change in a store.
    """
    from kgreason.cli.progress import Bars
    from kgreason.entailment.versions.comparison import compare as compared
    from kgreason.entailment.versions.text import to_markdown, to_text

    found = compared(old, new, data=data, rules=rules, catalogue=catalogue, limit=limit, progress=Bars(verbose))
    names = PREFIXES | _declared(Path(new)) | prefixes
    if syntax == "json":
        click.echo(json.dumps(found.to_json()))
    elif syntax == "markdown":
        click.echo(to_markdown(found, names, most, Path(old).name, Path(new).name), nl=False)
    else:
        click.echo(to_text(found, names, most), nl=False)


def _declared(file: Path) -> dict[str, str]:
    """Return the prefixes that are declared at the beginning of a Turtle file."""
    if file.suffix not in (".ttl", ".trig", ".n3"):
        return {}
    with file.open(encoding="utf-8", errors="replace") as text:
        return dict(_PREFIX.findall(text.read(_BEGINNING)))
