"""A served CONSTRUCT gives the triples of the graph as the graph writes them, also those of the last commits."""

from __future__ import annotations

import httpx
import pyoxigraph
import pytest

from kgreason import connect

INT = "http://www.w3.org/2001/XMLSchema#int"
ASKED = "CONSTRUCT WHERE { ?s <http://e/n> ?o }"
TYPES = ["application/n-triples", "text/turtle", "application/ld+json", "application/rdf+xml"]


@pytest.fixture(scope="module")
def edited(http: httpx.Client) -> httpx.Client:
    """A server whose last commits are not in a snapshot."""
    for edit in (
        'INSERT DATA { :x :n "7"^^xsd:int, 8 }',
        "DELETE DATA { :x :n 7 }",
        'INSERT DATA { :x :n "07"^^xsd:int }',
    ):
        text = f"PREFIX : <http://e/> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> {edit}"
        assert http.post("/update", data={"update": text}).is_success
    return http


@pytest.mark.parametrize("syntax", TYPES)
def test_a_served_triple_is_written_as_in_the_graph(edited: httpx.Client, syntax: str) -> None:
    for reply in (
        edited.get("/query", params={"query": ASKED}, headers={"Accept": syntax}),
        edited.post("/query", data={"query": ASKED}, headers={"Accept": syntax}),
    ):
        form = pyoxigraph.RdfFormat.from_media_type(syntax)
        terms = {(quad.object.value, quad.object.datatype.value) for quad in pyoxigraph.parse(reply.content, form)}
        assert terms == {("07", INT), ("8", INT.replace("int", "integer"))}


def test_a_client_and_the_first_snapshot_give_terms_as_written(edited: httpx.Client) -> None:
    with connect(str(edited.base_url)) as graph:
        assert f'"07"^^<{INT}>' in {str(triple.object) for triple in graph.construct(ASKED)}
        ages = graph.construct("CONSTRUCT WHERE { ?s <http://e/age> ?o }")
        assert [str(triple.object).partition("^^")[0] for triple in ages] == ['"07"']
