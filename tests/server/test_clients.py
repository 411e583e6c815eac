"""Clients of others work as they are: rdflib's SPARQLUpdateStore, SPARQLWrapper and curl."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import httpx
import pytest

SCRIPT = Path(__file__).with_name("curl.sh")


def test_rdflib(http: httpx.Client) -> None:
    rdflib = pytest.importorskip("rdflib")
    from rdflib.plugins.stores.sparqlstore import SPARQLUpdateStore

    address = str(http.base_url).rstrip("/")
    store = SPARQLUpdateStore(f"{address}/query", f"{address}/update", autocommit=True)
    graph = rdflib.Graph(store, identifier=rdflib.URIRef("http://e/of-rdflib"))
    ours = rdflib.Namespace("http://e/")
    graph.add((ours.kit, rdflib.RDF.type, ours.Cat))
    assert list(graph) == [(ours.kit, rdflib.RDF.type, ours.Cat)]
    rows: Any = store.query("SELECT ?c { <http://e/kit> a ?c } ORDER BY ?c")
    assert [row[0] for row in rows] == [ours.Animal, ours.Cat]
    graph.update("DELETE WHERE { ?x a <http://e/Cat> }")
    graph.remove((None, None, None))
    assert not list(graph)


@pytest.mark.filterwarnings("ignore")  # it uses what rdflib deprecates
def test_sparqlwrapper(http: httpx.Client) -> None:
    wrapper = pytest.importorskip("SPARQLWrapper")
    address = str(http.base_url).rstrip("/")
    asked = wrapper.SPARQLWrapper(f"{address}/query", f"{address}/update")
    asked.setQuery("SELECT ?c { <http://e/tom> a ?c } ORDER BY ?c")
    for form in (wrapper.JSON, wrapper.XML, wrapper.CSV, wrapper.TSV):
        asked.setReturnFormat(form)
        assert "http://e/Animal" in _text(asked.query().convert())
    asked.setQuery("CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }")
    for form in (wrapper.TURTLE, wrapper.RDFXML, wrapper.JSONLD):
        asked.setReturnFormat(form)
        assert "http://e/tom" in _text(asked.query().convert())
    asked.setMethod(wrapper.POST)
    for verb in ("INSERT", "DELETE"):
        asked.setQuery(f"{verb} DATA {{ <http://e/wrapped> a <http://e/Cat> }}")
        assert asked.query().response.status == 204


def _text(found: object) -> str:
    if hasattr(found, "serialize"):
        return str(found.serialize(format="nt"))
    if hasattr(found, "toxml"):
        return str(found.toxml())
    return found.decode() if isinstance(found, bytes) else str(found)


@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl")
def test_curl(http: httpx.Client, tmp_path: Path) -> None:
    address = str(http.base_url).rstrip("/")
    done = subprocess.run(["bash", SCRIPT, address], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "all is well"
