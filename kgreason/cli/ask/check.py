"""`kgreason check`: says whether RDF files, or a store, contradict themselves, and why.

    status   meaning
    0        there is no contradiction
    1        there are contradictions, each shown as one line and a proof
    2        an error: kgreason could not find out

One wrong axiom may cause thousands of contradictions. So contradictions are grouped by their cause
(`Contradiction.cause`), and each group has a few examples.

Cost: files are materialized in memory. For a store, the state of the engine is read only if the statistics of the store
count a contradiction. Then one proof is made for each contradiction that is shown.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import click

from kgreason.cli.failures import Verdict
from kgreason.cli.notation import known, shown_prefixes
from kgreason.cli.options import RULE_SETS, as_json, catalogue, example, functions, verbose, warn
from kgreason.cli.places import PLACE, Graph, Place, graph_at, there, token_file
from kgreason.progress import Progress
from kgreason.proofs.contradiction import Contradiction, by_cause
from kgreason.proofs.proof import Proof

_EXAMPLE = example(
    "kgreason check zoo.ttl facts.nt",
    "kgreason check -l store --prefix =http://example.org/",
    "kgreason check -l store --limit 0",
)
_EXAMPLES = 3


@click.command(cls=Verdict, epilog=_EXAMPLE)
@click.argument("files", nargs=-1, metavar="[FILE...]")
@click.option(
    "-l", "--location", type=PLACE, metavar="STORE", help="A store, or the address of a server, instead of files."
)
@token_file
@click.option("--rules", multiple=True, metavar="RULES", help=f"For files: {RULE_SETS} (default: owl2rl).")
@catalogue
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    metavar="N",
    help=f"How many contradictions with one cause to show; 0 shows all (default: {_EXAMPLES}, with --json all).",
)
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
    limit: int | None,
    functions: list[Callable[..., Any]],
    as_json: bool,
    prefixes: dict[str, str],
    verbose: bool,
) -> None:
    """Show the contradictions in RDF files or in a store (-l), with the violated axioms and proofs.

    Contradictions by one rule and the same axioms are one group, with a few examples. The last line has the number of
    all contradictions.

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
        prefixes = known(graph, prefixes)
        shown = (0 if as_json else _EXAMPLES) if limit is None else limit
        groups = _groups(graph, shown, Bars(verbose)) if graph.stats()["contradictions"] else []
    if as_json:
        click.echo(json.dumps(list(_json(groups)), indent=1))
    else:
        click.echo("\n".join(_lines(groups, prefixes)))
    context.exit(1 if groups else 0)


class _Group(NamedTuple):
    """Contradictions with one cause: all of them, and a proof of each that is shown."""

    members: list[Contradiction]
    shown: list[tuple[Proof, Contradiction]]


def _groups(graph: Graph, limit: int, progress: Progress) -> list[_Group]:
    """Return the contradictions of a graph by their causes, with at most `limit` proofs of each; 0 for all proofs."""
    with progress("explaining"):
        found = graph.contradictions()
        lines = {(each.rule, each.terms): each for each in found}
        groups = {cause: _Group(members, []) for cause, members in by_cause(found).items()}
        for proof in graph.prove_contradictions(each=limit or None):
            line = lines[_key(proof)]
            groups[line.cause].shown.append((proof, line))
    return list(groups.values())


def _json(groups: Iterable[_Group]) -> Iterator[dict[str, Any]]:
    """Yield a dict for each contradiction that is shown: the message, the group, and the steps of the proof."""
    for number, (members, shown) in enumerate(groups, 1):
        group = {"number": number, "rule": members[0].rule, "axioms": members[0].axioms, "count": len(members)}
        yield from ({"message": str(line), "group": group, **proof.to_json()} for proof, line in shown)


def _lines(groups: list[_Group], prefixes: Mapping[str, str]) -> Iterator[str]:
    """Yield the lines to print: for each group its examples, and how many more it has; at the end the total."""
    for members, shown in groups:
        for proof, line in shown:
            yield _told(proof.to_text(prefixes), line.to_text(prefixes))
        if more := len(members) - len(shown):
            yield f"and {more:,} more by {members[0].rule} with the same cause; `--limit 0` shows all\n"
    total = sum(len(members) for members, _ in groups)
    causes = f", with {_count(len(groups), 'cause')}" if total > 1 else ""
    yield f"{_count(total, 'contradiction')}{causes}" if total else "no contradictions"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _key(proof: Proof) -> tuple[str, tuple[str, ...]]:
    """Return the rule and the terms of the contradiction that `proof` proves."""
    name, *terms = map(str, proof.fact.terms)
    return name.strip('"'), tuple(terms)


def _told(proof: str, line: str) -> str:
    """Replace the first line of the text `proof` by `line`: the contradiction as one line, with its axioms."""
    return line + proof[proof.index("\n") :]
