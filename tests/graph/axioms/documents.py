"""Documents that import each other, and whether a graph holds them."""

from __future__ import annotations

from pathlib import Path

from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.terms import vocabulary as v
from tests.graph.views import agrees, lines

PREFIXES = """@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix : <http://e/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"""


def iri(name: str) -> str:
    return f"<http://e/{name}>"


def link(importer: str, imported: str) -> tuple[str, str, str]:
    return iri(importer), v.OWL_IMPORTS, iri(imported)


def below(one: str, other: str) -> tuple[str, str, str]:
    return iri(one), v.RDFS_SUB_CLASS_OF, iri(other)


def line(*terms: str) -> str:
    return " ".join((*terms, "."))


class Documents:
    """A folder of documents of ontologies."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()

    def write(self, name: str, text: str = "", imported: str = "") -> Path:
        """Write the document of an ontology, which imports others and says something."""
        path = self.folder / f"{name}.ttl"
        says = "".join(f":{name} owl:imports :{each} . " for each in imported.split())
        path.write_text(f"{PREFIXES}:{name} a owl:Ontology . {says}{text or f':{name}1 rdfs:subClassOf :{name}2 .'}")
        return path


def holds(graph: KnowledgeGraph, *names: str) -> bool:
    """Whether exactly the documents of these names are there, with what follows from each; and all else agrees."""
    dumped = lines(graph.dump())
    for name in "abcdefg":
        is_there = line(*below(f"{name}1", f"{name}2")) in dumped
        assert is_there == (name in names), name
        if line(iri("x"), v.RDF_TYPE, iri(f"{name}1")) in dumped:
            assert (line(iri("x"), v.RDF_TYPE, iri(f"{name}2")) in dumped) == is_there
    assert graph.stats()["imported"] == len(names)
    return agrees(graph)


def missing(importer: str, imported: str) -> str:
    unknown = "no document with this IRI is known (--catalogue says where documents are)"
    return f"{iri(importer)} imports {iri(imported)}: {unknown}"
