"""Conditional requests: entity tags, If-Match and If-None-Match, as RFC 9110 (section 13) has them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from starlette.requests import Request

from kgreason import KnowledgeGraph
from kgreason.server.paths import query as asking
from kgreason.server.paths import server_parts as serving
from kgreason.server.paths.server_parts import server_parts as served_by
from kgreason.server.queries.pool import Answer
from kgreason.server.queries.pool import Request as Query
from kgreason.server.writer import Writer
from tests.server.serving import client, served

G, TURTLE, UPDATE = (
    "/store?graph=http://e/",
    {"Content-Type": "text/turtle"},
    {"Content-Type": "application/sparql-update"},
)
EX = "<http://e/{}> <http://e/p> <http://e/{}> ."


@pytest.fixture(scope="module")
def http(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """A client of a server without triples."""
    with served(tmp_path_factory.mktemp("served") / "store") as address, client(address) as found:
        yield found


def put(http: httpx.Client, graph: str, text: str, **headers: str) -> httpx.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return http.put(f"{G}{graph}" if graph else "/store?default", content=text, headers=TURTLE | named)


def test_an_etag_changes_only_with_its_graph(http: httpx.Client) -> None:
    """A graph that nobody touches keeps its tag under edits of others; the default graph has a tag of its own."""
    assert put(http, "one", EX.format(1, 1)).status_code == 201
    one, default = (http.get(path).headers["etag"] for path in (f"{G}one", "/store?default"))
    for number in range(3):
        put(http, "two", EX.format(2, number))
    assert [http.get(path).headers["etag"] for path in (f"{G}one", "/store?default")] == [one, default]
    put(http, "", EX.format(3, 3))
    assert http.get(f"{G}one").headers["etag"] == one
    assert http.get("/store?default").headers["etag"] != default
    assert put(http, "one", EX.format(1, 2), if_match=one).status_code == 204
    assert http.get(f"{G}one").headers["etag"] != one


def test_a_put_with_if_match_succeeds_exactly_if_its_graph_did_not_change(http: httpx.Client) -> None:
    """Random histories of three named graphs and the default graph; each PUT has the tag of an earlier GET."""
    draw, graphs = random.Random(7), ["h1", "h2", ""]
    tags: dict[str, str] = {}
    texts = dict.fromkeys(graphs, "")
    for graph in graphs:
        put(http, graph, EX.format(0, 0))
        texts[graph] = EX.format(0, 0)
    seen: dict[str, int] = {}
    versions = dict.fromkeys(graphs, 0)
    for _ in range(40):
        graph = draw.choice(graphs)
        text = EX.format(graph or "d", draw.randrange(3))
        match draw.randrange(3):
            case 0:
                tags[graph], seen[graph] = _tag(http, graph), versions[graph]
            case 1:
                versions[graph] += texts[graph] != text
                put(http, graph, text)
                texts[graph] = text
            case 2 if graph in tags:
                done = put(http, graph, text, if_match=tags[graph])
                assert (done.status_code == 204) == (seen[graph] == versions[graph])
                if done.is_success:
                    versions[graph] += texts[graph] != text
                    texts[graph] = text


def _tag(http: httpx.Client, graph: str) -> str:
    return str(http.get(f"{G}{graph}" if graph else "/store?default").headers["etag"])


def test_if_none_match_star_makes_only_what_does_not_exist(http: httpx.Client) -> None:
    assert put(http, "new", EX.format(1, 1), if_none_match="*").status_code == 201
    assert put(http, "new", EX.format(1, 2), if_none_match="*").status_code == 412
    assert put(http, "", EX.format(1, 2), if_none_match="*").status_code == 412
    assert put(http, "absent", EX.format(1, 2), if_match="*").status_code == 412
    assert http.get(f"{G}absent", headers={"If-None-Match": "*"}).status_code == 404
    assert http.get(f"{G}new", headers={"If-None-Match": "*"}).status_code == 304
    assert http.post("/update", content="DROP ALL", headers=UPDATE | {"If-None-Match": "*"}).status_code == 412


def test_weak_tags_and_lists(http: httpx.Client) -> None:
    """If-Match compares strongly, If-None-Match weakly. Several lines are one list. A tag may have a comma."""
    put(http, "weak", EX.format(1, 1))
    tag = _tag(http, "weak")
    for value, status in ((f"W/{tag}", 412), (f'"x", {tag}', 204), (f'"a,b",{tag}', 204), (tag[1:-1], 412), ("", 412)):
        assert put(http, "weak", EX.format(1, 1), if_match=value).status_code == status, value
    for value, status in ((f"W/{tag}", 304), (f'"x" , W/{tag}', 304), ('"x"', 200), (tag[1:-1], 200)):
        assert http.get(f"{G}weak", headers={"If-None-Match": value}).status_code == status, value
        assert http.head(f"{G}weak", headers={"If-None-Match": value}).status_code == status, value
    two = [("If-None-Match", '"x"'), ("If-None-Match", tag)]
    assert http.get(f"{G}weak", headers=two).status_code == 304
    assert http.put(
        f"{G}weak", content="", headers=[*TURTLE.items(), ("If-Match", '"x"'), ("If-Match", tag)]
    ).is_success


def test_a_bare_number_means_that_no_commit_came_since(http: httpx.Client) -> None:
    put(http, "bare", EX.format(1, 1))
    last = int(put(http, "other", EX.format(1, 9)).headers["kgreason-commit"])
    for value, status in ((last + 1, 412), (last - 1, 412), (0, 412), (last, 204), (last, 412)):
        assert put(http, "bare", EX.format(1, f"x{value}{status}"), if_match=f'"{value}"').status_code == status


def test_the_closure_changes_with_every_commit(http: httpx.Client) -> None:
    path, tags = "/store?default&inferred=true", []
    for each in range(2):
        put(http, "closed", EX.format(1, each))
        tags.append(http.get(path).headers["etag"])
    assert tags[0] != tags[1]
    assert http.get(path, headers={"If-None-Match": tags[1]}).status_code == 304


def test_no_tag_of_a_dropped_graph_fits(http: httpx.Client) -> None:
    tag = put(http, "gone", EX.format(1, 1)).headers["etag"]
    deleted = http.delete(f"{G}gone", headers={"If-Match": tag})
    assert deleted.status_code == 204
    assert "etag" not in deleted.headers
    assert put(http, "gone", EX.format(1, 1), if_match=tag).status_code == 412
    put(http, "gone", EX.format(1, 1))
    assert put(http, "gone", EX.format(1, 2), if_match=tag).status_code == 412


def test_an_edit_of_rules_is_guarded_by_the_last_commit(http: httpx.Client) -> None:
    rule, kind = "@prefix : <http://e/> .\n:Old[?x] :- :Ancient[?x] .", {"Content-Type": "text/x-kgreason-rules"}
    last = {"If-Match": f'"{http.get("/health").json()["commit"]}"'}
    assert http.post("/rules", content=rule, headers=kind | {"If-None-Match": "*"}).status_code == 412
    assert http.post("/rules", content=rule, headers=kind | last).status_code == 204
    assert http.request("DELETE", "/rules", content=rule, headers=kind | last).status_code == 412


def test_an_answer_says_whether_it_made_a_commit(http: httpx.Client) -> None:
    edit = "INSERT DATA { GRAPH <http://e/c> { <http://e/a> <http://e/b> <http://e/c> } }"
    told = [http.post("/update", content=edit, headers=UPDATE).headers for _ in range(2)]
    assert [each["kgreason-committed"] for each in told] == ["true", "false"]
    assert told[0]["kgreason-commit"] == told[1]["kgreason-commit"]


def test_a_form_without_a_file_changes_nothing(http: httpx.Client) -> None:
    """A form without a file, and a form whose document is a field without a file name, are errors."""
    put(http, "form", EX.format(1, 1))
    kind = {"Content-Type": "multipart/form-data; boundary=x"}
    field = f'--x\r\nContent-Disposition: form-data; name="a"\r\nContent-Type: text/turtle\r\n\r\n{EX}\r\n--x--\r\n'
    for method in ("PUT", "POST"):
        for body in ("--x--\r\n", "", field):
            answer = http.request(method, f"{G}form", content=body, headers=kind)
            assert answer.status_code == 400, (method, body)
    assert http.get(f"{G}form").text.strip() == EX.format(1, 1)


def test_a_misspelt_parameter_does_not_empty_all_graphs(http: httpx.Client) -> None:
    assert http.delete("/store?Graph=http://e/nothing").status_code == 400
    assert http.put("/store?grahp=http://e/nothing", content="", headers=TURTLE).status_code == 400


def ask(http: httpx.Client, query: str = "SELECT ?s ?o { ?s <http://e/p> ?o }", **headers: str) -> httpx.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return http.get("/query", params={"query": query}, headers=named)


def test_an_answer_to_a_query_is_sent_again_only_after_a_commit(http: httpx.Client) -> None:
    put(http, "q", EX.format(7, 7))
    first = ask(http)
    tag = first.headers["etag"]
    assert tag.startswith('W/"')
    same = ask(http, if_none_match=tag)
    assert (same.status_code, same.content, same.headers["etag"]) == (304, b"", tag)
    assert same.headers["vary"] == first.headers["vary"] == "Accept, Accept-Encoding"
    assert same.headers["kgreason-commit"] == first.headers["kgreason-commit"]
    for value, status in ((f'"x", {tag[2:]}', 304), ("*", 304), ('"x"', 200)):
        assert ask(http, if_none_match=value).status_code == status, value
    assert http.head("/query", params={"query": "ASK {}"}).headers["etag"]
    put(http, "q", EX.format(7, 8))
    changed = ask(http, if_none_match=tag)
    assert (changed.status_code, changed.headers["etag"] != tag) == (200, True)


def test_rules_change_the_tag_too(http: httpx.Client) -> None:
    tag, rule = ask(http).headers["etag"], "[?x, <http://e/p>, ?x] :- [?x, <http://e/pp>, ?x] ."
    http.post("/rules", content=rule, headers={"Content-Type": "text/x-kgreason-rules"}).raise_for_status()
    assert ask(http, if_none_match=tag).status_code == 200


def test_whatever_an_answer_depends_on_changes_its_tag(http: httpx.Client) -> None:
    query = {"query": "SELECT ?s ?o { ?s <http://e/p> ?o }"}
    others = {"base": "http://o/", "default-graph": "http://e/g", "prefix": "e=http://e/", "timeout": "9"}
    others |= {f"{kind}-graph-uri": "http://e/g" for kind in ("default", "named")}
    asked = [{}, {"query": "SELECT ?s { ?s <http://e/p> ?o }"}, *({name: text} for name, text in others.items())]
    tags = {str(each): http.get("/query", params=query | each).headers["etag"] for each in asked}
    accepts = ["text/csv", "application/sparql-results+xml", "application/sparql-results+json, text/turtle;q=0.1"]
    tags |= {each: ask(http, accept=each).headers["etag"] for each in accepts}
    assert tags.pop(str({"timeout": "9"})) == tags[str({})]
    assert len(set(tags.values())) == len(tags) == 10
    assert ask(http, accept="text/csv", if_none_match=tags[str({})]).status_code == 200


def test_the_past_has_a_tag_for_each_commit(tmp_path: Path) -> None:
    with KnowledgeGraph.open(tmp_path / "store", rules=["none"], history="all") as graph:
        for number in range(2):
            graph.add(EX.format(number, number))
    with served(tmp_path / "store") as address, client(address) as http:
        query = {"query": "SELECT ?s ?o { ?s <http://e/p> ?o }"}
        tags = [http.get("/query", params=query | {"as_of": each}).headers["etag"] for each in ("1", "2")]
        assert len({*tags, ask(http).headers["etag"]}) == 3
        again = http.get("/query", params=query | {"as_of": "1"}, headers={"If-None-Match": tags[0]})
        assert (again.status_code, again.headers["kgreason-commit"]) == (304, "1")


def test_the_compressed_answer_has_a_tag_of_its_own(http: httpx.Client) -> None:
    query = "SELECT ?n { VALUES ?n { " + " ".join(map(str, range(900))) + " } }"
    plain, packed = (ask(http, query, accept_encoding=each).headers for each in ("identity", "gzip"))
    assert (packed["content-encoding"], plain["vary"]) == ("gzip", packed["vary"])
    assert packed["etag"] == plain["etag"][:-1] + '-gzip"'
    for each in (plain["etag"], packed["etag"]):
        again = ask(http, query, accept_encoding="gzip", if_none_match=each)
        assert (again.status_code, again.headers["etag"]) == (304, each)


@pytest.mark.parametrize("call", ["NOW()", "RAND()", "UUID()", "StrUUID()", "BNODE()", "bnode ( 'a' )"])
def test_a_query_whose_answer_changes_by_itself_has_no_tag(http: httpx.Client, call: str) -> None:
    found = ask(http, f"SELECT ({call} AS ?x) {{}}", if_none_match="*")
    assert found.status_code == 200
    assert "etag" not in found.headers


def test_no_tag_for_a_post_nor_for_what_is_no_answer(http: httpx.Client) -> None:
    query = {"query": "ASK {}"}
    assert "etag" not in http.post("/query", data=query).headers
    tag = http.get("/query", params=query).headers["etag"]
    assert http.post("/query", data=query, headers={"If-None-Match": tag}).status_code == 200
    wrong = ask(http, "SELECT", if_none_match="*")
    assert (wrong.status_code, "etag" in wrong.headers) == (400, False)


@pytest.mark.parametrize("is_known", [True, False])
def test_no_tag_if_the_answer_may_have_a_later_commit(
    is_known: bool, http: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An edit has ended meanwhile, or an edit runs, whose commit the process may see before the server knows it."""
    plain, writers = serving.ask_process, list[Writer]()

    def moved(writer: Writer, by: int) -> None:
        if is_known:
            writer.states.commit += by
        else:
            writer.waiting += by

    async def asked(request: Request, query: Query) -> Answer:
        answer = await plain(request, query)
        writers.append(served_by(request).writer)
        moved(writers[0], 1)
        return answer

    monkeypatch.setattr(asking, "ask_process", asked)
    found = ask(http)
    moved(writers[0], -1)
    assert (found.status_code, "etag" in found.headers) == (200, False)


def test_caches_ask_again(http: httpx.Client, tmp_path: Path) -> None:
    assert ask(http).headers["cache-control"] == "no-cache"
    with served(tmp_path / "store", tokens={"secret": "read"}) as address, client(address) as other:
        answer = ask(other, authorization="Bearer secret")
        assert answer.headers["cache-control"] == "private, no-cache"
        assert ask(other, if_none_match=answer.headers["etag"]).status_code == 401
