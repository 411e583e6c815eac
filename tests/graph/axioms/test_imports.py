"""Imported documents come and go with owl:imports, in the commit that says so, and are held beside all else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kgreason.errors import InputError, LimitError
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.rdf.catalogue import Catalogue
from kgreason.rdf.reader import Batch, read
from kgreason.terms.dictionary import Dictionary
from kgreason.terms.vocabulary import OWL_IMPORTS, RDF_TYPE
from tests.graph.axioms.documents import PREFIXES, Documents, below, holds, iri, line, link, missing
from tests.graph.dog_graph import add, remove
from tests.graph.views import lasting, lines, view


@pytest.fixture
def documents(tmp_path: Path) -> Documents:
    """The folder of the documents that tests import."""
    return Documents(tmp_path / "library")


@pytest.fixture(params=["memory", "disk"])
def graph(request: pytest.FixtureRequest, documents: Documents, tmp_path: Path) -> Iterator[KnowledgeGraph]:
    """An empty graph with a catalogue; `x` is of two classes that documents speak of."""
    path = tmp_path / "store" if request.param == "disk" else None
    with KnowledgeGraph.open(path, catalogue=documents.folder) as opened:
        add(opened, f"{PREFIXES} :x a :b1, :c1 .")
        yield opened


def test_a_document_comes_and_goes_with_its_import(graph: KnowledgeGraph, documents: Documents) -> None:
    documents.write("b")
    before = view(graph)
    come = add(graph, link("a", "b"))
    assert set(come.appeared(asserted=True)) == {
        link("a", "b"),
        below("b1", "b2"),
        (iri("b"), RDF_TYPE, "<http://www.w3.org/2002/07/owl#Ontology>"),
    }
    assert come.appeared(asserted=False) == [(iri("x"), RDF_TYPE, iri("b2"))]
    assert come.quads(added=True) == [(*link("a", "b"), "")]
    assert holds(graph, "b")
    gone = remove(graph, link("a", "b"))
    assert sorted(gone.disappeared()) == sorted(come.appeared())
    assert gone.missed == 0
    assert gone.commit == come.commit + 1
    assert holds(graph)
    assert lasting(view(graph)) == lasting(before)


def test_a_document_that_says_nothing_is_known(documents: Documents, tmp_path: Path) -> None:
    (tmp_path / "empty.ttl").write_text("# nothing yet\n")
    catalogue = {iri("b")[1:-1]: tmp_path / "empty.ttl"}
    for known, warned in ((catalogue, False), ({}, True)):
        with KnowledgeGraph.open(catalogue=known) as graph:
            add(graph, link("a", "b"))
            assert bool(graph.warnings) == warned


def test_imports_are_followed_from_document_to_document(graph: KnowledgeGraph, documents: Documents) -> None:
    for name, imported in (("b", "c"), ("c", "d"), ("d", ""), ("e", "b")):
        documents.write(name, imported=imported)
    add(graph, link("a", "b"))
    assert holds(graph, "b", "c", "d")
    add(graph, link("a", "e"))
    remove(graph, link("a", "b"))
    assert holds(graph, "b", "c", "d", "e")
    remove(graph, link("a", "e"))
    assert holds(graph)


def test_documents_that_import_each_other_go_together(graph: KnowledgeGraph, documents: Documents) -> None:
    for name, imported in (("a", "b"), ("b", "c b"), ("c", "d a"), ("d", "b")):
        documents.write(name, imported=imported)
    add(graph, link("x", "c"))
    assert holds(graph, "a", "b", "c", "d")
    remove(graph, link("x", "c"))
    assert holds(graph)


def test_of_two_importers_one_is_enough(graph: KnowledgeGraph, documents: Documents) -> None:
    for name, imported in (("b", "d"), ("c", "d"), ("d", "")):
        documents.write(name, imported=imported)
    name = iri("g")
    add(graph, link("a", "b"), (*link("a", "b"), name), link("a", "c"))
    assert holds(graph, "b", "c", "d")
    assert not remove(graph, link("a", "b")).disappeared()
    remove(graph, (*link("a", "b"), name))
    assert holds(graph, "c", "d")
    remove(graph, link("a", "c"))
    assert holds(graph)


def test_an_import_by_the_iri_of_a_version(graph: KnowledgeGraph, documents: Documents) -> None:
    documents.write("b", ":b owl:versionIRI :v1 . :b1 rdfs:subClassOf :b2 .")
    documents.write("c", ":c owl:versionIRI :v2 ; owl:imports :v1 . :c1 rdfs:subClassOf :c2 .")
    add(graph, link("a", "v2"))
    assert holds(graph, "b", "c")
    add(graph, link("a", "b"))
    remove(graph, link("a", "v2"))
    assert holds(graph, "b")
    assert graph.warnings == []


def test_own_triples_of_a_graph_stay_without_an_import(graph: KnowledgeGraph, documents: Documents) -> None:
    path = documents.write("b", "[] a :Some ; :p [ :q ( :r ) ] . :b1 rdfs:subClassOf :b2 .")
    add(graph, link("a", "b"))
    imported = lines(graph.dump(asserted=True))
    graph.load(path)
    assert lines(graph.dump(asserted=True)) == imported
    remove(graph, link("a", "b"))
    assert lines(graph.dump(asserted=True)) == imported - {line(*link("a", "b"))}
    add(graph, link("a", "b"))
    graph.unload(path)
    assert lines(graph.dump(asserted=True)) == imported
    assert holds(graph, "b")


def test_only_a_graph_can_be_told_to_forget(graph: KnowledgeGraph, documents: Documents) -> None:
    documents.write("b")
    add(graph, link("a", "b"))
    assert remove(graph, below("b1", "b2")).missed == 1
    updated = graph.update(f"DELETE DATA {{ {line(*below('b1', 'b2'))} {line(*link('a', 'c'))} }}")
    assert (updated.unasserted, updated.entailed) == (2, 1)
    graph.update("DELETE WHERE { ?x <http://www.w3.org/2000/01/rdf-schema#subClassOf> ?y }")
    assert holds(graph, "b")
    graph.update("DROP NAMED")
    assert holds(graph, "b")
    graph.update("DROP DEFAULT")
    assert graph.stats()["facts"] == graph.stats()["imported"] == 0


def test_no_query_or_dump_shows_a_document_as_a_graph(graph: KnowledgeGraph, documents: Documents) -> None:
    documents.write("b", ":p :q :r .")
    add(graph, link("a", "b"), (iri("p"), iri("q"), iri("r"), iri("g")))
    named = lines(graph.dump(graphs=True)) - lines(graph.dump())
    assert named == {line(iri("p"), iri("q"), iri("r"), iri("g"))}
    assert lines(graph.dump(graphs=True, asserted=True)) == named | lines(graph.dump(asserted=True))
    assert [str(row["g"]) for row in graph.query("SELECT DISTINCT ?g { GRAPH ?g { ?s ?p ?o } }")] == [iri("g")]  # type: ignore[union-attr]
    graph.update("DROP GRAPH <http://e/g>")
    assert graph.query("ASK { <http://e/p> <http://e/q> <http://e/r> }")


def test_the_graphs_of_a_document_are_taken_together(graph: KnowledgeGraph, documents: Documents) -> None:
    text = ":g { :b a owl:Ontology ; owl:imports :b . :b1 rdfs:subClassOf :b2 } :b1 rdfs:subClassOf :b2 ."
    (documents.folder / "b.trig").write_text(PREFIXES + text)
    add(graph, link("a", "b"))
    assert holds(graph, "b")
    assert lines(graph.dump()) == lines(graph.dump(graphs=True))


@pytest.mark.parametrize("given", [Catalogue.of, dict])
def test_relative_iris_of_a_document_are_its_own(
    tmp_path: Path, given: Callable[..., Catalogue | dict[str, Path]]
) -> None:
    (tmp_path / "b.ttl").write_text("<> <p> <#x> .")
    documents = {"http://e/lib/b": tmp_path / "b.ttl"}
    with KnowledgeGraph.open(catalogue=given(documents)) as graph:
        add(graph, link("a", "lib/b"))
        assert line(iri("lib/b"), iri("lib/p"), iri("lib/b#x")) in lines(graph.dump())


def test_triples_that_import_nothing(graph: KnowledgeGraph, documents: Documents) -> None:
    documents.write("b")
    add(graph, f'{PREFIXES} :a owl:imports "http://e/b", [], <<( :a :b :c )>> . owl:imports :b owl:imports .')
    assert holds(graph)


@pytest.mark.parametrize("way", ["update", "load", "unload"])
def test_each_way_to_edit(graph: KnowledgeGraph, documents: Documents, tmp_path: Path, way: str) -> None:
    documents.write("b")
    (tmp_path / "a.ttl").write_text(PREFIXES + ":a owl:imports :b .")
    graph.load(tmp_path / "a.ttl")
    if way == "load":
        assert holds(graph, "b")
    elif way == "unload":
        graph.unload(tmp_path / "a.ttl")
        assert holds(graph)
    else:
        graph.update(
            "DELETE { ?a ?p ?b } WHERE { ?a ?p ?b FILTER (?b = <http://e/b>) } ; INSERT DATA { <e:p> a <e:q> }"
        )
        assert holds(graph)
        graph.update(f"INSERT {{ ?x <{OWL_IMPORTS[1:-1]}> <http://e/b> }} WHERE {{ ?x a <http://e/b1> }}")
        assert holds(graph, "b")


def test_a_trial_leaves_nothing(graph: KnowledgeGraph, documents: Documents) -> None:
    documents.write("b")
    before, known = view(graph), len(graph._committer().materializer.dictionary)
    with graph.what_if() as tx:
        tx.add(link("a", "b"))
    assert (iri("x"), RDF_TYPE, iri("b2")) in tx.delta.appeared()
    assert view(graph) == before
    assert len(graph._committer().materializer.dictionary) == known
    add(graph, link("a", "b"))
    with graph.what_if() as tx:
        tx.remove(link("a", "b"))
    assert (iri("x"), RDF_TYPE, iri("b2")) in tx.delta.disappeared()
    assert holds(graph, "b")


BROKEN = {
    "b.ttl": (":b a owl:Ontology .\n:b1 :p .", r"b.ttl:4:8: .*; <http://e/a> imports it as <http://e/b>"),
    "twice": (
        "",
        r"<http://e/b>: both .*1.ttl and .*2.ttl declare this IRI.*; <http://e/a> imports it as <http://e/b>",
    ),
    "beyond": ("", r"c.ttl:4:8: .*; <http://e/b> imports it as <http://e/c>"),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_a_document_that_cannot_be_read(graph: KnowledgeGraph, documents: Documents, fault: str) -> None:
    text, problem = BROKEN[fault]
    documents.write("d")
    if fault == "beyond":
        documents.write("b", imported="c")
        (documents.folder / "c.ttl").write_text(PREFIXES + ":c a owl:Ontology .\n:b1 :p .")
    for name in ("1.ttl", "2.ttl") if fault == "twice" else ("b.ttl",) if text else ():
        (documents.folder / name).write_text(PREFIXES + (text or ":b a owl:Ontology ."))
    add(graph, link("a", "d"))
    before, known = view(graph), len(graph._committer().materializer.dictionary)
    with pytest.raises(InputError, match=problem):
        add(graph, link("a", "b"), below("new", "classes"))
    with pytest.raises(InputError, match=problem):
        graph.update(f"DELETE DATA {{ {line(*link('a', 'd'))} }} ; INSERT DATA {{ {line(*link('a', 'b'))} }}")
    with pytest.raises(InputError, match=problem), graph.what_if() as tx:
        tx.add(link("a", "b"))
    assert view(graph) == before
    assert len(graph._committer().materializer.dictionary) == known
    assert holds(graph, "d")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with KnowledgeGraph.open(catalogue=Catalogue.of({"http://e/b": tmp_path / "b.ttl"})) as graph:
        with pytest.raises(InputError, match=r"b.ttl: No such file or directory; <http://e/a> imports it"):
            add(graph, link("a", "b"))
        assert not lines(graph.dump())


@pytest.mark.parametrize("error", [KeyboardInterrupt(), MemoryError(), LimitError("full")])
def test_reading_that_is_interrupted(
    graph: KnowledgeGraph, documents: Documents, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    documents.write("b", imported="c")
    documents.write("c")
    before, known = view(graph), len(graph._committer().materializer.dictionary)

    def read_one(path: Path, dictionary: Dictionary, **options: Any) -> Iterator[Batch]:
        if path.stem != "b":
            raise error
        return read(path, dictionary, **options)

    with monkeypatch.context() as patch:
        patch.setattr("kgreason.materialize.imports.read", read_one)
        with pytest.raises(type(error)):
            add(graph, link("a", "b"))
    assert view(graph) == before
    assert len(graph._committer().materializer.dictionary) == known
    add(graph, link("a", "b"))
    assert holds(graph, "b", "c")


def test_imports_without_a_document_are_warnings(graph: KnowledgeGraph, documents: Documents) -> None:
    documents.write("b", imported="gone c a")
    add(graph, f"{PREFIXES} :a a owl:Ontology ; owl:imports :b, :f .")
    assert set(graph.warnings) == {missing("b", "gone"), missing("b", "c"), missing("a", "f")}
    assert holds(graph, "b")
    remove(graph, link("a", "f"))
    assert set(graph.warnings) == {missing("b", "gone"), missing("b", "c")}
    add(graph, f"{PREFIXES} :ontology owl:versionIRI :gone .")
    assert graph.warnings == [missing("b", "c")]
    remove(graph, f"{PREFIXES} :a a owl:Ontology .")
    assert set(graph.warnings) == {missing("b", "a"), missing("b", "c")}
    remove(graph, link("a", "b"))
    assert graph.warnings == []


def test_an_edit_of_imports_looks_for_what_was_missing(graph: KnowledgeGraph, documents: Documents) -> None:
    documents.write("b", imported="c")
    add(graph, link("a", "b"))
    documents.write("c")
    add(graph, below("f1", "g1"))
    assert holds(graph, "b")
    add(graph, link("a", "b"))
    assert holds(graph, "b", "c")
    assert graph.warnings == []


def test_files_that_do_not_parse_may_be_what_is_missing(graph: KnowledgeGraph, documents: Documents) -> None:
    (documents.folder / "b.ttl").write_text(":b a owl:Ontology .")
    add(graph, below("f1", "g1"))
    assert graph.warnings == []
    add(graph, link("a", "b"))
    assert graph.warnings[0] == missing("a", "b")
    assert graph.warnings[1].startswith(f"{documents.folder / 'b.ttl'}:1:1: ")


@pytest.mark.parametrize("catalogue", [None, "library"])
def test_without_a_catalogue_no_document_is_read(tmp_path: Path, documents: Documents, catalogue: str | None) -> None:
    documents.write("b")
    with KnowledgeGraph.open(catalogue=tmp_path / catalogue if catalogue else None) as graph:
        add(graph, link("a", "b"))
        assert holds(graph, *("b" if catalogue else ""))
        assert graph.warnings == ([] if catalogue else [missing("a", "b")])
