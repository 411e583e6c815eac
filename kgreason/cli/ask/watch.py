"""`kgreason watch`: prints what every commit of another process changes, as an RDF Patch.

The command reads the files of the store while the other process writes, without a lock (`Follower`). The header of a
patch has the number of the commit, and the rules that were added and removed. The rows of a patch are the triples that
appeared and disappeared, asserted or inferred. All patches, applied in order, give the graph.

Cost: the memory of a graph without its store. While nothing happens, two files are looked at five times a second.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from kgreason.cli.notation import shortened, shown_prefixes
from kgreason.cli.options import example, existing, functions, verbose

_PAUSE = 0.2
"""Seconds between two looks at the files."""


@click.command(epilog=example("kgreason watch -l store", "kgreason watch -l store --from 0 --once"))
@existing
@click.option(
    "--from",
    "after",
    type=click.IntRange(min=0),
    metavar="N",
    help="Show the commits after commit N. --from 0 shows the whole graph first. Without --from: only commits to come.",
)
@click.option("--once", is_flag=True, help="Stop when everything so far is shown.")
@functions
@verbose
@shown_prefixes
def watch(
    location: Path,
    after: int | None,
    once: bool,
    functions: list[Callable[..., Any]],
    verbose: bool,
    prefixes: dict[str, str],
) -> None:
    """Show what each commit to a store changes, as RDF Patches, while another process edits it.

    An A row is a triple that appeared, a D row is a triple that disappeared. Several commits can be one patch, if they
    came too fast or if one of them was a large load. Ctrl-C ends the command. With --prefix the rows are easier to
    read, but they are no RDF Patch any more.
    """
    from kgreason.cli.progress import Bars
    from kgreason.graph.changes.follower import Follower

    progress = Bars(verbose)
    with progress("reading"):
        follower = Follower(location, after, functions)
    while True:
        for record in follower.read():
            patch = record.patch()
            sys.stdout.buffer.write(shortened(patch.decode(), prefixes).encode() if prefixes else patch)
            sys.stdout.buffer.flush()
        if once:
            return
        time.sleep(_PAUSE)
