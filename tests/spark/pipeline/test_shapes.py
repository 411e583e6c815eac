"""Shapes on Spark: the closure has what their rules make, and the results are those of a graph."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import SparkSession

from kgreason import KnowledgeGraph
from kgreason.graph.input.terms import term_of
from kgreason.graph.shapes.pending import triples_of_sources
from kgreason.shapes.graph import ShapesGraph
from kgreason.shapes.report import Report
from kgreason.spark.pipeline import materialize

_SHAPES = """
@prefix : <http://e/> . @prefix sh: <http://www.w3.org/ns/shacl#> .
:S sh:targetSubjectsOf :owner ; sh:property [ sh:path :name ; sh:minCount 1 ] ;
    sh:rule [ sh:subject [ sh:path :owner ] ; sh:predicate :owns ; sh:object sh:this ] .
"""


def test_results_on_spark_are_those_of_a_graph(spark: SparkSession, tmp_path: Path) -> None:
    data = tmp_path / "data.nt"
    data.write_text("<http://e/tom> <http://e/owner> <http://e/ann> .\n<http://e/rex> <http://e/name> 'Rex' .\n")
    data.write_text(data.read_text().replace("'", '"') + "<http://e/rex> <http://e/owner> <http://e/bob> .\n")
    shapes = triples_of_sources([_SHAPES])
    written = materialize(spark, [data], tmp_path / "closure", rules=["none"], shapes=shapes)
    lines = {line for path in (tmp_path / "closure").glob("part-*.nt") for line in path.read_text().splitlines()}
    with KnowledgeGraph.open(rules=["none"]) as graph:
        graph.load(data)
        graph.shapes.load(_SHAPES)
        assert lines == set(b"".join(graph.dump()).decode().splitlines())
        report = Report(ShapesGraph(shapes), [tuple(map(term_of, row)) for row in written.results or ()])
        told, expected = ({str(each.focus) for each in one} for one in (report, graph.validate()))
        assert told == expected == {"<http://e/tom>"}
