"""What the console asks of the paths: reasons of a what-if, what it would end, asserted triples, the state."""

from __future__ import annotations

from pathlib import Path

import httpx

from kgreason import KnowledgeGraph
from tests.server.conftest import ZOO
from tests.server.limits.test_guard import ADMIN, READ, bearer, guarded  # noqa: F401 - a fixture
from tests.server.serving import client, served

PREFIXES = "PREFIX : <http://e/> PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>"
OWL = "@prefix owl: <http://www.w3.org/2002/07/owl#> ."
TURTLE = {"Content-Type": "text/turtle"}
TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"


def test_a_what_if_takes_a_document_and_says_why(http: httpx.Client) -> None:
    told = http.post(
        "/what-if?why=true",
        content=":kit a :Cat .".replace(":kit", "<http://e/kit>").replace(":Cat", "<http://e/Cat>"),
        headers=TURTLE,
    ).json()
    assert told["counts"] == {
        "appeared": {"asserted": 1, "inferred": 1},
        "disappeared": {"asserted": 0, "inferred": 0},
        "asserted": 1,
        "retracted": 0,
        "results": {"appeared": 0, "disappeared": 0},
    }
    [reason] = told["reasons"]
    assert reason["triple"] == ["<http://e/kit>", TYPE, "<http://e/Animal>"]
    assert reason["rule"] == "cax-sco"
    assert [axiom[0] for axiom in reason["axioms"]] == ["<http://e/Cat>"]
    assert told["commit"] == http.get("/health").json()["commit"]


def test_a_what_if_says_why_a_triple_held_that_would_go(http: httpx.Client) -> None:
    update = f"{PREFIXES} DELETE DATA {{ :Cat rdfs:subClassOf :Animal }}"
    told = http.post("/what-if?why=true&limit=1", data={"update": update}).json()
    assert told["counts"]["disappeared"]["inferred"] >= 1
    assert len(told["disappeared"]["inferred"]) == 1
    assert told["reasons"][0]["rule"] == "cax-sco"
    assert http.get("/stats").json()["inferred"] >= 1


def test_a_what_if_lists_the_contradictions_that_end(tmp_path: Path) -> None:
    text = f"{OWL} {ZOO} :Dog owl:disjointWith :Cat . :rex a :Cat, :Dog ."
    with served(tmp_path / "store", text=text) as address, client(address) as http:
        told = http.post("/what-if", data={"update": "DELETE DATA { <http://e/rex> a <http://e/Dog> }"}).json()
        assert [each.split(":")[0] for each in told["ended"]] == ["cax-dw"]
        assert told["contradictions"] == []
        [proved] = http.get("/contradictions?limit=1&proofs=true").json()
        assert proved["proof"]["steps"]
        assert http.get("/contradictions?limit=0").json() == []


def test_triples_tells_asserted_from_inferred(http: httpx.Client) -> None:
    told = http.get("/triples", params={"subject": "<http://e/tom>"}).json()
    kinds = {tuple(each["triple"]): each["asserted"] for each in told["triples"]}
    assert kinds["<http://e/tom>", TYPE, "<http://e/Cat>"]
    assert not kinds["<http://e/tom>", TYPE, "<http://e/Animal>"]
    assert kinds["<http://e/tom>", "<http://e/age>", '"07"^^<http://www.w3.org/2001/XMLSchema#integer>']
    assert told["complete"]
    assert not http.get("/triples", params={"subject": "<http://e/tom>", "limit": 1}).json()["complete"]
    assert http.get("/triples", params={"subject": "tom tom"}).status_code == 400
    assert http.get("/triples", params={"limit": "-1"}).status_code == 400


def test_status_has_the_last_commits(http: httpx.Client) -> None:
    http.post("/update", data={"update": "INSERT DATA { <http://e/new> a <http://e/Cat> }"})
    told = http.get("/status").json()
    assert told["commits"][-1]["commit"] == told["commit"]
    assert 0 <= told["commits"][-1]["waited"] <= told["commits"][-1]["seconds"]


def test_slow_queries_are_for_administrators(guarded: httpx.Client) -> None:  # noqa: F811 - the fixture
    guarded.get("/query", params={"query": "ASK { ?secret a ?b }"}, headers=bearer(READ))
    assert guarded.get("/slow-queries", headers=bearer(READ)).status_code == 403
    assert "secret" in guarded.get("/slow-queries", headers=bearer(ADMIN)).text
    assert "secret" not in guarded.get("/status", headers=bearer(READ)).text


def test_a_commit_is_taken_back(tmp_path: Path) -> None:
    with KnowledgeGraph.open(tmp_path / "store", history="all") as graph:
        graph.add(f"{ZOO}")
        with graph.transaction() as tx:
            tx.add_rules("[?x, <http://e/purrs>, ?x] :- [?x, a, <http://e/Cat>] .")
        graph.add("<http://e/kit> a <http://e/Cat> .")
    tokens = {READ: "read", "w" * 16: "write", ADMIN: "admin"}
    with served(tmp_path / "store", tokens=tokens) as address, client(address) as http:
        assert http.post("/revert?commit=3", headers=bearer(READ)).status_code == 403
        assert http.post("/revert?commit=2", headers=bearer("w" * 16)).status_code == 403
        done = http.post("/revert?commit=3", headers=bearer("w" * 16))
        assert (done.status_code, done.json()) == (200, {"commit": 4, "conflicts": []})
        assert done.headers["kgreason-retracted"] == "1"
        assert http.post("/revert?commit=2", headers=bearer(ADMIN)).status_code == 200
        for wrong in ("", "?commit=0", "?commit=99"):
            assert http.post(f"/revert{wrong}", headers=bearer(ADMIN)).status_code == 404


def test_without_a_history_nothing_is_taken_back(http: httpx.Client) -> None:
    answer = http.post("/revert?commit=1")
    assert answer.status_code == 404
    assert "history" in answer.json()["detail"]
