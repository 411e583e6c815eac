"""`kgreason watch`: prints what every commit of another process changes, as an RDF Patch.

The command reads the files of the store while the other process writes, without a lock (`Follower`). The header of a
patch has the number of the commit, and the rules that were added and removed. The rows of a patch are the triples that
appeared and disappeared, asserted or inferred. All patches since commit 0 (`--from 0`), applied in order, give the
graph.

For a store that a server holds, the command asks the server for the commits (`client.stream`).

Cost: the memory of a graph without its store. While nothing happens, two files are looked at five times a second.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from kgreason.cli.notation import shorten, shown_prefixes
from kgreason.cli.options import example, functions, integer, verbose, with_store
from kgreason.cli.places import Place, Server, graph_at

if TYPE_CHECKING:
    from kgreason.client.graph import RemoteGraph
    from kgreason.progress import Progress
    from kgreason.store.journal.record import Record

_PAUSE = 0.2
"""Seconds between two looks at the files."""


@click.command(epilog=example("kgreason watch -l store", "kgreason watch -l store --from 0 --once"))
@with_store
@integer(
    "--from",
    "after",
    least=0,
    help="Show the commits after commit N. --from 0 shows the whole graph first. Without --from: only commits to come.",
)
@click.option("--once", is_flag=True, help="Stop when everything so far is shown.")
@functions
@verbose
@shown_prefixes
def watch(
    location: Place,
    after: int | None,
    once: bool,
    functions: list[Callable[..., Any]],
    verbose: bool,
    prefixes: dict[str, str],
) -> None:
    """Show what each commit to a store changes, as RDF Patches, while another process edits it.

    A line `A s p o .` is a triple that appeared. A line `D s p o .` is a triple that disappeared. Several commits can
    be one patch, if they came too fast or if one of them was a large load. Ctrl-C ends the command. With --prefix the
    lines are easier to read, but they are no RDF Patch any more.
    """
    from kgreason.cli.progress import Bars

    if isinstance(location, Server):
        records = _server_records(location, after, functions, once=once)
    else:
        records = _folder_records(location, after, functions, Bars(verbose), once=once)
    for record in records:
        patch = record.patch()
        sys.stdout.buffer.write(shorten(patch.decode(), prefixes).encode() if prefixes else patch)
        sys.stdout.buffer.flush()


def _folder_records(
    path: Path, after: int | None, functions: list[Callable[..., Any]], progress: Progress, *, once: bool
) -> Iterator[Record]:
    """Yield a record for each commit that another process writes to the folder of a store, after the commit `after`.

    `after` is as for `Follower`. With `once`, stop after the commits that the store has now; otherwise never stop.
    """
    from kgreason.graph.changes.follower import Follower

    with progress("reading"):
        follower = Follower(path, after, functions)
    while True:
        yield from follower.read()
        if once:
            return
        time.sleep(_PAUSE)


def _server_records(
    place: Server, after: int | None, functions: list[Callable[..., Any]], *, once: bool
) -> Iterator[Record]:
    """Yield a record for each commit of a server, after the commit `after`.

    If `after` is None, begin with the next commit. If `after` is 0, the first record has the whole graph. With `once`,
    stop after the commits that the server has now; otherwise never stop.
    """
    from kgreason.graph.changes.relations import signed_facts
    from kgreason.store.journal.record import Record

    with graph_at(place, functions=functions) as found:
        graph = cast("RemoteGraph", found)
        if after == 0:
            whole = _record_of_all(graph)
            after = whole.commit
            if after:
                yield whole
        last = graph.commit
        if once and last == (last if after is None else after):
            return
        with graph.subscribe(after) as deltas:
            for delta in deltas:
                facts = signed_facts(delta.change.facts, delta.dictionary, delta.declared)
                told = Record(delta.commit, delta.removed, delta.added, delta.rules, facts)
                yield replace(told, time=delta.time, author=delta.author)
                if once and delta.commit >= last:
                    return


def _record_of_all(graph: RemoteGraph) -> Record:
    """Return a record that adds all triples, quads and facts of a graph; its number is that of the last commit."""
    from kgreason.store.journal.record import Record

    while True:
        commit = graph.commit
        added = b"".join(graph.dump(graphs=True))
        facts = tuple((1, text) for text in sorted(graph.dump_relations()))
        if graph.commit == commit:
            return Record(commit, b"", added, facts=facts)
