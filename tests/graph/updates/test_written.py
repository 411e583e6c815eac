"""Quads by pattern: those of the graph, term by term, in the forms in which they were written."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import BlankNode, DefaultGraph, Literal, NamedNode, Quad, RdfFormat, Triple, serialize

from kgreason import KnowledgeGraph
from kgreason.errors import InputError, QueryError
from kgreason.store.oxigraph.update import Term
from kgreason.store.oxigraph.update import parse_quads as quads_of
from tests.volume import many

XSD = "http://www.w3.org/2001/XMLSchema#"


def _typed(text: str, datatype: str) -> Literal:
    return Literal(text, datatype=NamedNode(XSD + datatype))


P, Q, A, B = (NamedNode(f"http://e/{name}") for name in "pqab")
BELOW = NamedNode("http://www.w3.org/2000/01/rdf-schema#subPropertyOf")
SUBJECTS: list[NamedNode | BlankNode] = [A, BlankNode("b")]
NUMBERS = [_typed(*pair) for pair in product(("1", "01", "+1"), ("integer", "byte", "decimal"))]
OBJECTS: list[Term] = [
    B,
    BlankNode("b"),
    Literal("x"),
    Literal("x", language="en"),
    _typed("1.50", "decimal"),
    *NUMBERS,
]
GRAPHS: list[DefaultGraph | NamedNode] = [DefaultGraph(), NamedNode("http://e/g")]
QUADS = [Quad(s, P, o, g) for s in SUBJECTS for o in OBJECTS for g in GRAPHS]


@pytest.fixture
def graph() -> Iterator[KnowledgeGraph]:
    with KnowledgeGraph.open(rules=["rdfs"]) as graph:
        yield graph


def _closure(quads: set[Quad]) -> set[Quad]:
    """The closure of quads, each P a Q, in the default graph, and those of the named graph."""
    triples = {(quad.subject, quad.object) for quad in quads}
    closure = {Quad(s, p, o) for (s, o), p in product(triples, (P, Q))}
    return {Quad(P, BELOW, Q), *closure, *(quad for quad in quads if quad.graph_name != DefaultGraph())}


@settings(max_examples=many(5))
@given(st.sets(st.sampled_from(QUADS)), st.sampled_from(QUADS), st.tuples(*[st.booleans()] * 4))
def test_every_pattern(quads: set[Quad], quad: Quad, mask: tuple[bool, ...]) -> None:
    pattern = [term if is_given else None for term, is_given in zip(quad, mask, strict=True)]

    def matching(among: set[Quad]) -> set[Quad]:
        return {each for each in among if all(w in (None, t) for w, t in zip(pattern, each, strict=True))}

    with KnowledgeGraph.open(rules=["rdfs"]) as graph:
        with graph.transaction() as tx:
            tx.add(Quad(P, BELOW, Q), *quads)
        for asserted, wanted in ((False, _closure(quads)), (True, {Quad(P, BELOW, Q), *quads})):
            found = list(graph.match(*pattern, asserted=asserted))
            assert set(found) == matching(wanted)
            assert len(found) == len(set(found))


def test_without_a_pattern_it_is_the_dump(graph: KnowledgeGraph) -> None:
    with graph.transaction() as tx:
        tx.add(Quad(P, BELOW, Q), *QUADS)
    dumped = set(quads_of(b"".join(graph.dump(graphs=True))))
    assert set(graph.match()) == dumped


def test_equal_terms(graph: KnowledgeGraph) -> None:
    with KnowledgeGraph.open(rules=["owl2rl"]) as same:
        with same.transaction() as tx:
            tx.add(Quad(A, P, NUMBERS[0]), Quad(A, P, NUMBERS[3]), Quad(A, P, _typed("7", "byte")))
            tx.add((str(A), "<http://www.w3.org/2002/07/owl#sameAs>", str(B)))
        assert {quad.object for quad in same.match(A, P)} == {NUMBERS[0], NUMBERS[3], _typed("7", "byte")}
        one = min(NUMBERS[0], NUMBERS[3], key=str)  # of a value that nobody asserts for B
        assert {quad.object for quad in same.match(B, P)} == {one, _typed("7", "byte")}
        assert list(same.match(B, P, asserted=True)) == []


def test_terms_of_rdf_12(graph: KnowledgeGraph) -> None:
    told = Quad(A, P, Triple(A, P, _typed("01", "integer")))
    with graph.transaction() as tx:
        tx.add_lines(serialize([told], format=RdfFormat.N_QUADS) or b"")
    assert list(graph.match()) == [told]
    assert list(graph.match(asserted=True)) == [told]


def test_rows_are_those_of_one_moment(graph: KnowledgeGraph) -> None:
    with graph.transaction() as tx:
        tx.add(*(Quad(A, P, NamedNode(f"http://e/{i}")) for i in range(3_000)))
    found = graph.match(A)
    with graph.transaction() as tx:
        tx.remove(*graph.match(A))
        tx.add(Quad(A, P, B))
    assert len(list(found)) == 3_000
    assert list(graph.match(A)) == [Quad(A, P, B)]


def test_terms_as_text(graph: KnowledgeGraph) -> None:
    with graph.transaction() as tx:
        tx.add(Quad(A, P, B), Quad(B, P, A, GRAPHS[1]))
    assert list(graph.match("<http://e/a>")) == list(graph.match(A)) == [Quad(A, P, B)]
    assert list(graph.match(None, None, str(A), str(GRAPHS[1]))) == [Quad(B, P, A, GRAPHS[1])]
    assert list(graph.match("http://e/a")) == list(graph.match(A))
    with pytest.raises(InputError, match="the subject '' is not a term"):
        graph.match("")
    for text in ("<http://e/a> . #", "<http://e/a> <http://e/g> . #"):
        with pytest.raises(InputError, match="not a single term: an IRI in angle brackets has no spaces"):
            graph.match(text)
    for terms, place in ((("'x'",), "subject"), ((None, "_:b"), "predicate"), ((None, None, None, "'x'"), "graph")):
        with pytest.raises(InputError, match=f"cannot be the {place} of a quad"):
            graph.match(*(term.replace("'", '"') if term else None for term in terms))


def test_a_store_opened_for_reading(tmp_path: Path) -> None:
    with KnowledgeGraph.open(tmp_path / "store", rules=["rdfs"]) as graph, graph.transaction() as tx:
        tx.add(Quad(P, BELOW, Q), Quad(A, P, NUMBERS[3]))
    with KnowledgeGraph.open(tmp_path / "store", read_only=True) as graph:
        assert list(graph.match(A, Q)) == [Quad(A, Q, NUMBERS[3])]


@pytest.mark.parametrize(
    ("query", "place"),
    [
        ("SELECT * { ?s a ex:Foo }", "line 1, column 17: the prefix ex: is"),
        (
            "PREFIX : <http://e/>\nASK { :a ?p 'x:y' # z:y\n ; ex:p ?o }",
            "line 3, column 4: the prefix ex: is",
        ),
        ("BASE <http://e/> ASK { _:b <a:b> :c }", "line 1, column 34: the prefix : is"),
        ("SELECT * { ?s <http://e/a b> ?o }", "line 1, column 15: the IRI that begins here"),
        ("SELECT * { ?s <urn:{id}> ?o }", "line 1, column 15: the IRI that begins here"),
        (
            "SELECT * { ?s ?p ?o FILTER(?a<?b && 1 <2) ?s ex:p ?o }",
            "line 1, column 46: the prefix ex: is",
        ),
        ("SELECT * { ?s ?p 'abc x:y }", "line 1, column 18: the string that begins here does not end"),
    ],
)
def test_where_a_query_goes_wrong(graph: KnowledgeGraph, query: str, place: str) -> None:
    with pytest.raises(QueryError, match=f"^the query does not parse: {place}"):
        graph.query(query, prefixes={"e": "http://e/"})
    with pytest.raises(QueryError, match=r"line 1, column 22: there is one '}' too many: no bracket is open here$"):
        graph.query("ASK { e:a e:b _:c ; }}", prefixes={"e": "http://e/"})


def test_a_query_with_prefixes_a_base_and_another_default_graph(graph: KnowledgeGraph) -> None:
    with graph.transaction() as tx:
        tx.add(Quad(A, P, B), Quad(B, P, A, GRAPHS[1]))
    found = graph.query("SELECT ?x { ?x e:p <b> }", prefixes={"e": "http://e/"}, base="http://e/")
    assert [row["x"] for row in found] == [A]  # type: ignore[union-attr]
    named = graph.query("SELECT ?x { ?x ?p ?y }", default_graph=NamedNode("http://e/g"))
    assert [row["x"] for row in named] == [B]  # type: ignore[union-attr]
