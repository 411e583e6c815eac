"""`kgreason profile load`: loads files into a store that is removed afterwards, and draws where the time went.

    read         0.61 s   29%  ██████████████
    evaluate     0.82 s   39%  ███████████████████
    ...
    all          2.12 s

Invariant: the parts do not overlap, and `other` is what they leave of the whole. So all lines add up to the whole.

Cost: that of loading the files. The store is in the folder for temporary files.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from kgreason.cli.options import RULE_SETS, as_json, catalogue, check_stdin, equality, example, schema, threads, verbose
from kgreason.options import SameAsMode, SchemaMode

_WIDTH = 50
"""The number of characters of a bar for the whole time."""


@click.command(
    "load",
    short_help="Show where the time of loading files goes.",
    epilog=example("kgreason profile load ontology.ttl data.nt.gz --rules owl2rl"),
)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--rules", multiple=True, default=["owl2rl"], metavar="RULES", help=f"{RULE_SETS} (default: owl2rl).")
@click.option("--format", "syntax", metavar="NAME", help="The format of the files, if their suffix does not say it.")
@schema
@equality
@catalogue
@threads
@as_json
@verbose
def load_profile(
    files: tuple[str, ...],
    rules: tuple[str, ...],
    syntax: str | None,
    schema: SchemaMode | None,
    same_as: SameAsMode | None,
    aliases: int | None,
    catalogue: Path | None,
    threads: int | None,
    as_json: bool,
    verbose: bool,
) -> None:
    """Load RDF files into a temporary store, show where the time went and how much memory was needed, and remove it.

    The parts do not overlap: while other threads work, the part that waits for them counts. `store` is the time that
    Oxigraph needs beyond the evaluation of the rules and the snapshot, which run meanwhile. `kgreason stats` shows the
    same parts for the last commit of a store.
    """
    from kgreason.cli.progress import Bars
    from kgreason.graph.knowledge_graph import KnowledgeGraph

    check_stdin(files, syntax)
    how: dict[str, Any] = {"rules": rules, "schema": schema, "same_as": same_as, "aliases": aliases, "threads": threads}
    with (
        tempfile.TemporaryDirectory(prefix="kgreason-") as folder,
        KnowledgeGraph.open(Path(folder, "store"), catalogue=catalogue, **how) as graph,
    ):
        loaded = graph.load(*files, syntax=syntax, progress=Bars(verbose))
    if as_json:
        names = "asserted", "inferred", "seconds", "seconds_by_part", "peak_bytes"
        click.echo(json.dumps({name: loaded[name] for name in names}))
    else:
        click.echo("\n".join(bars(loaded["seconds_by_part"], loaded["seconds"])))
        click.echo(f"{loaded['facts']:,} triples, and at most {loaded['peak_bytes'] / 1e6:,.0f} MB of memory")


def bars(parts: Mapping[str, float], whole: float) -> Iterator[str]:
    """Draw the seconds of parts of some work as lines with bars. `whole` are the seconds of the work."""
    shown = {**parts, "other": max(whole - sum(parts.values()), 0)}
    block, all_ = "█" if (sys.stdout.encoding or "").lower().startswith("utf") else "#", whole or 1
    for name, seconds in shown.items():
        bar = block * round(_WIDTH * seconds / all_)
        yield f"{name:<9} {seconds:9.3f} s {seconds / all_:5.0%}  {bar}".rstrip()
    yield f"{'all':<9} {whole:9.3f} s"
