"""No literal of rdf:langString or rdf:dirLangString without a language tag enters a graph, by whatever door."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pyoxigraph import Literal, NamedNode, Quad, Triple

from kgreason import KnowledgeGraph
from kgreason.errors import InputError, RdfSyntaxError, RuleError
from kgreason.rdf import reader

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
S, P = NamedNode("http://e/s"), NamedNode("http://e/p")
NEEDS_A_TAG = "needs xml:lang|needs a language tag|without a (language tag|base direction)|not a single term"
DOCUMENTS = {
    "jsonld": '{{"@id": "http://e/s",\n"http://e/p": {{"@value": "v", "@type": "{0}"}}}}',
    "n3": '<http://e/s> <http://e/p>\n"v"^^<{0}> .',
    "rdf": f'<r:RDF xmlns:r="{RDF}" xmlns="http://e/"><r:Description r:about="http://e/s">\n'
    '<p r:datatype="{0}">v</p></r:Description></r:RDF>',
    "nt": '<http://e/s> <http://e/p> "a" .\n<http://e/s> <http://e/p> "v"^^<{0}> .',
    "nq": '<http://e/s> <http://e/p> "a" .\n<http://e/s> <http://e/p> "v"^^<{0}> <http://e/g> .',
    "ttl": '<http://e/s> <http://e/p>\n<<( <http://e/s> <http://e/p> "v"^^<{0}> )>> .',
    "trig": '<http://e/g> {{ <http://e/s> <http://e/p>\n"v"^^<{0}> }}',
}
ROWS: list[Callable[[Literal], Triple | Quad | tuple[object, ...]]] = [
    lambda bad: (S, P, bad),
    lambda bad: (str(S), str(P), str(bad)),
    lambda bad: Triple(S, P, bad),
    lambda bad: Quad(S, P, Triple(S, P, bad)),
    lambda bad: (S, P, f"<<( {S} {P} {bad} )>>"),
]


@pytest.fixture(params=["langString", "dirLangString"])
def bad(request: pytest.FixtureRequest) -> Literal:
    return Literal("v", datatype=NamedNode(f"{RDF}{request.param}"))


@pytest.fixture
def graph() -> KnowledgeGraph:
    found = KnowledgeGraph.open(rules="none")
    found.add((S, P, 1))
    return found


def _has_it(graph: KnowledgeGraph) -> bool:
    return b"angString" in b"".join(graph.dump(graphs=True)) or "angString" in "".join(graph.dump_relations())


@pytest.mark.parametrize("syntax", DOCUMENTS)
def test_no_document_brings_it_and_the_error_has_the_line(
    graph: KnowledgeGraph, bad: Literal, syntax: str, tmp_path: Path
) -> None:
    file = tmp_path / f"a.{syntax}"
    file.write_text(DOCUMENTS[syntax].format(bad.datatype.value))
    with pytest.raises(RdfSyntaxError, match=rf"a\.{syntax}:2:.*({NEEDS_A_TAG})"):
        graph.load(file)
    assert not _has_it(graph)


@pytest.mark.parametrize("row", ROWS)
def test_no_row_brings_it(graph: KnowledgeGraph, bad: Literal, row: Callable[[Literal], object]) -> None:
    with pytest.raises(InputError, match=NEEDS_A_TAG):
        graph.add(row(bad))
    for value in (bad, str(bad), Triple(S, P, bad)):
        with pytest.raises(InputError, match=NEEDS_A_TAG):
            graph.relation("r", 1).insert([(value,)])
    assert not _has_it(graph)


def test_an_update_leaves_out_the_rows_that_would_have_it(graph: KnowledgeGraph, bad: Literal) -> None:
    made = f'STRDT("v", {bad.datatype})'
    for template, where in (
        ("?s <http://e/q> ?o", f"BIND({made} AS ?o)"),
        ("?s <http://e/q> ?o", f"BIND(TRIPLE(?s, ?s, {made}) AS ?o)"),
        ("?s <http://e/q> <<( ?s ?s ?o )>>", f"BIND({made} AS ?o)"),
    ):
        graph.update(f"INSERT {{ {template} . ?s <http://e/done> 1 }} WHERE {{ ?s <http://e/p> ?x {where} }}")
    assert {str(triple.predicate) for triple in graph.match()} == {"<http://e/p>", "<http://e/done>"}


def test_a_rule_that_would_make_it_has_no_result(graph: KnowledgeGraph, bad: Literal) -> None:
    for expression in ("STRDT(?t, {0})", 'TRIPLE(?x, ?x, STRDT("v", {0}))'):
        with graph.transaction() as tx:
            tx.add_rules(
                f"[?x, <http://e/t>, ?o] :- [?x, <http://e/p>, ?y], BIND(STR(?y) AS ?t),"
                f" BIND({expression.format(bad.datatype)} AS ?o) ."
            )
    assert len(graph) == 1


def test_a_function_that_gives_it_fails() -> None:
    def tagless(number: int) -> Literal:
        return Literal("v", datatype=NamedNode(f"{RDF}langString"))

    graph = KnowledgeGraph.open(rules="none", functions=[tagless])
    graph.add((S, P, 1))
    with pytest.raises(RuleError, match=NEEDS_A_TAG), graph.transaction() as tx:
        tx.add_rules("[?x, <http://e/t>, ?o] :- [?x, <http://e/p>, ?y], BIND(tagless(?y) AS ?o) .")
    assert len(graph) == 1


def test_an_old_store_with_it_opens_and_its_dump_is_one_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.jsonld"
    file.write_text(DOCUMENTS["jsonld"].format(f"{RDF}langString"))
    with monkeypatch.context() as early, KnowledgeGraph.open(tmp_path / "store", rules="none") as graph:
        early.setattr(reader, "untagged_literal", lambda _lines: None)  # as early versions read
        graph.load(file)
    with KnowledgeGraph.open(tmp_path / "store") as graph:
        with pytest.raises(InputError, match=r'"v".*needs a language tag'):
            list(graph.dump())
        found = f'FILTER(LANG(?o) = "" && DATATYPE(?o) = <{RDF}langString>)'
        graph.update(f"DELETE {{ ?s ?p ?o }} WHERE {{ ?s ?p ?o {found} }}")
        assert b"".join(graph.dump()) == b""


def test_texts_that_look_like_it_are_left_alone(graph: KnowledgeGraph) -> None:
    text = Literal(f'"v"^^<{RDF}langString>')
    graph.add((S, P, text), (S, P, Triple(S, P, text)), (S, P, Literal("v", language="en")))
    assert len(graph) == 4
    assert _has_it(graph)
