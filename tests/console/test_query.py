"""The page Query in a real browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

import httpx

from tests.console.browsing import ENDLESS, write

if TYPE_CHECKING:
    from playwright.sync_api import Page

NAMES = "SELECT ?x ?name { ?x e:name ?name }"


def test_a_query_shows_its_rows(page: Page) -> None:
    page.goto("/")
    write(page, NAMES)
    page.get_by_role("button", name="Run").click()
    page.get_by_role("link", name="e:tom").wait_for()
    assert "Tom" in page.locator("table").inner_text()
    assert page.locator(".cm-content").inner_text().startswith("PREFIX e: <http://e/>")


def test_the_keyboard_is_enough(page: Page) -> None:
    page.goto("/")
    write(page, "ASK { e:tom a e:Animal }")
    page.keyboard.press("ControlOrMeta+Enter")
    page.get_by_text("Yes, it holds.").wait_for()


def test_classes_and_properties_are_completed(page: Page) -> None:
    page.goto("/")
    page.wait_for_selector('.cm-content[aria-label="SPARQL query"]')
    write(page, "SELECT * { ?x a e:Liv")
    page.keyboard.type("i")
    page.locator(".cm-tooltip-autocomplete").get_by_text("e:LivingThing").wait_for()
    page.wait_for_timeout(200)  # CodeMirror takes no key at once
    page.keyboard.press("Enter")
    assert "e:LivingThing" in page.locator(".cm-content").inner_text()


def test_an_error_is_told_and_the_history_stays(page: Page) -> None:
    page.goto("/")
    write(page, "SELECT nonsense")
    page.get_by_role("button", name="Run").click()
    page.get_by_role("alert").wait_for()
    assert "Traceback" not in page.content()
    write(page, NAMES)
    page.keyboard.press("ControlOrMeta+Enter")
    page.get_by_role("link", name="e:tom").wait_for()
    assert page.get_by_role("alert").count() == 0
    page.reload()
    page.wait_for_selector('.cm-content[aria-label="SPARQL query"]')
    page.get_by_label("History of queries").select_option(index=1)
    page.wait_for_function("document.querySelector('.cm-content')?.innerText.includes('e:name')")


def test_a_query_is_stopped(page: Page, address: str) -> None:
    page.goto("/")
    stop = page.get_by_role("button", name="Stop")
    write(page, ENDLESS)
    assert stop.is_disabled()
    page.keyboard.press("ControlOrMeta+Enter")
    page.get_by_text("running…").wait_for()
    stop.click()
    page.get_by_text("stopped after").wait_for()
    assert stop.is_disabled()
    assert page.get_by_role("alert").count() == 0
    write(page, "ASK { e:tom a e:Animal }")
    page.keyboard.press("ControlOrMeta+Enter")
    page.get_by_text("Yes, it holds.").wait_for()
    assert httpx.get(f"{address}/status", trust_env=False).json()["query_processes"] == 1


def test_a_new_query_replaces_one_that_runs(page: Page) -> None:
    page.goto("/")
    write(page, ENDLESS)
    page.keyboard.press("ControlOrMeta+Enter")
    page.get_by_text("running…").wait_for()
    write(page, "ASK { e:tom a e:Animal }")
    page.keyboard.press("ControlOrMeta+Enter")
    page.get_by_text("Yes, it holds.").wait_for()
    assert page.get_by_text("stopped").count() == 0


def test_rows_are_downloaded(page: Page) -> None:
    page.goto("/")
    write(page, NAMES)
    page.keyboard.press("ControlOrMeta+Enter")
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV").click()
    assert download.value.suggested_filename == "rows.csv"
    assert download.value.path().read_bytes() == b"x,name\r\nhttp://e/tom,Tom\r\n"


def test_construct_shows_triples(page: Page) -> None:
    page.goto("/")
    write(page, "CONSTRUCT { ?x a ?c } WHERE { ?x a ?c FILTER(?x = e:tom) }")
    page.keyboard.press("ControlOrMeta+Enter")
    page.get_by_role("columnheader", name="predicate").wait_for()
    assert page.locator("tbody tr").count() == 3


def test_rows_are_sorted_and_shown_a_page_at_a_time(page: Page) -> None:
    page.goto("/")
    values = " ".join(map(str, range(120)))
    write(page, f"SELECT (?n * ?n - 100 * ?n AS ?m) {{ VALUES ?n {{ {values} }} }}")
    page.keyboard.press("ControlOrMeta+Enter")
    cells = page.locator("tbody td")
    page.get_by_text("1 to 100 of 120").wait_for()
    page.get_by_role("button", name="m", exact=True).press("Enter")
    page.locator("th[aria-sort=ascending]").wait_for()
    assert cells.first.inner_text().startswith("-2500")
    assert page.evaluate("document.activeElement.textContent") == "m"
    page.keyboard.press("Enter")
    page.locator("th[aria-sort=descending]").wait_for()
    assert cells.first.inner_text().startswith("2261")
    page.get_by_role("button", name="Next").click()
    page.get_by_text("101 to 120 of 120").wait_for()
    assert cells.count() == 20
    assert page.evaluate("document.activeElement.textContent") == "Previous"
