"""`kgreason check`: says whether RDF files or a store are contradictory, which classes cannot have members, and why.

    status   meaning
    0        there are no contradictions, and every class can have members
    1        there are contradictions, each shown as one line and a proof, or some class cannot have members
    2        an error: kgreason could not find out

One wrong axiom may cause thousands of contradictions. So contradictions are grouped by their cause
(`Contradiction.cause`), and each group has a few examples.

Cost: files are materialized in memory. For a store, the state of the engine is read only if the statistics of the store
count a contradiction. Then one proof is made for each contradiction that is shown. To find the classes that cannot have
members, `entailment.classification.unsatisfiable` gives each class a member. For a store this happens in a copy of the
store in memory.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from kgreason.cli.failures import Verdict
from kgreason.cli.notation import known, shown_prefixes
from kgreason.cli.options import RULE_SETS, as_json, catalogue, example, functions, integer, verbose, warn
from kgreason.cli.places import PLACE, Graph, Place, graph_at, no_server, there, token_file
from kgreason.progress import Progress
from kgreason.proofs.contradiction import Contradiction, by_cause
from kgreason.proofs.notation import term_text
from kgreason.proofs.proof import Proof

if TYPE_CHECKING:
    from kgreason.entailment.classification.unsatisfiable import Unsatisfiable

_EXAMPLE = example(
    "kgreason check zoo.ttl facts.nt",
    "kgreason check -l store --prefix =http://example.org/",
    "kgreason check -l store --limit 0",
    "kgreason check --rules owl2rl --rules owl2el zoo.ttl",
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
@integer(
    "--limit",
    least=0,
    help=f"How many contradictions with one cause to show; 0 shows all (default: {_EXAMPLES}, with --json all).",
)
@click.option(
    "--classes/--no-classes",
    default=None,
    help="Whether to look for classes that nothing can be in (default: for files, not for a store).",
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
    classes: bool | None,
    functions: list[Callable[..., Any]],
    as_json: bool,
    prefixes: dict[str, str],
    verbose: bool,
) -> None:
    """Show the contradictions in RDF files or in a store (-l), with the violated axioms and proofs.

    Contradictions by one rule and the same axioms are one group, with a few examples. The last line has the number of
    all contradictions.

    The command also shows the classes that nothing can be in. Such a class does not contradict the ontology, but the
    first member of the class will.

    The files are loaded together, as one graph; no store is made. The exit status is 0 if there are no contradictions
    and no such classes. The status is 1 if there are some. After an error the status is 2.
    """
    from kgreason.cli.progress import Bars

    if files and location is not None:
        raise click.UsageError("give RDF files or a store (-l), not both")
    if not files and location is None:
        raise click.UsageError("give RDF files, or a store with -l")
    if location and (rules or catalogue):
        raise click.UsageError("--rules and --catalogue are for files: a store already has its rules and documents")
    store = None if location is None else there(location)
    if classes and store is not None:
        no_server(store, "--classes")
    how: dict[str, Any] = {"catalogue": catalogue, "functions": functions}
    with graph_at(store, rules=rules or None, read_only=store is not None, **how) as graph:
        if files:
            graph.load(*files, progress=Bars(verbose))
            warn(graph.warnings)
        prefixes = known(graph, prefixes)
        shown = (0 if as_json else _EXAMPLES) if limit is None else limit
        groups = _groups(graph, shown, Bars(verbose)) if graph.stats()["contradictions"] else []
        empty = _empty(graph, store, functions) if classes or (classes is None and store is None) else []
    if as_json:
        click.echo(json.dumps([*_json(groups), *map(_json_of_class, empty)], indent=1))
    else:
        click.echo("\n".join(_lines(groups, empty, shown, prefixes)))
    context.exit(1 if groups or empty else 0)


def _empty(graph: Graph, store: Place | None, functions: list[Callable[..., Any]]) -> list[Unsatisfiable]:
    """Return the classes that nothing can be in. A store stays as it is: a copy of it is asked."""
    from kgreason.entailment.classification.unsatisfiable import unsatisfiable
    from kgreason.graph.fork import fork
    from kgreason.graph.knowledge_graph import KnowledgeGraph

    if isinstance(store, Path):
        with fork(store, functions=functions) as copy:
            return unsatisfiable(copy)
    assert isinstance(graph, KnowledgeGraph)
    return unsatisfiable(graph)


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


def _json_of_class(each: Unsatisfiable) -> dict[str, Any]:
    """Return a dict for a class that nothing can be in: the message, the class, and the steps of the proof."""
    return {"message": str(each), "class": each.name, **each.proof.to_json()}


def _lines(
    groups: list[_Group], empty: Sequence[Unsatisfiable], limit: int, prefixes: Mapping[str, str]
) -> Iterator[str]:
    """Yield the lines to print: for each group its examples, and how many more it has; at the end the total.

    `empty` are the classes that nothing can be in; `limit` of them get a proof, or all if it is 0.
    """
    for members, shown in groups:
        for proof, line in shown:
            yield _told(proof.to_text(prefixes), line.to_text(prefixes))
        if more := len(members) - len(shown):
            yield f"and {more:,} more by {members[0].rule} with the same cause; `--limit 0` shows all\n"
    for number, one in enumerate(empty):
        said = f"nothing can be in {term_text(one.name, prefixes)}"
        is_proved = not limit or number < limit
        yield f"{said}\n{indent(one.proof.to_text(prefixes), '    ')}" if is_proved else said
    total = sum(len(members) for members, _ in groups)
    causes = f", with {_count(len(groups), 'cause')}" if total > 1 else ""
    classes = f"; nothing can be in {_count(len(empty), 'class', 'classes')}" if empty else ""
    yield f"{_count(total, 'contradiction')}{causes}{classes}" if total else f"no contradictions{classes}"


def _count(number: int, noun: str, nouns: str = "") -> str:
    return f"{number:,} {noun if number == 1 else nouns or f'{noun}s'}"


def _key(proof: Proof) -> tuple[str, tuple[str, ...]]:
    """Return the rule and the terms of the contradiction that `proof` proves."""
    name, *terms = map(str, proof.fact.terms)
    return name.strip('"'), tuple(terms)


def _told(proof: str, line: str) -> str:
    """Replace the first line of the text `proof` by `line`: the contradiction as one line, with its axioms."""
    return line + proof[proof.index("\n") :]
