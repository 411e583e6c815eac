"""`--pipeline`: chooses where a bulk load runs, in this process or on Spark.

`choice` says when `auto` takes Spark.

Cost: the sizes of the files are looked up. Spark, and the Java that it runs on, start only if they are used.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

import click

from kgreason.cli.bulk.choice import is_spark_faster
from kgreason.cli.options import Command
from kgreason.errors import InputError

Pipeline = Literal["auto", "local", "spark"]
OnError = Literal["raise", "count"]

_PIPELINE = click.option(
    "--pipeline",
    type=click.Choice(["auto", "local", "spark"]),
    default="auto",
    show_default=True,
    help="Work in this process or on Spark; auto takes Spark for a closure in files that would not fit into memory.",
)
_LOCAL = "local[*]"
_MASTER = click.option(
    "--master",
    metavar="URL",
    help=f"The Spark master, or a Spark Connect server, sc://... (default: {_LOCAL}).",
)


def _settings(_context: click.Context, _option: click.Parameter, words: tuple[str, ...]) -> dict[str, str]:
    for word in words:
        if "=" not in word:
            raise click.BadParameter(f"write KEY=VALUE; got {word}")
    return dict(word.split("=", 1) for word in words)


_WORK = click.option(
    "--work",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="The work folder of Spark, seen by driver and workers. A second run goes on where the first one was stopped "
    "(default: a temporary folder).",
)
_SKIP = click.option(
    "--skip-malformed",
    is_flag=True,
    help="Leave out malformed lines of N-Triples and N-Quads, and say how many they are and where.",
)
_CONF = click.option(
    "--conf",
    multiple=True,
    callback=_settings,
    metavar="KEY=VALUE",
    help="A Spark setting; may be given several times.",
)


def pipeline(command: Command) -> Command:
    """Add the options `--pipeline` and `--skip-malformed`, and those of Spark: `--master`, `--conf` and `--work`."""
    return _PIPELINE(_MASTER(_CONF(_WORK(_SKIP(command)))))


def is_for_spark(wanted: Pipeline, files: Sequence[str], *, keeps: bool, **refused: object) -> bool:
    """Whether Spark should load the files. `wanted` is the value of `--pipeline`. `keeps`: the result is a store.

    `refused` has the options that Spark does not take: the name of each option, and its value. With `--pipeline spark`,
    raises UsageError if one of these options has a value or a file is standard input, and InputError if PySpark is not
    installed.
    """
    if wanted == "auto" and not any(refused.values()) and "-" not in files and find_spec("pyspark") is not None:
        return is_spark_faster(files, keeps=keeps)
    if wanted == "spark":
        refuse("cannot be used with --pipeline spark", **refused)
        if "-" in files:
            raise click.UsageError("--pipeline spark reads files, not standard input")
        if find_spec("pyspark") is None:
            raise InputError("PySpark is not installed: pip install 'kgreason[spark]'")
    return wanted == "spark"


def refuse(why: str, **options: object) -> None:
    """Raise UsageError if one of the options has a value. The error names these options, and says `why`."""
    if names := [f"--{name.replace('_', '-')}" for name, value in options.items() if value]:
        raise click.UsageError(f"{', '.join(names)}: {why}")


def refuse_settings(**settings: object) -> None:
    """Raise UsageError if a setting of Spark has a value. Call this if Spark is not used."""
    refuse("only with --pipeline spark", **settings)


@contextmanager
def session(master: str | None, settings: dict[str, str], work: Path | None) -> Iterator[tuple[Any, str]]:
    """Give the block a Spark session and the path of the session's work folder. The session ends with the block.

    `master` is the address of the cluster; None is this machine.
    """
    from kgreason.spark.pipeline import work_folder
    from kgreason.spark.start.session import for_command

    with work_folder(work) as folder, for_command(master or _LOCAL, **settings) as spark:
        yield spark, folder
