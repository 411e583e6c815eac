"""What the browser keeps, in a real browser: the text of an editor, saved queries, and the query in the address."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kgreason import KnowledgeGraph
from tests.console.browsing import ZOO, serving, visiting, write

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

TAG = "<img src=x onerror=\"document.title='owned'\">"
CATS = "SELECT ?x { ?x a <http://e/Cat> }"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server of a small zoo that keeps its history: tom came first, and then kit."""
    store = tmp_path_factory.mktemp("memory") / "store"
    with KnowledgeGraph.open(store, history="all") as graph:
        graph.add(ZOO)
        graph.add("<http://e/kit> a <http://e/Cat> .")
    with serving(store) as found:
        yield found


def ready(page: Page, path: str, label: str) -> None:
    page.goto(path)
    page.locator(f'.cm-content[aria-label="{label}"]').wait_for()


def text(page: Page, wanted: str) -> None:
    """Wait until the editor has this text."""
    page.wait_for_function("text => document.querySelector('.cm-content')?.innerText === text", arg=wanted)


def test_the_text_of_an_editor_survives_a_change_of_page(page: Page) -> None:
    ready(page, "/", "SPARQL query")
    write(page, CATS)
    ready(page, "/console/edit", "Triples or update")
    page.get_by_label("Language", exact=True).select_option(label="SPARQL Update")
    write(page, "INSERT DATA { e:pip a e:Cat }")
    page.get_by_text("e:pip a e:Animal").wait_for()
    page.get_by_role("link", name="Query").click()
    text(page, CATS)
    page.get_by_role("link", name="Edit").click()
    text(page, "INSERT DATA { e:pip a e:Cat }")
    page.get_by_text("e:pip a e:Animal").wait_for()
    assert page.get_by_label("Language", exact=True).input_value() == "application/sparql-update"


def test_the_address_holds_the_query_and_the_commit(page: Page, browser: Browser, address: str) -> None:
    ready(page, "/", "SPARQL query")
    write(page, CATS)
    page.get_by_label("As of").fill("1")
    page.get_by_role("button", name="Run").click()
    page.get_by_text("1 row in").wait_for()
    page.wait_for_function("location.search.includes('as_of=1')")
    with visiting(browser, address) as other:
        other.goto(page.url)
        other.get_by_text("1 row in").wait_for()
        text(other, CATS)
        other.get_by_label("As of").fill("")
        other.get_by_role("button", name="Run").click()
        other.get_by_text("2 rows in").wait_for()
        other.wait_for_function("!location.search.includes('as_of')")
        other.get_by_label("As of").fill("2001-01-01")
        other.get_by_role("button", name="Run").click()
        other.get_by_text("the history has no commit until 2001-01-01").wait_for()


def test_queries_are_saved_with_names_and_exported(page: Page, tmp_path: Path) -> None:
    ready(page, "/", "SPARQL query")
    write(page, CATS)
    page.locator(".saved summary").click()
    for name in ("cats", TAG):
        page.get_by_label("Name").fill(name)
        page.keyboard.press("Enter")
    with page.expect_download() as download:
        page.get_by_role("button", name="Export").click()
    kept = download.value.path().read_text("utf-8")
    assert json.loads(kept) == {"cats": CATS, TAG: CATS}
    assert page.title() != "owned"
    page.get_by_role("button", name="Delete cats").click()
    assert page.get_by_role("button", name="Open cats").count() == 0
    write(page, "ASK {}")
    page.reload()
    text(page, "ASK {}")
    page.locator(".saved summary").click()
    field = page.locator(".saved input[type=file]")
    field.set_input_files(download.value.path())
    page.get_by_role("button", name="Open cats").click()
    text(page, CATS)
    (tmp_path / "wrong.json").write_text('{"a": 1}')
    field.set_input_files(tmp_path / "wrong.json")
    page.get_by_text("wrong.json is not read").wait_for()


def test_tab_leaves_the_editor(page: Page) -> None:
    ready(page, "/", "SPARQL query")
    write(page, CATS)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Run"
    page.keyboard.press("Shift+Tab")
    assert page.evaluate("document.activeElement.className").startswith("cm-content")
    text(page, CATS)


def test_keywords_are_completed(page: Page) -> None:
    ready(page, "/", "SPARQL query")
    write(page, "CON")
    page.keyboard.type("S")
    page.locator(".cm-tooltip-autocomplete").get_by_text("CONSTRUCT").wait_for()
    ready(page, "/console/edit", "Triples or update")
    write(page, "@pre")
    page.keyboard.type("f")
    page.locator(".cm-tooltip-autocomplete").get_by_text("@prefix").wait_for()
