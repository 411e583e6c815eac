"""`kgreason check`: says whether RDF files or a store are contradictory, which classes cannot have members, and why.

    status   meaning
    0        there are no contradictions, and every class can have members
    1        there are contradictions, each shown as one line and a proof, or some class cannot have members
    2        an error: kgreason could not find out

One wrong axiom may cause thousands of contradictions. So contradictions are grouped by their cause
(`Contradiction.cause`), and each group has a few examples.

Cost: files are materialized in memory. For a store, the state of the engine is read only if the statistics of the store
count a contradiction. Then one proof is made for each contradiction that is shown. To find the classes that cannot have
members, each class gets a member in a what-if (`KnowledgeGraph.unsatisfiable_classes`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from kgreason.cli.failures import Verdict
from kgreason.cli.notation import full, labels, labels_in, prefixes_of, short_warnings, shown_prefixes
from kgreason.cli.options import RULE_SETS, as_json, catalogue, example, functions, integer, verbose, warn
from kgreason.cli.places import PLACE, Graph, Place, graph_at, require_store, token_file
from kgreason.progress import Progress
from kgreason.proofs.contradiction import Contradiction, by_cause
from kgreason.proofs.notation import term_text
from kgreason.proofs.proof import Proof
from kgreason.proofs.words.naming import names

if TYPE_CHECKING:
    from kgreason.entailment.repairs import Repair
    from kgreason.proofs.proof import Unsatisfiable

_EXAMPLE = example(
    "kgreason check zoo.ttl facts.nt",
    "kgreason check -l store --prefix =http://example.org/",
    "kgreason check -l store --limit 0",
    "kgreason check --rules owl2rl --rules owl2el zoo.ttl",
    "kgreason check --rules owl2el --repairs anatomy.ofn",
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
    help="How many contradictions with one cause to show, and how many classes that nothing can be in to prove; 0 is"
    f" all (default: {_EXAMPLES}, with --json all). --json has a proof of each class.",
)
@click.option(
    "--classes/--no-classes",
    default=None,
    help="Whether to look for classes that nothing can be in (default: for files, not for a store).",
)
@click.option(
    "--repairs",
    is_flag=True,
    help="Show for each problem the axioms that repair it: removing any one of them is enough.",
)
@labels
@full
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
    repairs: bool,
    language: str | None,
    full: bool,
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

    With --repairs the command tries each axiom of the proof: would the problem be gone without this axiom? It shows the
    axioms whose removal is enough, and how many inferred triples would go with each. If no axiom is enough, the problem
    has several proofs. The command changes nothing.

    With --json the answer is one list. A contradiction has a `group`, and a class that nothing can be in has a `class`
    in its place.

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
    store = None if location is None else require_store(location)
    how: dict[str, Any] = {"catalogue": catalogue, "functions": functions}
    with graph_at(store, rules=rules or None, read_only=store is not None, **how) as graph:
        if files:
            graph.load(*files, progress=Bars(verbose))
        prefixes = prefixes_of(graph, prefixes)
        warn(short_warnings(graph.warnings if files else (), prefixes))
        shown = (0 if as_json else _EXAMPLES) if limit is None else limit
        groups = _groups(graph, shown, Bars(verbose)) if graph.stats()["contradictions"] else []
        empty = graph.unsatisfiable_classes() if classes or (classes is None and store is None) else []
        proofs = [proof for group in groups for proof, _ in group.shown] + [each.proof for each in empty]
        problems: list[tuple[Contradiction | Unsatisfiable, Proof]] = [
            (line, proof) for group in groups for proof, line in group.shown
        ]
        problems += [(each, each.proof) for each in empty[: shown or None]]
        found = _repairs(graph, problems, Bars(verbose)) if repairs else {}
        how_shown = _ProofStyle(prefixes, labels_in(graph, proofs, language), full, found)
    if as_json:
        told = ((each.proof, each.to_json()) for each in empty)
        click.echo(json.dumps([_with_repairs(*each, found) for each in (*_json(groups), *told)], indent=1))
    else:
        click.echo("\n".join(_lines(groups, empty, shown, how_shown)))
    context.exit(1 if groups or empty else 0)


def _repairs(
    graph: Graph, problems: Sequence[tuple[Contradiction | Unsatisfiable, Proof]], progress: Progress
) -> dict[Proof, list[Repair]]:
    from kgreason.entailment.repairs import repairs

    found = {}
    with progress("repairing", len(problems)) as report:
        for problem, proof in problems:
            found[proof] = repairs(graph, problem, proof)
            report(1)
    return found


class _ProofStyle(NamedTuple):
    """How proofs are written: the arguments of `Proof.to_text`; and the repairs that stand behind a proof."""

    prefixes: Mapping[str, str]
    labels: Mapping[str, str] | None
    full: bool
    repairs: Mapping[Proof, list[Repair]]

    def text(self, proof: Proof) -> str:
        """Return a proof as text, with its repairs if they are known."""
        told = "".join(f"{line}\n" for line in self._repair_lines(proof))
        return proof.to_text(self.prefixes, labels=self.labels, full=self.full) + told

    def _repair_lines(self, proof: Proof) -> Iterator[str]:
        found = self.repairs.get(proof)
        if found is None:
            return
        if not found:
            yield "repairs: no single axiom is enough, because there are several proofs"
            return
        names = self.names(proof)
        yield "repairs: it is enough to remove one of these"
        for each in found:
            yield f"    {each.to_text(names)}    ({_count(each.lost, 'inferred triple')} would go)"

    def names(self, proof: Proof) -> Mapping[str, str]:
        """Return the names of the terms of a proof."""
        return names(self.prefixes, labels=self.labels) if self.full else proof.names(self.prefixes, self.labels)


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


def _json(groups: Iterable[_Group]) -> Iterator[tuple[Proof, dict[str, Any]]]:
    """Yield each proof that is shown, and a dict: the message, the group, and the steps of the proof."""
    for number, (members, shown) in enumerate(groups, 1):
        group = {"number": number, "rule": members[0].rule, "axioms": members[0].axioms, "count": len(members)}
        yield from ((proof, {"message": str(line), "group": group, **proof.to_json()}) for proof, line in shown)


def _with_repairs(proof: Proof, told: dict[str, Any], found: Mapping[Proof, list[Repair]]) -> dict[str, Any]:
    return {**told, "repairs": [each.to_json() for each in found[proof]]} if proof in found else told


def _lines(groups: list[_Group], empty: Sequence[Unsatisfiable], limit: int, how: _ProofStyle) -> Iterator[str]:
    """Yield the lines to print: for each group its examples, and how many more it has; at the end the total.

    `empty` are the classes that nothing can be in; `limit` of them get a proof, or all if it is 0.
    """
    for members, shown in groups:
        for proof, line in shown:
            yield _with_first_line(how.text(proof), line.to_text(how.names(proof)))
        if more := len(members) - len(shown):
            yield f"and {more:,} more by {members[0].rule} with the same cause; `--limit 0` shows all\n"
    for number, one in enumerate(empty):
        said = f"nothing can be in {term_text(one.name, how.names(one.proof))}"
        is_proved = not limit or number < limit
        yield f"{said}\n{indent(how.text(one.proof), '    ')}" if is_proved else said
    if limit and len(empty) > limit:
        yield f"{_count(len(empty) - limit, 'class is', 'classes are')} shown without a proof; `--limit 0` shows all\n"
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


def _with_first_line(proof: str, line: str) -> str:
    """Replace the first line of the text `proof` by `line`: the contradiction as one line, with its axioms."""
    return line + proof[proof.index("\n") :]
