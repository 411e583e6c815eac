"""`kgreason watch`: what every commit changes, as RDF Patch, as soon as another process has made it.

It reads the files of the store beside the writer, without a lock (`Follower`). A patch has the number of its commit,
and the rules that were added and removed, in its header; its rows are what came and went, asserted or inferred.
Applied in their order, patches give the graph.

Cost: the memory of a graph without its store; a look at two files five times a second while nothing happens.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import click

from kgreason.cli.options import example, existing, verbose

_PAUSE = 0.2
"""Seconds between two looks."""


@click.command(epilog=example("kgreason watch -l store", "kgreason watch -l store --from 0 --once"))
@existing
@click.option(
    "--from",
    "after",
    type=click.IntRange(min=0),
    metavar="N",
    help="The commit after which to begin; 0 shows the graph first. From now on without it.",
)
@click.option("--once", is_flag=True, help="Stop once there is no more to show.")
@verbose
def watch(location: Path, after: int | None, once: bool, verbose: bool) -> None:
    """Show what each commit to a store changes, as RDF Patches, while another process edits it.

    D rows went, A rows came. Commits that came too fast, or as a large load, are one patch. Ends with Ctrl-C.
    """
    from kgreason.cli.progress import Bars
    from kgreason.graph.changes.follower import Follower

    progress = Bars(verbose)
    with progress("reading"):
        follower = Follower(location, after)
    while True:
        for record in follower.read():
            sys.stdout.buffer.write(record.patch())
            sys.stdout.buffer.flush()
        if once:
            return
        time.sleep(_PAUSE)
