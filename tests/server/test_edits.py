"""Edits over HTTP: what a commit says, conditions, documents in all formats, and what a query sees of an edit."""

from __future__ import annotations

import gzip
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from kgreason import KnowledgeGraph
from tests.server.conftest import ZOO
from tests.server.serving import client, served

TURTLE = {"Content-Type": "text/turtle"}
UPDATE = {"Content-Type": "application/sparql-update"}
CLASSES = "PREFIX : <http://e/> SELECT ?c { :tom a ?c } ORDER BY ?c"


def ask(http: httpx.Client, sparql: str) -> bool:
    answer = http.get("/query", params={"query": f"PREFIX : <http://e/> ASK {sparql}"})
    assert answer.status_code == 200, answer.text
    return bool(answer.json()["boolean"])


def test_an_edit_tells_its_delta_and_the_next_query_sees_it(http: httpx.Client) -> None:
    insert = "PREFIX : <http://e/> INSERT DATA { :kit a :Cat }"
    made = http.post("/update", content=insert, headers=UPDATE)
    assert made.status_code == 204
    told = {name: made.headers[f"kgreason-{name}"] for name in ("asserted", "retracted", "appeared", "disappeared")}
    assert told == {"asserted": "1", "retracted": "0", "appeared": "2", "disappeared": "0"}
    assert ask(http, "{ :kit a :Animal }")
    gone = http.post("/update", data={"update": insert.replace("INSERT", "DELETE")})
    assert gone.headers["kgreason-disappeared"] == "2"
    assert int(gone.headers["kgreason-commit"]) == int(made.headers["kgreason-commit"]) + 1
    assert not ask(http, "{ :kit a :Animal }")


def test_if_match_guards_an_edit(http: httpx.Client) -> None:
    tag = http.get("/store?default", headers={"Accept": "text/turtle"}).headers["etag"]
    edit = "INSERT DATA { <http://e/rex> a <http://e/Dog> }"
    assert http.post("/update", content=edit, headers=UPDATE | {"If-Match": tag}).status_code == 204
    refused = http.post("/update", content=edit.replace("rex", "max"), headers=UPDATE | {"If-Match": tag})
    assert refused.status_code == 412
    assert "commit" in refused.json()["detail"]
    assert not ask(http, "{ :max a :Dog }")
    assert http.post("/update", content="DROP ALL", headers=UPDATE | {"If-Match": "nonsense"}).status_code == 412
    delete = edit.replace("INSERT", "DELETE")
    assert http.post("/update", content=delete, headers=UPDATE | {"If-Match": refused.headers["etag"]}).is_success


def test_a_graph_that_has_not_changed_is_not_sent_again(http: httpx.Client) -> None:
    first = http.get("/store?default")
    again = http.get("/store?default", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_get_edit_put_asserts_no_inference(http: httpx.Client) -> None:
    text = http.get("/store?default", headers={"Accept": "text/turtle"}).text
    assert "age> 07 ;" in text
    put = http.put("/store?default", content=text, headers=TURTLE)
    assert put.status_code == 204
    assert (put.headers["kgreason-asserted"], put.headers["kgreason-retracted"]) == ("0", "0")
    closure = http.get("/store?default&inferred=true", headers={"Accept": "application/n-triples"}).text
    line = "<http://e/tom> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e/Animal> ."
    assert line in closure.splitlines()
    assert line not in http.get("/store?default").text.splitlines()


@pytest.mark.parametrize(
    ("kind", "suffix"),
    [
        ("text/turtle", "ttl"),
        ("application/n-triples", "nt"),
        ("application/rdf+xml", "rdf"),
        ("application/ld+json", "jsonld"),
        ("text/n3", "n3"),
    ],
)
def test_a_graph_goes_round_in_every_format(kind: str, suffix: str, http: httpx.Client) -> None:
    name = {"graph": f"http://e/{suffix}"}
    text = '<http://e/a> <http://e/p> "\\u00e9 <"@en , [ <http://e/q> 1 ] .'
    assert http.put("/store", params=name, content=text, headers=TURTLE).status_code == 201
    found = http.get("/store", params=name, headers={"Accept": kind})
    assert found.headers["content-type"].split(";")[0] == kind
    packed = gzip.compress(found.content)
    headers = {"Content-Type": kind, "Content-Encoding": "gzip"}
    put = http.put("/store", params={"graph": "http://e/copy"}, content=packed, headers=headers)
    assert put.is_success, put.text
    assert ask(http, '{ GRAPH :copy { :a :p "\\u00e9 <"@en , [ :q 1 ] } }')
    assert http.delete("/store", params=name).status_code == 204
    assert http.delete("/store", params=name).status_code == 404


def test_a_graph_that_a_format_cannot_say_is_an_error_that_names_the_term(http: httpx.Client) -> None:
    name, query = (
        {"graph": "http://e/triples"},
        "CONSTRUCT { ?s ?p ?o } WHERE { GRAPH <http://e/triples> { ?s ?p ?o } }",
    )
    text = "<http://e/a> <http://e/p> <<( <http://e/a> <http://e/p> 1 )>> ."
    assert http.put("/store", params=name, content=text, headers=TURTLE).status_code == 201
    for kind in ("text/n3", "application/ld+json"):
        for path, parameters in (("/store", name), ("/query", {"query": query})):
            found = http.get(path, params=parameters, headers={"Accept": kind})
            assert found.is_error
            assert "<<( <http://e/a> <http://e/p>" in found.json()["detail"]
    assert http.delete("/store", params=name).status_code == 204


def test_all_graphs_are_quads(http: httpx.Client) -> None:
    quads = "<http://e/x> <http://e/p> <http://e/y> <http://e/quads> .\n<http://e/x> <http://e/p> <http://e/z> .\n"
    posted = http.post("/store", content=quads, headers={"Content-Type": "application/n-quads"})
    assert posted.status_code == 204
    found = http.get("/store", headers={"Accept": "application/n-quads"}).text
    assert set(quads.splitlines()) <= set(found.splitlines())
    assert "http://e/quads" in http.get("/store", headers={"Accept": "application/trig"}).text
    assert http.get("/store", headers={"Accept": "text/turtle"}).status_code == 406
    for clear in ("DROP GRAPH <http://e/quads>", "DELETE DATA { <http://e/x> <http://e/p> <http://e/z> }"):
        assert http.post("/update", content=clear, headers=UPDATE).is_success


def test_relative_iris_are_resolved_against_the_graph(http: httpx.Client) -> None:
    assert http.put("/store?graph=http://e/doc", content="<#a> <#b> <c> .", headers=TURTLE).status_code == 201
    assert ask(http, "{ GRAPH :doc { <http://e/doc#a> <http://e/doc#b> :c } }")
    assert http.delete("/store?graph=http://e/doc").is_success


def test_a_document_with_a_mistake_changes_nothing(http: httpx.Client) -> None:
    refused = http.put("/store?default", content=":a :b", headers=TURTLE)
    assert refused.status_code == 400
    detail = refused.json()["detail"]
    assert detail.startswith("the body:1:")
    assert "/tmp" not in detail
    assert ask(http, "{ :tom a :Cat }")


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/store?graph=http://e/none", 404),
        ("/store?graph=http://e/a&default", 400),
        ("/store?graph=http://e/a&graph=http://e/b", 400),
        ("/store?graph=http://e/%3Ca", 400),
        ("/store?default&inferred=maybe", 400),
        ("/query?query=ASK", 400),
        ("/query?sparql=ASK", 400),
        ("/update?update=x", 405),
        ("/nowhere", 404),
    ],
)
def test_wrong_requests_get_a_problem(path: str, status: int, http: httpx.Client) -> None:
    answer = http.get(path)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["status"] == status
    assert answer.json()["detail"]


def test_an_answer_has_the_format_that_accept_names(http: httpx.Client) -> None:
    accepted = {
        "text/csv": "c\r\nhttp://e/Animal\r\nhttp://e/Cat\r\n",
        "text/tab-separated-values": "?c\n<http://e/Animal>\n<http://e/Cat>\n",
        "application/sparql-results+xml;q=0.9, text/csv;q=0.1": "<?xml",
        "text/html, */*;q=0.1": '{"head"',
    }
    for accept, begin in accepted.items():
        answer = http.post("/query", data={"query": CLASSES}, headers={"Accept": accept})
        assert answer.text.startswith(begin), accept
        assert answer.headers["vary"] == "Accept, Accept-Encoding"
    refused = http.post("/query", data={"query": CLASSES}, headers={"Accept": "text/turtle"})
    assert refused.status_code == 406
    assert "sparql-results+json" in refused.json()["detail"]
    described = "PREFIX : <http://e/> DESCRIBE :tom"
    graph = http.get("/query", params={"query": described}, headers={"Accept": "application/rdf+xml"})
    assert "rdf:RDF" in graph.text


def test_an_answered_edit_is_in_the_store_when_it_is_opened_again(tmp_path: Path) -> None:
    with served(tmp_path / "store", text=ZOO) as address, client(address) as http:
        for number in range(5):
            text = f"INSERT DATA {{ <http://e/{number}> a <http://e/Cat> }}"
            assert http.post("/update", content=text, headers=UPDATE).is_success
            assert ask(http, f"{{ :{number} a :Animal }}")
    with KnowledgeGraph.open(tmp_path / "store", read_only=True) as graph:
        assert all((f"http://e/{number}", "a", "http://e/Animal") in graph for number in range(5))


def test_a_query_sees_each_commit_as_a_whole(http: httpx.Client) -> None:
    swap = (
        "DELETE { ?a <http://e/pair> ?n } INSERT { <http://e/l> <http://e/pair> %d . <http://e/r> <http://e/pair> %d }"
    )
    both = "SELECT ?n { ?a <http://e/pair> ?n }"
    first = "INSERT DATA { <http://e/l> <http://e/pair> 0 . <http://e/r> <http://e/pair> 0 }"
    assert http.post("/update", content=first, headers=UPDATE).is_success
    is_done = threading.Event()

    def read() -> list[int]:
        """The numbers of the pairs, as one reader sees them."""
        seen = []
        while not is_done.is_set():
            rows = http.post("/query", data={"query": both}, headers={"Accept": "text/csv"}).text.split()[1:]
            assert len(rows) == 2
            assert rows[0] == rows[1]
            seen.append(int(rows[0]))
        return seen

    with ThreadPoolExecutor(4) as others:
        readers = [others.submit(read) for _ in range(4)]
        for number in range(1, 30):
            text = f"{swap % (number, number)} WHERE {{ ?a <http://e/pair> ?n }}"
            assert http.post("/update", content=text, headers=UPDATE).is_success
            rows = http.post("/query", data={"query": both}, headers={"Accept": "text/csv"}).text.split()
            assert rows == ["n", str(number), str(number)]
        is_done.set()
    for reader in readers:
        assert reader.result() == sorted(reader.result())
    assert http.post("/update", content="DELETE WHERE { ?a <http://e/pair> ?n }", headers=UPDATE).is_success
