"""The command line as tests call it: in this process, or as a process of its own."""

from __future__ import annotations

import csv
import io
import os
import subprocess
import sys
from pathlib import Path

from click.testing import CliRunner, Result

from kgreason.cli.commands import main

PROGRAM = (sys.executable, "-c", "from kgreason.cli import main; main(prog_name='kgreason')")


def call(*arguments: object, stdin: str | bytes | None = None) -> Result:
    """Run a command line in this process."""
    return CliRunner().invoke(main, [str(argument) for argument in arguments], input=stdin, prog_name="kgreason")


def succeed(*arguments: object, stdin: str | bytes | None = None) -> str:
    """What a command line that goes well prints."""
    result = call(*arguments, stdin=stdin)
    assert result.exit_code == 0, result.output
    return result.stdout


def error_of(*arguments: object, stdin: str | bytes | None = None, status: int = 1) -> str:
    """The one line that a command line which fails says, without `kgreason: `."""
    result = call(*arguments, stdin=stdin)
    assert result.exit_code == status, result.output
    assert not result.stdout
    return message(result.stderr)


def message(stderr: str) -> str:
    """The one line of standard error, without `kgreason: `."""
    [line] = stderr.splitlines()
    assert line.startswith("kgreason: ")
    return line.removeprefix("kgreason: ")


def start(*arguments: object, **more: object) -> subprocess.Popen[str]:
    """Start a command line as a process of its own; standard output and error are pipes unless said otherwise."""
    options: dict[str, object] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True} | more
    return subprocess.Popen([*PROGRAM, *map(str, arguments)], **options)  # type: ignore[call-overload, no-any-return]


def answers(store: Path, sparql: str) -> set[tuple[str, ...]]:
    """The answers of a SELECT query."""
    _, *rows = csv.reader(io.StringIO(succeed("query", "-l", store, "--query", sparql, "--results-format", "csv")))
    return {tuple(row) for row in rows}


def triples(store: Path, *options: str) -> set[str]:
    """The lines of a dump."""
    return set(succeed("dump", "-l", store, *options).splitlines())


def files(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, Oxigraph's own aside: it writes to some of them when it is opened."""
    found = (path for path in folder.rglob("*") if path.is_file() and "oxigraph" not in path.parts)
    return {os.fspath(path.relative_to(folder)): path.read_bytes() for path in found}
