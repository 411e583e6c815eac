"""`kgreason unload`: the reverse of `load`. It retracts the triples of files.

A retracted triple stays as an inferred one if other triples still entail it. Inferred triples disappear if nothing else
entails them. A blank node in a file is the node that was made when the same file was loaded.

Invariant: the whole edit is done, or nothing. Cost: proportional to what changes.
"""

from __future__ import annotations

from pathlib import Path

import click

from kgreason.cli.edit.options import ChangeReport, Means, amount, graph_to_edit, means
from kgreason.cli.options import FileList, catalogue, check_stdin, example, rdf_files, with_store
from kgreason.cli.places import Place


@click.command(cls=FileList, epilog=example("kgreason unload -l store -f old.ttl data.nt.gz"))
@with_store
@rdf_files
@catalogue
@means
def unload(
    location: Place,
    files: tuple[str, ...],
    syntax: str | None,
    catalogue: Path | None,
    how: Means,
    done: ChangeReport,
) -> None:
    """Take the triples of RDF files out of a store, and the triples that follow only from them.

    A triple that other triples still entail stays, as an inferred one. The command prints how many triples it took out,
    how long that took, and how many triples the store has now. -v and --json print all counters. The counter `missed`
    is the number of triples of the files that the store did not assert. After an error or Ctrl-C the store stays as it
    was.
    """
    check_stdin(files, syntax)
    with graph_to_edit(location, catalogue=catalogue, **how) as graph:
        before = graph.stats()["asserted"]
        stats = graph.unload(*files, syntax=syntax, progress=done.progress)
    line = f"unloaded {amount(before - stats['asserted'], 'triple')} {done.took}"
    if stats["missed"]:
        are = "is" if stats["missed"] == 1 else "are"
        other = "other triple" if before != stats["asserted"] else "triple"
        line += f"; {amount(stats['missed'], other)} of the files {are} not asserted in the store"
    done.say(line, stats, stats)
