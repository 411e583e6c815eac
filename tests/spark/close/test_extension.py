"""A load on Spark into a graph that has facts is the load of one process: facts, stamps, supports, flags and delta."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import pytest

pytest.importorskip("pyspark", reason="PySpark is not installed: pip install 'kgreason[spark]'")

from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.options import Closure
from kgreason.spark.pipeline import load
from tests.graph.commits.test_start_from import shown
from tests.spark.close.engines import states

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


RULES = """
    @prefix : <http://e/> .
    [?x, :is, :root] :- [?x, :near, ?y], NOT EXISTS ?z IN ([?z, :near, ?x]) .
    [?x, :has, ?n] :- AGGREGATE([?x, :near, ?y] ON ?x BIND COUNT(*) AS ?n) .
    [?x, :name, ?m] :- [?x, :has, ?n], BIND(CONCAT("has ", STR(?n)) AS ?m) .
    [?x, :far, ?z] :- [?x, :near, ?y], [?y, :far, ?z] .
    [?x, :far, ?y] :- [?x, :near, ?y] .
    [?x, :said, :once] :- DATA [?x, :far, ?y] .
"""
SCHEMA = """
    @prefix : <http://e/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
    @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    :near rdfs:domain :Place ; rdfs:range :Place . :Place rdfs:subClassOf :Thing . :in a owl:TransitiveProperty .
    :key a owl:FunctionalProperty .
"""
LATER = """
    @prefix : <http://e/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
    @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    :Thing rdfs:subClassOf :Everything . :in rdfs:domain :Place . :Place owl:disjointWith :Person .
"""


def near(*pairs: str) -> str:
    return "".join(f"<http://e/{pair[0]}> <http://e/near> <http://e/{pair[1]}> .\n" for pair in pairs)


FIRST = near("ab", "bc") + "<http://e/a> <http://e/in> <http://e/b> .\n<http://e/a> <http://e/key> <http://e/k> .\n"
INFERRED = "<http://e/a> <http://e/far> <http://e/c> .\n"
FACTS = (
    near("ab", "cd", "ca")
    + INFERRED
    + "<http://e/b> <http://e/in> <http://e/c> <http://e/g> .\n_:x <http://e/in> _:y .\n"
)
EQUAL = "<http://e/a> <http://e/key> <http://e/k2> .\n" + near("kz")
LITERALS = '<http://e/k> <http://e/n> "1" .\n<http://e/k> <http://e/n> "01"^^<http://www.w3.org/2001/XMLSchema#int> .\n'


@pytest.fixture(autouse=True)
def planning() -> None:
    """Spark plans for little data."""


def graphs(folder: Path, make: Callable[[str], Any]) -> list[KnowledgeGraph]:
    """Two equal graphs with rules, a schema and facts."""
    (folder / "schema.ttl").write_text(SCHEMA)
    (folder / "first.nq").write_text(FIRST)
    found = [make(name) for name in ("one", "other")]
    for graph in found:
        with graph.transaction() as tx:
            tx.add_rules(RULES)
        graph.load(folder / "schema.ttl", folder / "first.nq")
    return found


def same(one: KnowledgeGraph, other: KnowledgeGraph) -> None:
    assert shown(one) == shown(other)


@pytest.mark.parametrize("closure", get_args(Closure))
def test_each_load_is_that_of_one_process(spark: SparkSession, tmp_path: Path, closure: Closure) -> None:
    """Rules negate, aggregate and compute, so an insertion also takes back."""
    one, other = graphs(tmp_path, lambda name: KnowledgeGraph.open(tmp_path / name, history="all", strategy="update"))
    heard: list[int] = []
    one.subscribe(lambda delta: heard.append(delta.commit))
    files = {"facts.nq": FACTS, "equal.nq": EQUAL + LITERALS, "later.ttl": LATER}
    paths = [tmp_path / name for name in files]
    for path, text in zip(paths, files.values(), strict=True):
        path.write_text(text)
    for some in (paths[:1], paths[1:]):
        load(one, some, spark, closure=closure)
        wanted = other.load(*some).delta
        delta = one.changes(one.commit - 1, one.commit)
        assert one.commit == other.commit
        for part in ("added", "removed"):
            assert set(getattr(delta, part).splitlines()) == set(getattr(wanted, part).splitlines())
        same(one, other)
    assert heard == [3, 4]
    for graph in (one, other):
        graph.unload(*paths[:2])
    same(one, other)
    before = shown(one)
    one.close()
    other.close()
    with KnowledgeGraph.open(tmp_path / "one") as again:
        assert shown(again) == before


def test_stamps_and_supports_are_those_of_an_update_also_after_ctrl_c(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "schema.ttl").write_text(SCHEMA)
    for name, text in (("first", FIRST), ("later", near("cd", "ca", "ac") + INFERRED)):
        (tmp_path / f"{name}.nq").write_text(text)
    with KnowledgeGraph.open(strategy="update") as one, KnowledgeGraph.open(strategy="update") as other:
        for graph in (one, other):
            graph.load(tmp_path / "schema.ttl", tmp_path / "first.nq")
        before, known = shown(one), len(one._engine().materializer.dictionary)
        with pytest.raises(KeyboardInterrupt):
            load(one, [tmp_path / "later.nq"], spark, closure="spark", folder=tmp_path / "work", progress=interrupted)
        assert (shown(one), len(one._engine().materializer.dictionary)) == (before, known)
        load(one, [tmp_path / "later.nq"], spark, closure="spark", folder=tmp_path / "work")
        other.load(tmp_path / "later.nq")
        same(one, other)
        found = [by_text(graph) for graph in (one, other)]
        assert found[0] == found[1]


@contextmanager
def interrupted(stage: str, total: int | None = None) -> Iterator[Callable[[int], object]]:
    """Ctrl-C, as soon as Spark derives something."""
    if stage == "level 1":
        raise KeyboardInterrupt
    yield lambda _: None


def by_text(graph: KnowledgeGraph) -> set[tuple[str, ...]]:
    """The facts with texts in place of ids, with stamps, supports and flags."""
    materializer = graph._engine().materializer
    rows = states(materializer.engine).tolist()
    return {
        (str(row[0]), *materializer.dictionary.decode([each for each in row[1:-3] if each]), *map(str, row[-3:]))
        for row in rows
    }
