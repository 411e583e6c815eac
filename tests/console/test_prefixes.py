"""The prefixes of loaded files in the console, in tables, terms, queries and edits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import httpx
import pytest

from kgreason import KnowledgeGraph
from kgreason.server.console.pages import explore
from kgreason.server.console.vocabulary import WELL_KNOWN, Words, words_of
from tests.console.browsing import ZOO, serving, write

if TYPE_CHECKING:
    from playwright.sync_api import Page

CLASSES = [("class", "http://e/Cat"), ("class", "http://xmlns.com/foaf/0.1/Person"), ("class", "http://zoo/Lion")]


def test_declared_prefixes_count_before_those_that_are_made_up() -> None:
    words = words_of(CLASSES, declared={"": "http://e/", "foaf": "http://other/", "owl": "http://other/"})
    assert [words.prefixed_name(iri) for _, iri in CLASSES] == [":Cat", "foaf:Person", "zoo:Lion"]
    assert words.prefixes["owl"] == WELL_KNOWN["owl"]


def test_all_prefixes_of_a_namespace_are_read_and_the_first_is_shown() -> None:
    words = words_of(CLASSES, declared={"e": "http://e/", "": "http://e/"})
    assert words.prefixed_name("http://e/Cat") == "e:Cat"
    assert words.iri_of_prefixed(":Cat") == words.iri_of_prefixed("e:Cat") == "http://e/Cat"


def test_the_empty_prefix_is_used_without_a_declaration() -> None:
    words = Words({"": "http://e/"})
    for text in ("SELECT * { ?x a :Cat }", "SELECT * { ?x ^:eats/:eats ?y }", ":a :b _:c , [:d :e] ."):
        assert words.undeclared_prefixes(text) == {"": "http://e/"}
    for text in ("PREFIX : <http://x/> ASK { ?x a :Cat }", "ASK { ?x a e:Cat }", "# a :b", "<e:a> <e:b> ':c', _:d ."):
        assert words.undeclared_prefixes(text) == {}


def test_a_name_with_an_unknown_prefix_is_searched() -> None:
    assert explore.typed_term(":Cat", Words({"": "http://e/"})) == "<http://e/Cat>"
    assert explore.typed_term(":Cat", Words({})) is None


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server of the zoo, loaded from a file that declares the empty prefix."""
    folder = tmp_path_factory.mktemp("prefixes")
    (folder / "zoo.ttl").write_text(ZOO, "utf-8")
    with KnowledgeGraph.open(folder / "store") as graph:
        graph.load(folder / "zoo.ttl")
    with serving(folder / "store") as found:
        httpx.get(f"{found}/stats", timeout=60, trust_env=False)  # the engine has started then
        yield found


def test_pages_read_and_show_the_prefix_of_the_file(page: Page) -> None:
    page.goto("/console/explore?term=%3ACat")
    page.get_by_role("link", name=":tom", exact=True).first.wait_for()
    page.goto("/")
    page.locator('.cm-content[aria-label="SPARQL query"]').wait_for()
    write(page, "SELECT ?x { ?x a :LivingThing }")
    page.keyboard.press("ControlOrMeta+Enter")
    page.get_by_role("link", name=":ben", exact=True).wait_for()
    assert "PREFIX : <http://e/>" in page.locator(".cm-content").inner_text()


def test_the_page_edit_says_what_it_declares(page: Page) -> None:
    page.goto("/console/edit")
    page.locator('.cm-content[aria-label="Triples or update"]').wait_for()
    write(page, ":kit a :Cat .")
    page.get_by_text(":kit a :LivingThing").wait_for()
    page.get_by_text("@prefix : <http://e/> .").wait_for()
