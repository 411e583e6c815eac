"""What several commands take, and how they answer.

Where the store is (`-l`), whether a program reads the answer (`--json`), many files after one `-f`, the example at the
end of a help text, tables of names and values, warnings. Names are those of Oxigraph's own command line, so that what
one knows of the one is right for the other.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click

RULE_SETS = "rdfs, rhodf, owl2rl, none, or a file of rules; may be given several times"

location = click.option(
    "-l", "--location", required=True, type=click.Path(path_type=Path), metavar="STORE", help="The folder of the store."
)
as_json = click.option("--json", "as_json", is_flag=True, help="Answer in JSON.")
verbose = click.option(
    "-v", "--verbose", is_flag=True, help="Say on standard error what is done, and how long it took."
)
schema = click.option(
    "--schema",
    type=click.Choice(["axioms", "data"]),
    help="How the ontology is read: as axioms, translated to rules (the default), or as data, by generic rules.",
)


def example(*lines: str) -> str:
    """The end of a command's help."""
    return "\n".join(["\b", "Example:" if len(lines) == 1 else "Examples:", *(f"  {line}" for line in lines)])


def print_table(values: dict[str, Any], *, as_json: bool) -> None:
    """Print names and values, a line each, or as one JSON object."""
    if as_json:
        click.echo(json.dumps(values))
        return
    width = max(map(len, values), default=0)
    for name, value in values.items():
        click.echo(f"{name:<{width}}  {value:,}" if isinstance(value, int) else f"{name:<{width}}  {value}")


def warn(warnings: Iterable[str], contradictions: int) -> None:
    """Say on standard error what an ontology got wrong."""
    for warning in warnings:
        click.echo(f"kgreason: warning: {warning}", err=True)
    if contradictions:
        click.echo(f"kgreason: warning: contradictions: {contradictions:,}", err=True)


class FileList(click.Command):
    """A command whose `-f` takes all words up to the next option: `-f a b c` is `-f a -f b -f c`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse arguments, `-f` repeated for each file."""
        return super().parse_args(ctx, list(_repeated(args)))


def _repeated(args: list[str]) -> Iterator[str]:
    is_file = False
    for at, word in enumerate(args):
        is_option = word.startswith("-") and word != "-"
        if is_file and not is_option and args[at - 1] not in ("-f", "--file"):
            yield "-f"
        is_file = word in ("-f", "--file") or word.startswith("--file=") or (is_file and not is_option)
        yield word
