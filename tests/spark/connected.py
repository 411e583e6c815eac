"""The face of kgreason.spark on a Spark Connect session, in a process of its own.

    python -m tests.spark.connected FOLDER

The folder has patches, a store, and files. It says what became of an attempt to hand over an open graph.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path

from pyspark.sql import SparkSession

from kgreason.errors import StoreError
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.spark import feed, follow, load, materialize, read, triples, write_to_store
from kgreason.spark.start.java import use_java
from tests.spark.conftest import SMALL


def main(folder: Path) -> None:
    """Do what docs/spark.md does."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ["SPARK_TESTING"] = "1"  # any free port: others' tests may run as well
    use_java()
    builder = SparkSession.builder.remote("local[1]")
    for key, value in (SMALL | {"spark.sql.shuffle.partitions": "1"}).items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    files = [folder / "pets.ttl", folder / "data.nt"]
    with KnowledgeGraph.open(folder / "loaded") as graph:
        sys.stdout.write(f"{load(graph, files, spark, on_error='count')['skipped']} line\n")
    written = materialize(spark, files, folder / "closure", on_error="count")
    sys.stdout.write(f"{written.warnings[-1]}\n")
    materialize(spark, files, folder / "closure.parquet", form="parquet", on_error="count")
    write_to_store(read(spark, folder / "closure"), folder / "written")
    people = spark.createDataFrame([(1, "Ann")], "id int, name string")
    write_to_store(triples(people, subject="http://e/{id}", vocabulary="http://e/"), folder / "written")
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
