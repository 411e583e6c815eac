"""DataFrames of a user's own as triples: those that `graph.add` makes of the same rows. They retract, too."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("pyspark", reason="PySpark is not installed: pip install 'kgreason[spark]'")

import pyarrow as pa
from pyspark.sql import functions as F  # noqa: N812

from kgreason.errors import InputError, InputTypeError
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.spark import read, triples, write_to_store
from kgreason.spark.start.failures import clear_errors
from tests.graph.views import Lines, lines

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

PREFIXES = {"ex": "http://e/"}
SCHEMA = (
    "id int, name string, note string, age int, `a.b` double, price decimal(9,3), born date, seen timestamp,"
    " local timestamp_ntz, good boolean, knows array<int>, home string, kind string"
)
SEEN, LOCAL = datetime(2026, 1, 2, 3, tzinfo=UTC), datetime(2026, 1, 2, 3, 4)
PRICE, BORN = Decimal("1.500"), date(2020, 1, 2)
ROWS = [
    (1, "Tom", "chat", 7, 1.5, PRICE, BORN, SEEN, LOCAL, True, [2, 3], "http://e/house/1", "Cat"),
    (2, 'a "b"\n\\', None, None, float("nan"), None, None, None, None, None, [], "http://e/x#y", "Dog"),
]
MEANING: dict[str, Any] = {
    "subject": "http://e/{id}",
    "vocabulary": "http://e/",
    "columns": {
        "note": ("ex:note", "@fr"),
        "age": ("ex:age", "xsd:byte"),
        "knows": ("ex:knows", "ex:{knows}"),
        "home": ("ex:home", "{+home}"),
        "kind": None,
    },
    "types": ["ex:Pet", "ex:{kind}"],
}


@pytest.fixture
def pets(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame(ROWS, SCHEMA)


def dumped(graph: KnowledgeGraph) -> Lines:
    return lines(graph.dump(asserted=True, graphs=True))


def test_the_triples_are_those_that_a_graph_adds_for_the_same_rows(
    spark: SparkSession, pets: DataFrame, tmp_path: Path
) -> None:
    table = pets.toDF(*map(str, range(len(pets.columns)))).toArrow().rename_columns(pets.columns)
    without: dict[str, Any] = {}
    for number, more in enumerate((without, {"graph": "http://e/g/{kind}"})):
        frame = triples(pets.repartition(2), prefixes=PREFIXES, **MEANING, **more)
        assert frame.columns == ["subject", "predicate", "object", "graph"]
        with KnowledgeGraph.open() as graph, KnowledgeGraph.open() as other:
            graph.add(table, prefixes=PREFIXES, **MEANING, **more)
            write_to_store(frame, other, folder=tmp_path)
            assert dumped(graph) == dumped(other)
            assert len(dumped(graph)) > 15
        if number:
            (tmp_path / "a.nt").write_text("<http://e/a> <http://e/p> <http://e/b> .\n")
            assert frame.unionAll(read(spark, tmp_path / "a.nt")).count() == frame.count() + 1


def test_a_mapping_that_does_not_fit_is_an_error_before_the_job(pets: DataFrame) -> None:
    for problem, arguments in (
        ("there is no column nobody", {"subject": "http://e/{nobody}"}),
        ("there is no column x", {"columns": {"x": "ex:x"}}),
        ("the template makes no IRIs", {"subject": "a {id}"}),
        ("pass `vocabulary`, the beginning of all predicates", {"vocabulary": None, "columns": None, "types": ()}),
        ("only text has a language", {"columns": {"age": ("ex:age", "@en")}}),
    ):
        with pytest.raises(InputError, match=problem):
            triples(pets, prefixes=PREFIXES, **(MEANING | arguments))
    with pytest.raises(InputError, match="column place: XSD has no datatype for values of the type struct"):
        triples(pets.withColumn("place", F.struct("id")), prefixes=PREFIXES, **MEANING)
    with pytest.raises(InputTypeError, match=r"pass a DataFrame of Spark; `KnowledgeGraph\.add` takes a "):
        triples(pa.table({"id": [1]}), prefixes=PREFIXES, **MEANING)


def test_a_wrong_value_is_named_and_nothing_is_loaded(pets: DataFrame) -> None:
    wrong = triples(pets.withColumn("age", F.lit(700)), prefixes=PREFIXES, **MEANING)
    with KnowledgeGraph.open() as graph:
        with pytest.raises(InputError, match="row 1, column age, value 700: "):
            write_to_store(wrong, graph)
        assert dumped(graph) == set()
    with pytest.raises(InputError, match="column age, value 700: "), clear_errors():
        wrong.collect()


def test_rows_with_the_sign_minus_one_are_retracted_first(spark: SparkSession) -> None:
    a, b, c = (f"<http://e/{name}>" for name in "abc")
    signed = "subject string, predicate string, object string, sign int, commit long"
    with KnowledgeGraph.open() as graph:
        graph.add(f"{a} {a} {b} . {a} {a} {c} .")
        before = graph.stats()["facts"]
        rows = [(a, a, b, -1, 5), (b, b, b, 1, 5), (a, a, c, 1, 5), (a, a, c, -1, 6), (c, c, "_:n", -1, 7)]
        write_to_store(spark.createDataFrame(rows, signed).repartition(3), graph)
        assert dumped(graph) == {f"{b} {b} {b} .", f"{a} {a} {c} ."}
        assert graph.stats()["facts"] == before
        for bad in (0, None, 2):
            with pytest.raises(InputError, match=rf"the row \('{a}', .*: the sign has to be 1 or -1, got"):
                write_to_store(spark.createDataFrame([(a, a, b, bad, 1)], signed), graph)
        with pytest.raises(InputError, match=r"the row \('http://e/a', .*; write an IRI as <http://e/a>, or use kgr"):
            write_to_store(spark.createDataFrame([("http://e/a", a, b, -1, 1)], signed), graph)
        assert dumped(graph) == {f"{b} {b} {b} .", f"{a} {a} {c} ."}


def test_a_dataframe_fills_a_relation_and_takes_its_rows_away(spark: SparkSession) -> None:
    frame = spark.createDataFrame([(1, "Tom", 7.5), (2, "Ann", None)], "id int, name string, weight double")
    with KnowledgeGraph.open() as graph:
        with graph.transaction() as tx:
            tx.add_rules("@relation named(id: xsd:integer, name: xsd:string) .")
        named = graph.relation("named")
        named.insert(frame.repartition(2))  # by the names of its columns
        assert {tuple(str(each) for each in row) for row in named.facts()} == {
            ('"1"^^<http://www.w3.org/2001/XMLSchema#integer>', '"Tom"'),
            ('"2"^^<http://www.w3.org/2001/XMLSchema#integer>', '"Ann"'),
        }
        named.delete(frame.where("id = 1").select("id", "name"))
        assert len(named) == 1
        with pytest.raises(InputError, match=r"row 2, .*the value is missing"):
            graph.relation("weighs", 2).insert(frame.select("id", "weight"))
