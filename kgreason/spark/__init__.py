"""kgreason on Spark: it reads files in parallel, and computes closures that outgrow a process. See docs/spark.md.

The names of `_HOMES` are the public face: `from kgreason.spark import session, load`. Each name is imported when it is
first used, so `import kgreason.spark` needs no PySpark. Without PySpark the first use of a name raises InputError.

cluster/   checks the workers, and watches what they do
start/     finds a Java, starts a session, turns errors of Spark into errors of kgreason
input/     reads RDF files as DataFrames of terms
encode/    replaces terms by ids, and makes the dictionary
rounds/    computes a closure by rounds of parts: an engine in each part, and facts that travel between parts
close/     makes the program of the data, and runs its rounds
folders/   writes tables so that an unfinished table is never taken for a finished one
pipeline   load and materialize: all steps from files to a store, or to files
out/       writes results as files, or as a commit of a store
live/      commits streams of edits to a store; gives the changes of a store as a stream
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from kgreason.errors import InputError

if TYPE_CHECKING:
    from kgreason.spark.input.read import read
    from kgreason.spark.input.triples import triples
    from kgreason.spark.live.feed import feed
    from kgreason.spark.live.stream import follow
    from kgreason.spark.out.store import write_to_store
    from kgreason.spark.pipeline import load, materialize
    from kgreason.spark.start.session import session

__all__ = ["feed", "follow", "load", "materialize", "read", "session", "triples", "write_to_store"]
_HOMES = {
    "feed": "kgreason.spark.live.feed",
    "follow": "kgreason.spark.live.stream",
    "load": "kgreason.spark.pipeline",
    "materialize": "kgreason.spark.pipeline",
    "read": "kgreason.spark.input.read",
    "session": "kgreason.spark.start.session",
    "triples": "kgreason.spark.input.triples",
    "write_to_store": "kgreason.spark.out.store",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if find_spec("pyspark") is None:
        raise InputError("PySpark is not installed: pip install 'kgreason[spark]'")
    value = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
