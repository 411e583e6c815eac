"""`kgreason unload`: the reverse of `load`, what files say is asserted no more.

What followed from it alone goes with it; what is entailed by the rest stays, as inferred. Blank nodes are those that
loading the same file made.

Invariant: all of it is done, or nothing. Cost: what it changes.
"""

from __future__ import annotations

from pathlib import Path

import click

from kgreason.cli.edit.options import Done, Means, amount, edited, means
from kgreason.cli.options import FileList, as_json, example, existing, verbose


@click.command(cls=FileList, epilog=example("kgreason unload -l store -f old.ttl data.nt.gz"))
@existing
@click.option("-f", "--file", "files", multiple=True, required=True, metavar="FILE...", help="RDF files; - is stdin.")
@click.option("--format", "syntax", metavar="NAME", help="The format of the files, where their suffix does not say it.")
@means
@as_json
@verbose
def unload(
    location: Path,
    files: tuple[str, ...],
    syntax: str | None,
    how: Means,
    as_json: bool,
    verbose: bool,
) -> None:
    """Take the triples of RDF files out of a store, and all that followed from them alone.

    A triple that still follows from others stays, as an inferred one. Says how many triples were taken out, how long it
    took and what the store has then; with -v and --json all counters. One of them is `missed`: the triples of the files
    that nobody had loaded or added. Where anything goes wrong, and on Ctrl-C, the store stays as it was.
    """
    from kgreason.cli.progress import Bars

    done, progress = Done(as_json=as_json, verbose=verbose), Bars(verbose)
    with edited(location, **how) as graph:
        before = graph.stats()["asserted"]
        stats = graph.unload(*files, syntax=syntax, progress=progress)
    line = f"unloaded {amount(before - stats['asserted'], 'triple')} {done.took}"
    if stats["missed"]:
        line += f"; {stats['missed']:,} more of the files had not been loaded"
    done.say(line, stats, stats)
