"""Graphs as documents: what is written is read back as the same graph, sorted, with the prefixes of loaded files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import NamedNode, RdfFormat, Triple

import kgreason
from kgreason import KnowledgeGraph
from kgreason.errors import InputError
from kgreason.graph.input.terms import text_of
from kgreason.graph.results.answers import Triples
from kgreason.graph.results.documents import document
from kgreason.rdf.formats import WRITABLE
from kgreason.terms.dictionary import Dictionary
from kgreason.terms.tags import canonical_lines, parse_quads
from kgreason.terms.vocabulary import RDF_TYPE
from tests.rdf.reading import isomorphic
from tests.server.serving import served
from tests.terms import unusual_terms as unusual

ZOO = """@prefix zoo: <http://zoo/> . @prefix : <http://e/> . @prefix no: <http://no/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Cat rdfs:subClassOf :Pet .
zoo:tom :knows zoo:kit ; :age 7, 5 ; a :Cat ; :has [ :name "x"@en-GB ] .
zoo:kit :knows zoo:tom . GRAPH zoo:g { zoo:b :p "2" . zoo:a :p "01"^^<http://www.w3.org/2001/XMLSchema#int> }"""
HEAD = """@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix zoo: <http://zoo/> .
@prefix : <http://e/> .
"""
SAID = {None: "asserted and inferred", True: "The asserted triples", False: "The inferred triples"}
_rows = st.lists(
    st.tuples(unusual.iris | unusual.blanks, unusual.iris | st.just(NamedNode(RDF_TYPE[1:-1])), unusual.objects)
)


@pytest.fixture
def graph(tmp_path: Path) -> Iterator[KnowledgeGraph]:
    (tmp_path / "zoo.trig").write_text(ZOO)
    with KnowledgeGraph.open(rules=["rdfs"]) as graph:
        graph.load(tmp_path / "zoo.trig")
        yield graph


def text(graph: Any, **how: Any) -> str:
    return b"".join(graph.dump(**how)).decode()


def test_a_dump_is_sorted_and_has_prefixes(graph: KnowledgeGraph) -> None:
    shown = text(graph, format="trig", asserted=True)
    label = shown.partition(":has _:")[2].partition(" ")[0]
    assert shown == (
        "# The asserted triples of the graph, without inferred ones.\n"
        + HEAD
        + ":Cat rdfs:subClassOf :Pet .\n"
        + "zoo:kit :knows zoo:tom .\n"
        + f"zoo:tom a :Cat ;\n\t:age 5 , 7 ;\n\t:has _:{label} ;\n\t:knows zoo:kit .\n"
        + f'_:{label} :name "x"@en-GB .\n'
        + 'zoo:g {\n\tzoo:a :p "01"^^xsd:int .\n\tzoo:b :p "2" .\n}\n'
    )


@pytest.mark.parametrize("syntax", WRITABLE)
@pytest.mark.parametrize("asserted", [None, True, False])
def test_a_dump_is_read_back(graph: KnowledgeGraph, syntax: str, asserted: bool | None, tmp_path: Path) -> None:
    shown = text(graph, format=syntax, asserted=asserted)
    assert (SAID[asserted] in shown.partition("\n")[0]) == (syntax in ("ttl", "trig", "n3"))
    has_graphs = syntax in ("nq", "trig", "jsonld")
    (path := tmp_path / f"dump.{syntax}").write_text(shown)
    with KnowledgeGraph.open(rules=["none"]) as again:
        again.load(path)
        expected = text(graph, format="nq", graphs=has_graphs, asserted=asserted)
        assert isomorphic(text(again, format="nq", graphs=has_graphs, asserted=True).encode(), expected.encode())


@given(_rows)
def test_a_document_is_read_back_and_does_not_depend_on_the_order(rows: list[tuple[Any, ...]]) -> None:
    triples = list(dict.fromkeys(Triple(*row) for row in rows))
    lines = "".join(f"{' '.join(map(text_of, each))} .\n" for each in triples).encode()
    shown = []
    for seed in range(2):
        Random(seed).shuffle(shuffled := lines.splitlines(keepends=True))
        dictionary = Dictionary()
        ids = dictionary.intern([term for line in shuffled for term in _terms(line)])
        table = np.array(ids, dtype=np.int32).reshape(-1, 3)
        shown.append(b"".join(document(dictionary, [table], "ttl", {"e": "http://e/"}, None)))
    assert shown[0] == shown[1]
    assert isomorphic(canonical_lines(shown[0], RdfFormat.TURTLE), lines)


def _terms(line: bytes) -> list[str]:
    (quad,) = parse_quads(line)
    return [text_of(term) for term in quad.triple]


def test_an_empty_graph_and_a_wrong_format() -> None:
    with KnowledgeGraph.open(rules=["none"]) as graph:
        assert text(graph, format="turtle").startswith("# All triples")
        with pytest.raises(InputError, match=r"^docx: not a format to write; pass one of nt, nq, ttl"):
            graph.dump(format="docx")


def test_a_server_gives_the_same_documents(graph: KnowledgeGraph, tmp_path: Path) -> None:
    with served(tmp_path / "there", text="") as address, kgreason.connect(address) as there:
        there.load(tmp_path / "zoo.trig")
        hows: list[dict[str, Any]] = [{"format": "trig", "graphs": False}, {"format": "nq"}, {"asserted": True}]
        for how in (*hows, {"format": "turtle", "prefixes": {"new": "http://e/C"}, "asserted": False}):
            there_shown, shown = (re.sub(r"_:\w+", "_:x", text(each, **how)) for each in (there, graph))
            assert sorted(there_shown.splitlines()) == sorted(shown.splitlines())
        query = "CONSTRUCT WHERE { <http://zoo/kit> <http://e/knows> ?y }"
        assert there.construct(query).serialize("turtle") == graph.construct(query).serialize("turtle")
        found = there.select("SELECT ?y { <http://zoo/kit> <http://e/knows> ?y }")
    assert "<table>" in found._repr_html_(), "also after the client was closed"


def test_triples_are_written_sorted_with_prefixes(graph: KnowledgeGraph, tmp_path: Path) -> None:
    query = "CONSTRUCT { ?x ?p ?y } { ?x ?p ?y . ?x a :Cat }"

    def ask() -> Triples:
        return graph.construct(query, prefixes=graph.prefixes)

    shown = ask().serialize("turtle")
    assert shown is not None
    assert "zoo:tom a :Cat , :Pet ;\n\t:age 5 , 7 ;\n" in shown.decode()
    assert b"no:" not in shown
    assert ask().serialize(format="ttl") == shown
    assert ask().serialize(tmp_path / "out.ttl", "ttl") is None
    assert (tmp_path / "out.ttl").read_bytes() == shown
    ask().serialize(file := BytesIO(), "turtle")
    assert file.getvalue() == shown
    assert b"@prefix cat: <http://e/C> ." in (ask().serialize("turtle", prefixes={"cat": "http://e/C"}) or b"")
    assert b"@prefix" not in (ask().serialize(format=RdfFormat.TURTLE) or b"")
    assert len((ask().serialize("nt") or b"").splitlines()) == 6
    with pytest.raises(InputError, match="not a format to write"):
        ask().serialize(format="docx")
    answer = ask()
    next(answer)
    assert len((answer.serialize("nt") or b"").splitlines()) == 5, "a row is read once"


def test_prefixes_shorten_tables_of_notebooks(graph: KnowledgeGraph) -> None:
    found = graph.select("SELECT ?x ?age { ?x :age ?age FILTER(?age > 6) }", prefixes=graph.prefixes)
    assert "<td>zoo:tom</td><td>7</td>" in found._repr_html_()
    assert "<td>zoo:kit</td><td>:knows</td><td>zoo:tom</td>" in graph.match("http://zoo/kit")._repr_html_()
