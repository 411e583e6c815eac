"""Rows of facts: frames, dicts, CSV files, and what is wrong in them."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from decimal import Decimal
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
from kgreason.datatypes.column import misfit
from kgreason.errors import InputError
from kgreason.graph.input.terms import term_of, text_of
from kgreason.graph.relation.fields import field_of_term, term_of_field
from kgreason.terms.vocabulary import RDFS_LITERAL
from tests.cli.calling import succeed

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
def test_rows_that_were_read_can_be_inserted(graph: KnowledgeGraph, kind: str) -> None:
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
    "header",
    ["from,to,weight", "\ufefffrom,to,weight", '"from","to", weight ', " FROM ,To,weight", '\ufeff"From",to,weight'],
)
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_headers_as_programs_write_them(graph: KnowledgeGraph, tmp_path: Path, header: str, ends: str) -> None:
    rows = [header, "urn:a,urn:b,1.5", "", '"urn:b","urn:c","2"']
    (tmp_path / "a.csv").write_bytes(ends.join(rows).encode())
    graph.relation("edge").insert(tmp_path / "a.csv")
    assert facts(graph) == WANTED
    if '"' not in header:
        (tmp_path / "a.tsv").write_bytes(ends.join(rows[:2]).replace(",", "\t").encode())
        assert len(graph.relation("edge").delete(tmp_path / "a.tsv").relation("edge").disappeared()) == 1


def test_names_that_differ_in_case_alone_are_told_apart(tmp_path: Path) -> None:
    with KnowledgeGraph.open(rules=["none"]) as graph:
        with graph.transaction() as tx:
            tx.add_rules("@relation r(a, A) .")
        (tmp_path / "r.csv").write_text("A,a\n1,2\n")
        graph.relation("r").insert(tmp_path / "r.csv")
        assert [tuple(term.value for term in row) for row in graph.relation("r")] == [("2", "1")]  # type: ignore[union-attr]


def test_a_field_of_any_length(tmp_path: Path) -> None:
    """The module csv refuses fields above 131,072 characters; its limit is for the whole process."""
    limit, long = csv.field_size_limit(), "x" * 200_000
    with KnowledgeGraph.open(rules=["none"]) as graph:
        for name, text in (("a.csv", f'1,"{long}"\n'), ("b.tsv", f"2\t{long}\n")):
            (tmp_path / name).write_text(text)
            graph.relation("r", 2).insert(tmp_path / name)
        assert {term.value for _, term in graph.relation("r")} == {long}  # type: ignore[union-attr]
        (tmp_path / "bad.csv").write_text('1,"a\n')
        with pytest.raises(InputError, match=r"bad\.csv: unexpected end of data"):
            graph.relation("r").insert(tmp_path / "bad.csv")
    assert csv.field_size_limit() == limit


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


TEXTS = st.one_of(
    st.text(st.characters(codec="utf-8")), st.sampled_from(["5", '"x"', '"5"@en', "<urn:a>", "_:b", "1.50"])
)
LITERALS = TEXTS.map(lambda text: str(Literal(text)))


@given(st.one_of(LITERALS, st.sampled_from(TERMS)))
def test_a_term_is_the_term_of_its_field(term: str) -> None:
    assert text_of(term_of(term_of_field(field_of_term(term)))) == text_of(term_of(term))


TYPES = [f"<http://www.w3.org/2001/XMLSchema#{name}>" for name in ("string", "integer", "decimal")]


@given(
    st.one_of(LITERALS, st.sampled_from([*TERMS, '"1.50"^^<http://www.w3.org/2001/XMLSchema#decimal>'])),
    st.sampled_from([*TYPES, RDFS_LITERAL]),
)
def test_a_term_is_the_term_of_its_field_in_a_typed_column(term: str, type_: str) -> None:
    if misfit(term, type_) is None:
        assert text_of(term_of(term_of_field(field_of_term(term, type_), type_))) == text_of(term_of(term))


COLUMNS_OF_R = "a: xsd:decimal, b: xsd:string, c: rdfs:Literal, d: rdfs:Resource, e"
ROWS_OF_R = [
    (Decimal("2.50"), "5", Literal("x", language="en"), "urn:a", 5),
    (7, "a,b", Literal("y\nz"), "_:b", "urn:c"),
]


def test_the_command_line_inserts_what_it_reads(tmp_path: Path) -> None:
    store, rules = tmp_path / "store", tmp_path / "rules.dl"
    rules.write_text(f"@relation r({COLUMNS_OF_R}) . @relation on() .")
    with KnowledgeGraph.open(store, rules=["none", rules]) as graph:
        graph.relation("r").insert(ROWS_OF_R)
        graph.relation("on").insert([()])
        before = set(graph.dump_relations())
    for name in ("r", "on"):
        text = succeed("relation", "read", "-l", store, name)
        succeed("relation", "delete", "-l", store, name, "-", stdin=text)
        assert len(succeed("relation", "read", "-l", store, name).splitlines()) == (name == "r")  # the header
        succeed("relation", "insert", "-l", store, name, "-", stdin=f"\ufeff{text}")
    with KnowledgeGraph.open(store) as graph:
        assert set(graph.dump_relations()) == before


def test_a_column_of_texts_with_a_language(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('"""chat""@fr"\n')
    with KnowledgeGraph.open(rules=["none"]) as graph:
        with graph.transaction() as tx:
            tx.add_rules("@relation said(text: rdf:langString) .")
        graph.relation("said").insert([('"cat"@en',)])
        graph.relation("said").insert(tmp_path / "a.csv")
        assert {str(text) for (text,) in graph.relation("said")} == {'"cat"@en', '"chat"@fr'}
        for rows in ([("cat",)], [('"cat"',)]):
            with pytest.raises(InputError, match=r"column text, value .*: expected a"):
                graph.relation("said").insert(rows)
