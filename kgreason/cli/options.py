"""Options and output that several commands share.

Options: the folder of the store (`-l`), JSON for programs (`--json`), many files after one `-f`, the text of an update.
Output: the example at the end of a help text, tables of names and values, warnings. Options have the names that
Oxigraph's own command line gives them.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar
from warnings import catch_warnings, simplefilter

import click

from kgreason.cli.places import PLACE, Place, require_folder, require_store, token_file
from kgreason.errors import InputError, NumberWarning
from kgreason.proofs.contradiction import Contradiction

Command = TypeVar("Command", bound=Callable[..., Any])
_MOST = 5
"""A command that changes a store shows at most this many contradictions one by one."""
STDIN = "<stdin>"
"""The name of standard input in messages."""
RULE_SETS = "rdfs, rhodf, owl2rl, owl2el, none, or a file of rules; may be given several times"


def integer(
    *names: str,
    help: str,  # noqa: A002 - as click names it
    least: int = 1,
    unit: str = "N",
    default: int | None = None,
) -> Callable[[Command], Command]:
    """Make an option for a whole number from `least` on, None without a `default`. A default is shown in the help."""
    type_ = click.IntRange(min=least)
    return click.option(*names, type=type_, default=default, show_default=True, metavar=unit, help=help)


def seconds(
    *names: str,
    help: str,  # noqa: A002
    default: float | None = None,
) -> Callable[[Command], Command]:
    """Make an option for a number of seconds above 0, None without a `default`. A default is shown in the help."""
    type_ = click.FloatRange(min=0, min_open=True)
    return click.option(*names, type=type_, default=default, show_default=True, metavar="SECONDS", help=help)


def location(command: Command) -> Command:
    """Add the options `-l`, which takes a folder or the address of a server, and `--token-file`."""
    return _with_place(command, "The folder of the store, or the address of a server: http://127.0.0.1:7878.")


def with_store(command: Command) -> Command:
    """Add the options of `location` to a command that needs a store: a folder must have one."""
    said = "The folder of the store, which must exist, or the address of a server: http://127.0.0.1:7878."
    return _with_place(command, said, callback=_check_store)


def _with_place(command: Command, said: str, **more: Any) -> Command:
    place = click.option("-l", "--location", required=True, type=PLACE, metavar="STORE", help=said, **more)
    return place(token_file(command))


def _check_store(_context: click.Context, _option: click.Parameter, place: Place) -> Place:
    return require_store(place)


def _folder(context: click.Context, _option: click.Parameter, path: Path) -> Path:
    place = PLACE.convert(str(path), None, None)
    require_store(place)
    return require_folder(place, context.command.name or "the command")


only_folder = click.option(
    "-l",
    "--location",
    required=True,
    metavar="STORE",
    callback=_folder,
    help="The folder of the store, which must exist.",
)
"""The option of a command that cannot ask a server."""
as_json = click.option("--json", "as_json", is_flag=True, help="Answer in JSON.")
verbose = click.option(
    "-v",
    "--verbose",
    is_flag=True,
    help="Print more: how long each stage of the work took, and after a change its counters.",
)
schema = click.option(
    "--schema",
    type=click.Choice(["axioms", "data"]),
    help="How the ontology is used. axioms: each axiom is translated to rules (the default). data: the axioms stay "
    "facts, which the rules of the rule set read.",
)
catalogue = click.option(
    "--catalogue",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Where to find documents for owl:imports, and rule sets for IMPORTS: a folder, an XML catalog "
    "(catalog-v001.xml) or a map (.json).",
)


on_contradiction = click.option(
    "--on-contradiction",
    type=click.Choice(["keep", "refuse"]),
    help="What happens when a change raises a contradiction. keep: the change is made, and a warning tells the "
    "contradiction (the default). refuse: the change is an error that names the contradiction, and nothing is changed. "
    "The store keeps this option for all later changes.",
)


on_violation = click.option(
    "--on-violation",
    type=click.Choice(["report", "refuse", "refuse-warnings", "refuse-all"]),
    help="What happens when a change violates SHACL shapes of the store. report: the change is made (the default). "
    "refuse: the change is an error that names the violation, and nothing is changed; warnings and infos are made. "
    "refuse-warnings, refuse-all: these are refused, too. The store keeps this option for all later changes.",
)


def _history(_context: click.Context, _option: click.Parameter, text: str | None) -> str | int | None:
    return int(text) if text is not None and text.isascii() and text.isdigit() else text


history = click.option(
    "--history",
    metavar="all|none|N|Nd",
    callback=_history,
    help="Which commits the store keeps for `kgreason log`, `revert` and --as-of: all, none (the default), at least "
    "the last N, or at least those of the last N days (as 90d). The store keeps this option for all later changes.",
)


def limits(command: Command) -> Command:
    """Add the options --most-made-terms and --most-rounds to a command that evaluates rules."""
    terms = integer(
        "--most-made-terms",
        help="Stop, and change nothing, if recursion through BIND makes more than N terms (default: 10^6).",
    )
    rounds = integer(
        "--most-rounds",
        help="Stop, and change nothing, if recursion through BIND, MIN or MAX takes more than N rounds (default: "
        "10,000).",
    )
    return terms(rounds(command))


threads = integer(
    "--threads",
    help="How many threads may share the work (default: KGREASON_THREADS, or else all CPUs). The results are the same "
    "for any number.",
)


def _import_all(_context: click.Context, _option: click.Parameter, names: tuple[str, ...]) -> list[Callable[..., Any]]:
    """Import the modules that --functions names, and return their Python functions."""
    if not names:
        return []
    from kgreason.functions.registry import load

    return [function for name in names for function in load(name)]


functions = click.option(
    "--functions",
    multiple=True,
    metavar="MODULE",
    callback=_import_all,
    help="A Python module, or its file, with functions that rules call; may be given several times.",
)


def rdf_files(command: Command) -> Command:
    """Add the options -f and --format to a command that reads RDF files."""
    command = click.option(
        "--format", "syntax", metavar="NAME", help="The format of the files, if their suffix does not say it."
    )(command)
    return click.option(
        "-f",
        "--file",
        "files",
        multiple=True,
        required=True,
        metavar="FILE...",
        help="RDF files; - is standard input, and needs --format.",
    )(command)


def equality(command: Command) -> Command:
    """Add the options that say how terms that owl:sameAs makes equal are shown."""
    mode = click.option(
        "--same-as",
        type=click.Choice(["aliases", "representatives", "rules"]),
        help="How terms that owl:sameAs makes equal are shown. aliases: each triple for each of the equal terms (the "
        "default). representatives: each triple for one of the equal terms. rules: by the rules of the W3C alone.",
    )
    budget = integer(
        "--aliases",
        least=0,
        unit="ROWS",
        help="With aliases: one group of equal terms may need this many triples (default: 10^6). A larger group is "
        "shown by one of its terms.",
    )
    return mode(budget(command))


def update_request(command: Command) -> Command:
    """Add the options of a SPARQL Update. The command gets the update as `text` or as `file`; see `text_and_name`."""
    text = click.option(
        "-u",
        "--update",
        "text",
        metavar="UPDATE",
        help="The SPARQL Update. Without -u and --update-file it is read from standard input.",
    )
    file = click.option(
        "--update-file", "file", type=click.Path(path_type=Path), metavar="FILE", help="A file with the update."
    )
    return text(file(command))


def text_and_name(text: str | None, file: Path | None, option: str) -> tuple[str, str]:
    """Return the text that a command needs, and the name of the text in messages.

    `option` is the name of an option, such as "update": `text` is the value of `--update`, and `file` the value of
    `--update-file`. If both are None or the file is `-`, the text is read from standard input.
    """
    if text is not None and file is not None:
        raise click.UsageError(f"give --{option} or --{option}-file, not both")
    if text is not None:
        return text, f"<{option}>"
    if file is None or is_stdin(file):
        return stdin_text(f"the {option}", f"--{option}"), STDIN
    try:
        return file.read_text("utf-8-sig"), str(file)
    except UnicodeDecodeError as error:
        raise InputError(f"{file}: is not UTF-8 text") from error


def is_stdin(file: object) -> bool:
    """Whether a file on a command line is standard input: `-`."""
    return str(file) == "-"


def stdin_text(what: str, instead: str) -> str:
    """Read the text of standard input. Raises InputError.

    `what` is the name of the text in messages. `instead` is the option that takes the same text.
    """
    wait_for_stdin(what, f" {instead} gives it on the command line.")
    try:
        return sys.stdin.read()
    except UnicodeDecodeError as error:
        raise InputError(f"{STDIN}: is not UTF-8 text") from error


def wait_for_stdin(what: str, hint: str = "") -> None:
    """If standard input is a terminal, say that the command waits for the input `what`, and give the `hint`."""
    if sys.stdin.isatty():
        click.echo(f"kgreason: reading {what} from the terminal; end it with Ctrl-D.{hint}", err=True)


def check_stdin(files: Iterable[str], syntax: str | None) -> None:
    """If one of the RDF files is standard input, say that the command waits for it.

    Raises InputError if standard input is read and no format is given.
    """
    if any(map(is_stdin, files)):
        if syntax is None:
            raise InputError("standard input has no suffix: name its RDF format, for example --format ttl")
        wait_for_stdin("RDF")


def example(*lines: str) -> str:
    """Make the examples at the end of a command's help."""
    return "\n".join(["\b", "Example:" if len(lines) == 1 else "Examples:", *(f"  {line}" for line in lines)])


def print_table(values: dict[str, Any], *, as_json: bool) -> None:
    """Print each name and its value on a line of its own. With `as_json` print all as one JSON object."""
    if as_json:
        click.echo(json.dumps(values))
        return
    width = max(map(len, values), default=0)
    for name, value in values.items():
        click.echo(f"{name:<{width}}  {text_of(value)}")


def text_of(value: object) -> str:
    """Return a value of a table as text. A dict is one of seconds by part."""
    if isinstance(value, dict):
        return ", ".join(f"{name} {seconds:.3f} s" for name, seconds in value.items())
    return f"{value:,}" if type(value) is int else str(value)


@contextmanager
def number_warnings() -> Iterator[list[str]]:
    """Collect the warnings that a query or an update of the block may be inexact, in place of Python's own output."""
    told: list[str] = []
    with catch_warnings(record=True) as caught:
        simplefilter("always", NumberWarning)
        yield told
    told += dict.fromkeys(str(each.message) for each in caught if isinstance(each.message, NumberWarning))


def warn(
    warnings: Iterable[str],
    contradictions: Sequence[Contradiction] = (),
    *,
    count: int | None = None,
    prefixes: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Print on standard error the warnings, the number of contradictions, and the first `_MOST` contradictions.

    Pass `count` if only the number of contradictions is known. `prefixes` shorten the IRIs of contradictions.
    """
    count = len(contradictions) if count is None else count
    found = [f"contradictions: {count:,}"] if count else []
    found += (each.to_text(prefixes) if prefixes else str(each) for each in contradictions[:_MOST])
    if len(contradictions) > _MOST:
        found.append(f"and {len(contradictions) - _MOST:,} more; `kgreason check` shows them by their causes")
    for warning in (*warnings, *found):
        click.echo(f"kgreason: warning: {warning}", err=True)


class FileList(click.Command):
    """A command whose `-f`, or `--remove`, takes all words up to the next option: `-f a b` is `-f a -f b`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Repeat the option before each further file, and then parse the arguments."""
        return super().parse_args(ctx, list(_repeat_options(args)))


def _repeat_options(args: list[str]) -> Iterator[str]:
    option, is_value = "", False
    for word in args:
        if word.startswith("-") and word != "-":
            option, value = next(((flag, word[len(flag) :]) for flag in _MANY if _is_option(flag, word)), ("", ""))
            is_value = not value
        elif option and not is_value:
            yield option
        else:
            is_value = False
        yield word


_MANY = ("-f", "--file", "--remove", "--data")
"""The options that take many files."""


def _is_option(flag: str, word: str) -> bool:
    """Whether a word of a command line is the option `flag`, with or without its value (`--file=a.nt`)."""
    return word == flag or word.startswith(f"{flag}=")
