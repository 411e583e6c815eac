"""The shared parts of the commands that change a store: their options, their warnings, and the lines that they print.

A person reads two lines. The first line says what the command did, and how long that took. The second line says what
the store has now. `-v` and `--json` print every counter of the commit.

Invariant: a mistake of the ontology is reported once, by the command that adds the mistake. The contradictions of the
store are reported after every change.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypedDict, cast

import click

from kgreason.cli.notation import prefixes_of, short_warnings, shown_prefixes
from kgreason.cli.options import Command, as_json, functions, integer, limits, print_table, threads, verbose, warn
from kgreason.cli.places import Graph, Place, Server, graph_at
from kgreason.graph.opening.options import Strategy
from kgreason.shapes.vocabulary import COLUMNS, RESULT, SOURCE
from kgreason.store.folder import Folder, is_store

if TYPE_CHECKING:
    from kgreason.cli.progress import Bars
    from kgreason.graph.changes.delta import Delta

STRATEGY = click.option(
    "--strategy",
    type=click.Choice(["auto", "update", "bootstrap"]),
    default="auto",
    show_default=True,
    help="update computes only what changes; bootstrap computes everything again; auto takes the cheaper of the two.",
)
_BUDGET = integer(
    "--budget",
    help="Stop, and change nothing, if the work is more than N rewrites. A rewrite is one step of evaluating a rule.",
)


WAIT = click.option(
    "--wait",
    type=click.FloatRange(min=0),
    default=0,
    metavar="SECONDS",
    help="How long to wait if another process is writing to the store (default: 0, an error at once).",
)


class Means(TypedDict):
    """The options of a command that changes a store, as arguments of `graph_to_edit`."""

    strategy: Strategy
    budget: int | None
    most_made_terms: int | None
    most_rounds: int | None
    threads: int | None
    wait: float
    prefixes: dict[str, str]
    functions: list[Callable[..., Any]]


def effort(command: Command) -> Command:
    """Add the options that say how a command evaluates rules, and how much it may do.

    The command gets them as the arguments `strategy`, `budget`, `most_made_terms`, `most_rounds` and
    `threads`.
    """
    return STRATEGY(_BUDGET(limits(threads(command))))


def means(command: Command) -> Command:
    """Add the options of a command that changes a store.

    The command gets them as its arguments `how`, and `done` for --json and --verbose.
    """

    @functools.wraps(command)
    def command_with_means(*args: Any, as_json: bool, verbose: bool, **options: Any) -> Any:  # click passes by name
        how = {name: options.pop(name) for name in Means.__annotations__}
        return command(*args, how=how, done=ChangeReport(as_json=as_json, verbose=verbose), **options)

    return effort(cast(Command, WAIT(functions(shown_prefixes(as_json(verbose(command_with_means)))))))


class ChangeReport:
    """Prints what a command did, for people or programs, and how long that took since this object was made."""

    def __init__(self, *, as_json: bool, verbose: bool) -> None:
        self._begun = time.perf_counter()
        self._as_json, self._verbose = as_json, verbose

    @property
    def progress(self) -> Bars:
        """The progress of the command, for the methods of a graph."""
        from kgreason.cli.progress import Bars

        return Bars(self._verbose)

    @property
    def took(self) -> str:
        """How long the command has taken so far: `in 0.12 s`."""
        return f"in {time.perf_counter() - self._begun:.2f} s"

    def say(self, line: str, stats: Mapping[str, Any], values: dict[str, Any]) -> None:
        """Print `line`, which says what the command did, and then the size of the store from `stats`.

        With `-v` also print `values`. For programs (`--json`) print only `values`.
        """
        if not self._as_json:
            click.echo(line)
            triples = f"{stats['asserted']:,} asserted and {stats['inferred']:,} inferred triples"
            wrong = amount(stats["contradictions"], "contradiction") if stats["contradictions"] else "no contradictions"
            click.echo(f"the store has {triples}, and {wrong}")
        if self._as_json or self._verbose:
            print_table(values, as_json=self._as_json)


def amount(count: int, noun: str) -> str:
    """Return a count with its noun in the singular or plural: `1 triple`, `2 triples`."""
    return f"{count:,} {noun}{'s' * (count != 1)}"


def changes_text(values: Mapping[str, Any]) -> str:
    """Return a text that says how many triples appeared and disappeared in a commit. `values` are of `counters_of`."""
    return f"{amount(values['appeared'], 'triple')} appeared and {values['disappeared']:,} disappeared"


@contextmanager
def graph_to_edit(location: Place, *, prefixes: Mapping[str, str], **how: Any) -> Iterator[Graph]:
    """Give the block the graph of a store, so that the block changes the graph.

    After the block, print the warnings that are new, all contradictions, and how many validation results there are.
    `how` are arguments of `graph_at`.
    `prefixes` shorten the IRIs of contradictions. After Ctrl-C, raises KeyboardInterrupt with a text that says whether
    the change was made.
    """
    before: int | None = None
    try:
        with graph_at(location, **how) as graph:
            before = _last_commit(location, graph)
            told = set(graph.warnings)
            yield graph
            new = [warning for warning in graph.warnings if warning not in told]
            names = prefixes_of(graph, prefixes)
            warn([*short_warnings(new, names), *_violations(graph)], graph.contradictions(), prefixes=names)
    except KeyboardInterrupt:
        is_made = before is not None and _last_commit(location) != before
        perhaps = "may have been" if isinstance(location, Server) else "was"  # others edit the graph of a server
        state = f"the change {perhaps} made before that" if is_made else "nothing was changed"
        raise KeyboardInterrupt(f"interrupted; {state}") from None


def _violations(graph: Graph) -> list[str]:
    if not any(rule.file == SOURCE for rule in graph.own_rules()):
        return []
    count = len(graph.relation(RESULT, len(COLUMNS)))
    return [f"violations of shapes: {count:,}; `kgreason validate` shows them"] if count else []


def _last_commit(location: Place, graph: Graph | None = None) -> int:
    """Return the number of the last commit of a store. The result is 0 if the folder has no store.

    `graph` is the open graph of a server, or None. For a folder, `graph` is not used.
    """
    if isinstance(location, Server):
        if graph is not None:
            return graph.commit
        with graph_at(location) as again:
            return again.commit
    if not is_store(location):
        return 0
    with Folder(location, write=False) as folder:
        return folder.journal.last


def counters_of(delta: Delta) -> dict[str, Any]:
    """Return the counters of a commit by name: triples, asserted quads, and how the commit was evaluated."""
    work = delta.work
    return {
        "appeared": len(delta.appeared()),
        "disappeared": len(delta.disappeared()),
        "asserted": len(delta.quads(added=True)),
        "retracted": len(delta.quads(added=False)),
        "strategy": work.strategy,
        "switched": work.switched,
        "rewrites": work.rewrites,
        "rules_added": work.rules_added,
        "rules_removed": work.rules_removed,
    }
