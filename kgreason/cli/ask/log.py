"""`kgreason log`: lists the commits of a store that keeps its history, or prints what changed between two of them.

Cost: reading the heads of the commits; with `--diff` the commits between the two. The engine does not start.
"""

from __future__ import annotations

import json

import click

from kgreason.cli.notation import prefixes, shorten
from kgreason.cli.options import as_json, example, integer, with_store
from kgreason.cli.places import Place, graph_at
from kgreason.store.history.entry import Head

_TITLE = (
    f"{'commit':>6}  {'time':<20}  {'appeared':>10}  {'asserted':>10}  {'disappeared':>11}  {'asserted':>10}  rules"
)


@click.command(
    epilog=example(
        "kgreason log -l store",
        "kgreason log -l store --limit 5 --json",
        "kgreason log -l store --diff 3 7",
    )
)
@with_store
@integer("--limit", least=0, help="List the last N commits only.")
@click.option(
    "--diff",
    "pair",
    type=(click.IntRange(min=0), click.IntRange(min=0)),
    metavar="M N",
    help="Print what changed from commit M to commit N, as an RDF Patch.",
)
@prefixes
@as_json
def log(
    location: Place, limit: int | None, pair: tuple[int, int] | None, prefixes: dict[str, str], as_json: bool
) -> None:
    """List the commits of a store that keeps its history (`load --history all`), the newest first.

    Each line has the number of a commit, its time (UTC), how many triples appeared and how many of these were asserted,
    the same for the triples that disappeared, how many of your rules were added and removed, the author and the headers
    of the commit. --json prints all that is known of each commit.

    --diff M N prints what changed from commit M to commit N, as an RDF Patch. N may be the earlier commit. Comments
    tell the rules that were added and removed.
    """
    with graph_at(location, read_only=True) as graph:
        if pair is not None:
            delta = graph.changes(*pair)
            if as_json:
                click.echo(json.dumps(delta.to_json()))
                return
            for sign, text in delta.rules:
                lines = shorten(text.strip(), prefixes).replace("\n", "\n#   ")
                click.echo(f"# rule {'added' if sign > 0 else 'removed'}: {lines}")
            click.echo(shorten(delta.to_patch(), prefixes), nl=False)
            return
        heads = graph.log(limit)
    if as_json:
        click.echo(json.dumps([head.to_json() for head in heads]))
    elif heads:
        click.echo(_TITLE)
        for head in heads:
            click.echo(_line(head))


def _line(head: Head) -> str:
    come, gone = (sum(count) for count in (head.appeared, head.disappeared))
    signs = [sign for sign, _ in head.rules]
    rules = " ".join(f"{mark}{signs.count(sign)}" for mark, sign in (("+", 1), ("-", -1)) if sign in signs)
    numbers = f"{come:>10,}  {head.appeared.asserted:>10,}  {gone:>11,}  {head.disappeared.asserted:>10,}"
    headers = "; ".join(f"{name}: {text}" for name, text in head.headers.items())
    author = f"by {head.author}" if head.author else ""
    time = head.time[:19].replace("T", " ")
    return f"{head.commit:>6}  {time:<20}  {numbers}  {rules:<5}  {'; '.join(filter(None, (author, headers)))}".rstrip()
