"""Requests that try to reach what is not theirs: other machines, files, other texts, other roles."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile, gettempdir
from typing import Any

import httpx
import pytest

from tests.server.limits.test_guard import ADMIN, READ, WRITE, bearer, guarded  # noqa: F401 - a fixture
from tests.server.limits.test_limits import connected

from kgreason.server.problems import problem_of  # isort: skip

UPDATE = {"Content-Type": "application/sparql-update"}


@contextmanager
def trap() -> Iterator[tuple[str, list[bool]]]:
    """An address of the loopback where nobody may call, and whether somebody has called when the block has ended."""
    called: list[bool] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.2)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/secret", called
        try:
            listener.accept()[0].close()
            called.append(True)
        except TimeoutError:
            pass


def documents(address: str) -> dict[str, str]:
    """Documents that name another document at an address."""
    entity = f'<!DOCTYPE rdf:RDF [<!ENTITY x SYSTEM "{address}">]>'
    rdf = f'<rdf:RDF xmlns:rdf="{RDF}" xmlns:e="http://e/"><rdf:Description><e:p>&x;</e:p></rdf:Description></rdf:RDF>'
    return {
        "text/turtle": f"<http://e/o> a <{OWL}Ontology> ; <{OWL}imports> <{address}> .",
        "application/ld+json": f'{{"@context": "{address}", "@id": "http://e/a", "http://e/p": "x"}}',
        "application/rdf+xml": f"{entity}{rdf}",
    }


RDF, OWL = "http://www.w3.org/1999/02/22-rdf-syntax-ns#", "http://www.w3.org/2002/07/owl#"


def test_the_server_asks_nobody(http: httpx.Client) -> None:
    with trap() as (address, called):
        for media, text in documents(address).items():
            http.put("/store?graph=http://e/asks", content=text, headers={"Content-Type": media})
            http.post("/what-if", content=text, headers={"Content-Type": media})
        for query in (
            f"SELECT * FROM <{address}> {{ ?s ?p ?o }}",
            f"SELECT * {{ SERVICE <{address}> {{ ?s ?p ?o }} }}",
        ):
            http.post("/query", data={"query": query})
        http.get("/query", params={"query": "ASK {}", "default-graph-uri": address})
        for update in (f"LOAD <{address}>", f"INSERT {{ ?s ?p ?o }} WHERE {{ SERVICE <{address}> {{ ?s ?p ?o }} }}"):
            for path in ("/update", "/what-if"):
                http.post(path, content=update, headers=UPDATE)
        http.get("/store", params={"graph": address})
    http.delete("/store?graph=http://e/asks")
    http.post("/update", content=f"DELETE WHERE {{ ?o <{OWL}imports> ?x }}", headers=UPDATE)
    assert not called


def test_no_context_is_read_from_the_folder_of_bodies(http: httpx.Client) -> None:
    [*_, folder] = sorted(Path(gettempdir()).glob("kgreason-bodies-*"), key=lambda each: each.stat().st_mtime)
    with NamedTemporaryFile("w", suffix=".jsonld", dir=folder) as file:
        file.write('{"@context": {"p": "http://e/secret"}}')
        file.flush()
        for name in (Path(file.name).name, file.name, Path(file.name).as_uri()):
            text = f'{{"@context": "{name}", "@id": "http://e/a", "p": "x"}}'
            put = http.put("/store?graph=http://e/c", content=text, headers={"Content-Type": "application/ld+json"})
            assert put.status_code == 400
            assert "neither in a catalogue" in put.text
    assert http.get("/store?graph=http://e/c").status_code == 404


@pytest.mark.parametrize("secret", ["file:///etc/passwd", "/etc/passwd"])
def test_no_file_of_the_server_is_read(secret: str, http: httpx.Client) -> None:
    for media, text in documents(secret).items():
        http.put("/store?graph=http://e/reads", content=text, headers={"Content-Type": media})
    for path in ("/update", "/what-if"):
        assert http.post(path, content=f"LOAD <{secret}>", headers=UPDATE).status_code in (400, 403)
    assert "root:" not in http.get("/store").text
    http.delete("/store?graph=http://e/reads")


def test_no_file_of_the_server_is_imported_by_rules(tmp_path: Path, http: httpx.Client) -> None:
    secret = tmp_path / "secret.srl"
    secret.write_text("DATA { <http://e/secret> <http://e/secret> <http://e/secret> }", "utf-8")
    for text in (f"IMPORTS <{secret.as_uri()}>", f"PREFIX f: <{tmp_path.as_uri()}/> IMPORTS f:secret.srl"):
        line = json.dumps({"add_rules": text, "syntax": "srl"})
        for path in ("/what-if", "/transactions"):
            answer = http.post(path, content=line, headers={"Content-Type": "application/x-ndjson"})
            assert answer.status_code == 400
            assert "is known" in answer.json()["detail"]


NASTY = [
    "> } ; DROP ALL ; INSERT DATA { <http://e/evil> <http://e/evil> <http://e/evil> } #",
    "http://e/x> { ?s ?p ?o } } ; DROP ALL #",
    '" ; DROP ALL #',
    "'; DROP ALL; --",
    "<http://e/tom> a <http://e/Cat> } ; DROP ALL ; INSERT DATA { <http://e/evil> <http://e/evil> <http://e/evil>",
    "x\r\nSet-Cookie: evil=1\r\n\r\nevil",
    "../../../../etc/passwd",
    "file:///etc/passwd",
    "\x00",
    "\ud7ff\U0010ffff\u202e",
    "-1",
    "9" * 400,
    "1e400",
    "${jndi:ldap://127.0.0.1/x}{{7*7}}%s%n",
    "",
]
VALUES = [*NASTY, *(f"<http://e/{nasty}>" for nasty in NASTY), *(f"true&{nasty}" for nasty in NASTY[:3])]


@pytest.mark.parametrize("value", range(len(VALUES)))
def test_no_parameter_is_more_than_a_value(value: int, http: httpx.Client) -> None:
    nasty, before = VALUES[value], state(http)
    for method, path, name in parameters(http):
        given = {"query": "ASK {}"} if path == "/query" and name != "query" else {}
        many = {"triple": "<http://e/tom> a <http://e/Cat>"} if path in ("/explain", "/why-not") else given
        answer = answered(http, method, path, {**many, name: nasty})
        assert answer.status_code < 500, (path, name)
        assert "set-cookie" not in answer.headers, (path, name)
        assert "Traceback" not in answer.text, (path, name)
        assert "root:" not in answer.text, (path, name)
    assert state(http) == before


def answered(http: httpx.Client, method: str, path: str, given: dict[str, str]) -> httpx.Response:
    """The answer to a request, of a stream the head alone."""
    with http.stream(method, path, params=given) as answer:
        if not answer.headers.get("content-type", "").startswith("text/event-stream"):
            answer.read()
        else:
            answer._content = b""
    return answer


def parameters(http: httpx.Client) -> Iterator[tuple[str, str, str]]:
    """All parameters of requests that read, as the server describes them."""
    for path, methods in http.get("/openapi.json").json()["paths"].items():
        for given in methods.get("get", {}).get("parameters", []):
            yield "GET", path.replace("{graph}", "x").replace("{name}", "x"), given["name"]


def state(http: httpx.Client) -> tuple[int, list[str]]:
    return http.get("/health").json()["commit"], sorted(http.get("/store").text.splitlines())


@pytest.mark.parametrize("nasty", NASTY)
def test_no_parameter_of_an_edit_is_more_than_a_value(nasty: str, http: httpx.Client) -> None:
    before = state(http)[1]
    where = "DELETE { ?s ?p ?o } INSERT { ?s ?p ?o } WHERE { ?s ?p ?o FILTER(false) }"
    for name in ("using-graph-uri", "using-named-graph-uri"):
        assert http.post("/update", data={"update": where, name: nasty}).status_code in (204, 400), name
    for name in ("graph", "default"):
        assert http.delete("/store", params={"graph": f"http://e/no{nasty}"}).status_code in (400, 404), name
    posted = http.post(f"/store/{nasty!r}", content="", headers={"Content-Type": "text/turtle"})
    assert posted.status_code in (201, 204, 400, 404)
    assert http.delete("/rules", params={"name": nasty}).status_code in (400, 415)
    assert http.post("/what-if", params={"limit": nasty}, content="", headers=UPDATE).status_code in (200, 400)
    assert state(http)[1] == before


PATHS = [
    "/../../../../etc/passwd",
    "/store/../../../etc/passwd",
    "/..%2f..%2f..%2fetc%2fpasswd",
    "/%2e%2e/%2e%2e/etc/passwd",
    "/store/%2e%2e/%2e%2e/etc/passwd",
    "//etc/passwd",
    "/.//etc/passwd",
    "/openapi.json/../../etc/passwd",
    "/relations/..%2f..%2fetc%2fpasswd",
    "/console/rows.../../etc/passwd",
    "/_nicegui/../../etc/passwd",
    "http://127.0.0.1/etc/passwd",
    "*",
]


@pytest.mark.parametrize("path", PATHS)
def test_no_path_leads_out(path: str, http: httpx.Client) -> None:
    leads_nowhere(http, f"GET {path} HTTP/1.1\r\nHost: localhost\r\n")


def leads_nowhere(http: httpx.Client, head: str) -> None:
    """Check that a request, given without its last header, is refused and gets no file of the system."""
    with connected(http) as raw:
        raw.sendall(f"{head}Connection: close\r\n\r\n".encode())
        found = b""
        while piece := raw.recv(1 << 16):
            found += piece
    assert b"root:" not in found
    assert found.split()[1] in (b"400", b"404"), found[:200]


SMUGGLED = [
    b"POST /update HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    b"POST /update HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\n",
    b"GET /health HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n",
    b"GET /health HTTP/1.1\r\nHost: localhost\r\nX: a\r\n b\x00c\r\n\r\n",
    b"GET /health HTTP/1.1\r\n\r\n",
]


@pytest.mark.parametrize("request_", SMUGGLED)
def test_requests_that_can_be_read_in_two_ways_are_refused(request_: bytes, http: httpx.Client) -> None:
    with connected(http) as raw:
        raw.sendall(request_)
        assert raw.recv(1000).split()[1] in (b"400", b"415", b"421")


@pytest.mark.parametrize("kind", ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=x"])
@pytest.mark.parametrize(
    "path", ["/update", "/store?default", "/rules", "/shapes", "/transactions", "/revert?commit=1"]
)
def test_a_form_of_another_page_changes_nothing(path: str, kind: str, http: httpx.Client) -> None:
    before = state(http)
    headers = {"Content-Type": kind, "Origin": "https://evil.example"}
    for named in ({}, {"Sec-Fetch-Site": "cross-site"}):
        answer = http.post(path, content="update=DROP+ALL", headers=headers | named)
        assert answer.status_code == 403
    assert state(http) == before


def test_every_path_that_edits_needs_a_role(guarded: httpx.Client) -> None:  # noqa: F811 - the fixture
    described = guarded.get("/openapi.json", headers=bearer(ADMIN)).json()["paths"]
    edits = {"/update", "/store", "/store/{graph}", "/transactions", "/revert", "/rules", "/shapes"}
    asks = {"/query", "/what-if", "/validate", "/tickets", "/console/sign-in", "/console/sign-out"}
    for path, methods in described.items():
        for method in methods.keys() & {"post", "put", "delete", "patch"}:
            assert path in edits | asks, f"say whether {method} of {path} edits the graph"
            if path in edits:
                assert guarded.request(method, path, headers=bearer(READ)).status_code == 403
    for path in ("/rules", "/shapes"):
        assert guarded.post(path, headers=bearer(WRITE)).status_code == 403


def test_a_name_that_is_bound_anew_does_not_help(http: httpx.Client) -> None:
    """DNS rebinding: the page's own name leads to this server, so that the browser sees one origin."""
    before = state(http)
    for host in ("evil.example", "evil.example:80", "127.0.0.1.evil.example", "localhost@evil.example"):
        headers = {"Host": host, "Origin": f"http://{host}"} | UPDATE
        assert http.post("/update", content="DROP ALL", headers=headers).status_code == 421
    assert state(http) == before


def test_messages_have_no_path_of_the_server(http: httpx.Client, tmp_path: Path) -> None:
    wrong = [
        http.post("/update", content="LOAD <file:///tmp/none>", headers=UPDATE),
        http.put("/store?default", content="<a> <b", headers={"Content-Type": "text/turtle"}),
        http.put("/store?default", content="{", headers={"Content-Type": "application/ld+json"}),
        http.post("/rules", content="?", headers={"Content-Type": "text/x-kgreason-rules"}),
        http.get("/query", params={"query": "x"}),
    ]
    for answer in wrong:
        assert 400 <= answer.status_code < 500
        assert not any(each in answer.text for each in ("/tmp", "site-packages", "store/", 'File "'))


def test_an_error_that_nobody_expects_tells_nothing() -> None:
    problem = problem_of(RuntimeError("the secret of /srv/store"))
    assert problem.status == 500
    assert "secret" not in problem.detail


PLACES = [
    ("/explain", "triple"),
    ("/explain", "term"),
    ("/why-not", "triple"),
    ("/triples", "subject"),
    ("/match", "s"),
    ("/changes", "match"),
]


@pytest.mark.parametrize(("path", "name"), PLACES)
def test_a_term_that_is_nested_deeply_is_not_even_read(path: str, name: str, http: httpx.Client) -> None:
    answer = http.get(path, params={name: ["<<( <e:a> <e:b> " * 200] * (3 if name == "term" else 1)})
    assert answer.status_code == 400
    assert "more than 100 opening brackets" in answer.json()["detail"]


def test_a_literal_may_have_many_signs(http: httpx.Client) -> None:
    text = '"' + "-+!" * 100 + '"'
    assert http.get("/match", params={"o": text}).status_code == 200
    assert (
        http.get("/explain", params={"triple": f"<e:a> <e:b> {text}"})
        .json()["detail"]
        .endswith("does not have this triple")
    )


@pytest.mark.parametrize("path", ["/what-if", "/transactions"])
def test_edits_that_are_nested_deeply_are_refused_or_carried_out(path: str, http: httpx.Client) -> None:
    """An expression gets as much stack as it needs. Nothing ends the server."""
    term = "<<( <e:a> <e:b> " * 8_000 + "<e:c>" + " )>>" * 8_000
    blocks = "{ " * 8_000 + "}" * 8_000
    edits: list[dict[str, Any]] = [
        {"add": f"<e:a> <e:b> {term} ."},
        {"insert": [[term]], "relation": "edge"},
        {"add_rules": f"RULE {{ ?x <e:p> ?x }} WHERE {{ {blocks} }}", "syntax": "srl"},
        {"add_rules": f"CONSTRUCT {{ ?x <e:p> ?x }} WHERE {{ {blocks} }}", "syntax": "rq"},
    ]
    for edit in edits:
        answer = http.post(path, content=json.dumps(edit), headers={"Content-Type": "application/x-ndjson"})
        assert answer.status_code == 400, edit.keys()
    rule = f"[?x, <e:p>, ?y] :- [?x, <e:q>, ?y], FILTER({'(' * 8_000}?x{')' * 8_000}) ."
    answer = http.post(path, content=json.dumps({"add_rules": rule}), headers={"Content-Type": "application/x-ndjson"})
    assert answer.is_success, answer.text
    rules = {"Content-Type": "text/x-kgreason-rules"}
    for door in ("/what-if", "/rules"):
        answer = http.post(door, content=rule, headers=rules)
        assert answer.is_success, answer.text
        assert http.post(door, content=rule.replace("(" * 8_000, "(" * 40_000), headers=rules).status_code == 400
    http.request("DELETE", "/rules", content=rule, headers=rules)
    assert http.get("/health").is_success
