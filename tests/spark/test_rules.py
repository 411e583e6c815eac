"""Rules that say NOT, DATA, FILTER, BIND, AGGREGATE and SKOLEM on Spark: what one process derives."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import SparkSession

from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.spark.pipeline import load, materialize

PREFIXES = "@prefix : <http://e/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .\n"


class Files:
    """Rules and data as files, and a folder for what Spark writes."""

    def __init__(self, folder: Path, rules: str, data: str) -> None:
        self.folder = folder
        self.rules, self.data = folder / "rules.dl", folder / "data.ttl"
        self.rules.write_text(PREFIXES + rules)
        self.data.write_text(PREFIXES + data)

    def in_process(self, *sets: str) -> set[str]:
        with KnowledgeGraph.open(rules=[*sets, str(self.rules)], same_as="rules") as graph:
            graph.load(self.data)
            return lines(graph)

    def written(self, spark: SparkSession, *sets: str) -> set[str]:
        """What Spark writes."""
        output = self.folder / "closure"
        materialize(spark, [self.data], output, rules=[*sets, str(self.rules)])
        return {line for path in output.glob("part-*.nt") for line in path.read_text().splitlines()}

    def loaded(self, spark: SparkSession, *sets: str) -> set[str]:
        """What a graph that Spark fills has."""
        with KnowledgeGraph.open(rules=[*sets, str(self.rules)]) as graph:
            load(graph, [self.data], spark)
            return lines(graph)


def lines(graph: KnowledgeGraph) -> set[str]:
    return set(b"".join(graph.dump()).decode().splitlines())


def test_not(spark: SparkSession, tmp_path: Path) -> None:
    files = Files(
        tmp_path,
        """
        :Root[?x] :- :Node[?x], NOT [?x, :hasParent, true] .
        [?x, :hasParent, true] :- [?x, :parent, ?y] .
        :Leaf[?x] :- :Node[?x], NOT EXISTS ?y IN ([?y, :parent, ?x]) .
        """,
        ":a a :Node . :b a :Node ; :parent :a .",
    )
    wanted = files.in_process()
    assert "<http://e/a> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e/Root> ." in wanted
    assert files.written(spark) == wanted
    assert files.loaded(spark) == wanted
