"""The W3C's tests of the SPARQL 1.1 Protocol, the Graph Store Protocol and the service description."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import httpx
import pytest
from pyoxigraph import RdfFormat

from tests.server.serving import client, served
from tests.w3c.shared import IS_THERE, MF, MISSING, archive, entries, graph, name, node, several

_ARCHIVE = "sparql11.tar.gz"
_FOLDER = "sparql/sparql11/"
_BASE = "http://www.w3.org/2009/sparql/docs/tests/data-sparql11/"
_HT, _CNT = "http://www.w3.org/2011/http#", "http://www.w3.org/2011/content#"
_UT = "http://www.w3.org/2009/sparql/tests/test-update#"
_DAWG = "http://www.w3.org/2001/sw/DataAccess/tests/test-dawg#"
_LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
_SD = "http://www.w3.org/ns/sparql-service-description#"
_MANIFESTS = (
    "protocol/manifest.ttl",
    "graph-store-protocol/manifest-direct.ttl",
    "graph-store-protocol/manifest-indirect.ttl",
)
_STATUSES = {"OK": 200, "Created": 201, "NoContent": 204, "NotFound": 404}
_KINDS = {"boolean": "sparql-results", "tabular": "sparql-results", "RDF": "application/n-triples"}

pytestmark = pytest.mark.skipif(not IS_THERE, reason=MISSING)


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    store = tmp_path_factory.mktemp("served") / "store"
    with served(store, rules="none", names=("www.example",)) as address, client(address) as http:
        http.headers = httpx.Headers({"Host": "www.example"})
        yield http


@pytest.fixture
def empty(serving: httpx.Client) -> httpx.Client:
    """A client of a server without triples."""
    assert serving.delete("/store").status_code == 204
    return serving


@cache
def _manifest(path: str) -> Any:
    return graph(archive(_ARCHIVE)[_FOLDER + path], RdfFormat.TURTLE, _BASE + path)


def _cases() -> Iterator[Any]:
    for path in _MANIFESTS if IS_THERE else ():
        manifest = _manifest(path)
        for entry in entries(manifest):
            yield pytest.param(path, entry, id=f"{path.split('/')[0]}-{name(entry)}")


@pytest.mark.parametrize(("path", "entry"), list(_cases()))
def test_protocol(path: str, entry: Any, empty: httpx.Client) -> None:
    manifest = _manifest(path)
    for data in manifest.objects(entry, node(f"{_UT}graphData")):
        file = str(manifest.value(data, node(f"{_UT}graph"))).removeprefix(_BASE)
        label = str(manifest.value(data, node(_LABEL)))
        kind = {"Content-Type": "application/n-triples"}
        text = archive(_ARCHIVE)[_FOLDER + file]
        assert empty.put("/store", params={"graph": label}, content=text, headers=kind).status_code == 201
    location = ""
    action = manifest.value(entry, node(f"{MF}action"))
    for request in several(manifest, action, f"{_HT}requests"):
        answer = _sent(empty, manifest, request, location)
        _check(manifest, manifest.value(request, node(f"{_HT}resp")), answer)
        location = answer.headers.get("location", location)


def _sent(http: httpx.Client, manifest: Any, request: Any, location: str) -> httpx.Response:
    method = str(manifest.value(request, node(f"{_HT}methodName")))
    kinds = _headers(manifest, request)
    body = manifest.value(request, node(f"{_HT}body"))
    text = str(manifest.value(body, node(f"{_CNT}chars"))) if body else ""
    coding = str(manifest.value(body, node(f"{_CNT}characterEncoding"))) if body else "utf-8"
    if kinds.get("content-type", "").startswith("multipart/"):
        text = "\r\n".join(line.strip() for line in text.splitlines())
    path = str(manifest.value(request, node(f"{_HT}absolutePath"))).replace("$LOCATION$", location)
    return http.request(method, _mapped(path, kinds, text), content=text.encode(coding) or None, headers=kinds)


def _mapped(path: str, kinds: dict[str, str], text: str) -> str:
    """The path of our server in place of that of the manifest."""
    if path.startswith("/gsp"):
        return path.replace("/gsp", "/store", 1)
    is_update = "update" in kinds.get("content-type", "") or text.startswith("update=") or "?update=" in path
    return path.replace("/sparql/", "/update" if is_update else "/query", 1)


def _headers(manifest: Any, subject: Any) -> dict[str, str]:
    found = several(manifest, subject, f"{_HT}headers")
    names = (f"{_HT}fieldName", f"{_HT}fieldValue")
    pairs = ([str(manifest.value(each, node(part))) for part in names] for each in found)
    return {key.lower(): value for key, value in pairs}


def _check(manifest: Any, expected: Any, answer: httpx.Response) -> None:
    from rdflib import Graph
    from rdflib.compare import isomorphic

    statuses = [name(each) for each in manifest.objects(expected, node(f"{MF}expectedStatus"))]
    assert any(_is(answer.status_code, each) for each in statuses), (answer.status_code, statuses, answer.text)
    if answer.status_code >= 400:
        assert answer.headers["content-type"] == "application/problem+json"
    if (boolean := manifest.value(expected, node(f"{MF}expectedBoolean"))) is not None:
        assert answer.json()["boolean"] is bool(boolean)
    if (form := manifest.value(expected, node(f"{MF}expectedFormat"))) is not None:
        assert _KINDS[str(form)] in answer.headers["content-type"]
    if kind := _headers(manifest, expected).get("content-type"):
        assert answer.headers["content-type"].split(";")[0] == kind.split(";")[0]
    if body := manifest.value(expected, node(f"{_HT}body")):
        text = str(manifest.value(body, node(f"{_CNT}chars")))
        ours, theirs = Graph().parse(data=answer.text, format="turtle"), Graph().parse(data=text, format="turtle")
        assert isomorphic(ours, theirs)


def _is(status: int, expected: str) -> bool:
    if expected.startswith("StatusCode"):
        return str(status)[0] == expected.removeprefix("StatusCode")[0]
    return status == _STATUSES[expected]


def test_the_older_tests_of_the_graph_store_are_all_deprecated() -> None:
    manifest = _manifest("http-rdf-update/manifest.ttl")
    state = node(f"{_DAWG}approval")
    assert {name(manifest.value(entry, state)) for entry in entries(manifest)} == {"Deprecated"}


@pytest.mark.parametrize("path", ["/query", "/update"])
def test_service_description(path: str, http: httpx.Client) -> None:
    from rdflib import RDF, Graph, URIRef

    answer = http.get(path, headers={"Accept": "text/turtle"})
    assert answer.headers["content-type"].startswith("text/turtle")  # returns-rdf
    found = Graph().parse(data=answer.text, format="turtle")
    [service] = found.subjects(RDF.type, URIRef(f"{_SD}Service"))
    endpoint = URIRef(str(http.base_url.join(path)))
    assert (service, URIRef(f"{_SD}endpoint"), endpoint) in found  # has-endpoint-triple
    known = {"Service", "Dataset", "Graph"}  # conforms-to-schema
    assert {name(kind) for kind in found.objects(None, RDF.type)} == known
    for predicate in {str(each) for each in found.predicates()}:
        assert predicate.startswith((_SD, str(RDF), "http://purl.org/dc/terms/"))
