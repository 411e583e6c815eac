"""`add` and `remove` of frames and of rdflib graphs: the same triples from every library and through every door."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

import kgreason
from kgreason import KnowledgeGraph
from kgreason.errors import InputError, InputTypeError, KgreasonError
from tests.server.serving import served

pandas = pytest.importorskip("pandas", reason="the extra frames is not installed")
polars = pytest.importorskip("polars", reason="the extra frames is not installed")
pyarrow = pytest.importorskip("pyarrow", reason="the extra frames is not installed")

EX = {"ex": "http://e/"}
ROWS: dict[str, list[Any]] = {
    "id": ["tom", "kit e", "rex/1"],
    "name": ["Tom", None, 'R"x'],
    "age": [7, None, 2],
    "born": [date(2019, 1, 1), None, None],
    "knows": [["kit e", "rex/1"], [], None],
    "kind": ["Cat", "Cat", "Dog"],
}
MAPPING: dict[str, Any] = {
    "subject": "ex:{id}",
    "vocabulary": "ex:",
    "columns": {"knows": ("ex:knows", "http://e/{knows}"), "age": ("ex:age", "xsd:byte"), "kind": None},
    "types": ["ex:Pet", "ex:{kind}"],
    "prefixes": EX,
}
TEXT = """@prefix : <http://e/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:tom a :Pet, :Cat ; :name "Tom" ; :age "7"^^xsd:byte ; :born "2019-01-01"^^xsd:date ;
  :knows <http://e/kit%20e>, <http://e/rex%2F1> .
<http://e/kit%20e> a :Pet, :Cat .
<http://e/rex%2F1> a :Pet, :Dog ; :name 'R"x' ; :age "2"^^xsd:byte ."""
FRAMES = {
    "pandas": lambda: pandas.DataFrame(ROWS),
    "an index": lambda: pandas.DataFrame(ROWS).set_index("id"),
    "pandas on Arrow": lambda: pandas.DataFrame(ROWS).convert_dtypes(dtype_backend="pyarrow"),
    "polars": lambda: polars.DataFrame(ROWS),
    "arrow": lambda: pyarrow.table(ROWS),
    "a batch": lambda: pyarrow.record_batch(ROWS),
    "chunks": lambda: pyarrow.concat_tables([pyarrow.table(ROWS)[:1], pyarrow.table(ROWS)[1:]]),
    "categories": lambda: pandas.DataFrame(ROWS).astype({"kind": "category", "name": "category", "id": "category"}),
}


@pytest.fixture
def graph() -> Iterator[KnowledgeGraph]:
    with KnowledgeGraph.open(rules=["none"]) as graph:
        yield graph


def lines(graph: Any, **how: Any) -> set[bytes]:
    return set(b"".join(graph.dump(**how)).splitlines())


@pytest.mark.parametrize("library", FRAMES)
def test_the_triples_do_not_depend_on_the_library(graph: KnowledgeGraph, library: str) -> None:
    graph.add(TEXT)
    expected = lines(graph)
    graph.remove(TEXT)
    frame = FRAMES[library]()
    assert graph.add(frame, **MAPPING).appeared(asserted=True)
    assert lines(graph) == expected
    with graph.what_if() as tx:
        tx.remove(frame, **MAPPING)
    assert len(tx.delta.disappeared()) == len(expected)
    assert lines(graph) == expected
    graph.remove(frame, **MAPPING)
    assert lines(graph) == set()


def test_a_graph_of_a_server_takes_frames(tmp_path: Path, graph: KnowledgeGraph) -> None:
    frame = polars.DataFrame(ROWS)
    graph.add(frame, **MAPPING)
    with served(tmp_path / "there", text="") as address, kgreason.connect(address) as there:
        there.add(frame, **MAPPING)
        assert lines(there, asserted=True) == lines(graph)
        with there.transaction() as tx:
            tx.remove(frame, **MAPPING)
        assert lines(there, asserted=True) == set()


def test_a_frame_stands_beside_other_items_and_has_a_graph(graph: KnowledgeGraph) -> None:
    frame = pandas.DataFrame({"id": [1, 2], "x": [1.0, float("nan")]})
    with graph.transaction() as tx:
        tx.add(
            frame, "<http://e/a> a <http://e/B> .", ("ex:1", "a", "ex:B"), subject="ex:{id}", types="ex:C", prefixes=EX
        )
        tx.add(frame, subject="ex:{id}", vocabulary="http://e/v#", graph="http://e/g", prefixes=EX)
    assert len(graph) == 5
    assert lines(graph, graphs=True) >= {
        b'<http://e/1> <http://e/v#x> "1.0"^^<http://www.w3.org/2001/XMLSchema#double> <http://e/g> .',
        b"<http://e/2> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e/C> .",
    }


MISTAKES: list[tuple[dict[str, Any], str]] = [
    ({}, "a frame needs the argument `subject`"),
    ({"subject": "http://e/{id}"}, "pass `vocabulary`"),
    ({"subject": "http://e/{no}", "vocabulary": "http://e/"}, "there is no column no; the columns are id, x"),
    ({"subject": "http://e/{id}", "columns": {"no": "http://e/no"}}, "there is no column no; the columns are id, x"),
    ({"subject": "e/{id}", "vocabulary": "http://e/"}, "e/{id}: the template makes no IRIs"),
    ({"subject": "no:{id}", "vocabulary": "http://e/"}, "no:{id}: the template makes no IRIs: .*prefix no: is not"),
    ({"subject": "http://e/{x}", "vocabulary": "http://e/"}, "row 2, column x, value None: the subject"),
    ({"subject": "http://e/{id", "vocabulary": "http://e/"}, "http://e/{id: a { alone"),
    ({"subject": "http://e/{id}", "vocabulary": "e"}, "the predicate 'e' is not a term"),
    ({"subject": "http://e/{id}", "columns": {"x": 5}}, "column x: pass a predicate, a pair such as"),
    ({"subject": "http://e/{id}", "columns": {"x": ("http://e/x", "@e n")}}, "column x: @e n is not a language tag"),
    ({"subject": "http://e/{id}", "columns": {"x": ("http://e/x", "rdf:langString")}}, "needs a language tag"),
    ({"subject": "http://e/{id}", "columns": {"x": ("http://e/x", "xsd:int")}}, "row 1, column x, value 'a'"),
    ({"subject": "http://e/{id}", "columns": {"x": ("http://e/x", "xsd:integr")}}, "RDF has no datatype xsd:integr"),
    ({"subject": "http://e/{id}", "columns": {"x": ("http://e/x", "{x}")}}, "makes no IRIs: .*; {.name} takes whole"),
    ({"subject": "http://e/{id}", "types": '"a"'}, "cannot be the object|not an IRI"),
]


@pytest.mark.parametrize(("mapping", "problem"), MISTAKES)
def test_a_mistake_is_one_clear_error_and_changes_nothing(
    graph: KnowledgeGraph, mapping: dict[str, Any], problem: str
) -> None:
    frame, before = polars.DataFrame({"id": [1, 2], "x": ["a", None]}), graph.stats()["terms"]
    with pytest.raises(KgreasonError, match=problem):
        graph.add(("http://e/new", "a", "http://e/B"), frame, **mapping)
    assert (len(graph), graph.stats()["terms"]) == (0, before)


def test_rows_of_many_batches_have_their_numbers(graph: KnowledgeGraph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kgreason.graph.input.frames._ROWS", 3)
    table = pyarrow.table({"id": range(8), "x": ["1"] * 7 + ["y"]})
    with pytest.raises(InputError, match=r"^row 8, column x, value 'y': "):
        graph.add(table, subject="http://e/{id}", columns={"x": ("http://e/x", "xsd:int")})
    graph.add(table, subject="http://e/{id}", vocabulary="http://e/")
    assert len(graph) == 8


def test_frames_that_have_no_rows_or_no_types(graph: KnowledgeGraph) -> None:
    how: Any = {"subject": "http://e/{id}", "vocabulary": "http://e/"}
    graph.add(pandas.DataFrame({"id": [], "x": []}), **how)
    with pytest.raises(InputTypeError, match="LazyFrame has no rows yet"):
        graph.add(polars.LazyFrame({"id": [1]}), **how)
    with pytest.raises(InputTypeError, match="not a Series"):
        graph.add(pandas.Series([1]), **how)
    with pytest.raises(InputError, match="row 2, column x, value 'a': the column has values of the type int"):
        graph.add(pandas.DataFrame({"id": [1, 2], "x": [5, "a"]}), **how)
    twice: list[Any] = [pandas.DataFrame([[1, 2, 3]], columns=["id", "x", "x"])]
    twice.append(pyarrow.table([[1], [2], [3]], names=["id", "x", "x"]))
    for frame in twice:
        with pytest.raises(InputError, match=r"^the frame has two columns x"):
            graph.add(frame, **how)
    with pytest.raises(InputTypeError, match="subject, vocabulary: only a frame takes these arguments"):
        graph.add("<http://e/a> a <http://e/B> .", **how)
    assert len(graph) == 0


@pytest.mark.filterwarnings("ignore:Dataset:DeprecationWarning")  # rdflib warns of what it calls itself
def test_graphs_of_rdflib(graph: KnowledgeGraph) -> None:
    rdflib = pytest.importorskip("rdflib", reason="the extra rdflib is not installed")
    text = "@prefix : <http://e/> . :a :b _:c . _:c :d '1'@en-GB, '01'^^<http://www.w3.org/2001/XMLSchema#int> ."
    single, several = rdflib.Graph(), rdflib.Dataset()
    single.parse(data=text, format="turtle")
    for triple in single:
        several.add(triple)
        several.graph(rdflib.URIRef("http://e/g")).add(triple)
    for source in (single, several):
        graph.add(source)
        expected = {" ".join(each.n3() for each in triple) for triple in single}
        found = {line.decode().removesuffix(" .") for line in lines(graph, graphs=source is several)}
        assert found == expected | {f"{each} <http://e/g>" for each in expected if source is several}
        graph.remove(source)
        assert len(graph) == 0
    single.add((rdflib.Literal("x"), rdflib.RDF.type, rdflib.RDFS.Class))
    with pytest.raises(InputError, match=r"^the triple .*cannot be the subject"):
        graph.add(single)
    with pytest.raises(InputError, match=r"column x: .* is a term, not a value"):
        graph.add(
            pandas.DataFrame({"id": [1], "x": [rdflib.RDF.type]}, dtype=object),
            subject="http://e/{id}",
            vocabulary="http://e/",
        )
    with pytest.raises(InputTypeError, match=r"call add\(graph\)"):
        graph.load(rdflib.Graph())


def test_a_column_that_no_triple_needs_may_be_a_mixture(graph: KnowledgeGraph) -> None:
    frame = pandas.DataFrame({"id": [1, 2], "x": [1, "a"], "n": ["a", "b"]})
    graph.add(frame, subject="http://e/{id}", columns={"n": "http://e/n"})
    assert len(graph) == 2
    with pytest.raises(InputError, match=r"^row 2, column x, value 'a': the column has values of the type int$"):
        graph.add(frame, subject="http://e/{id}", vocabulary="http://e/")
    graph.add(frame[["n"]], subject="http://e/a", types="http://e/C")
    assert len(graph) == 3


def test_a_mistake_in_the_arguments_is_named_before_one_in_a_column(graph: KnowledgeGraph) -> None:
    frame = pandas.DataFrame({"id": [1, 2], "x": [1, "a"]})
    with pytest.raises(InputTypeError, match=r"^a frame needs the argument `subject`"):
        graph.add(frame)


def test_an_integer_beyond_64_bits_is_one_clear_error(graph: KnowledgeGraph) -> None:
    frame = pandas.DataFrame({"id": [1, 10**20]})
    with pytest.raises(InputError, match=f"^row 2, column id, value {10**20}: an integer of more than 64 bits"):
        graph.add(frame, subject="http://e/{id}", types="http://e/C")
    graph.add(frame.astype(str), subject="http://e/{id}", columns={"id": ("http://e/n", "xsd:integer")})
    assert ("http://e/100000000000000000000", "http://e/n", 10**20) in graph


def test_uuids_are_text(graph: KnowledgeGraph) -> None:
    ids = [UUID(int=0), UUID("0123abcd-0000-4000-8000-fedcba987654"), None, UUID(int=2**128 - 1)]
    frame = pandas.DataFrame({"n": range(4), "id": ids})
    graph.add(frame, subject="http://e/{n}", vocabulary="http://e/")
    found = graph.select("SELECT ?id { ?x <http://e/id> ?id }").to_pandas()["id"]
    assert {*found} == {str(each) for each in ids if each}
    graph.add(frame[3:], subject="urn:uuid:{id}", types="http://e/C")
    assert (f"urn:uuid:{ids[3]}", "a", "http://e/C") in graph


def test_dicts_are_no_row_of_terms(graph: KnowledgeGraph) -> None:
    rows: Any = [{"id": 1}]
    with pytest.raises(InputTypeError, match=r"a list of dicts; pass a frame, such as pandas.DataFrame\(rows\)$"):
        graph.add(rows, subject="http://e/{id}", vocabulary="http://e/")
