"""Print the seconds of a closure on Spark, as JSON: `python spark_closing.py MASTER SETTINGS FOLDER RULES FILE...`.

    {"first": 21.0, "files": 12.5, "encoding": 5.1, "closing": 4.2, "writing": 3.2}

`benchmarks.spark` runs this file. SETTINGS are those of Spark, as JSON. The session first closes the last file alone,
the ontology: these are the seconds `first`, in which Java and Python load their code. Then it closes all files under
RULES and writes them to FOLDER as Parquet: `files` from the first file that is read to the last file that is written,
without the start of the session. `closing` is the part of it from ids in Parquet to closed facts in Parquet.
"""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter


class Clock:
    """A `Progress` that notes when stages begin and end."""

    def __init__(self) -> None:
        self.begun: dict[str, float] = {}
        self.ended: dict[str, float] = {}

    @contextmanager
    def __call__(self, stage: str, total: int | None = None) -> Iterator[Callable[[int], object]]:  # noqa: ARG002
        """Note one stage."""
        self.begun[stage] = perf_counter()
        yield lambda _: None
        self.ended[stage] = perf_counter()

    def seconds(self) -> dict[str, float]:
        """The seconds of the steps."""
        closing = self.begun["writing"] - self.ended["encoding"]
        whole = {stage: self.ended[stage] - self.begun[stage] for stage in ("encoding", "writing")}
        return {"files": self.ended["writing"] - self.begun["encoding"], "closing": closing, **whole}


if __name__ == "__main__":
    from kgreason.spark import materialize, session

    master, settings, folder, rules, *files = sys.argv[1:]
    spark = session(master, **json.loads(settings))
    begun = perf_counter()
    materialize(spark, files[-1:], folder, rules=[rules], form="parquet")
    first, clock = perf_counter() - begun, Clock()
    materialize(spark, files, folder, rules=[rules], form="parquet", overwrite=True, progress=clock)
    sys.stdout.write(json.dumps({"first": first, **clock.seconds()}))
    spark.stop()
