"""The command-line reference: a section for each command, made of what its `--help` says."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

import click

from kgreason.cli.commands import main


def page(introduction: str) -> str:
    """The page: what its file says, then every command in the order of `kgreason --help`."""
    return "\n".join([introduction, *(line for path, command in commands() for line in _section(path, command))])


def commands(group: click.Group = main, path: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    """Every command with the words that call it; those of a group stand in the group's place."""
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        else:
            yield " ".join(("kgreason", *path, name)), command


def _section(path: str, command: click.Command) -> Iterator[str]:
    context = click.Context(command, info_name=path)
    yield from (f"## {path}", "", inspect.cleandoc(command.help or ""), "")
    yield from ("```text", " ".join([path, *command.collect_usage_pieces(context)]), "```", "")
    records = [record for parameter in command.get_params(context) if (record := parameter.get_help_record(context))]
    yield from ("| option | what it does |", "|---|---|")
    yield from (f"| `{_cell(name)}` | {_escaped(_cell(text))} |" for name, text in records)
    yield ""
    for title, lines in _blocks(command.epilog or ""):
        yield from (f"{title}:", "", f"```{'sh' if title.startswith('Example') else 'text'}", *lines, "```", "")


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _escaped(text: str) -> str:
    """Text in which neither stars nor angle brackets mean anything."""
    return re.sub(r"([*<>_])", r"\\\1", text)


def _blocks(epilog: str) -> Iterator[tuple[str, list[str]]]:
    """The blocks of an epilog, each with its title: the examples, and what a command explains besides."""
    for block in filter(None, (part.strip() for part in epilog.split("\b"))):
        title, *lines = block.splitlines()
        yield title.rstrip(":"), [line.strip() for line in lines if line.strip()]
