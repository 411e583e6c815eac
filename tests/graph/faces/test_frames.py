"""Solutions, matches and deltas as tables: each column has the type that holds all of its terms."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import Literal, NamedNode

from kgreason import KnowledgeGraph
from kgreason.errors import InputError
from kgreason.graph.input.terms import term_of, term_text
from kgreason.graph.results.answers import Solutions
from kgreason.graph.results.columns import column_of

pandas = pytest.importorskip("pandas", reason="the extra frames is not installed")
polars = pytest.importorskip("polars", reason="the extra frames is not installed")
pyarrow = pytest.importorskip("pyarrow", reason="the extra frames is not installed")

XSD = {"xsd": "http://www.w3.org/2001/XMLSchema#"}


@pytest.fixture
def graph() -> Iterator[KnowledgeGraph]:
    with KnowledgeGraph.open(rules=["rdfs"]) as graph:
        yield graph


def solutions(graph: KnowledgeGraph, cells: list[str]) -> Solutions:
    """A column of terms as SPARQL writes them, in this order; UNDEF is unbound."""
    rows = " ".join(f"({number} {cell})" for number, cell in enumerate(cells))
    return graph.select(f"SELECT ?x {{ VALUES (?n ?x) {{ {rows} }} }} ORDER BY ?n", prefixes=XSD)


COLUMNS: list[tuple[list[str], str, str, list[object]]] = [
    (["1", '"2"^^xsd:byte', "UNDEF"], "int64", "Int64", [1, 2, None]),
    (["1", "2.50"], "decimal128(38, 1)", "object", [Decimal(1), Decimal("2.5")]),
    (["1", "10000000000000000000"], "decimal128(38, 0)", "object", [Decimal(1), Decimal(10**19)]),
    (["1", "2.5", "1e0", '"2"^^xsd:float', "UNDEF"], "double", "Float64", [1.0, 2.5, 1.0, 2.0, None]),
    (["true", "UNDEF", '"0"^^xsd:boolean'], "bool", "boolean", [True, None, False]),
    (
        ['"2024-01-01T01:00:00.5+01:00"^^xsd:dateTime', "UNDEF"],
        "timestamp[us, tz=UTC]",
        "datetime64[us, UTC]",
        [datetime(2024, 1, 1, 0, 0, 0, 500_000, UTC), None],
    ),
    (['"2024-01-01T01:00:00"^^xsd:dateTime'], "timestamp[us]", "datetime64[us]", [datetime(2024, 1, 1, 1)]),
    (['"2024-01-01"^^xsd:date', "UNDEF"], "date32[day]", "object", [date(2024, 1, 1), None]),
    (['"x"', '"y"@en', "<http://e/a>", "UNDEF"], "string", "string", ["x", "y", "http://e/a", None]),
    (["UNDEF", "UNDEF"], "string", "string", [None, None]),
    (["1", '"x"'], "string", "string", ["1", "x"]),
    (["1", "true"], "string", "string", ["1", "true"]),
    (["1", '"x"^^xsd:integer'], "string", "string", ["1", "x"]),
    ([f"{10**38}.5"], "string", "string", [f"{10**38}.5"]),
    (
        ['"2024-01-01T01:00:00"^^xsd:dateTime', '"2024-01-01T01:00:00Z"^^xsd:dateTime'],
        "string",
        "string",
        ["2024-01-01T01:00:00", "2024-01-01T01:00:00Z"],
    ),
    (['"12024-01-01"^^xsd:date'], "string", "string", ["12024-01-01"]),
    (['"P1D"^^xsd:duration', '"x"^^<http://e/t>'], "string", "string", ["P1D", "x"]),
]


@pytest.mark.parametrize(("cells", "arrow", "dtype", "values"), COLUMNS)
def test_the_type_of_a_column(
    graph: KnowledgeGraph, cells: list[str], arrow: str, dtype: str, values: list[object]
) -> None:
    table = solutions(graph, cells).to_arrow()
    assert str(table.schema.field("x").type) == arrow
    assert table.column("x").to_pylist() == values
    frame = solutions(graph, cells).to_pandas()
    assert str(frame["x"].dtype) == dtype
    assert [None if pandas.isna(value) else value for value in frame["x"]] == values
    assert solutions(graph, cells).to_polars()["x"].to_list() == values


def test_nan_is_a_number_and_not_null(graph: KnowledgeGraph) -> None:
    cells = ['"NaN"^^xsd:double', '"INF"^^xsd:float', "UNDEF"]
    found = solutions(graph, cells).to_arrow().column("x").to_pylist()
    assert math.isnan(found[0])
    assert found[1:] == [math.inf, None]


def test_n_triples_text_tells_all_terms_apart(graph: KnowledgeGraph) -> None:
    cells = ["1", '"x"', "<http://e/a>", "UNDEF", '"x"@en']
    texts = ['"1"^^<http://www.w3.org/2001/XMLSchema#integer>', '"x"', "<http://e/a>", None, '"x"@en']
    assert solutions(graph, cells).to_arrow(ntriples=True).column("x").to_pylist() == texts
    assert solutions(graph, cells).to_polars(ntriples=True)["x"].to_list() == texts
    assert list(solutions(graph, cells).to_pandas(ntriples=True)["x"].fillna("")) == [text or "" for text in texts]


@given(
    st.lists(st.one_of(st.none(), st.integers(), st.decimals(-(10**9), 10**9, places=3), st.floats(allow_nan=False)))
)
def test_a_column_of_numbers_has_all_of_them(numbers: list[Any]) -> None:
    cells = [None if number is None else term_of(term_text(number, "object")) for number in numbers]
    kind, _, values = column_of(cells, ntriples=False)
    if kind == "text":
        assert all(value is None for value in numbers) or any(abs(number or 0) >= 10**29 for number in numbers)
    else:
        wider: Any = float if kind == "double" else Decimal
        assert [value if value is None else wider(value) for value in values] == [
            number if number is None else wider(number) for number in numbers
        ]


def test_matches(graph: KnowledgeGraph) -> None:
    graph.add("<http://e/a> <http://e/n> 1 . GRAPH <http://e/g> { <http://e/a> <http://e/n> 2 }")
    frame = graph.match(None, "http://e/n").to_polars().sort("object", "graph")
    assert frame.columns == ["subject", "predicate", "object", "graph"]
    assert frame.rows() == [
        ("http://e/a", "http://e/n", 1, None),
        ("http://e/a", "http://e/n", 2, None),
        ("http://e/a", "http://e/n", 2, "http://e/g"),
    ]


def test_triples(graph: KnowledgeGraph) -> None:
    graph.add("<http://e/a> <http://e/n> 1 .")
    assert graph.construct("CONSTRUCT WHERE { ?s ?p ?o }").to_arrow().to_pylist() == [
        {"subject": "http://e/a", "predicate": "http://e/n", "object": 1}
    ]


def test_a_delta(graph: KnowledgeGraph) -> None:
    graph.add(
        "<http://e/n> <http://www.w3.org/2000/01/rdf-schema#subPropertyOf> <http://e/m> . <http://e/a> <http://e/m> 1 ."
    )
    delta = graph.add("<http://e/a> <http://e/n> 1 . GRAPH <http://e/g> { <http://e/b> <http://e/n> 2 }")
    columns = ["subject", "predicate", "object", "graph", "before", "after"]
    frame = delta.to_pandas()
    assert list(frame.columns) == columns
    assert len(frame) == 4
    rows = {tuple(row[name] for name in columns) for row in delta.to_arrow().to_pylist()}
    assert rows == {
        ("http://e/a", "http://e/n", 1, None, "absent", "asserted"),
        ("http://e/b", "http://e/n", 2, None, "absent", "asserted"),
        ("http://e/b", "http://e/m", 2, None, "absent", "inferred"),
        ("http://e/b", "http://e/n", 2, "http://e/g", "absent", "asserted"),
    }
    gone = graph.remove("<http://e/a> <http://e/n> 1 . <http://e/a> <http://e/m> 1 .").to_polars()
    assert set(gone.select("predicate", "before", "after").rows()) == {
        ("http://e/n", "asserted", "absent"),
        ("http://e/m", "asserted", "absent"),
    }
    assert len(graph.add().to_arrow()) == 0


@pytest.mark.parametrize(
    ("library", "method", "name"),
    [
        ("pandas", "to_pandas", "pandas"),
        ("pyarrow", "to_pandas", "pandas"),
        ("pyarrow", "to_arrow", "PyArrow"),
        ("polars", "to_polars", "Polars"),
        ("pyarrow", "to_polars", "Polars"),
    ],
)
def test_a_library_that_is_missing(
    graph: KnowledgeGraph, monkeypatch: pytest.MonkeyPatch, library: str, method: str, name: str
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    found = solutions(graph, ["1"])
    with pytest.raises(InputError, match=rf"^tables of {name} need .*: pip install 'kgreason\[frames\]'$"):
        getattr(found, method)()
    assert len(list(found)) == 1


def test_an_xml_literal_that_takes_too_long_is_text() -> None:
    deep = "<a>" * 5_000 + "</a>" * 5_000
    with KnowledgeGraph.open(rules=["none"]) as graph:
        graph.add(f'<http://e/a> <http://e/p> "{deep}"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#XMLLiteral> .')
        assert graph.select("SELECT ?o { ?s ?p ?o }").to_arrow()["o"].to_pylist() == [deep]


def test_a_moment_of_too_many_digits_is_text() -> None:
    text = f"2004-02-29T12:00:00.{'0' * 100_000}Z"
    cell = Literal(text, datatype=NamedNode("http://www.w3.org/2001/XMLSchema#dateTime"))
    assert column_of([cell], ntriples=False) == ("text", 0, [text])
