"""A graph remembers the prefixes of loaded files: the first declaration, and nothing of an edit that was not made."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import httpx
import pytest

import kgreason
from kgreason import KnowledgeGraph
from kgreason.errors import ContradictionError, RdfSyntaxError, StoreVersionError
from kgreason.graph.fork import fork
from kgreason.store.folder import MANIFEST
from kgreason.store.journal import record
from kgreason.store.journal.record import Record
from kgreason.terms.prefixes import MOST_REMEMBERED, prefixes_to_remember
from kgreason.terms.quoting import quote
from tests.cli.calling import call
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


def test_a_rollback_leaves_no_prefix(tmp_path: Path) -> None:
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
    record = Record(3, prefixes={"": "http://e/", "ä-b": "http://ü/'#"})
    assert Record.parse(record.patch()) == record
    old = record.patch().replace(b'H prefixes "{', b'H prefixes "{{')
    assert Record.parse(old).prefixes == {}


def test_few_prefixes_and_none_that_give_terms_another_meaning() -> None:
    many = {f"p{number}": "http://e/" for number in range(MOST_REMEMBERED + 5)}
    assert len(prefixes_to_remember({}, many)) == MOST_REMEMBERED
    assert prefixes_to_remember(many, {"x": "http://e/"}) == {}
    bad = {"a b": "http://e/", "x.": "http://e/", "r": "relative", "s": "http://e/ ", "l": f"http://{'e' * 1000}/"}
    assert prefixes_to_remember({}, {**bad, "http": "http://e/", "Urn": "http://e/", "owl": "http://e/"}) == {}


def older(store: Path, monkeypatch: pytest.MonkeyPatch, *headers: dict[str, str]) -> None:
    """Write a store with a commit for each of `headers`, as a version did that knew no prefixes."""
    with monkeypatch.context() as old:
        old.setattr(record, "_OURS", record._OURS - {"prefixes"})
        with KnowledgeGraph.open(store, rules=["none"], history="all") as graph:
            for number, given in enumerate([{}, *headers]):
                with graph.transaction(headers=given) as tx:
                    tx.add(f"<http://e/a{number}> a <http://e/A> .")
            shutil.copytree(store, store.with_name("killed"))
    for each in (store, store.with_name("killed")):
        manifest = json.loads((each / MANIFEST).read_text())
        del manifest["prefixes"]
        (each / MANIFEST).write_text(json.dumps(manifest))


@pytest.mark.parametrize("name", ["store", "killed"])
def test_a_store_of_an_older_version_has_no_prefixes_and_gets_them(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They stay after reopening, and in a backup, a fork and the past; a header of this name was the caller's own."""
    own = {"prefixes": "zoo", "stream": "s"}
    older(tmp_path / "store", monkeypatch, own, {"prefixes": '{"owl": "http://no/", "a b": "x"}'})
    file, store = files(tmp_path)["a"], tmp_path / name
    expected = {"zoo": "http://zoo/", "": "http://e/"}
    with KnowledgeGraph.open(store, read_only=True) as reader:
        assert reader.prefixes == {}
    with KnowledgeGraph.open(store) as graph:
        assert graph.prefixes == {}
        assert graph.streams() == {"s": own}
        graph.add("<http://e/b> a <http://e/B> .")
        graph.load(file)
        assert graph.prefixes == expected
        graph.backup(tmp_path / "backup")
        (tmp_path / "large.nt").write_text(
            "".join(f"<http://e/{n}> <http://e/p> <http://e/o> .\n" for n in range(5000))
        )
        graph.load(tmp_path / "large.nt")
    for path in (store, tmp_path / "backup"):
        with KnowledgeGraph.open(path) as graph, graph.as_of(3) as past, graph.as_of(5) as later:
            assert [graph.prefixes, later.prefixes] == [expected] * 2
            assert past.prefixes.items() <= expected.items()
        with fork(path) as copy:
            assert copy.prefixes == expected


def test_watch_shows_a_header_that_was_the_callers_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    older(tmp_path / "store", monkeypatch, {"prefixes": "zoo"})
    shown = call("watch", "-l", tmp_path / "killed", "--from", 1, "--once")
    assert (shown.exit_code, shown.stderr) == (0, "")
    assert 'H prefixes "zoo" .' in shown.stdout


def test_a_record_of_an_older_version_is_written_as_it_was() -> None:
    for name, text in (("prefixes", "zoo"), ("prefixes", '{"a b": "x"}'), ("time", "noon"), ("strategy", "chess")):
        patch = Record(3).patch().replace(b"TX .", f"H {name} {quote(text)} .\nTX .".encode(), 1)
        assert Record.parse(patch).headers == {name: text}
        assert Record.parse(patch).patch() == patch


def test_a_manifest_of_a_newer_version_says_so(tmp_path: Path) -> None:
    with KnowledgeGraph.open(tmp_path, rules=["none"]) as graph:
        graph.add("<http://e/a> a <http://e/A> .")
    manifest = json.loads((tmp_path / MANIFEST).read_text())
    (tmp_path / MANIFEST).write_text(json.dumps(manifest | {"colour": "red"}))
    with pytest.raises(StoreVersionError, match="a newer version wrote the manifest, which has colour"):
        KnowledgeGraph.open(tmp_path)
