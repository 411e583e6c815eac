"""Terms as users write them: the same kinds of them everywhere, one meaning each, and clear errors."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import BlankNode, DefaultGraph, Literal, NamedNode, Quad, Triple

from kgreason import KnowledgeGraph
from kgreason.errors import InputError, InputTypeError, RdfSyntaxError
from kgreason.graph.input.terms import PLACES, term_of, term_text, term_text_at, text_of
from kgreason.terms.vocabulary import RDF_TYPE
from tests.tables import table

XSD = "http://www.w3.org/2001/XMLSchema#"
EX = {"ex": "http://e/", "": "http://e/"}


@pytest.fixture
def graph() -> Iterator[KnowledgeGraph]:
    with KnowledgeGraph.open(rules=["none"]) as graph:
        yield graph


def typed(text: str, datatype: str) -> str:
    return f'"{text}"^^<{XSD}{datatype}>'


@table(
    ("given", "text"),
    [
        ("<http://e/a>", "<http://e/a>"),
        ("http://e/a", "<http://e/a>"),
        ("urn:isbn:1", "<urn:isbn:1>"),
        ("mailto:a@e.org", "<mailto:a@e.org>"),
        ("ex:a", "<http://e/a>"),
        (":a", "<http://e/a>"),
        ("ex:a\\,b", "<http://e/a,b>"),
        ("ex:", "<http://e/>"),
        ("xsd:byte", f"<{XSD}byte>"),
        ("_:b", "_:b"),
        ('"a b"', '"a b"'),
        (' "x"@en ', '"x"@en'),
        ('"7"^^xsd:byte', typed("7", "byte")),
        ('"7"^^ex:t', '"7"^^<http://e/t>'),
        ("<<( <http://e/a> <http://e/b> _:c )>>", "<<( <http://e/a> <http://e/b> _:c )>>"),
        (NamedNode("http://e/a"), "<http://e/a>"),
        (BlankNode("b"), "_:b"),
        (Literal("x", language="en"), '"x"@en'),
        (Triple(NamedNode("a:"), NamedNode("b:"), Literal(1)), f"<<( <a:> <b:> {typed('1', 'integer')} )>>"),
        (5, typed("5", "integer")),
        (10**30, typed("1" + "0" * 30, "integer")),
        (np.int64(5), typed("5", "integer")),
        (True, typed("true", "boolean")),
        (np.bool_(False), typed("false", "boolean")),
        (1.5, typed("1.5", "double")),
        (np.float32(1.5), typed("1.5", "double")),
        (float("-inf"), typed("-INF", "double")),
        (float("inf"), typed("INF", "double")),
        (float("nan"), typed("NaN", "double")),
        (Decimal("1.50"), typed("1.50", "decimal")),
        (Decimal("1E+2"), typed("100", "decimal")),
        (date(2024, 2, 29), typed("2024-02-29", "date")),
        (datetime(2024, 2, 29, 1, 2, 3), typed("2024-02-29T01:02:03", "dateTime")),
        (datetime(2024, 2, 29, tzinfo=UTC), typed("2024-02-29T00:00:00+00:00", "dateTime")),
    ],
)
def test_values_that_stand_for_a_term(given: Any, text: str) -> None:
    assert term_text(given, "object", EX) == text


def test_a_is_the_type_as_a_predicate_alone() -> None:
    assert term_text("a", "predicate") == RDF_TYPE
    with pytest.raises(InputError, match="the object 'a' is not a term"):
        term_text("a", "object")


@table(
    ("given", "problem"),
    [
        (
            "abc",
            r"^the object 'abc' is not a term: write a text in quotation marks as '\"abc\"', an IRI as"
            r" 'http://example.org/abc', a name with a prefix as 'ex:abc' or a blank node as '_:abc'$",
        ),
        ("", "^the object '' is not a term: write a text in quotation marks as '\"\"', an IRI as"),
        ("a b: c", "^the object 'a b: c' is not a term: write a text in quotation marks as '\"a b: c\"'"),
        ("foo:a", r"^foo:a: the prefix foo: is not declared; pass prefixes=\{'foo': 'http://example.org/'\}$"),
        ("http://e/{a}", "^the object 'http://e/{a}' is not a term"),
        ("http://e/\ud800", r"'http://e/\\ud800': invalid character at position 9 \(a lone surrogate\)"),
        ("\ud800", "invalid character at position 0"),
        ("ex://a", "^ex://a: may be an IRI, or a name with the prefix ex; for the IRI write <ex://a>"),
        ("<a> <b>", "^the object <a> <b> is not a single term: an IRI in angle brackets has no spaces"),
        ('"x', '^the object "x is not a single term: a text has one quotation mark before it'),
        ("_: b", "^the object _: b is not a single term: a blank node is written as _: and a label"),
        ('"x"^^byte', "^the datatype 'byte' is not a term: write an IRI as"),
        (Decimal("NaN"), "xsd:decimal has no such number"),
        (datetime(2024, 1, 1, tzinfo=timezone(timedelta(seconds=5))), "no time zone of 0:00:05"),
    ],
)
def test_a_text_of_no_term_or_of_two_is_an_error(given: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        term_text(given, "object", EX)


@pytest.mark.parametrize("place", PLACES)
@table("value", [5, None, object(), b"<http://e/a>", ("a", "b", "c"), 1j])
def test_a_value_that_cannot_be_a_term_has_a_type_error_that_says_what_can(value: Any, place: str) -> None:
    if (value, place) != (5, "object"):
        with pytest.raises(InputTypeError, match=rf"^the {place} has to be .*; got .* \({type(value).__name__}\)$"):
            term_text_at(value, place)


@pytest.mark.parametrize(
    ("value", "places"),
    [('"x"', "object"), ("_:b", "subject object graph"), (Literal("x"), "object"), ("<a:>", PLACES)],
)
def test_where_a_term_may_stand(value: Any, places: str) -> None:
    for place in PLACES:
        if place in places:
            assert term_text_at(value, place)
        else:
            with pytest.raises(InputError, match=f"cannot be the {place} of a quad: pass an IRI"):
                term_text_at(value, place)


@given(st.one_of(st.integers(), st.booleans(), st.floats(), st.decimals(allow_nan=False, allow_infinity=False)))
def test_numbers_are_terms_that_pyoxigraph_reads_as_they_are(value: Any) -> None:
    term = term_of(term_text(value, "object"))
    assert isinstance(term, Literal)
    readers: dict[str, Callable[[str], object]] = {
        f"{XSD}integer": int,
        f"{XSD}double": float,
        f"{XSD}decimal": Decimal,
        f"{XSD}boolean": "true".__eq__,
    }
    assert readers[term.datatype.value](term.value) == value or value != value


ROW = ("ex:a", "ex:p", "ex:b")
SAME_ROW = [
    ("http://e/a", "http://e/p", "http://e/b"),
    ("<http://e/a>", "<http://e/p>", "<http://e/b>"),
    [NamedNode("http://e/a"), NamedNode("http://e/p"), NamedNode("http://e/b")],
    Triple(NamedNode("http://e/a"), NamedNode("http://e/p"), NamedNode("http://e/b")),
    "<http://e/a> <http://e/p> <http://e/b> .",
]


@pytest.mark.parametrize("row", SAME_ROW)
def test_one_triple_in_every_spelling_everywhere(graph: KnowledgeGraph, row: Any) -> None:
    assert len(graph.add(ROW, prefixes=EX)) == 1
    assert len(graph.add(row)) == 0
    assert row in graph
    assert graph.explain(row).is_asserted
    assert graph.explain(ROW, prefixes=EX).is_asserted
    assert graph.explain("ex:a ex:p ex:b", prefixes=EX).is_asserted
    assert graph.explain_all(ROW, prefixes=EX) == []
    if not isinstance(row, str):
        assert len(list(graph.match(*row))) == 1
    assert len(list(graph.match(*ROW, prefixes=EX))) == 1
    assert len(graph.remove(row)) == 1
    assert row not in graph


def test_prefixes_of_texts_and_where_they_go_wrong(graph: KnowledgeGraph) -> None:
    assert len(graph.add("ex:a a ex:C .\nGRAPH :g { :a ex:p 1 }", prefixes=EX)) == 2
    assert list(graph.match(graph="ex:g", prefixes=EX)) == [
        Quad(NamedNode("http://e/a"), NamedNode("http://e/p"), Literal(1), NamedNode("http://e/g"))
    ]
    with pytest.raises(RdfSyntaxError, match=r"^<text>:2:"):
        graph.add("ex:a a ex:C .\nex:b ; .", prefixes=EX)
    with pytest.raises(
        RdfSyntaxError, match=r"is not Turtle text; pass .* as one tuple: \(subject, predicate, object\)"
    ):
        graph.add("http://e/a", "http://e/p", "http://e/b")
    with pytest.raises(RdfSyntaxError, match=r"^row 2: the object 'b' is not a term"):
        graph.add("ex:a a ex:D .", ROW, ("ex:a", "ex:p", "b"), prefixes=EX)
    assert len(graph) == 2


@pytest.mark.parametrize(
    ("prefixes", "error", "problem"),
    [
        (5, TypeError, "prefixes have to be a mapping"),
        ({"ex": 5}, TypeError, r"the namespace of ex: has to be an IRI as text; got 5 \(int\)"),
        ({"ex": "e"}, InputError, "the namespace of ex: has to be an IRI; got 'e'"),
        ({"ex:": "http://e/"}, InputError, "'ex:': not a prefix"),
    ],
)
def test_prefixes_that_are_none(graph: KnowledgeGraph, prefixes: Any, error: type[Exception], problem: str) -> None:
    calls: list[Callable[[], object]] = [
        lambda: graph.add(ROW, prefixes=prefixes),
        lambda: graph.remove(ROW, prefixes=prefixes),
        lambda: graph.match(*ROW, prefixes=prefixes),
        lambda: graph.explain(ROW, prefixes=prefixes),
        lambda: graph.query("ASK {}", prefixes=prefixes),
    ]
    for call in calls:
        with pytest.raises(error, match=problem):
            call()


def test_terms_of_rdflib(graph: KnowledgeGraph) -> None:
    rdflib = pytest.importorskip("rdflib", reason="the extra rdflib is not installed")
    a, p, b = rdflib.URIRef("http://e/a"), rdflib.URIRef("http://e/p"), rdflib.BNode("b")
    graph.add(
        (a, p, b),
        (a, p, rdflib.Literal("01", datatype=rdflib.XSD.integer, normalize=False)),
        (a, p, rdflib.Literal("x", lang="en")),
    )
    assert (a, p, b) in graph
    assert {text_of(quad.object) for quad in graph.match(a, p)} == {"_:b", typed("01", "integer"), '"x"@en'}
    assert graph.explain((a, p, b)).is_asserted
    with pytest.raises(InputError, match="relative"):
        graph.match(rdflib.URIRef("relative"))
    with pytest.raises(InputTypeError, match="URIRef"):
        graph.add(a)
    assert graph.query("ASK { ex:a ex:p 1 }", prefixes={"ex": rdflib.Namespace("http://e/")})


@pytest.mark.parametrize("name", ["ex:g", "http://e/g", "<http://e/g>", NamedNode("http://e/g")])
def test_the_default_graph_of_a_query(graph: KnowledgeGraph, name: Any) -> None:
    graph.add((*ROW, "ex:g"), prefixes=EX)
    graph.add(("ex:a", "ex:q", "ex:b"), prefixes=EX)
    found = graph.select("SELECT ?p { ?s ?p ?o }", default_graph=name, prefixes=EX)
    assert [row["p"].value for row in found] == ["http://e/p"]
    assert len(list(graph.select("SELECT * { ?s ?p ?o }", default_graph=DefaultGraph()))) == 2


def test_rdflib_is_not_imported_for_its_terms() -> None:
    program = (
        "import sys; from kgreason.graph.input.terms import term_of_rdflib; term_of_rdflib(1);"
        "assert 'rdflib' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


@table(
    ("call", "problem"),
    [
        (lambda graph: graph.update(5), r"update\(\) takes a SPARQL Update as text; got 5 \(int\)"),
        (lambda graph: graph.query(5), r"query\(\) takes a SPARQL query as text; got 5 \(int\)"),
        (lambda graph: graph.select(b"ASK {}"), r"select\(\) takes a SELECT query as text; got b'ASK {}' \(bytes\)"),
        (lambda graph: graph.load(5), r"load\(\) takes paths of files, as text or Path; got 5 \(int\)"),
        (
            lambda graph: graph.load(["a.nt"]),
            r"load\(\) takes .*; got \['a.nt'\] \(list\): pass several as load\(\*paths\)",
        ),
        (lambda graph: graph.unload(None), r"unload\(\) takes paths of files"),
        (lambda graph: graph.add(5), r"pass Turtle text, or a tuple of three terms .* or four terms .*; got 5 \(int\)"),
        (lambda graph: graph.remove(None), "pass Turtle text, or a tuple"),
        (lambda graph: graph.add([ROW, ROW, ROW]), r"a list of triples; pass each triple as an argument of its own"),
        (lambda graph: graph.add([ROW]), r"a list of triples; pass each triple as an argument of its own"),
        (
            lambda graph: graph.explain(5),
            r"or a tuple of three terms \(subject, predicate, object\); got 5 \(int\)",
        ),
        (lambda graph: 5 in graph, "pass Turtle text, or a tuple"),
        (lambda graph: graph.match(5), "the subject has to be an IRI or a blank node; got 5"),
        (lambda graph: graph.subscribe(5), "5"),
        (lambda graph: graph.transaction().add_rules(5), r"add_rules\(\) takes rules as text; got 5"),
        (lambda graph: graph.transaction().remove_rules(5), r"remove_rules\(\) takes a rule's name, or rules, as text"),
        (lambda graph: graph.transaction().load(5), r"load\(\) takes paths"),
        (lambda graph: graph.transaction().load_rules(5), r"load_rules\(\) takes paths"),
        (lambda graph: graph.transaction().unload_rules(["a"]), r"unload_rules\(\) takes paths"),
        (
            lambda graph: graph.ask("ASK {}", default_graph=5),
            "the graph has to be an IRI, a blank node or DefaultGraph",
        ),
        (lambda graph: KnowledgeGraph.open(5), r"open\(\) takes paths of files"),  # type: ignore[arg-type]
    ],
)
def test_wrong_types(graph: KnowledgeGraph, call: Callable[[Any], object], problem: str) -> None:
    with pytest.raises(TypeError, match=problem):
        call(graph)
