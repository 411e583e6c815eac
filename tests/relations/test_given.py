"""Rows of facts: frames, dicts, CSV files, and what is wrong in them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas
import polars
import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import Literal

from kgreason import KnowledgeGraph
from kgreason.errors import InputError
from kgreason.graph.input.terms import term_of, text_of
from kgreason.graph.relation.fields import field, of_field

RULES = "@relation edge(from: rdfs:Resource, to: rdfs:Resource, weight: xsd:double) key(from, to) ."
COLUMNS = {"weight": [1.5, 2.0], "to": ["urn:b", "urn:c"], "from": ["urn:a", "urn:b"]}
WANTED = [("urn:a", "urn:b", 1.5), ("urn:b", "urn:c", 2.0)]


@pytest.fixture(name="graph")
def open_graph() -> Iterator[KnowledgeGraph]:
    with KnowledgeGraph.open(rules=["none"]) as graph:
        with graph.transaction() as tx:
            tx.add_rules(RULES)
        yield graph


def facts(graph: KnowledgeGraph) -> list[tuple[str, str, float]]:
    return sorted((row[0].value, row[1].value, float(row[2].value)) for row in graph.relation("edge"))  # type: ignore[union-attr]


@pytest.mark.parametrize("frame", [pandas.DataFrame, polars.DataFrame, pyarrow.table])
def test_a_frame_gives_its_columns_by_name(graph: KnowledgeGraph, frame: Any) -> None:
    graph.relation("edge").insert(frame(COLUMNS))
    assert facts(graph) == WANTED


@pytest.mark.parametrize("frame", [pandas.DataFrame, polars.DataFrame, pyarrow.table])
def test_a_frame_with_other_names_gives_its_columns_by_place(graph: KnowledgeGraph, frame: Any) -> None:
    graph.relation("edge").insert(frame({"a": COLUMNS["from"], "b": COLUMNS["to"], "c": [1.5, 2]}))
    assert facts(graph) == WANTED


@pytest.mark.parametrize("kind", ["to_pandas", "to_polars", "to_arrow"])
def test_what_is_read_can_be_inserted(graph: KnowledgeGraph, kind: str) -> None:
    graph.relation("edge").insert(WANTED)
    read = getattr(graph.relation("edge"), kind)()
    graph.relation("edge").delete(WANTED)
    graph.relation("edge").insert(read)
    assert facts(graph) == WANTED


@pytest.mark.parametrize("frame", [pandas.DataFrame, polars.DataFrame, pyarrow.table])
def test_a_missing_value_of_a_frame_is_named(graph: KnowledgeGraph, frame: Any) -> None:
    with pytest.raises(InputError, match="row 2, column weight, value None: the value is missing"):
        graph.relation("edge").insert(frame({**COLUMNS, "weight": [1.5, None]}))
    assert facts(graph) == []


def test_dicts_have_a_value_for_each_column(graph: KnowledgeGraph) -> None:
    graph.relation("edge").insert({"to": to, "from": from_, "weight": weight} for from_, to, weight in WANTED)
    assert facts(graph) == WANTED
    with pytest.raises(InputError, match="row 1 has the columns to, weight; expected from, to, weight"):
        graph.relation("edge").insert([{"to": "urn:a", "weight": 5}])
    with pytest.raises(InputError, match="its places have no names"):
        graph.relation("other").insert([{"to": "urn:a"}])


def test_a_csv_file_may_have_a_header(graph: KnowledgeGraph, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("weight,to,from\n1.5,urn:b,<urn:a>\n2,urn:c,urn:b\n")
    (tmp_path / "b.tsv").write_text("urn:a\turn:b\t1.5\nurn:b\t<urn:c>\t2.0\n")
    for name in ("a.csv", "b.tsv"):
        graph.relation("edge").upsert(tmp_path / name)
        assert facts(graph) == WANTED


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("urn:a,urn:b,1\nurn:b,urn:c,x\n", r"bad.csv, line 2, column weight, value 'x'"),
        ("from,to,weight\nurn:a,urn:b\n", r"bad.csv, line 2: 2 values, but edge has 3 places"),
        ("a b,urn:b,1\n", r"bad.csv, line 1, column from, value 'a b'"),
    ],
)
def test_a_wrong_field_names_file_line_column_and_value(
    graph: KnowledgeGraph, tmp_path: Path, text: str, problem: str
) -> None:
    (tmp_path / "bad.csv").write_text(text)
    with pytest.raises(InputError, match=problem):
        graph.relation("edge").insert(tmp_path / "bad.csv")
    assert facts(graph) == []


def test_a_file_that_cannot_be_read(graph: KnowledgeGraph, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        graph.relation("edge").insert(tmp_path / "none.csv")
    (tmp_path / "latin.csv").write_bytes(b"\xe9,urn:b,1\n")
    with pytest.raises(InputError, match="is not UTF-8 text"):
        graph.relation("edge").insert(tmp_path / "latin.csv")


TERMS = [
    "<urn:a>",
    "_:b0",
    '"5"^^<http://www.w3.org/2001/XMLSchema#integer>',
    '"+05"^^<http://www.w3.org/2001/XMLSchema#integer>',
    '"x"@en',
    "<<( <urn:a> <urn:b> <urn:c> )>>",
]


@given(st.one_of(st.text(st.characters(codec="utf-8")).map(lambda text: str(Literal(text))), st.sampled_from(TERMS)))
def test_a_term_is_the_term_of_its_field(term: str) -> None:
    assert text_of(term_of(of_field(field(term)))) == text_of(term_of(term))
