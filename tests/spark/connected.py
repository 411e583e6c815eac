"""A stream into a store on a Spark Connect session, in a process of its own.

    python -m tests.spark.connected FOLDER

The folder has patches and a store. It says what became of an attempt to hand over an open graph.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path

from pyspark.sql import SparkSession

from kgreason.errors import StoreError
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.spark.live.feed import feed
from kgreason.spark.live.stream import follow
from kgreason.spark.start.java import use_java


def main(folder: Path) -> None:
    """Follow the patches, then write the feed to a table."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ["SPARK_TESTING"] = "1"  # any free port: others' tests may run as well
    use_java()
    spark = SparkSession.builder.remote("local[1]").config("spark.sql.shuffle.partitions", "1").getOrCreate()
    into = partial(follow, spark, folder / "patches", stream="s", checkpoint=str(folder / "checkpoint"))
    try:
        into(KnowledgeGraph.open())
    except StoreError as error:
        sys.stdout.write(f"{error}\n")
    into(folder / "store", files=2, trigger={"availableNow": True}).awaitTermination()
    writer = feed(spark, folder / "store").writeStream.format("parquet").trigger(availableNow=True)
    writer.start(str(folder / "table"), checkpointLocation=str(folder / "feed")).awaitTermination()
    spark.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
