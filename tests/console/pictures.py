"""Makes the pictures of the documentation: the console over LUBM(1), with one axiom more.

    python -m tests.console.pictures STORE

`STORE` is a store of LUBM(1) under OWL 2 RL, to which one axiom and one contradiction are added. The pictures go to
docs/images. Look at each of them.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from playwright.sync_api import sync_playwright

from kgreason import KnowledgeGraph
from tests.console.browsing import executable, serving, write

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

_IMAGES = Path(__file__).parents[2] / "docs" / "images"
_PREFIXES = """PREFIX department0: <http://www.Department0.University0.edu/>
PREFIX ub: <http://swat.cse.lehigh.edu/onto/univ-bench.owl#>
"""
_QUERY = """SELECT ?class (COUNT(?thing) AS ?things) {
  ?thing a ?class
  FILTER(isIRI(?class))
} GROUP BY ?class ORDER BY DESC(?things) LIMIT 20"""
_EDIT = """department0:Ada a ub:FullProfessor, ub:AssistantProfessor ;
  ub:teacherOf department0:Course7 ."""
_PROFESSOR = "<http://www.Department0.University0.edu/FullProfessor0>"
_AXIOM = "PREFIX owl: <http://www.w3.org/2002/07/owl#> INSERT DATA {{ {} }}"


def pictures(store: Path) -> None:
    """Make all pictures."""
    disjoint = "ub:FullProfessor owl:disjointWith ub:AssistantProfessor"
    with KnowledgeGraph.open(store) as graph:
        graph.update(_PREFIXES + _AXIOM.format(disjoint))
    with serving(store) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable(), args=["--no-sandbox"])
        _query(_page(browser, address, 390, 760, "dark"))
        _edit(_page(browser, address, 1280, 620))
        _why(_page(browser, address, 1000, 420))
        _contradictions(_page(browser, address, 1280, 520))
        browser.close()


def _page(browser: Browser, address: str, width: int, height: int, scheme: str = "light") -> Page:
    size = {"width": width, "height": height}
    context = browser.new_context(viewport=size, base_url=address, color_scheme=scheme)  # type: ignore[arg-type]
    context.set_default_timeout(60_000)
    return context.new_page()


def _save(page: Page, name: str) -> None:
    page.wait_for_timeout(1000)
    page.screenshot(path=_IMAGES / f"console-{name}.png")
    page.context.close()


def _query(page: Page) -> None:
    page.goto("/")
    write(page, _QUERY)
    page.get_by_role("button", name="Run").click()
    page.get_by_text("20 rows in").wait_for()
    _save(page, "query")


def _edit(page: Page) -> None:
    page.goto("/console/edit")
    write(page, _EDIT)
    page.get_by_text("Contradictions that come").wait_for()
    _save(page, "edit")


def _why(page: Page) -> None:
    person = "<http://swat.cse.lehigh.edu/onto/univ-bench.owl#Person>"
    page.goto(f"/console/why?{urlencode({'triple': f'{_PROFESSOR} a {person}'})}")
    page.get_by_text("prp-dom").wait_for()
    _save(page, "why")


def _contradictions(page: Page) -> None:
    wrong = f"{_PREFIXES} INSERT DATA {{ {_PROFESSOR} a ub:AssistantProfessor }}"
    assert page.request.post("/update", form={"update": wrong}).ok
    page.goto("/console/contradictions")
    page.get_by_text("Proof").first.click()
    page.get_by_role("button", name="Find repairs").click()
    page.get_by_role("button", name="Remove").first.wait_for()
    _save(page, "contradictions")


if __name__ == "__main__":
    pictures(Path(sys.argv[1]))
