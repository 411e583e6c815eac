"""A graph remembers the prefixes of loaded files: the first declaration, and nothing of an edit that was not made."""

from __future__ import annotations

import shutil
from pathlib import Path

import httpx
import pytest

import kgreason
from kgreason import KnowledgeGraph
from kgreason.errors import ContradictionError, RdfSyntaxError
from kgreason.store.journal.record import Record
from kgreason.terms.prefixes import MOST_REMEMBERED, remembered
from tests.server.serving import served

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
TURTLE = "@prefix zoo: <http://zoo/> . @prefix : <http://e/> . @prefix xsd: <http://no/> . zoo:tom a :Cat ."


def files(folder: Path) -> dict[str, Path]:
    texts = {
        "a.ttl": TURTLE,
        "b.ttl": "@prefix zoo: <http://other/> . @prefix b: <http://b/> . b:x a zoo:Cat .",
        "c.rdf": f'<r:RDF xmlns:r="{RDF}" xmlns:c="http://c/"><c:C r:about="http://x/"/></r:RDF>',
        "d.jsonld": '{"@context": {"d": "http://d/"}, "@id": "d:x", "@type": "d:C"}',
        "bad.ttl": "@prefix bad: <http://bad/> . bad:x a",
        "e.trig": "@prefix e: <http://e/> . e:g { e:x a e:C }",
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    return {name.partition(".")[0]: folder / name for name in texts}


def test_the_prefixes_of_files_are_remembered_and_the_first_wins(tmp_path: Path) -> None:
    file = files(tmp_path)
    with KnowledgeGraph.open(tmp_path / "store", rules=["none"]) as graph:
        assert graph.prefixes == {}
        graph.load(file["a"])
        assert graph.prefixes == {"zoo": "http://zoo/", "": "http://e/"}
        graph.load(file["b"], file["c"])
        graph.load(file["d"])
        graph.load(file["e"])
        expected = {"": "http://e/", "zoo": "http://zoo/", "b": "http://b/"}
        expected |= {"c": "http://c/", "r": RDF, "d": "http://d/", "e": "http://e/"}
        assert graph.prefixes == expected
        with KnowledgeGraph.open(tmp_path / "store", read_only=True) as reader:
            assert reader.prefixes == expected
    with KnowledgeGraph.open(tmp_path / "store") as graph:
        assert graph.prefixes == expected
        graph.unload(file["b"])
        assert graph.prefixes == expected


def test_prefixes_are_in_the_journal(tmp_path: Path) -> None:
    file, expected = files(tmp_path), {"zoo": "http://zoo/", "": "http://e/", "b": "http://b/"}
    with KnowledgeGraph.open(tmp_path / "store", rules=["none"]) as graph:
        graph.load(file["a"])
        graph.load(file["b"])
        shutil.copytree(tmp_path / "store", tmp_path / "killed")
        with KnowledgeGraph.open(tmp_path / "store", read_only=True) as reader:
            assert reader.prefixes == expected
    with KnowledgeGraph.open(tmp_path / "killed") as graph:
        graph.add("<http://e/a> a <http://e/B> .")
        assert graph.prefixes == expected


def test_what_is_not_committed_leaves_no_prefix(tmp_path: Path) -> None:
    file = files(tmp_path)
    with KnowledgeGraph.open(on_contradiction="refuse") as graph:
        with graph.what_if() as tx:
            tx.load(file["a"])
        with pytest.raises(RdfSyntaxError):
            graph.load(file["a"], file["bad"])
        with graph.transaction() as tx:
            tx.load(file["a"])
            tx.unload(file["a"])
        graph.add("@prefix owl: <http://www.w3.org/2002/07/owl#> . <http://e/Cat> owl:disjointWith <http://e/Dog> .")
        graph.add("<http://zoo/tom> a <http://e/Dog> .")
        with pytest.raises(ContradictionError):
            graph.load(file["a"])
        assert graph.prefixes == {}


def test_texts_and_updates_leave_no_prefix() -> None:
    with KnowledgeGraph.open(rules=["none"]) as graph:
        graph.add(TURTLE)
        graph.update("PREFIX zoo: <http://zoo/> INSERT DATA { zoo:kit a zoo:Cat }")
        assert graph.prefixes == {}


def test_a_graph_of_a_server_remembers_prefixes(tmp_path: Path) -> None:
    file = files(tmp_path)
    with served(tmp_path / "there", text="") as address, kgreason.connect(address) as there:
        there.load(file["a"])
        httpx.put(f"{address}/store?default", content=file["b"].read_bytes(), headers={"Content-Type": "text/turtle"})
        assert there.prefixes == {"zoo": "http://zoo/", "": "http://e/", "b": "http://b/"}


def test_a_record_has_its_prefixes() -> None:
    record = Record(3, prefixes={"": "http://e/", "ä-b": 'http://"/\n'})
    assert Record.parse(record.patch()) == record
    old = record.patch().replace(b'H prefixes "{', b'H prefixes "{{')
    assert Record.parse(old).prefixes == {}


def test_few_prefixes_and_none_that_give_terms_another_meaning() -> None:
    many = {f"p{number}": "http://e/" for number in range(MOST_REMEMBERED + 5)}
    assert len(remembered({}, many)) == MOST_REMEMBERED
    assert remembered(many, {"x": "http://e/"}) == {}
    bad = {"a b": "http://e/", "x.": "http://e/", "r": "relative", "s": "http://e/ ", "l": f"http://{'e' * 1000}/"}
    assert remembered({}, {**bad, "http": "http://e/", "Urn": "http://e/", "owl": "http://e/"}) == {}
