"""`kgreason update`: runs a SPARQL 1.1 Update on a store. The update may edit facts and axioms.

WHERE matches the materialized graph. DELETE retracts asserted quads only. A literal in DELETE stands for all spellings
that have its normal form. The command counts the quads to delete that stay because rules infer them.

Invariant: a request of several operations is carried out as a whole or not at all. Cost: proportional to what changes;
an operation that must see the result of earlier operations costs an evaluation of its own.
"""

from __future__ import annotations

from pathlib import Path

import click

from kgreason.cli.edit.options import ChangeReport, Means, amount, changes_text, counters_of, graph_to_edit, means
from kgreason.cli.options import (
    catalogue,
    example,
    number_warnings,
    text_and_name,
    update_request,
    warn,
    with_store,
)
from kgreason.cli.places import Place


@click.command(
    epilog=example(
        "kgreason update -l store --update 'INSERT DATA { <http://e/a> a <http://e/C> }'",
        "kgreason update -l store --update-file changes.ru",
    )
)
@with_store
@update_request
@catalogue
@means
def update(
    location: Place,
    text: str | None,
    file: Path | None,
    catalogue: Path | None,
    how: Means,
    done: ChangeReport,
) -> None:
    """Change a store by SPARQL Update. kgreason computes only what the update changes.

    The command prints how many quads it asserted and retracted, and how many triples appeared and disappeared. Only an
    asserted quad can be deleted. So the command prints how many of the quads to delete were not asserted, and how many
    stay because rules infer them. The update may use the prefixes of --prefix without declaring them. -v and --json
    print all counters. After an error or Ctrl-C the store stays as it was.
    """
    sparql, source = text_and_name(text, file, "update")
    with (
        graph_to_edit(location, **how, catalogue=catalogue) as graph,
        done.progress("updating"),
        number_warnings() as told,
    ):
        updated = graph.update(sparql, source, prefixes=how["prefixes"])
        stats = graph.stats()
    warn(told)
    values = counters_of(updated.delta) | {"unasserted": updated.unasserted, "entailed": updated.entailed}
    if not updated.delta and updated.unasserted:
        done.say(_no_change_line(updated.unasserted, updated.entailed, done.took), stats, values)
        return
    line = f"asserted {amount(values['asserted'], 'quad')} and retracted {values['retracted']:,} {done.took}: "
    line += changes_text(values)
    if updated.unasserted:
        line += f"; quads to delete that were not asserted: {updated.unasserted:,}"
    if updated.entailed:
        line += f"; quads to delete that stay because rules infer them: {updated.entailed:,}"
    done.say(line, stats, values)


def _no_change_line(unasserted: int, entailed: int, took: str) -> str:
    """Return the line that is printed if an update changed nothing. `took` says how long that took."""
    reasons = []
    if entailed:
        has = "quad to delete is" if entailed == 1 else "quads to delete are"
        reasons.append(f"{entailed:,} {has} inferred, so deleting has no effect")
    if missing := unasserted - entailed:
        reasons.append(f"{amount(missing, 'quad')} to delete {'is' if missing == 1 else 'are'} not in the store")
    return f"nothing changed {took}: {'; '.join(reasons)}"
