"""Streams in a process of their own, each of which stops for good in the middle of a batch, and says so.

    python -m tests.spark.stopped FOLDER [SEED]

A stream is a folder with a store and patches; a batch is one patch. With a seed, each stream stops ahead of a random
step towards the disk, or before the batch begins or after it has been committed; without one all come to an end.
"""

from __future__ import annotations

import random
import sys
import threading
from pathlib import Path
from typing import Any
from unittest.mock import patch

from pyspark.sql import DataFrame

from kgreason.spark.live import stream
from kgreason.spark.live.stream import Committer, follow
from kgreason.spark.start.session import session
from tests.store.interrupted import steps

MOST = 14
"""The steps of a batch: its begin, those of a store that is opened, committed to and closed, its end."""

_current = threading.local()


class Stopping(Committer):
    """Stops ahead of the n-th step of the first or second batch that it is called for."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        chosen = random.Random(f"{sys.argv[2]} {self._stream}")
        self._batches, self._steps = chosen.randrange(2), chosen.randrange(MOST)

    def __call__(self, batch: DataFrame, number: int) -> None:
        """Commit a batch, or part of it."""
        _current.stream = self
        self.step("begin")
        super().__call__(batch, number)
        if not self._batches:
            self._steps = 0
        self.step(f"end {number}")
        self._batches -= 1

    def step(self, name: str) -> None:
        """Stop here, if it is here."""
        if self._batches == 0:
            if self._steps <= 0:
                sys.stdout.write(f"stopped {self._stream} {name}\n")
                sys.stdout.flush()
                threading.Event().wait()
            self._steps -= 1


def step(name: str) -> None:
    """Tell the stream in whose thread a step is taken."""
    if current := getattr(_current, "stream", None):
        current.step(name)


def run(folder: Path) -> None:
    """Run all streams at once."""
    small = {"spark.driver.memory": "1g", "spark.sql.shuffle.partitions": "1", "spark.local.dir": str(folder)}
    spark = session("local[2]", **small)
    queries = [
        follow(
            spark,
            one / "patches",
            one / "store",
            stream=one.name,
            checkpoint=str(one / "checkpoint"),
            files=1,
            trigger={"availableNow": True},
        )
        for one in sorted(folder.glob("stream-*"))
    ]
    for query in queries:
        query.awaitTermination()
    spark.stop()


if __name__ == "__main__":
    if len(sys.argv) == 2:
        run(Path(sys.argv[1]))
    else:
        with patch.object(stream, "Committer", Stopping), steps(step):
            run(Path(sys.argv[1]))
