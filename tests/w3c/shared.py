"""The W3C's suites as they lie in the folder of shared data: archives read into memory, manifests as RDF graphs."""

from __future__ import annotations

import tarfile
from functools import cache
from pathlib import Path
from typing import Any

import pyoxigraph
import pytest
from pyoxigraph import RdfFormat

FOLDER = Path(__file__).parents[3] / "shared" / "data" / "w3c"
IS_THERE = FOLDER.is_dir()
MISSING = f"no shared test data: {FOLDER} is missing"

MF = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#"
SD = "http://www.w3.org/ns/sparql-service-description#"


@cache
def archive(name: str) -> dict[str, bytes]:
    """The files of an archive, by path."""
    with tarfile.open(FOLDER / name) as packed:
        files = ((member.name, packed.extractfile(member)) for member in packed if member.isfile())
        return {path: file.read() for path, file in files if file}


def graph(text: bytes, syntax: RdfFormat, base: str) -> Any:
    """A document as an rdflib graph. Oxigraph parses it, much faster than rdflib."""
    rdflib = pytest.importorskip("rdflib")
    from kgreason.bridges.rdflib.terms import to_rdflib

    found = rdflib.Graph()
    for quad in pyoxigraph.parse(text, syntax, base_iri=base):
        found.add(tuple(map(to_rdflib, quad.triple)))
    return found


def node(iri: str) -> Any:
    """An IRI of rdflib."""
    return pytest.importorskip("rdflib").URIRef(iri)


def several(graph: Any, subject: Any, predicate: str) -> list[Any]:
    """The objects of a predicate, or the members of the list that it leads to."""
    from rdflib.collection import Collection

    found = list(graph.objects(subject, node(predicate)))
    if len(found) == 1 and graph.value(found[0], node("http://www.w3.org/1999/02/22-rdf-syntax-ns#first")) is not None:
        return list(Collection(graph, found[0]))
    return [each for each in found if not str(each).endswith("#nil")]


def entries(graph: Any) -> list[Any]:
    """The tests that a manifest lists."""
    root = next(iter(graph.subjects(node(f"{MF}entries"))))
    return several(graph, root, f"{MF}entries")


def name(term: Any) -> str:
    """What an IRI ends in."""
    return str(term).replace("#", "/").rsplit("/", 1)[-1]
