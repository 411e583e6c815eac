"""Imported documents outlive their files, are taken back and followed; and histories of imports in general."""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from kgreason.errors import InputError
from kgreason.graph.changes.follower import Follower
from kgreason.graph.fork import fork
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.rdf.catalogue import Catalogue
from kgreason.terms.vocabulary import OWL_IMPORTS, RDF_TYPE
from tests.graph.axioms.documents import PREFIXES, Documents, below, holds, iri, line, link, missing
from tests.graph.commits.test_follower import Copy
from tests.graph.dog_graph import add, remove
from tests.graph.states import materialize, triples_of
from tests.graph.views import agrees, lasting, lines, rows, view
from tests.volume import many


@pytest.fixture
def documents(tmp_path: Path) -> Documents:
    """The folder of the documents that tests import."""
    return Documents(tmp_path / "library")


class Store(NamedTuple):
    path: Path
    library: Path

    def open(self, catalogue: bool = True) -> KnowledgeGraph:
        return KnowledgeGraph.open(self.path, catalogue=self.library if catalogue else None)


@pytest.fixture(params=["snapshot", "journal", "killed"])
def store(request: pytest.FixtureRequest, documents: Documents, tmp_path: Path) -> Store:
    """A store that was closed with the documents b and c imported, whose files are gone since."""
    documents.write("b", "[] a :Some . :b1 rdfs:subClassOf :b2 .", imported="c")
    documents.write("c")
    store = Store(tmp_path / "store", documents.folder)
    graph = store.open()
    if request.param == "snapshot":
        (tmp_path / "a.ttl").write_text(PREFIXES + ":x a :b1, :c1 . :a owl:imports :b .")
        graph.load(tmp_path / "a.ttl")
    else:
        add(graph, f"{PREFIXES} :x a :b1, :c1 .")
        add(graph, link("a", "b"))
    shutil.rmtree(documents.folder)
    documents.folder.mkdir()
    if request.param == "killed":
        graph._home.close()
    else:
        graph.close()
    return store


def test_a_store_has_its_documents_without_the_files(store: Store, documents: Documents) -> None:
    with store.open(catalogue=False) as graph:
        assert holds(graph, "b", "c")
        assert graph.warnings == []
        seen = lasting(view(graph))
    documents.write("b", imported="d")
    documents.write("d")
    with store.open() as graph:
        add(graph, link("a", "b"), link("x", "c"))
        remove(graph, link("x", "c"))
        assert holds(graph, "b", "c")
        assert lasting(view(graph)) == seen
    with fork(store.path) as forked:
        remove(forked, link("a", "b"))
        assert holds(forked)
    with store.open() as graph:
        remove(graph, link("a", "b"))
        assert holds(graph)
        add(graph, link("a", "b"))  # anew
        assert holds(graph, "b", "d")
    with store.open(catalogue=False) as graph:
        assert holds(graph, "b", "d")
        graph._committer().checkpoint()
        remove(graph, link("a", "b"))
        assert holds(graph)
        add(graph, link("a", "b"))
        assert graph.warnings == [missing("a", "b")]
        graph._home.close()
    with store.open() as graph:
        assert holds(graph)


def test_imports_of_an_update_are_taken_back_with_it(store: Store, documents: Documents) -> None:
    documents.write("e", ":e1 :p")
    with store.open() as graph:
        add(graph, link("a", "d"))
        documents.write("d")
        before = view(graph)
        steps = (
            f"DELETE WHERE {{ ?a <{OWL_IMPORTS[1:-1]}> <http://e/b> }}",
            f"INSERT {{ ?x <{OWL_IMPORTS[1:-1]}> <http://e/d> }} WHERE {{ ?x ?p <http://e/b1> }}",
            f"INSERT {{ ?x <{OWL_IMPORTS[1:-1]}> <http://e/e> }} WHERE {{ ?x ?p <http://e/d2> }}",
        )
        with pytest.raises(InputError, match=r"e.ttl:3:\d+: .*; <http://e/d1> imports it as <http://e/e>"):
            graph.update(" ; ".join(steps))
        assert view(graph)[:-1] == before[:-1]
        assert holds(graph, "b", "c")


def test_a_follower_hears_of_documents(store: Store, documents: Documents) -> None:
    with store.open() as graph:
        follower, copy = Follower(store.path), Copy(rows(graph))
        documents.write("d")
        for edit, importer, imported in ((add, "a", "d"), (remove, "a", "b"), (remove, "a", "d")):
            before = rows(graph)
            edit(graph, link(importer, imported))
            copy.apply(follower.read())
            assert copy.rows == rows(graph) != before


class Library(NamedTuple):
    """Documents, what each says and which it imports; and edits of a graph: what goes and what comes."""

    texts: dict[str, frozenset[tuple[str, str, str]]]
    edits: list[tuple[list[tuple[str, ...]], list[tuple[str, ...]]]]

    def written(self, folder: Path) -> Catalogue:
        """The documents as files."""
        files = {name[1:-1]: folder / f"{name[-2]}.nt" for name in self.texts}
        for path, text in zip(files.values(), self.texts.values(), strict=True):
            path.write_text("".join(f"{line(*triple)}\n" for triple in text))
        return Catalogue.of(files)

    def asserted(self, quads: set[tuple[str, ...]]) -> set[tuple[str, str, str]]:
        """The union of the quads and of all documents that are reached from them."""
        found = {(s, p, o) for s, p, o, *_ in quads}
        reached: set[str] = set()
        while wanted := {o for _, p, o in found if p == OWL_IMPORTS} - reached:
            reached |= wanted
            for each in wanted:
                found |= self.texts.get(each, frozenset())
        return found


NAMES = "abcd"
TRIPLES = [
    *(below(one, other) for one in "ABC" for other in "BC" if one < other),
    (iri("x"), RDF_TYPE, iri("A")),
    (iri("x"), iri("p"), iri("y")),
    (iri("p"), "<http://www.w3.org/2000/01/rdf-schema#range>", iri("A")),
    (iri("x"), "<http://www.w3.org/2002/07/owl#sameAs>", iri("y")),
]
LINKS = [link(one, other) for one in NAMES for other in (*NAMES, "unknown")]


@st.composite
def libraries(draw: DrawFn) -> Library:
    some = st.lists(st.one_of(st.sampled_from(TRIPLES), st.sampled_from(LINKS)), max_size=6)
    texts = {iri(name): frozenset(draw(some)) for name in NAMES}
    homes = st.sampled_from([(), (), (iri("g"),)])
    quads = st.lists(st.tuples(st.one_of(st.sampled_from(LINKS), st.sampled_from(TRIPLES)), homes), max_size=5)
    edits = draw(st.lists(st.tuples(quads, quads), min_size=1, max_size=5))
    return Library(texts, [tuple([(*t, *g) for t, g in part] for part in edit) for edit in edits])  # type: ignore[misc]


@settings(max_examples=many(5))
@given(library=libraries(), is_on_disk=st.booleans())
def test_asserted_is_what_graphs_and_reached_documents_say(library: Library, is_on_disk: bool) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "store" if is_on_disk else None
        graph = KnowledgeGraph.open(path, rules=["owl2rl"], catalogue=library.written(Path(folder)))
        quads: set[tuple[str, ...]] = set()
        for gone, come in library.edits:
            before = lines(graph.dump())
            with graph.transaction() as tx:
                tx.remove(*gone).add(*come)
            quads = (quads - set(gone)) | set(come)
            asserted = library.asserted(quads)
            assert lines(graph.dump(asserted=True)) == {line(*triple) for triple in asserted}
            scratch = {line(*triple) for triple in triples_of(materialize(asserted))}
            assert lines(graph.dump()) == scratch
            assert {line(*triple) for triple in tx.delta.disappeared()} == before - scratch
            assert {line(*triple) for triple in tx.delta.appeared()} == scratch - before
        if path:
            graph._home.close()
            graph = KnowledgeGraph.open(path)
            assert lines(graph.dump()) == scratch
        assert agrees(graph)
        graph.close()
