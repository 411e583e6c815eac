"""The level loop on a Spark Connect session, in a process of its own: it fails unless engine and Spark agree.

python -m tests.spark.close.connected_levels FOLDER
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from pyspark.sql import SparkSession

from kgreason.spark.close.levels import insert, materialize
from kgreason.spark.start.java import use_java
from tests.spark.batches import Batch, dense_case
from tests.spark.close.engines import collected, frame


def main(folder: Path) -> None:
    """Random programs from scratch, and by insert."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ["SPARK_TESTING"] = "1"  # any free port: others' tests may run as well
    use_java()
    builder = SparkSession.builder.remote("local[2]").config("spark.sql.shuffle.partitions", "2")
    spark = builder.config("spark.driver.memory", "1g").config("spark.ui.enabled", "false").getOrCreate()
    batch = Batch(list(map(dense_case, range(10))))
    facts, later, program = frame(spark, batch.asserted()), frame(spark, batch.later()), batch.program
    result = materialize(facts, program, str(folder / "scratch"))
    batch.check(collected(result))
    batch.update()
    batch.check(collected(insert(result, later, program, str(folder / "insert"))))
    spark.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
