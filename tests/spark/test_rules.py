"""Rules that say NOT, DATA, FILTER, BIND, AGGREGATE and SKOLEM on Spark: what one process derives."""

from __future__ import annotations

import importlib
from pathlib import Path

import pyoxigraph
import pytest
from pyspark.sql import SparkSession

from kgreason.errors import RuleError
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.spark.pipeline import load, materialize
from tests.spark.misreadings import CASES, EQUALITY, Case, all_at_once, without_data

EXAMPLES = Path(__file__).parents[2] / "examples" / "rules"
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


def lines(graph: KnowledgeGraph) -> set[str]:
    return set(b"".join(graph.dump()).decode().splitlines())


def told(case: Case) -> str:
    """The triple that tells, as a line of N-Triples."""
    found = pyoxigraph.parse(f"{PREFIXES} {case.triple} .", pyoxigraph.RdfFormat.TURTLE)
    return " ".join(map(str, next(iter(found)).triple)) + " ."


def joined(folder: Path) -> Files:
    """All cases as one program."""
    rules = "".join(case.rules for case in CASES)
    return Files(folder, EQUALITY + rules, "\n".join(case.data for case in CASES))


def test_not_and_filter(spark: SparkSession, tmp_path: Path) -> None:
    files = Files(
        tmp_path,
        """
        :Root[?x] :- :Node[?x], NOT [?x, :hasParent, true], FILTER(STRENDS(STR(?x), "a")) .
        [?x, :hasParent, true] :- [?x, :parent, ?y] .
        """,
        ":a a :Node . :b a :Node ; :parent :a .",
    )
    wanted = files.in_process()
    assert "<http://e/a> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e/Root> ." in wanted
    assert files.written(spark) == wanted


@pytest.mark.slow
def test_cases(spark: SparkSession, tmp_path: Path) -> None:
    files = joined(tmp_path)
    found = files.written(spark)
    assert found == files.in_process()
    assert [told(case) in found for case in CASES] == [case.holds for case in CASES]


@pytest.mark.slow
def test_each_misreading_fails_in_its_case(spark: SparkSession, tmp_path: Path) -> None:
    files = joined(tmp_path)
    files.rules.write_text(without_data(files.rules.read_text()))
    with all_at_once():
        found = files.written(spark)
    survivors = [case.misreading for case in CASES if (told(case) in found) == case.holds]
    assert survivors == []


@pytest.mark.slow
def test_a_graph_of_all_examples(spark: SparkSession) -> None:
    """Recursion through MIN is left to the engine, and so is all that needs it."""
    folders = [EXAMPLES / name for name in ("access-control", "data-quality", "labelled-reachability", "sensors")]
    rules = ["rdfs", *(str(folder / "rules.dl") for folder in folders), str(EXAMPLES / "shortest-paths" / "roads.dl")]
    data = [path for folder in (*folders, EXAMPLES / "shortest-paths") for path in sorted(folder.glob("*.ttl"))]
    with KnowledgeGraph.open(rules=rules) as warm, KnowledgeGraph.open(rules=rules) as cold:
        load(warm, data, spark)
        cold.load(*data)
        assert lines(warm) == lines(cold)
        assert {repr(each) for each in warm.contradictions()} == {repr(each) for each in cold.contradictions()}


@pytest.mark.slow
def test_what_spark_cannot_evaluate(spark: SparkSession, tmp_path: Path) -> None:
    recursion = Files(
        tmp_path,
        """
        @rule far
        candidate(?y, ?c) :- [?x, :distance, ?d], [?x, :near, ?y], BIND(?d + 1 AS ?c) .
        @rule nearest
        [?y, :distance, ?d] :- AGGREGATE(candidate(?y, ?c) ON ?y BIND MIN(?c) AS ?d) .
        """,
        ":a :distance 0 ; :near :b .",
    )
    with pytest.raises(RuleError, match=r"rule nearest .*Spark cannot evaluate the recursion of MIN\(.*in one process"):
        recursion.written(spark)


@pytest.mark.slow
def test_python_functions(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Spark's workers call what they can import; a function without a module goes with the task."""

    def parts(code: str) -> list[str]:
        return code.split("-")

    rules = "[?x, :part, ?p] :- [?x, :code, ?c], BIND(parts(?c) AS ?p) ."
    files = Files(tmp_path, rules, ":box :code 'B-17' .")
    with KnowledgeGraph.open(rules=[str(files.rules)], functions=[parts]) as graph:
        load(graph, [files.data], spark)
        assert {line.split()[2] for line in lines(graph) if "part>" in line} == {'"B"', '"17"'}
    (tmp_path / "hidden_parts.py").write_text("def parts(code: str) -> list[str]:\n    return code.split('-')\n")
    monkeypatch.syspath_prepend(tmp_path)
    hidden = importlib.import_module("hidden_parts")
    with pytest.raises(
        RuleError, match=r"rule rule-1 .*Spark's workers cannot import the function parts.*hidden_parts"
    ):
        materialize(spark, [files.data], tmp_path / "out", rules=[str(files.rules)], functions=[hidden.parts])
