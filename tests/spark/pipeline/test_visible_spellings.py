"""What Spark writes has one spelling of a value for each subject and property, as a graph in this process shows it."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.spark.pipeline import materialize

DATA = """
<http://e/tea> <http://e/price> "10"^^<http://www.w3.org/2001/XMLSchema#integer> .
<http://e/tea> <http://e/price> "010"^^<http://www.w3.org/2001/XMLSchema#integer> .
<http://e/cake> <http://e/price> "10.0"^^<http://www.w3.org/2001/XMLSchema#decimal> .
<http://e/pie> <http://e/costs> "10.0"^^<http://www.w3.org/2001/XMLSchema#decimal> .
<http://e/pie> <http://e/name> "ten" .
<http://e/tea> <http://e/price> "cheap"@en-gb .
<http://e/pie> <http://e/costs> "cheap"@en-GB .
<http://e/costs> <http://www.w3.org/2000/01/rdf-schema#subPropertyOf> <http://e/price> .
"""


@pytest.mark.parametrize("rules", ["owl2rl", "owl2rl+eq-spellings"])
def test_spark_writes_what_a_graph_shows(spark: SparkSession, tmp_path: Path, rules: str) -> None:
    path = tmp_path / "a.nt"
    path.write_text(DATA)
    materialize(spark, [path], tmp_path / "out", rules=[rules])
    written = {line for part in (tmp_path / "out").glob("part-*") for line in part.read_text().splitlines()}
    with KnowledgeGraph.open(rules=[rules]) as graph:
        graph.add(DATA)
        assert written == set(b"".join(graph.dump()).decode().splitlines())
    assert len(written) == (10 if rules == "owl2rl" else 20)
