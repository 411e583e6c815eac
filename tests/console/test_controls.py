"""What the pages of the console share, without a browser: tables, the search for terms, the class tree, the past."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, cast

import pyoxigraph
import pytest
from pyoxigraph import Store

pytest.importorskip("nicegui")

from nicegui import Client, ui
from nicegui.events import GenericEventArguments
from nicegui.page import page
from starlette.requests import Request

from kgreason.server.console.calls import Calls
from kgreason.server.console.consequences import deletions, undeleted_markup
from kgreason.server.console.controls import files, past, terms
from kgreason.server.console.controls.editor import completions
from kgreason.server.console.controls.listing import PAGE, Listing, sort_key
from kgreason.server.console.hierarchy import hierarchy, tree_of
from kgreason.server.console.markup import Row, removal_address
from kgreason.server.console.vocabulary import WELL_KNOWN, Words, words_of
from kgreason.server.problems import Problem

ANIMALS = """
@prefix : <http://e/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
:C1 a rdfs:Class ; rdfs:label "house cat"@en, "Hauskatze"@de . :C2 rdfs:label "cat" . :tomcat :age 7 .
:x1 skos:prefLabel "a big\\u2028cat"@en . :dog :age 3 .
"""
WORDS = Words({"e": "http://e/"}, ["http://e/C1"], ["http://e/age"], {"http://e/C1": "house cat"})


class ToyCalls:
    """The `Calls` of a page over a store in memory."""

    def __init__(self, text: str) -> None:
        self._store = Store()
        self._store.load(text.encode(), format=pyoxigraph.RdfFormat.TURTLE)

    async def rows(self, query: str, **_: Any) -> list[list[str]]:
        found = cast(pyoxigraph.QuerySolutions, self._store.query(query))
        return [["" if cell is None else str(cell) for cell in row] for row in found]


def hits(wanted: str) -> list[str]:
    calls = cast(Calls, ToyCalls(ANIMALS))
    return [hit.iri.removeprefix("http://e/") for hit in asyncio.run(terms.search(calls, wanted, WORDS))]


def test_a_search_finds_labels_and_names_the_best_first() -> None:
    assert hits("cat") == ["C2", "tomcat", "C1", "x1"]
    assert hits("HOUSE ca") == ["C1"]
    assert hits("katze") == ["C1"]
    assert hits("big") == ["x1"]
    assert hits("e:to") == hits("http://e/tom") == ["tomcat"]
    assert hits('"') == hits("") == hits(" ") == hits('\\"}') == []


def test_a_row_may_have_any_line_break() -> None:
    async def app(_: Any, __: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": '?x\t?y\n"a\u2028\x0bb"\t\n<e:x>\t7\n'.encode()})

    page = Request({"type": "http", "headers": [], "scheme": "http", "path": "/", "query_string": b""})
    assert asyncio.run(Calls(app, page).rows("")) == [['"a\u2028\x0bb"', ""], ["<e:x>", "7"]]


@pytest.mark.parametrize(
    ("texts", "ordered"),
    [
        (['"10"', '"9"', '"-1e1"', ""], ["", '"-1e1"', '"9"', '"10"']),
        (['"b"@en', '"A"', "<x>", '"2"^^<http://e/d>'], ['"2"^^<http://e/d>', "<x>", '"A"', '"b"@en']),
    ],
)
def test_numbers_are_sorted_before_texts(texts: list[str], ordered: list[str]) -> None:
    assert sorted(texts, key=sort_key) == ordered


def test_a_table_is_sorted_and_shown_a_page_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ui, "run_javascript", lambda _: None)
    numbers = [(each * 7) % 250 for each in range(250)]
    with Client(page("/"), request=Request({"type": "http", "path": "/", "headers": []})):
        shown = Listing("Numbers", ["n", ""], numbers, lambda each: Row([f"<{each}>", ""]), lambda each, _: each)

        def after(name: str) -> list[str]:
            shown._on_click(GenericEventArguments(sender=shown._content, client=ui.context.client, args=name))
            return [part.split("&")[0] for part in shown._content.content.split("&lt;")[1:]]

        assert after("0") == [str(each) for each in range(PAGE)]
        assert after("next")[0] == "100"
        assert after("next") == [str(each) for each in range(200, 250)]
        assert "201 to 250 of 250" in shown._content.content
        assert after("next")[0] == "200"
        assert after("previous")[0] == "100"
        assert after("0")[0] == "249"
        assert 'aria-sort="descending"' in shown._content.content
        assert after("0")[:3] == ["0", "7", "14"]
        assert after("1") == after("99") == after("<x>") == after("previous")


def test_the_class_tree_says_how_many_classes_it_leaves_out() -> None:
    pairs = [(f"<http://e/c{each}>", "<http://e/top>") for each in range(50)] + [("<http://e/top>", "")]
    told = hierarchy(pairs, {})
    assert tree_of(told, WORDS).hidden == 0
    part = tree_of(told, WORDS, most=20)
    assert (part.size, part.hidden, part.markup.count("<li")) == (51, 31, 20)
    assert part.markup.count("<details") == part.markup.count("</details>") == 1
    assert part.markup.count("<li") == part.markup.count("</li>")
    assert tree_of(told, WORDS, most=51).hidden == 0


def test_the_class_tree_is_filtered_by_labels_and_keeps_the_way_to_the_root() -> None:
    below = [("<http://e/C1>", "<http://e/pet>"), ("<http://e/dog>", "<http://e/pet>"), ("<http://e/pet>", "")]
    tree = tree_of(hierarchy(below, {}), WORDS, "House")
    assert "e:C1" in tree.markup
    assert "e:pet" in tree.markup
    assert "house cat" in tree.markup
    assert "e:dog" not in tree.markup
    assert tree_of(hierarchy(below, {}), WORDS, "zebra").size == 0


def test_a_class_with_many_superclasses_is_unfolded_once() -> None:
    names = [[f"<http://e/{level}{side}>" for side in "ab"] for level in range(12)]
    closed = [(low, up) for n, level in enumerate(names) for low in level for above in names[:n] for up in above]
    tree = tree_of(hierarchy(closed, {}), WORDS, most=100_000)
    assert tree.hidden == 0
    assert tree.markup.count("<li") < 200


def test_labels_are_completed_in_place_of_names() -> None:
    told = list(completions(WORDS))
    assert {"label": "house cat", "type": "class", "detail": "e:C1", "apply": "e:C1"} in told
    assert {"label": "e:age", "type": "property"} in told
    assert {"label": "e:", "type": "namespace"} in told


def test_words_choose_the_english_label() -> None:
    rows = [("http://e/C1", '"Katze"@de'), ("http://e/C1", '"cat"@en-GB'), ("http://e/C1", '"zzz"')]
    assert words_of([("class", "http://e/C1")], (), rows).labels == {"http://e/C1": "cat"}
    assert WORDS.iri_named("house CAT") == "http://e/C1"


HEADS = [
    {"commit": number, "time": f"2026-02-1{number}T12:00:00.000Z"} for number in (4, 3, 2)
]  # the first commit is not kept


def calls_of_a_past(answer: Any) -> Calls:
    async def json(*_: Any, **__: Any) -> Any:
        if isinstance(answer, Problem):
            raise answer
        return answer

    return cast(Calls, SimpleNamespace(json=json))


def test_a_time_names_the_last_commit_until_then() -> None:
    calls = calls_of_a_past(HEADS)
    given = [
        "",
        " 7 ",
        "2026-02-13T12:00:00Z",
        "2026-02-13T11:59",
        "2026-02-14",
        "2026-02-13T13:30+02:00",
        "2030-01-01",
    ]
    commits = [asyncio.run(past.commit_of(calls, text)) for text in given]
    assert commits == [None, 7, 3, 2, 3, 2, 4]
    assert past.commit_at(datetime(2026, 2, 12, 12, tzinfo=UTC), HEADS, "") == 2


@pytest.mark.parametrize(("text", "message"), [("yesterday", "such as"), ("2026-02-12T11:00", "no commit until")])
def test_a_wrong_time_is_told(text: str, message: str) -> None:
    with pytest.raises(Problem, match=message):
        asyncio.run(past.commit_of(calls_of_a_past(HEADS), text))


def test_a_graph_without_history_has_no_times() -> None:
    lost = calls_of_a_past(Problem(404, "the graph keeps no history"))
    assert asyncio.run(past.heads(lost, 9)) is None
    with pytest.raises(Problem, match="keeps no history"):
        asyncio.run(past.commit_of(lost, "2026-02-12"))
    with pytest.raises(Problem, match="busy"):
        asyncio.run(past.heads(calls_of_a_past(Problem(503, "busy")), 9))


def test_time_and_author_of_a_commit_are_shown_if_they_are_known() -> None:
    assert past.time_and_author(None) == past.time_and_author({"commit": 3}) == ""
    assert past.time_and_author(HEADS[0]).striptags() == "2026-02-14 12:00:00 UTC"
    assert past.time_and_author({**HEADS[0], "author": "<ann>"}).striptags() == "2026-02-14 12:00:00 UTC by <ann>"


def test_the_reasons_of_an_inferred_triple_are_shown() -> None:
    update = "DELETE DATA { e:tom a e:Animal . GRAPH e:g { e:tom a e:Dog } } ; DELETE DATA { e:x a e:y }"
    found = deletions(f"PREFIX e: <http://e/> {update}")
    assert len(found) == 2
    assert "<http://e/Dog>" not in "".join(found)
    assert deletions("DELETE {") == deletions("INSERT DATA { <e:a> <e:b> <e:c> }") == []
    axiom = ["<http://e/Cat>", "<http://www.w3.org/2000/01/rdf-schema#subClassOf>", "<http://e/Animal>"]
    rule = {"name": "rdfs9", "sources": [axiom], "conditions": [], "text": ""}
    facts = [{"relation": None, "terms": ["<http://e/tom>", "a", f"<http://e/{name}>"]} for name in ("Animal", "Cat")]
    steps = [{"fact": facts[0], "asserted": False, "rule": rule, "premises": [1]}, {"fact": facts[1], "asserted": True}]
    proofs = [{"fact": 0, "steps": steps}, {"fact": 1, "steps": steps}]  # the second one says that it is asserted
    shown = undeleted_markup(1, proofs, Words(WELL_KNOWN)).striptags()
    assert "One of the triples is inferred" in shown
    assert "axiom <http://e/Cat> rdfs:subClassOf <http://e/Animal>" in shown
    assert shown.count("asserted") == shown.count("rdfs9") == 1
    assert "3 of the triples are inferred" in undeleted_markup(3, [], WORDS)


def test_files_go_where_their_names_say() -> None:
    assert files.upload_paths(may_edit_rules=True)["dl"][1] == "/rules"
    assert "dl" not in files.upload_paths(may_edit_rules=False)
    assert files.upload_paths(may_edit_rules=False)["trig"] == ("application/trig", "/store?")
    told = files.result_row("a.ttl", {"detail": "the body:1:3: wrong"})
    assert told == Row(["a.ttl", "a.ttl:1:3: wrong"], "contradicts")
    assert files.result_row("a.ttl", {"sending": True}) == Row(["a.ttl", "sending…"])
    told = files.result_row("rules.dl", {"isRules": True, "committed": "false", "counts": ["7", "0", "0"]})
    assert "nothing to save" in str(told.cells[1])
    assert "commit 7: triples asserted: 2" in str(files.result_row("a", {"counts": ["7", "2", "9"]}).cells[1])


def test_a_triple_with_a_blank_node_has_no_link_that_removes_it() -> None:
    assert removal_address(["<e:a>", "<e:b>", '"x y"']) == (
        "/console/edit?update=DELETE+DATA+%7B+%3Ce%3Aa%3E+%3Ce%3Ab%3E+%22x+y%22+%7D"
    )
    assert removal_address(["<e:a>", "<e:b>", "_:c"]) is None
