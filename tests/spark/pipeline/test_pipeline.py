"""What Spark loads is what one process loads, and goes on alike; what Spark writes is what one process derives."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, get_args

import pytest
from pyspark.sql import SparkSession

from kgreason.errors import InputError, RdfSyntaxError
from kgreason.graph.input.terms import term_of
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.graph.shapes.shapes_editor import triples_of_sources
from kgreason.options import SchemaMode
from kgreason.shapes.graph import ShapesGraph
from kgreason.shapes.report import Report
from kgreason.spark import pipeline
from kgreason.spark.out.write import write
from kgreason.spark.pipeline import load, materialize
from kgreason.spark.rounds.ranges import RowsInFiles
from tests.graph.views import lines

PREFIXES = """
    @prefix : <http://e/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
    @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
ONTOLOGY = """
    :Cat rdfs:subClassOf :Animal , [ a owl:Restriction ; owl:onProperty :eats ; owl:someValuesFrom :Fish ] .
    [] a owl:Class ; owl:intersectionOf ( :Animal :Pet ) ; rdfs:subClassOf :Beloved . :eats a owl:ObjectProperty .
    [ a owl:Restriction ; owl:onProperty :eats ; owl:someValuesFrom :Fish ] rdfs:subClassOf :Fisher .
    :has rdfs:domain :Person ; owl:inverseOf :of . :p a owl:FunctionalProperty . :n rdfs:range xsd:integer .
    :MyTransitive rdfs:subClassOf owl:TransitiveProperty . :Plant owl:disjointWith :Animal .
"""
DATA = """
<http://e/tom> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e/Cat> .
<http://e/tom> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e/Plant> .
<http://e/tom> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e/Pet> .
_:who <http://e/has> <http://e/tom> .
_:who <http://e/n> "01"^^<http://www.w3.org/2001/XMLSchema#integer> .
<http://e/a> <http://e/n> "1"^^<http://www.w3.org/2001/XMLSchema#integer> <http://e/g> .
<http://e/a> <http://e/n> "many"^^<http://www.w3.org/2001/XMLSchema#integer> .
<http://e/a> <http://e/p> <http://e/b> .
<http://e/a> <http://e/p> <http://e/c> <http://e/g> .
<http://e/b> <http://e/n> "1.50"^^<http://www.w3.org/2001/XMLSchema#decimal> .
<http://e/q> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e/MyTransitive> .
<http://e/f> <http://e/p> "4"^^<http://www.w3.org/2001/XMLSchema#integer> .
<http://e/f> <http://e/p> "05"^^<http://www.w3.org/2001/XMLSchema#integer> .
<http://e/h> <http://e/p> "5"^^<http://www.w3.org/2001/XMLSchema#integer> .
<http://e/a> <http://e/q> <http://e/d> .
<http://e/d> <http://e/q> _:who .
"""
MORE = '_:who <http://e/q> <http://e/tom> .\n<http://e/c> <http://e/says> "na\\u00EFf"@FR .\n'
EDITS = [
    ("<http://e/Cat> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <http://e/Animal> .", ""),
    ("<http://e/a> <http://e/p> <http://e/b> .", "<http://e/tom> <http://e/of> <http://e/a> ."),
    ("<http://e/q> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e/MyTransitive> .", ""),
    ("", "<http://e/d> <http://www.w3.org/2002/07/owl#sameAs> <http://e/tom> ."),
]


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """An ontology in Turtle, quads, and triples that are packed; both have a blank node of the same label."""
    paths = [tmp_path / "ontology.ttl", tmp_path / "data one.nq", tmp_path / "more.nt.gz"]
    paths[0].write_text(PREFIXES + ONTOLOGY)
    paths[1].write_text(DATA)
    paths[2].write_bytes(gzip.compress(MORE.encode()))
    return paths


def lines_in(folder: Path) -> set[str]:
    """The lines that Spark has written."""
    return {line for path in folder.glob("part-*.nt") for line in path.read_text().splitlines()}


def shown(graph: KnowledgeGraph) -> list[frozenset[str]]:
    parts = [graph.dump(), graph.dump(asserted=True, graphs=True), graph.dump(asserted=False)]
    return [frozenset(map(repr, graph.contradictions())), *map(lines, parts)]


@pytest.mark.parametrize("schema", get_args(SchemaMode))
def test_a_load_is_that_of_one_process_and_goes_on_alike(
    spark: SparkSession, files: list[Path], schema: SchemaMode
) -> None:
    with (
        KnowledgeGraph.open(schema=schema) as warm,
        KnowledgeGraph.open(schema=schema) as cold,
    ):
        stats = load(warm, files, spark)
        cold.load(*files)
        assert shown(warm) == shown(cold)
        assert stats["facts"] == cold.stats()["facts"]
        for removed, added in EDITS:
            deltas = []
            for graph in (warm, cold):
                with graph.transaction() as tx:
                    tx.remove_lines(removed.encode()).add_lines(added.encode())
                deltas.append([set(part.splitlines()) for part in (tx.delta.added, tx.delta.removed)])
            assert deltas[0] == deltas[1]
            assert shown(warm) == shown(cold)


def test_a_store_that_spark_filled_is_there_when_it_is_opened_again(
    spark: SparkSession, files: list[Path], tmp_path: Path
) -> None:
    with KnowledgeGraph.open(tmp_path / "store") as graph:
        load(graph, files, spark)
        before = shown(graph)
    with KnowledgeGraph.open(tmp_path / "store") as graph:
        assert shown(graph) == before
        assert load(graph, files, spark)["facts"] == graph.stats()["facts"]
        assert shown(graph) == before


def test_a_load_that_was_stopped_does_not_parse_again(spark: SparkSession, files: list[Path], tmp_path: Path) -> None:
    @contextmanager
    def stopped(stage: str, total: int | None = None) -> Iterator[Callable[[int], object]]:
        if stage == "encoding":
            raise KeyboardInterrupt
        yield lambda _: None

    def written() -> dict[Path, int]:
        return {path: path.stat().st_mtime_ns for path in (tmp_path / "work").rglob("grouped/*.parquet")}

    with KnowledgeGraph.open() as wanted:
        wanted.load(*files)
        with KnowledgeGraph.open() as graph:
            known = len(graph._committer().materializer.dictionary)
            with pytest.raises(KeyboardInterrupt):
                load(graph, files, spark, folder=tmp_path / "work", progress=stopped)
            assert (len(graph), len(graph._committer().materializer.dictionary)) == (0, known)
        before = written()
        assert before
        with KnowledgeGraph.open() as graph:
            load(graph, files, spark, folder=tmp_path / "work")
            assert shown(graph) == shown(wanted)
        assert written() == before


def test_what_is_malformed_loads_nothing(spark: SparkSession, files: list[Path]) -> None:
    files[1].write_text(DATA + "<http://e/a> <http://e/p> .\n")
    with KnowledgeGraph.open() as graph:
        with pytest.raises(RdfSyntaxError, match=r"data one\.nq:18"):
            load(graph, files, spark)
        assert not graph.stats()["facts"]
        assert load(graph, files, spark, on_error="count")["skipped"] == 1
        assert graph.stats()["facts"]


def test_what_is_written_is_what_one_process_derives(spark: SparkSession, files: list[Path], tmp_path: Path) -> None:
    """The second time the closure that Spark wrote is used again."""
    with KnowledgeGraph.open(same_as="rules") as graph:
        graph.load(*files)
        for inferred in (False, True):
            closure = tmp_path / f"closure-{inferred}"
            found = materialize(spark, files, closure, inferred=inferred, folder=tmp_path / "work")
            assert lines_in(closure) == lines(graph.dump(asserted=False if inferred else None))
            assert 0 < found.contradictions == len(graph.contradictions())
    with pytest.raises(InputError, match="already exists; remove it or choose another folder"):
        materialize(spark, files, closure, folder=tmp_path / "work")


def test_parquet_tells_asserted_triples_apart(
    spark: SparkSession, files: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two files have the same triples. No literal has two spellings, so tasks read the files of rounds themselves."""
    files.append(tmp_path / "again.nq")
    files[-1].write_text(DATA)
    given = list[type]()

    def noted(triples: Any, *more: Any, **how: Any) -> None:
        given.append(type(triples))
        write(triples, *more, **how)

    monkeypatch.setattr(pipeline, "write", noted)
    materialize(spark, files, tmp_path / "closure", rules=["rdfs"], form="parquet")
    rows = spark.read.parquet(str(tmp_path / "closure")).collect()
    assert given == [RowsInFiles]
    assert len(set(rows)) == len(rows)
    with KnowledgeGraph.open(rules=["rdfs"]) as graph:
        graph.load(*files)
        for asserted in (True, False):
            found = {f"{' '.join(row[:3])} ." for row in rows if row.asserted == asserted}
            assert found == lines(graph.dump(asserted=asserted))


def test_a_swrl_rule_with_a_built_in(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "rules.ttl"
    path.write_text("""@prefix : <http://e/> . @prefix swrl: <http://www.w3.org/2003/11/swrl#> .
        :r a swrl:Imp ; swrl:head ( ) ; swrl:body ( [ a swrl:BuiltinAtom ; swrl:arguments ( 1 2 ) ;
            swrl:builtin <http://www.w3.org/2003/11/swrlb#lessThan> ] ) .""")
    assert materialize(spark, [path], tmp_path / "closure").contradictions == 1


SPELLINGS = """
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
    path.write_text(SPELLINGS)
    materialize(spark, [path], tmp_path / "out", rules=[rules])
    written = lines_in(tmp_path / "out")
    with KnowledgeGraph.open(rules=[rules]) as graph:
        graph.add(SPELLINGS)
        assert written == lines(graph.dump())
    assert len(written) == (10 if rules == "owl2rl" else 20)


SHAPES = """
@prefix : <http://e/> . @prefix sh: <http://www.w3.org/ns/shacl#> .
:S sh:targetSubjectsOf :owner ; sh:property [ sh:path :name ; sh:minCount 1 ] ;
    sh:rule [ sh:subject [ sh:path :owner ] ; sh:predicate :owns ; sh:object sh:this ] .
"""


def test_results_on_spark_are_those_of_a_graph(spark: SparkSession, tmp_path: Path) -> None:
    data = tmp_path / "data.nt"
    data.write_text("<http://e/tom> <http://e/owner> <http://e/ann> .\n<http://e/rex> <http://e/name> 'Rex' .\n")
    data.write_text(data.read_text().replace("'", '"') + "<http://e/rex> <http://e/owner> <http://e/bob> .\n")
    shapes = triples_of_sources([SHAPES])
    written = materialize(spark, [data], tmp_path / "closure", rules=["none"], shapes=shapes)
    with KnowledgeGraph.open(rules=["none"]) as graph:
        graph.load(data)
        graph.shapes.load(SHAPES)
        assert lines_in(tmp_path / "closure") == lines(graph.dump())
        report = Report(ShapesGraph(shapes), [tuple(map(term_of, row)) for row in written.results or ()])
        told, expected = ({str(each.focus) for each in one} for one in (report, graph.validate()))
        assert told == expected == {"<http://e/tom>"}
