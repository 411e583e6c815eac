"""What several commands take, and how they answer.

Where the store is (`-l`), whether a program reads the answer (`--json`), many files after one `-f`, the text of an
update, the example at the end of a help text, tables of names and values, warnings. Names are those of Oxigraph's own
command line, so that what one knows of the one is right for the other.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from kgreason.errors import InputError
from kgreason.proofs.contradiction import Contradiction
from kgreason.store.folder import is_store, no_store

Command = TypeVar("Command", bound=Callable[..., Any])
_MOST = 5
"""The contradictions that a command which changes a store shows one by one."""
RULE_SETS = "rdfs, rhodf, owl2rl, none, or a file of rules; may be given several times"

location = click.option(
    "-l", "--location", required=True, type=click.Path(path_type=Path), metavar="STORE", help="The folder of the store."
)


def there(path: Path) -> Path:
    """The folder of a store, which has to be there. Raises StoreError."""
    if not is_store(path):
        raise no_store(path)
    return path


def _existing(_context: click.Context, _option: click.Parameter, path: Path) -> Path:
    return there(path)


existing = click.option(
    "-l",
    "--location",
    required=True,
    type=click.Path(path_type=Path),
    metavar="STORE",
    callback=_existing,
    help="The folder of the store, which has to be there.",
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
catalogue = click.option(
    "--catalogue",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Where the documents of owl:imports are: a folder, an XML catalog (catalog-v001.xml) or a map (.json).",
)


def equality(command: Command) -> Command:
    """How terms that owl:sameAs makes one are shown."""
    mode = click.option(
        "--same-as",
        type=click.Choice(["aliases", "representatives", "rules"]),
        help="What stands for equal terms: each of them (the default), one of them, or the plain rules of the W3C.",
    )
    budget = click.option(
        "--aliases", type=click.IntRange(min=0), metavar="ROWS", help="The rows that equal terms may stand for (10^6)."
    )
    return mode(budget(command))


def request(command: Command) -> Command:
    """A SPARQL Update, as `text` or as `file`; see `given`."""
    text = click.option("-u", "--update", "text", metavar="UPDATE", help="The SPARQL Update; without both, from stdin.")
    file = click.option(
        "--update-file", "file", type=click.Path(path_type=Path), metavar="FILE", help="The file that has the update."
    )
    return text(file(command))


def given(text: str | None, file: Path | None, option: str) -> tuple[str, str]:
    """A text that stands in an option, in the file that `option-file` names or else on stdin; and what it is called."""
    if text is not None and file is not None:
        raise click.UsageError(f"--{option} and --{option}-file exclude each other")
    if text is not None:
        return text, f"<{option}>"
    try:
        return (file.read_text("utf-8-sig"), str(file)) if file else (sys.stdin.read(), "<stdin>")
    except UnicodeDecodeError as error:
        raise InputError(f"{file or '<stdin>'}: is not UTF-8 text") from error


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
        click.echo(f"{name:<{width}}  {value:,}" if type(value) is int else f"{name:<{width}}  {value}")


def warn(warnings: Iterable[str], contradictions: Sequence[Contradiction] = (), *, count: int | None = None) -> None:
    """Say on standard error what an ontology got wrong: warnings, how many contradictions, and the first of them.

    `count` is how many there are, where they are not known one by one.
    """
    count = len(contradictions) if count is None else count
    found = [f"contradictions: {count:,}"] if count else []
    found += map(str, contradictions[:_MOST])
    if len(contradictions) > _MOST:
        found.append(f"and {len(contradictions) - _MOST:,} more; `kgreason check` shows all")
    for warning in (*warnings, *found):
        click.echo(f"kgreason: warning: {warning}", err=True)


class FileList(click.Command):
    """A command whose `-f`, or `--remove`, takes all words up to the next option: `-f a b` is `-f a -f b`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse arguments, the option repeated for each file."""
        return super().parse_args(ctx, list(_repeated(args)))


def _repeated(args: list[str]) -> Iterator[str]:
    option, is_value = "", False
    for word in args:
        if word.startswith("-") and word != "-":
            option, value = next(((flag, word[len(flag) :]) for flag in _MANY if _names(flag, word)), ("", ""))
            is_value = not value
        elif option and not is_value:
            yield option
        else:
            is_value = False
        yield word


_MANY = ("-f", "--file", "--remove")
"""The options that take many files."""


def _names(flag: str, word: str) -> bool:
    """Whether a word is an option, or that option with its value."""
    return word == flag or word.startswith(f"{flag}=")
