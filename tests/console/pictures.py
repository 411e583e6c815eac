"""Makes the pictures of the documentation: the console over LUBM(1), with one axiom more.

    python -m tests.console.pictures STORE

`STORE` is a store of LUBM(1) under OWL 2 RL, to which one axiom and one contradiction are added. The pictures go to
docs/images. Look at each of them.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from playwright.sync_api import sync_playwright

from kgreason import KnowledgeGraph
from tests.console.browsing import executable, serving, write
from tests.docs.page import Page

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser
    from playwright.sync_api import Page as Shown

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
        with TemporaryDirectory() as folder, _tutorial(Path(folder) / "store") as other:
            _shapes(_page(browser, other, 1280, 640))
            _shapes_edit(_page(browser, other, 390, 1080, "dark"))
        browser.close()


@contextmanager
def _tutorial(store: Path) -> Iterator[str]:
    """The address of a server of the store that the tutorial about shapes makes."""
    files = Page("how-to/shapes-tutorial").files
    with KnowledgeGraph.open(store, on_violation="refuse") as graph:
        graph.shapes.load(files["shapes.ttl"])
        graph.add(files["company.ttl"])
        graph.add(files["repaired.ttl"])
    with serving(store) as address:
        yield address


def _page(browser: Browser, address: str, width: int, height: int, scheme: str = "light") -> Shown:
    size = {"width": width, "height": height}
    context = browser.new_context(viewport=size, base_url=address, color_scheme=scheme)  # type: ignore[arg-type]
    context.set_default_timeout(60_000)
    return context.new_page()


def _save(page: Shown, name: str) -> None:
    page.wait_for_timeout(1000)
    page.screenshot(path=_IMAGES / f"console-{name}.png")
    page.context.close()


def _query(page: Shown) -> None:
    page.goto("/")
    write(page, _QUERY)
    page.get_by_role("button", name="Run").click()
    page.get_by_text("20 rows in").wait_for()
    _save(page, "query")


def _edit(page: Shown) -> None:
    page.goto("/console/edit")
    write(page, _EDIT)
    page.get_by_text("Contradictions that come").wait_for()
    _save(page, "edit")


def _why(page: Shown) -> None:
    person = "<http://swat.cse.lehigh.edu/onto/univ-bench.owl#Person>"
    page.goto(f"/console/why?{urlencode({'triple': f'{_PROFESSOR} a {person}'})}")
    page.get_by_text("prp-dom").wait_for()
    _save(page, "why")


def _contradictions(page: Shown) -> None:
    wrong = f"{_PREFIXES} INSERT DATA {{ {_PROFESSOR} a ub:AssistantProfessor }}"
    assert page.request.post("/update", form={"update": wrong}).ok
    page.goto("/console/contradictions")
    page.get_by_text("Proof").first.click()
    page.get_by_role("button", name="Find repairs").click()
    page.get_by_role("button", name="Remove").first.wait_for()
    _save(page, "contradictions")


def _shapes(page: Shown) -> None:
    page.goto("/console/shapes")
    page.get_by_role("button", name="Proof").first.click()
    page.get_by_text("is a focus node of").first.wait_for()
    _save(page, "shapes")


def _shapes_edit(page: Shown) -> None:
    page.goto("/console/edit")
    write(page, "@prefix : <http://example.org/> .\n:kim :manages :web .")
    page.get_by_text("Validation results that come").wait_for()
    _save(page, "shapes-edit")


if __name__ == "__main__":
    pictures(Path(sys.argv[1]))
