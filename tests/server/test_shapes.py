"""Shapes over HTTP: /shapes, /validate, results in what-ifs and the feed, refusal with a report, and the client."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pyoxigraph
import pytest
from pyoxigraph import RdfFormat

import kgreason
from kgreason import KnowledgeGraph
from kgreason.errors import ShapesError, ViolationError
from tests.server.limits.test_guard import ADMIN, WRITE, bearer
from tests.server.serving import client, served

SHAPES = """@prefix : <http://e/> . @prefix sh: <http://www.w3.org/ns/shacl#> .
:CatShape sh:targetClass :Cat ; sh:property [ sh:path :name ; sh:minCount 1 ; sh:severity sh:Warning ;
    sh:message "a cat needs a name"@en , "eine Katze braucht einen Namen"@de ] , :CatOwner .
:CatOwner sh:path :owner ; sh:class :Person .
"""
SUB = "<http://www.w3.org/2000/01/rdf-schema#subClassOf>"
DATA = f"@prefix : <http://e/> . :tom a :Cat ; :owner :ann . :Tiger {SUB} :Cat ."
OTHER = """@prefix : <http://e/> . @prefix sh: <http://www.w3.org/ns/shacl#> .
:S sh:targetClass :Person ; sh:closed true ; sh:property [ sh:path :age ; sh:minCount 1 ] .
"""
EDIT = """PREFIX : <http://e/>
INSERT DATA { :tom :name 'Tom' . :eve a :Tiger ; :name 'Eve' ; :owner :bob }
"""
RANGE = "INSERT DATA { <http://e/owner> <http://www.w3.org/2000/01/rdf-schema#range> <http://e/Person> }"
TURTLE = {"Content-Type": "text/turtle"}
NAMES = {"": "http://e/"}


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with served(tmp_path_factory.mktemp("shapes") / "store", text=DATA) as url:
        yield url


@pytest.fixture
def http(address: str) -> Iterator[httpx.Client]:
    """A client of a server whose shapes graph is `SHAPES`."""
    with client(address) as each:
        assert each.put("/shapes", content=SHAPES, headers=TURTLE).status_code == 204
        yield each


def test_shapes_that_are_put_are_got_and_putting_them_again_changes_nothing(http: httpx.Client) -> None:
    got = http.get("/shapes", headers={"Accept": "application/n-triples"})
    assert len(got.text.splitlines()) == 10
    again = http.put("/shapes", content=SHAPES, headers=TURTLE)
    assert again.headers["kgreason-committed"] == "false"
    assert (
        http.get(
            "/shapes", headers={"Accept": "application/n-triples", "If-None-Match": got.headers["ETag"]}
        ).status_code
        == 304
    )
    assert b"CatShape" not in http.get("/store", headers={"Accept": "application/n-quads"}).content


def test_an_edit_of_shapes_is_guarded_by_the_state_of_the_shapes_graph_alone(http: httpx.Client) -> None:
    tag = http.get("/shapes").headers["ETag"]
    more = {**TURTLE, "If-Match": tag.replace(".nt", "")}
    http.post("/update", data={"update": "INSERT DATA { <http://e/rex> <http://e/name> 'Rex' }"})
    text = "@prefix sh: <http://www.w3.org/ns/shacl#> . <http://e/CatOwner> sh:maxCount 1 ."
    added = http.post("/shapes", content=text, headers=more)
    assert added.status_code == 204
    assert http.post("/shapes", content=text, headers=more).status_code == 412
    assert http.delete("/shapes", headers={"If-Match": added.headers["ETag"]}).status_code == 204
    assert http.get("/validate").json() == {"conforms": True, "count": 0, "data": "inferred", "results": []}


def test_the_report_has_every_format_and_its_parts(http: httpx.Client) -> None:
    report = http.get("/validate", params={"shapes": "true", "language": "de"}).json()
    assert not report["conforms"]
    assert [each["message"] for each in report["results"] if "Warning" in each["severity"]] == [
        "eine Katze braucht einen Namen"
    ]
    assert {(each["shape"][:9], each["focus"], each["results"]) for each in report["shapes"]} >= {
        ("<http://e", 1, 0),
        ("<http://e", 1, 1),
    }
    for media, form in (
        ("text/turtle", RdfFormat.TURTLE),
        ("application/ld+json", RdfFormat.JSON_LD),
        ("application/n-triples", RdfFormat.N_TRIPLES),
        ("application/rdf+xml", RdfFormat.RDF_XML),
    ):
        answer = http.get("/validate", headers={"Accept": media})
        quads = list(pyoxigraph.parse(answer.content, form))
        assert sum("ValidationResult>" in str(each.object) for each in quads) == 2, media
    text = http.get("/validate", params={"prefix": "=http://e/"}, headers={"Accept": "text/plain"}).text
    assert ":tom :owner: :ann is not an instance of :Person (:CatOwner)" in text
    assert "| focus |" in http.get("/validate", headers={"Accept": "text/markdown"}).text
    for params, count in (
        ({"severity": "Warning"}, 1),
        ({"severity": ["Warning", "Violation"]}, 2),
        ({"shape": "http://e/CatOwner"}, 1),
        ({"focus": "<http://e/none>"}, 0),
    ):
        assert http.get("/validate", params=params).json()["count"] == count, params
    assert len(http.get("/validate", params={"limit": 1}).json()["results"]) == 1
    for params in ({"severity": "Info"}, {"focus": "<http://e/none>"}):
        assert http.get("/validate", params=params).json()["conforms"] is False
        text = http.get("/validate", params=params, headers={"Accept": "text/plain"}).text
        assert text == "the data does not conform to the shapes: 0 results in this part\n"
        assert (
            'conforms> "false"'
            in http.get("/validate", params=params, headers={"Accept": "application/n-triples"}).text
        )
    counted = [
        http.get("/validate", params={"shapes": "true", "data": data}) for data in ("asserted", "inferred-targets")
    ]
    counted.append(http.post("/validate", params={"shapes": "true"}, content=OTHER, headers=TURTLE))
    assert [(each.status_code, "own shapes over inferred data" in each.text) for each in counted] == [(400, True)] * 3
    for params in ({"data": "all"}, {"limit": "x"}, {"shape": "a b"}, {"Shape": "x"}):
        assert http.get("/validate", params=params).status_code == 400, params


def test_a_result_of_the_report_has_a_proof(http: httpx.Client) -> None:
    (result,) = http.get("/validate", params={"severity": "Violation"}).json()["results"]
    proof = http.get("/explain", params={"relation": "shacl_result", "term": result["fact"]}).json()
    assert "<http://e/ann>" in json.dumps(proof)


def test_asserted_triples_and_other_shapes_are_validated_and_nothing_changes(http: httpx.Client) -> None:
    http.post("/update", data={"update": RANGE})
    commit = http.get("/health").json()["commit"]
    assert http.get("/validate").json()["count"] == 1
    assert http.get("/validate", params={"data": "asserted"}).json()["count"] == 2
    assert http.post("/validate", content=OTHER, headers=TURTLE).json()["count"] == 2
    assert http.post("/validate", params={"data": "asserted"}, content=OTHER, headers=TURTLE).json()["count"] == 0
    bad = http.post("/validate", content=OTHER.replace("sh:minCount 1", "sh:minCount 'x'"), headers=TURTLE)
    assert (bad.status_code, http.get("/health").json()["commit"]) == (400, commit)
    http.post("/update", data={"update": RANGE.replace("INSERT", "DELETE")})


def test_no_document_hides_a_query_that_would_take_the_compiler_for_ever(http: httpx.Client) -> None:
    """Not one in another encoding, not one of two, and not one behind an error."""
    query = "SELECT $this { $this ?p ?y " + "".join(f"OPTIONAL {{ $this ?p{n} ?z{n} }} " for n in range(30)) + "}"
    sh = "http://www.w3.org/ns/shacl#"
    rdf = (
        '<?xml version="1.0" encoding="UTF-16"?>'
        f'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:sh="{sh}">'
        '<rdf:Description rdf:about="http://e/Z"><sh:targetNode rdf:resource="http://e/n"/>'
        f'<sh:sparql rdf:parseType="Resource"><sh:select>{query}</sh:select></sh:sparql></rdf:Description></rdf:RDF>'
    )
    answer = http.post("/validate", content=rdf.encode("utf-16"), headers={"Content-Type": "application/rdf+xml"})
    assert (answer.status_code, "too many OPTIONALs" in answer.text) == (400, True)
    parts = (
        f"<http://e/c> <{sh}select> {json.dumps(query)} .\n",
        f"<http://e/z> <{sh}targetNode> <http://e/n> .\n<http://e/z> <{sh}sparql> <http://e/c> .\n",
        "garbage",
    )
    for several in (parts[:2], parts):
        lines = "\n".join(json.dumps({"add_shapes": part}) for part in several)
        answer = http.post("/what-if", content=lines, headers={"Content-Type": "application/x-ndjson"})
        assert answer.status_code == 400
    files = [("file", (f"{n}.nt", part, "application/n-triples")) for n, part in enumerate(parts[:2])]
    answer = http.post("/validate", files=files)
    assert (answer.status_code, "too many OPTIONALs" in answer.text) == (400, True)


def test_a_what_if_and_the_feed_tell_results(http: httpx.Client) -> None:
    told = http.post("/what-if", data={"update": EDIT}, params={"limit": 9}).json()
    assert [each["focus"] for each in told["results"]["appeared"]] == ["<http://e/eve>"]
    assert [each["message"] for each in told["results"]["disappeared"]] == ["a cat needs a name"]
    assert told["counts"]["results"] == {"appeared": 1, "disappeared": 1}
    with http.stream("GET", "/changes") as feed:
        http.post("/update", data={"update": EDIT})
        line = next(each for each in feed.iter_lines() if each.startswith("data: "))
    facts = {name: [each["fact"] for each in found] for name, found in told["results"].items()}
    assert {name: [each["fact"] for each in found] for name, found in json.loads(line[6:])["results"].items()} == facts
    http.post("/update", data={"update": EDIT.replace("INSERT", "DELETE")})


def test_a_refused_commit_is_a_422_with_the_report(tmp_path: Path) -> None:
    with KnowledgeGraph.open(tmp_path / "store", on_violation="refuse") as graph:
        graph.shapes.load(SHAPES)
    with served(tmp_path / "store") as url, client(url) as http:
        answer = http.post(
            "/update",
            data={"update": "INSERT DATA { <http://e/tom> a <http://e/Cat> ; <http://e/owner> <http://e/ann> }"},
        )
        assert answer.status_code == 422
        assert [each["value"] for each in answer.json()["report"]["results"]] == ["<http://e/ann>"]
        assert "not an instance" in answer.json()["detail"]
        with kgreason.connect(url) as graph, pytest.raises(ViolationError, match="is not an instance") as caught:
            graph.add(":tom a :Cat ; :owner :ann .", prefixes=NAMES)
        assert [str(each.value) for each in caught.value.results] == ["<http://e/ann>"]
        assert http.get("/health").json()["commit"] == 1


def test_a_client_validates_and_edits_shapes_as_a_graph_of_this_process_does(
    http: httpx.Client, address: str, tmp_path: Path
) -> None:
    file = tmp_path / "shapes.ttl"
    file.write_text(SHAPES)
    with KnowledgeGraph.open() as local, kgreason.connect(address) as remote:
        local.add(DATA)
        for graph in (local, remote):
            graph.shapes.clear()
            assert not len(graph.shapes)
            graph.shapes.load(file)
            graph.shapes.add(":CatOwner <http://www.w3.org/ns/shacl#maxCount> 1 .", prefixes=NAMES)
            graph.shapes.remove(":CatOwner <http://www.w3.org/ns/shacl#maxCount> 1 .", prefixes=NAMES)
        assert sorted(local.shapes.triples()) == sorted(remote.shapes.triples())
        assert local.shapes.counts() == remote.shapes.counts()
        assert str(local.validate()) == str(remote.validate())
        assert local.validate().results == remote.validate().results
        assert [each.fact for each in local.validate("asserted")] == [each.fact for each in remote.validate("asserted")]
        others = tmp_path / "others.ttl"
        others.write_text(SHAPES.replace("sh:minCount 1", "sh:minCount 2"))
        assert str(local.validate(shapes=others)) == str(remote.validate(shapes=[others]))
        with pytest.raises(ShapesError, match="sh:minCount has 2 values"):
            remote.shapes.load(SHAPES.replace("sh:minCount 1", "sh:minCount 2, 3"))
        with remote.what_if() as tx:
            tx.shapes.unload(file)
        assert len(tx.delta.results(appeared=False)) == 2
        remote.shapes.unload(file)
        assert not remote.shapes.triples()


def test_a_commit_of_shapes_is_reverted_by_the_role_admin_alone(tmp_path: Path) -> None:
    """A triple such as a message changes no rule, and is a triple of the shapes graph all the same."""
    with KnowledgeGraph.open(tmp_path / "store", history="all") as graph:
        graph.shapes.add("<http://e/s> <http://www.w3.org/ns/shacl#message> 'm' .")
    with served(tmp_path / "store", tokens={WRITE: "write", ADMIN: "admin"}) as url, client(url) as http:
        assert http.post("/revert", params={"commit": 1}, headers=bearer(WRITE)).status_code == 403
        assert "message" in http.get("/shapes", headers=bearer(WRITE)).text
        assert http.post("/revert", params={"commit": 1}, headers=bearer(ADMIN)).status_code == 200
        assert "message" not in http.get("/shapes", headers=bearer(WRITE)).text
