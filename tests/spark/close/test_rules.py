"""Rules that say NOT, DATA, FILTER, BIND, AGGREGATE and SKOLEM on Spark: what one process derives."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pyoxigraph
import pytest
from pyspark.sql import SparkSession

from kgreason.errors import LimitError, RuleError, StratificationError
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.spark.close import close
from kgreason.spark.cluster.sizes import Sizes
from kgreason.spark.pipeline import check_materialize, materialize
from tests.graph.views import Lines, lines
from tests.spark.close.cases import CASES, Case
from tests.spark.programs import EQUALITY

EXAMPLES = Path(__file__).parents[3] / "examples" / "rules"
PREFIXES = "@prefix : <http://e/> . @prefix owl: <http://www.w3.org/2002/07/owl#> . "
PREFIXES += "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . "
PREFIXES += "@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n"


class Files:
    """Rules and data as files, and a folder for what Spark writes."""

    def __init__(self, folder: Path, rules: str, data: str) -> None:
        self.folder = folder
        self.rules, self.data = folder / "rules.dl", folder / "data.ttl"
        self.rules.write_text(PREFIXES + rules)
        self.data.write_text(PREFIXES + data)
        self.contradictions = self.found = 0
        """How many contradictions one process and Spark have found."""

    def in_process(self, *sets: str) -> Lines:
        with KnowledgeGraph.open(rules=[*sets, str(self.rules)], same_as="rules") as graph:
            graph.load(self.data)
            self.contradictions = len(graph.contradictions())
            return lines(graph.dump())

    def written(self, spark: SparkSession, *sets: str, **more: Any) -> set[str]:
        """What Spark writes."""
        output = self.folder / "closure"
        found = materialize(spark, [self.data], output, rules=[*sets, str(self.rules)], **more)
        self.found = found.contradictions
        return {line for path in output.glob("part-*.nt") for line in path.read_text().splitlines()}


@pytest.fixture(autouse=True)
def planning(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spark plans for little data in slow tests as well. The data is divided into two parts."""
    monkeypatch.setattr(close, "sizes", lambda *_: Sizes(2, 0, 3))


def told(case: Case) -> str:
    """The triple that tells, as a line of N-Triples."""
    found = pyoxigraph.parse(f"{PREFIXES} {case.triple} .", pyoxigraph.RdfFormat.TURTLE)
    return " ".join(map(str, next(iter(found)).triple)) + " ."


def joined(folder: Path) -> Files:
    """All cases as one program."""
    rules = "".join(case.rules for case in CASES)
    return Files(folder, EQUALITY + rules, "\n".join(case.data for case in CASES))


def test_cases(spark: SparkSession, tmp_path: Path) -> None:
    files = joined(tmp_path)
    found = files.written(spark)
    assert found == files.in_process()
    assert [told(case) in found for case in CASES] == [case.holds for case in CASES]


@pytest.mark.parametrize("link", ["", ":tom owl:sameAs :thomas ."])
def test_owl2rl_beside_rules(spark: SparkSession, tmp_path: Path, link: str) -> None:
    """Links are followed by plain rules."""
    rules = "".join(case.rules for case in CASES)
    data = "\n".join(case.data for case in CASES if "sameAs" not in case.data)
    members = (
        ":dog :owner :tom, :thomas . :tom a :Member . :thomas a :Member ; :height 11, 11.0 . :p rdfs:range :Node ."
        ":weight a owl:FunctionalProperty ; rdfs:range xsd:integer . :tom :weight 4, 5, 'six', 'x'^^xsd:integer ."
        ":eve a :Member, :Ghost . :Member owl:disjointWith :Ghost . :eve owl:differentFrom :ann ; owl:sameAs :ann ."
    )
    files = Files(tmp_path, rules, f"{data} {members} :ann :p :tom . {link}")
    assert files.written(spark, "owl2rl") == files.in_process("owl2rl")
    assert files.found == files.contradictions > 3


def test_what_spark_cannot_evaluate_is_refused_before_spark_starts(tmp_path: Path) -> None:
    files = Files(tmp_path, ":P[?x] :- :Q[?x], NOT :P[?x] .", "")
    with pytest.raises(StratificationError, match="rules say NOT in a circle"):
        check_materialize([files.data], tmp_path / "out", rules=[str(files.rules)])


def test_a_recursion_through_min(spark: SparkSession, tmp_path: Path) -> None:
    """The way over :b is better than the one that is found first; so what follows from the first one leaves."""
    rules = """
        candidate(?y, 0) :- :Start[?y] .
        candidate(?y, ?c) :- [?x, :far, ?d], [?e, :from, ?x], [?e, :to, ?y], [?e, :long, ?l], BIND(?d + ?l AS ?c) .
        [?y, :far, ?d] :- AGGREGATE(candidate(?y, ?c) ON ?y BIND MIN(?c) AS ?d) .
        :Missed[?y] :- [?e, :to, ?y], NOT EXISTS ?d IN ([?y, :far, ?d]) .
        """
    ways = [("a", "c", 9), ("a", "b", 1), ("b", "c", 2), ("c", "a", 0), ("d", "e", 1)]
    data = " ".join(f":{x}{y} :from :{x} ; :to :{y} ; :long {length} ." for x, y, length in ways)
    files = Files(tmp_path, rules, f":a a :Start . {data}")
    found = files.written(spark)
    assert found == files.in_process()
    assert sum("far>" in line for line in found) == 3


def test_facts_that_make_rules_circular(spark: SparkSession, tmp_path: Path) -> None:
    """An equal class carries what follows from a result back to what the result was read from. The error has texts."""
    copying = "@group eq . @rule eq-rep-p [?s, ?q, ?o] :- [?p, owl:sameAs, ?q], [?s, ?p, ?o] .\n@group own .\n"
    rules = ":Root[?x] :- :Node[?x], NOT :Inner[?x] . :Other[?x] :- :Root[?x] ."
    files = Files(tmp_path, EQUALITY + copying + rules, ":a a :Node . :Other owl:sameAs :Inner .")
    problem = "NOT .*Inner.* was decided for .v0 = <http://e/a>, and then the negated fact was derived"
    with pytest.raises(StratificationError, match=f"the facts make the rules circular: .*{problem}"):
        files.written(spark)


def test_a_recursion_that_never_ends(spark: SparkSession, tmp_path: Path) -> None:
    """What is made at several levels is no recursion, even if it is more than the limit."""
    limits = {"most_rounds": 4, "most_made_terms": 2}
    levels = """
        :b[?x, ?n] :- :a[?x, ?m], BIND(?m + 1 AS ?n) .
        :c[?x, ?n] :- :b[?x, ?m], NOT :stop[?x, ?m], BIND(?m + 1 AS ?n) .
        :d[?x, ?n] :- :c[?x, ?m], NOT :b[?x, ?m], BIND(?m + 1 AS ?n) .
        """
    files = Files(tmp_path, levels, ":x :a 10 . :y :a 20 .")
    assert files.written(spark, **limits) == files.in_process()
    endless = "@rule next :a[?x, ?n] :- :a[?x, ?m], BIND(?m + 1 AS ?n) ."
    with pytest.raises(LimitError, match=r"^rule next .*: BIND has made more than 2 terms by recursion in one commit"):
        Files(tmp_path, endless, ":x :a 10 .").written(spark, overwrite=True, **limits)


def test_python_functions(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Spark's workers call what they can import; a function without a module goes with the task."""

    def parts(code: str) -> list[str]:
        return code.split("-")

    def longest(texts: list[str]) -> str:
        return max(texts, key=len)

    rules = """[?x, :part, ?p] :- [?x, :code, ?c], BIND(parts(?c) AS ?p) .
        [?x, :longest, ?p] :- AGGREGATE([?x, :part, ?q] ON ?x BIND longest(?q) AS ?p) ."""
    files = Files(tmp_path, rules, ":box :code 'B-17', 'C-9' .")
    found = files.written(spark, functions=[parts, longest])
    assert [line.split()[2] for line in found if "longest>" in line] == ['"17"']
    files = Files(tmp_path, rules.split("\n", maxsplit=1)[0], ":box :code 'B-17' .")
    found = files.written(spark, functions=[parts], overwrite=True)
    assert {line.split()[2] for line in found if "part>" in line} == {'"B"', '"17"'}
    (tmp_path / "hidden_parts.py").write_text("def parts(code: str) -> list[str]:\n    return code.split('-')\n")
    monkeypatch.syspath_prepend(tmp_path)
    hidden = importlib.import_module("hidden_parts")
    with pytest.raises(
        RuleError, match=r"rule rule-1 .*Spark's workers cannot import the function parts.*hidden_parts"
    ):
        materialize(spark, [files.data], tmp_path / "out", rules=[str(files.rules)], functions=[hidden.parts])
