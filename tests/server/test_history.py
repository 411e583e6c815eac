"""The past of a graph over HTTP: the list of commits, one commit, the graph as it was, and a commit taken back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from kgreason import KnowledgeGraph
from tests.server.serving import client, served

SUB = "<http://www.w3.org/2000/01/rdf-schema#subClassOf>"
RULE = "@rule own [?x, <http://e/p>, ?x] :- [?x, a, <http://e/Cat>] ."
PETS = {"query": "SELECT ?x { ?x a <http://e/Pet> }"}


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Three commits: an axiom and a fact, another fact, and the first fact goes."""
    with KnowledgeGraph.open(tmp_path / "store", rules=["rdfs"], history="all") as graph:
        graph.add(f"<http://e/Cat> {SUB} <http://e/Pet> . <http://e/tom> a <http://e/Cat> .")
        graph.add("<http://e/kim> a <http://e/Cat> .")
        graph.remove("<http://e/tom> a <http://e/Cat> .")
    return tmp_path / "store"


@pytest.fixture
def http(store: Path) -> Iterator[httpx.Client]:
    with served(store) as address, client(address) as found:
        yield found


def names(answer: httpx.Response) -> set[str]:
    assert answer.status_code == 200, answer.text
    return {row["x"]["value"].rpartition("/")[2] for row in answer.json()["results"]["bindings"]}


def test_the_past_can_be_read(http: httpx.Client) -> None:
    log = http.get("/commits").json()
    assert [each["commit"] for each in log] == [3, 2, 1]
    assert [each["commit"] for each in http.get("/commits", params={"limit": "1"}).json()] == [3]
    assert log[2]["appeared"] == {"asserted": 2, "inferred": 1}
    found = http.get("/commits/2").json()
    assert len(found["appeared"]["asserted"]) == len(found["appeared"]["inferred"]) == 1
    assert found["log"]["commit"] == 2
    since = http.get("/commits/3", params={"since": "1"}, headers={"Accept": "application/rdf-patch"})
    assert since.headers["content-type"] == "application/rdf-patch"
    assert {line.split()[1] for line in since.text.splitlines()[1:-1]} == {"<http://e/kim>", "<http://e/tom>"}
    assert names(http.get("/query", params=PETS)) == {"kim"}
    assert names(http.get("/query", params=PETS | {"as_of": "2"})) == {"kim", "tom"}
    past = http.post("/query", data=PETS | {"as_of": "1"})
    assert names(past) == {"tom"}
    assert past.headers["kgreason-commit"] == "1"
    for path in ("/commits/4", "/commits/0", "/commits/1/more"):
        assert http.get(path).status_code == 404
    assert http.get("/query", params=PETS | {"as_of": "4"}).status_code == 404
    for wrong in ("x", "-1", "9" * 30, "²"):
        assert http.get("/query", params=PETS | {"as_of": wrong}).status_code == 400
        assert http.get(f"/commits/{wrong}").status_code == 400


def test_a_commit_can_be_taken_back(http: httpx.Client) -> None:
    refused = http.post("/revert?commit=3", headers={"If-Match": '"2"'})
    assert refused.status_code == 412
    done = http.post("/revert?commit=3", headers={"If-Match": '"3"'})
    assert done.json() == {"commit": 4, "conflicts": []}
    assert done.headers["kgreason-appeared"] == "2"
    assert names(http.get("/query", params=PETS)) == {"kim", "tom"}
    again = http.post("/revert?commit=3").json()
    assert again["commit"] == 4
    assert len(again["conflicts"]) == 1
    assert http.get("/commits").json()[0]["headers"] == {"reverts": "3"}
    assert http.post("/revert?commit=9").status_code == 404


def test_roles(store: Path) -> None:
    """A commit of rules is taken back by those who may edit rules; reading the past takes the role read."""
    with KnowledgeGraph.open(store) as graph, graph.transaction() as tx:
        tx.add_rules(RULE)
    tokens = {"r": "read", "w": "write", "a": "admin"}
    with served(store, tokens=tokens) as address, client(address) as http:

        def status(method: str, path: str, token: str) -> int:
            return http.request(method, path, headers={"Authorization": f"Bearer {token}"}).status_code

        assert http.get("/commits").status_code == 401
        assert status("GET", "/commits", "r") == 200
        assert status("POST", "/revert?commit=3", "r") == 403
        assert status("POST", "/revert?commit=3", "w") == 200
        assert status("POST", "/revert?commit=4", "w") == 403
        assert status("POST", "/revert?commit=4", "a") == 200


def test_a_graph_without_history(tmp_path: Path) -> None:
    with served(tmp_path / "store") as address, client(address) as http:
        for answer in (http.get("/commits"), http.get("/query", params=PETS | {"as_of": "1"})):
            assert answer.status_code == 404
            assert "keeps no history" in answer.json()["detail"]
