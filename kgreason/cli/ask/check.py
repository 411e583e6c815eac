"""`kgreason check`: says whether RDF files, or a store, contradict themselves, and why.

    status   meaning
    0        there is no contradiction
    1        there are contradictions, each shown as one line and a proof
    2        an error: kgreason could not find out

Cost: files are materialized in memory. For a store, the state of the engine is read only if the statistics of the store
count a contradiction. Then one proof is made for each contradiction.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from kgreason.cli.failures import Verdict
from kgreason.cli.notation import PREFIXES, shown_prefixes
from kgreason.cli.options import RULE_SETS, as_json, catalogue, example, functions, verbose, warn
from kgreason.cli.places import PLACE, Graph, Place, graph_at, there, token_file
from kgreason.progress import Progress
from kgreason.proofs.contradiction import Contradiction
from kgreason.proofs.proof import Proof

_EXAMPLE = example("kgreason check zoo.ttl facts.nt", "kgreason check -l store --prefix =http://example.org/")


@click.command(cls=Verdict, epilog=_EXAMPLE)
@click.argument("files", nargs=-1, metavar="[FILE...]")
@click.option(
    "-l", "--location", type=PLACE, metavar="STORE", help="A store, or the address of a server, instead of files."
)
@token_file
@click.option("--rules", multiple=True, metavar="RULES", help=f"For files: {RULE_SETS} (default: owl2rl).")
@catalogue
@functions
@as_json
@shown_prefixes
@verbose
@click.pass_context
def check(
    context: click.Context,
    files: tuple[str, ...],
    location: Place | None,
    rules: tuple[str, ...],
    catalogue: Path | None,
    functions: list[Callable[..., Any]],
    as_json: bool,
    prefixes: dict[str, str],
    verbose: bool,
) -> None:
    """Show every contradiction in RDF files or in a store (-l), with the violated axioms and a proof.

    The files are loaded together, as one graph; no store is made. The exit status is 0 if there is no contradiction, 1
    if there is at least one, and 2 if kgreason could not find out, because of an error.
    """
    from kgreason.cli.progress import Bars

    if files and location is not None:
        raise click.UsageError("give RDF files or a store (-l), not both")
    if not files and location is None:
        raise click.UsageError("give RDF files, or a store with -l")
    if location and (rules or catalogue):
        raise click.UsageError("--rules and --catalogue are for files: a store already has its rules and documents")
    store = None if location is None else there(location)
    how: dict[str, Any] = {"catalogue": catalogue, "functions": functions}
    with graph_at(store, rules=rules or None, read_only=store is not None, **how) as graph:
        if files:
            graph.load(*files, progress=Bars(verbose))
            warn(graph.warnings)
        found = _found(graph, Bars(verbose)) if graph.stats()["contradictions"] else []
    if as_json:
        click.echo(json.dumps([{"message": str(line), **proof.to_json()} for proof, line in found], indent=1))
    else:
        prefixes = PREFIXES | prefixes
        texts = [_told(proof.to_text(prefixes), line.to_text(prefixes)) for proof, line in found]
        click.echo("\n".join(texts) or "no contradictions\n", nl=False)
    context.exit(1 if found else 0)


def _found(graph: Graph, progress: Progress) -> list[tuple[Proof, Contradiction]]:
    """Return all contradictions of a graph, each with its proof."""
    with progress("explaining"):
        lines = {(each.rule, each.terms): each for each in graph.contradictions()}
        return [(proof, lines[_key(proof)]) for proof in graph.prove_contradictions()]


def _key(proof: Proof) -> tuple[str, tuple[str, ...]]:
    """Return the rule and the terms of the contradiction that `proof` proves."""
    name, *terms = map(str, proof.fact.terms)
    return name.strip('"'), tuple(terms)


def _told(proof: str, line: str) -> str:
    """Replace the first line of the text `proof` by `line`: the contradiction as one line, with its axioms."""
    return line + proof[proof.index("\n") :]
