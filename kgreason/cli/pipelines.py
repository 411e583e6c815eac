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
_MASTER = click.option(
    "--master",
    default="local[*]",
    show_default=True,
    metavar="URL",
    help="Spark's master, or a Connect server (sc://).",
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
    """Whether files are to go through Spark. Raises UsageError for options with a value that it does not take."""
    if wanted == "auto" and not any(refused.values()) and "-" not in files and find_spec("pyspark") is not None:
        from kgreason.spark.session import memory

        return _bytes(files) * _NEEDED > memory() * _SHARE
    if wanted == "spark":
        names = [f"--{name}" for name, value in refused.items() if value]
        if names:
            raise click.UsageError(f"{', '.join(names)}: not with --pipeline spark")
        if "-" in files:
            raise click.UsageError("--pipeline spark reads files, not standard input")
    return wanted == "spark"


def _bytes(files: Sequence[str]) -> int:
    """How large files are about, unpacked; what is no file here counts for nothing."""
    paths = [path for path in map(Path, files) if path.is_file()]
    return sum(path.stat().st_size * (_PACKED if path.suffix in (".gz", ".bz2", ".xz") else 1) for path in paths)


@contextmanager
def session(master: str, settings: dict[str, str]) -> Iterator[Any]:
    """A Spark session for the time of a command. Raises InputError where the extra is not installed."""
    from kgreason.spark import session as sessions

    spark = sessions.session(master, **settings)
    try:
        yield spark
    finally:
        spark.stop()
