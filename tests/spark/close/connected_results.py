"""Results, and rows for a store, on a Spark Connect session, in a process of its own.

    python -m tests.spark.close.connected_results FOLDER

Writes a folder of N-Triples and a store below FOLDER.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from pyspark.sql import SparkSession

from kgreason.spark.out.store import write_to_store
from kgreason.spark.out.write import write
from kgreason.spark.start.java import use_java


def main(folder: Path) -> None:
    """Write triples in both ways."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ["SPARK_TESTING"] = "1"  # any free port: others' tests may run as well
    use_java()
    spark = SparkSession.builder.remote("local[1]").config("spark.sql.shuffle.partitions", "1").getOrCreate()
    terms = spark.createDataFrame(
        [(i + 1, f"<http://e/{name}>") for i, name in enumerate("pabc")], "id int, text string"
    )
    ids = spark.createDataFrame([(2, 1, 3, True), (3, 1, 4, True)], "s int, p int, o int, asserted boolean")
    write(ids, terms, folder / "out", str(folder / "room"))
    write(ids, terms, folder / "parquet", str(folder / "room"), form="parquet")
    write_to_store(spark.read.parquet(str(folder / "parquet")), folder / "store")
    spark.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
