"""`--pipeline`: where a bulk load is worked out, in this process or on Spark.

`auto` takes this process while what it will need fits into the machine's memory: on one machine Spark takes several
times as long for the same data (docs/spark.md has the measurements), and needs less memory while it works.

Cost: looking at the sizes of files; Spark, and the Java that it runs on, are started only where they are used.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

import click

from kgreason.cli.options import Command
from kgreason.errors import InputError

Pipeline = Literal["auto", "local", "spark"]
OnError = Literal["raise", "count"]

_PACKED = 12
"""A compressed file is about this much larger when it is unpacked."""
_NEEDED = 4
"""An in-process load needs up to this many times the bytes of its N-Triples."""
_SHARE = 0.7
"""Of the machine's memory."""

_PIPELINE = click.option(
    "--pipeline",
    type=click.Choice(["auto", "local", "spark"]),
    default="auto",
    show_default=True,
    help="Work in this process or on Spark; auto takes Spark for what would not fit into memory.",
)
_LOCAL = "local[*]"
_MASTER = click.option(
    "--master",
    metavar="URL",
    help=f"Spark's master, or a Connect server, sc:// ({_LOCAL}).",
)


def _settings(_context: click.Context, _option: click.Parameter, words: tuple[str, ...]) -> dict[str, str]:
    """The settings that `KEY=VALUE` words are."""
    for word in words:
        if "=" not in word:
            raise click.BadParameter(f"{word}: is not KEY=VALUE")
    return dict(word.split("=", 1) for word in words)


_WORK = click.option(
    "--work",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Where Spark works, seen by driver and workers; what was broken off goes on there (a temporary folder).",
)
_SKIP = click.option("--skip-malformed", is_flag=True, help="Have Spark pass over malformed lines, and count them.")
_CONF = click.option(
    "--conf", multiple=True, callback=_settings, metavar="KEY=VALUE", help="A setting of Spark's; may be repeated."
)


def pipeline(command: Command) -> Command:
    """Where the work is done: `pipeline`; of Spark `master`, settings `conf`, folder `work`, and `skip_malformed`."""
    return _PIPELINE(_MASTER(_CONF(_WORK(_SKIP(command)))))


def is_for_spark(wanted: Pipeline, files: Sequence[str], **refused: object) -> bool:
    """Whether files are to go through Spark.

    Raises UsageError for options with a value that it does not take, InputError where PySpark is not installed.
    """
    if wanted == "auto" and not any(refused.values()) and "-" not in files and find_spec("pyspark") is not None:
        from kgreason.spark.start.session import memory

        return _bytes(files) * _NEEDED > memory() * _SHARE
    if wanted == "spark":
        names = [f"--{name}" for name, value in refused.items() if value]
        if names:
            raise click.UsageError(f"{', '.join(names)}: not with --pipeline spark")
        if "-" in files:
            raise click.UsageError("--pipeline spark reads files, not standard input")
        if find_spec("pyspark") is None:
            raise InputError("PySpark is not installed: pip install 'kgreason[spark]'")
    return wanted == "spark"


def refuse_settings(**settings: object) -> None:
    """Raise UsageError for settings of Spark's that have a value, where the work is done in this process."""
    if names := [f"--{name.replace('_', '-')}" for name, value in settings.items() if value]:
        raise click.UsageError(f"{', '.join(names)}: only with --pipeline spark")


def _bytes(files: Sequence[str]) -> int:
    """How large files are about, unpacked; what is no file here counts for nothing."""
    paths = [path for path in map(Path, files) if path.is_file()]
    return sum(path.stat().st_size * (_PACKED if path.suffix in (".gz", ".bz2", ".xz") else 1) for path in paths)


@contextmanager
def session(master: str | None, settings: dict[str, str], work: Path | None) -> Iterator[tuple[Any, str]]:
    """A Spark session for the time of a command, and the folder that it works in, which outlives it."""
    from kgreason.spark.pipeline import room
    from kgreason.spark.start.command import for_command

    with room(work) as folder, for_command(master or _LOCAL, **settings) as spark:
        yield spark, folder
