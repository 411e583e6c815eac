"""`kgreason revert`: takes a commit of a store back, as a new commit.

Invariant: a fact or rule that a later commit changed stays as it is, and a warning names it. Cost: that of a commit of
the same size.
"""

from __future__ import annotations

from pathlib import Path

import click

from kgreason.cli.edit.options import ChangeReport, Means, amount, changes_text, counters_of, graph_to_edit, means
from kgreason.cli.options import catalogue, example, warn, with_store
from kgreason.cli.places import Place

_SHOWN = 10
"""At most this many conflicts are told one by one."""


@click.command(epilog=example("kgreason revert -l store 7"))
@with_store
@click.argument("commit", type=click.IntRange(min=1))
@catalogue
@means
def revert(location: Place, commit: int, catalogue: Path | None, how: Means, done: ChangeReport) -> None:
    """Take COMMIT back, by its number in `kgreason log`. The store must keep its history (`load --history all`).

    The triples and rules that the commit added are removed. The triples and rules that it removed are added again. All
    that follows from them changes too. A triple or rule that a later commit changed stays as it is, and a warning names
    it (a conflict). --json prints the conflicts as well.
    """
    with graph_to_edit(location, **how, catalogue=catalogue) as graph:
        reverted = graph.revert(commit)
        stats = graph.stats()
    values = counters_of(reverted.delta) | {"conflicts": list(reverted.conflicts)}
    conflicts = len(reverted.conflicts)
    if reverted.delta.commit:
        done.say(f"took commit {commit:,} back {done.took}: {changes_text(values)}", stats, values)
    else:
        done.say(f"nothing changed {done.took}: nothing of commit {commit:,} is left to take back", stats, values)
    more = [f"and {amount(conflicts - _SHOWN, 'more conflict')}"] if conflicts > _SHOWN else []
    warn([*reverted.conflicts[:_SHOWN], *more])
