"""What only a live reasoner can say: what-if, proofs, rules, contradictions, the feed, figures."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from kgreason.proofs.proof import Proof

PATHS = Path(__file__).parents[2] / "kgreason" / "server" / "paths"
TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
RULES = {"Content-Type": "text/x-kgreason-rules"}
RULE = "@prefix : <http://e/> .\n@rule named\n:Named[?x] :- :name[?x, ?n] ."
DISJOINT = """PREFIX owl: <http://www.w3.org/2002/07/owl#> PREFIX : <http://e/>
    INSERT DATA { :Cat owl:disjointWith :Dog . :tom a :Dog }"""


def edit(http: httpx.Client, text: str) -> int:
    answer = http.post("/update", data={"update": text})
    assert answer.status_code == 204, answer.text
    return int(answer.headers["kgreason-commit"])


def test_a_what_if_changes_nothing(http: httpx.Client) -> None:
    before = http.get("/health").json()["commit"]
    steps = "INSERT DATA { <http://e/kit> a <http://e/Cat> } ; "
    steps += "INSERT { ?x a <http://e/Seen> } WHERE { ?x a <http://e/Animal> }"
    found = http.post("/what-if", data={"update": steps}).json()
    seen = [["<http://e/kit>", TYPE, "<http://e/Cat>"]]
    seen += [[f"<http://e/{name}>", TYPE, "<http://e/Seen>"] for name in ("kit", "tom")]
    assert sorted(found["appeared"]["asserted"]) == sorted(seen)
    assert found["appeared"]["inferred"] == [["<http://e/kit>", TYPE, "<http://e/Animal>"]]
    assert found["contradictions"] == []
    assert http.get("/health").json()["commit"] == before
    told = http.post("/what-if", data={"update": DISJOINT}).json()
    assert "disjoint" in told["contradictions"][0]
    patch = http.post("/what-if", data={"update": DISJOINT}, headers={"Accept": "application/rdf-patch"}).text
    assert f"A <http://e/tom> {TYPE} <http://e/Dog> ." in patch.splitlines()
    ruled = http.post("/what-if", content=RULE, headers=RULES).json()
    assert ruled["appeared"]["inferred"] == [["<http://e/tom>", TYPE, "<http://e/Named>"]]
    assert http.get("/contradictions").json() == []


def test_a_what_if_adds_a_document_to_a_named_graph(http: httpx.Client) -> None:
    document = f"<http://e/kit> {TYPE} <http://e/Cat> ."
    form = {"Content-Type": "text/turtle"}
    told = http.post("/what-if", params={"graph": "http://e/graph"}, content=document, headers=form).json()
    assert told["asserted"][0][3] == "<http://e/graph>"
    assert http.post("/what-if", content=document, headers=form).json()["asserted"][0][3] == ""
    assert http.post("/what-if", params={"graph": "<x> y"}, content=document, headers=form).status_code == 400


@pytest.mark.parametrize("options", [{}, {"folded": "true"}, {"folded": "true", "all": "true"}])
def test_proofs_are_not_written_in_the_event_loop(
    options: dict[str, str], http: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There they would stop every other request, and have no limit."""
    write = Proof.to_json
    seen: list[bool] = []

    def noted(proof: Proof) -> dict[str, Any]:
        seen.append(asyncio._get_running_loop() is not None)
        return write(proof)

    monkeypatch.setattr(Proof, "to_json", noted)
    http.get("/explain", params={"triple": "<http://e/tom> a <http://e/Animal>", **options}).raise_for_status()
    assert seen == [False]


def test_a_proof_and_why_there_is_none(http: httpx.Client) -> None:
    proof = http.get("/explain", params={"triple": "<http://e/tom> a <http://e/Animal>"}).json()
    assert proof["steps"][proof["fact"]]["rule"]["name"] == "cax-sco"
    missing = http.get("/explain", params={"triple": "<http://e/tom> a <http://e/Dog>"})
    assert missing.status_code == 400
    assert "does not have this triple" in missing.json()["detail"]
    assert http.get("/why-not", params={"triple": "<http://e/rex> a <http://e/Animal>"}).status_code == 200
    for triple in ("", "<http://e/tom>", "<<( " * 1000):
        assert http.get("/explain", params={"triple": triple}).status_code == 400


def test_rules_come_and_go(http: httpx.Client) -> None:
    added = http.post("/rules", content=RULE, headers=RULES)
    assert (added.status_code, added.headers["kgreason-appeared"]) == (204, "1")
    names = [each["name"] for each in http.get("/rules").json()]
    assert "named" in names
    assert "rewrites" in http.get("/rules", params={"costs": "true"}).json()[0]
    gone = http.delete("/rules", params={"name": "named"})
    assert (gone.status_code, gone.headers["kgreason-disappeared"]) == (204, "1")
    assert http.delete("/rules", params={"name": "named"}).status_code == 400
    assert http.post("/rules", content="nonsense", headers=RULES).json()["detail"].startswith("the body:1:")
    assert http.post("/rules", content=RULE).status_code == 415


def test_contradictions_are_told_with_proofs(http: httpx.Client) -> None:
    edit(http, DISJOINT)
    [found] = http.get("/contradictions", params={"proofs": "true"}).json()
    assert found["rule"] == "cax-dw"
    assert found["proof"]["steps"]
    assert http.get("/stats").json()["contradictions"] == 1
    edit(http, DISJOINT.replace("INSERT", "DELETE"))


def test_classes_that_nothing_can_be_in_are_told_with_proofs(http: httpx.Client) -> None:
    before = http.get("/health").json()["commit"]
    assert http.get("/contradictions", params={"classes": "true"}).json() == []
    axioms = """PREFIX owl: <http://www.w3.org/2002/07/owl#> PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
        PREFIX : <http://e/> INSERT DATA { :Cat owl:disjointWith :Dog . :CatDog rdfs:subClassOf :Cat , :Dog .
            :Puppy rdfs:subClassOf :CatDog }"""
    assert edit(http, axioms) == before + 1
    puppy, both = http.get("/contradictions", params={"classes": "true"}).json(), ["<http://e/CatDog>"]
    assert [each["class"] for each in puppy] == [*both, "<http://e/Puppy>"]
    [told] = http.get("/contradictions", params={"classes": "true", "proofs": "true", "limit": 1}).json()
    assert told["message"] == "nothing can be in <http://e/CatDog>"
    assert any("<urn:a-member-of:CatDog>" in step["fact"]["terms"] for step in told["proof"]["steps"])
    assert http.get("/contradictions").json() == []
    assert http.get("/health").json()["commit"] == before + 1
    edit(http, axioms.replace("INSERT", "DELETE"))


def test_the_edits_of_the_console_find_the_repairs_of_a_class(http: httpx.Client) -> None:
    """The page Contradictions sends these lines. An axiom may have a blank node."""
    pytest.importorskip("nicegui", reason="the console needs NiceGUI")
    from kgreason.server.console.pages.contradictions import membership_line, removal_candidates, removal_lines

    axioms = """PREFIX owl: <http://www.w3.org/2002/07/owl#> PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
        PREFIX : <http://e/> INSERT DATA { :Cat owl:disjointWith :Dog . :CatDog a owl:Class ; rdfs:subClassOf :Dog ,
            [ owl:intersectionOf ( :Cat :Pet ) ] }"""
    edit(http, axioms)
    asked = {"classes": "true", "proofs": "true", "folded": "true"}
    [told] = http.get("/contradictions", params=asked).json()
    lines = {"Content-Type": "application/x-ndjson"}
    tried = list(removal_candidates(told["proof"]))
    assert len(tried) == 3
    for each in tried:
        content = removal_lines([each]) + membership_line(told["class"])
        answer = http.post("/what-if", content=content, headers=lines, params={"limit": 0}).json()
        assert answer["contradictions"] == []
    alone = http.post("/what-if", content=membership_line(told["class"]), headers=lines, params={"limit": 0}).json()
    assert len(alone["contradictions"]) == 1
    [of_blank] = [each for each in tried if each[2].startswith("_:")]
    assert http.post("/transactions", content=removal_lines([of_blank]), headers=lines).headers["kgreason-commit"]
    assert http.get("/contradictions", params=asked).json() == []
    edit(http, axioms.replace("INSERT DATA", "DELETE WHERE").replace("[ owl:intersectionOf ( :Cat :Pet ) ]", "?any"))


def events(lines: Iterator[str]) -> Iterator[dict[str, Any]]:
    """The data of server-sent events."""
    return (json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: "))


def test_the_feed_tells_every_commit_and_resumes(http: httpx.Client) -> None:
    begun = http.get("/health").json()["commit"]
    insert = "INSERT DATA { <http://e/fed> a <http://e/Cat> }"
    commits = [edit(http, insert), edit(http, insert.replace("INSERT", "DELETE"))]
    with http.stream("GET", "/changes", headers={"Last-Event-ID": str(begun)}) as stream:
        told = events(stream.iter_lines())
        first, second = next(told), next(told)
        commits.append(edit(http, insert))
        third = next(told)
    assert [first["commit"], second["commit"], third["commit"]] == commits
    assert first["appeared"]["inferred"] == [["<http://e/fed>", TYPE, "<http://e/Animal>"]]
    assert second["disappeared"] == first["appeared"]
    assert third["asserted"] == [["<http://e/fed>", TYPE, "<http://e/Cat>", ""]]
    edit(http, insert.replace("INSERT", "DELETE"))


@pytest.mark.parametrize(("after", "status"), [("0", 410), ("999999", 400), ("x", 400), ("-1", 400)])
def test_commits_that_the_feed_does_not_have_are_refused(after: str, status: int, http: httpx.Client) -> None:
    assert http.get("/changes", headers={"Last-Event-ID": after}).status_code == status


def test_figures_for_prometheus(http: httpx.Client) -> None:
    http.get("/query", params={"query": "ASK {}"})
    http.get("/a/path/that/is/not/there")
    text = http.get("/metrics").text
    assert 'kgreason_requests_total{method="GET",path="/query",status="200"}' in text
    assert 'path="other",status="404"' in text
    assert "kgreason_commit " in text


def test_every_path_is_described(http: httpx.Client) -> None:
    found = http.get("/openapi.json").json()
    assert found["openapi"].startswith("3.1")
    for path, methods in found["paths"].items():
        for method, operation in methods.items():
            assert operation["summary"].endswith("."), path
            given = "/store/some/name" if "{" in path else path
            if method in ("get", "post") and path != "/changes":
                assert http.request(method, given).status_code not in (405, 500), path
    assert {"/query", "/update", "/store", "/what-if", "/changes", "/metrics"} <= found["paths"].keys()


def test_every_parameter_that_a_path_reads_is_described(http: httpx.Client) -> None:
    text = "".join(path.read_text("utf-8") for path in PATHS.rglob("*.py"))
    read = re.findall(r'\b(?:single|flag|number)\([^"]*?, "([\w-]+)"', text) + re.findall(
        r'given\.get\("([\w-]+)"', text
    )
    paths = http.get("/openapi.json").json()["paths"].values()
    described = {one["name"] for methods in paths for each in methods.values() for one in each["parameters"]}
    assert len(read) > 30
    assert set(read) - described == set()
