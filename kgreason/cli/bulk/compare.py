"""`kgreason compare`: shows what only one of two versions of an ontology states and entails, grouped by axioms.

Cost: the closures of both versions, and a proof for each difference (`entailment.versions.comparison`).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from kgreason.cli.notation import labels, prefixes_of, shown_prefixes
from kgreason.cli.options import RULE_SETS, FileList, catalogue, example, integer, verbose


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
@click.option("--rules", multiple=True, metavar="RULES", help=f"{RULE_SETS} (default: owl2rl and owl2el).")
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
@click.option("--classes/--no-classes", default=True, help="Whether to look for classes that nothing can be in.")
@labels
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
    classes: bool,
    language: str | None,
    catalogue: Path | None,
    prefixes: dict[str, str],
    verbose: bool,
) -> None:
    """Show what only one of the versions OLD and NEW of an ontology states and entails.

    First come the axioms that were added and removed, in Manchester syntax. The entailed triples are grouped by the
    axioms that are responsible for them. kgreason proves each triple in the version that entails it. An axiom of the
    proof is responsible if the other version lacks this axiom. --data adds files to both versions, so that the answer
    also shows what changes for the individuals of these files. Contradictions that only one version has are shown, too,
    and classes that nothing can be in. Entailed triples with blank nodes are counted and not shown.

    --prefix shortens IRIs, and so do the prefixes of the files. `kgreason diff` shows what an edit would change in a
    store.
    """
    from kgreason.cli.progress import Bars
    from kgreason.entailment.versions.comparison import RULES
    from kgreason.entailment.versions.comparison import compare as compared
    from kgreason.entailment.versions.text import to_markdown, to_text

    how: dict[str, Any] = {"classes": classes, "language": language, "catalogue": catalogue, "progress": Bars(verbose)}
    found = compared(old, new, data=data, rules=rules or RULES, limit=limit, **how)
    names = prefixes_of(found, prefixes)
    if syntax == "json":
        click.echo(json.dumps(found.to_json()))
    elif syntax == "markdown":
        click.echo(to_markdown(found, names, most, Path(old).name, Path(new).name), nl=False)
    else:
        click.echo(to_text(found, names, most), nl=False)
