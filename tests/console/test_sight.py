"""What eyes and assistive techniques meet: both widths, light and dark, the keyboard, and axe."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import pytest

from tests.console.browsing import NARROW, WIDE, visiting, write
from tests.console.test_shapes import SHAPES

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PAGES = {
    "/": "Query",
    "/console/edit": "Edit",
    "/console/explore": "Explore",
    "/console/explore?term=e:tom": "Explore",
    "/console/explore?term=li": "Explore",
    "/console/explore?graph=http://e/none": "Explore",
    "/console/why?triple=<http://e/tom> a <http://e/LivingThing>": "Explore",
    "/console/ontology": "Ontology",
    "/console/contradictions": "Contradictions",
    "/console/shapes": "Shapes",
    "/console/feed": "Feed",
    "/console/status": "Status",
}


def show(page: Page, path: str) -> None:
    """Open a page and do what fills it."""
    if path == "/console/shapes":
        assert page.request.put("/shapes", data=SHAPES, headers={"content-type": "text/turtle"}).ok
    page.goto(path)
    page.wait_for_load_state("networkidle")
    if path == "/":
        page.locator('.cm-content[aria-label="SPARQL query"]').wait_for()
        page.get_by_role("button", name="Run").click()
        page.locator("tbody tr").first.wait_for()
    if path == "/console/shapes":
        page.get_by_role("button", name="Proof").first.click()
        page.get_by_text("is a focus node of").first.wait_for()
    if path == "/console/edit":
        page.locator('.cm-content[aria-label="Triples or update"]').wait_for()
        write(page, "e:rex a e:Cat, e:Dog .")
        page.get_by_text("Contradictions that come").wait_for()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [WIDE["width"], NARROW["width"]])
def test_axe_finds_no_fault(scheme: Literal["light", "dark"], width: int, browser: Browser, address: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    faults = []
    with visiting(browser, address, color_scheme=scheme) as page:
        page.set_viewport_size({"width": width, "height": 800})
        for path in (*PAGES, "/console/sign-in"):
            show(page, path)
            found = axe.run(page).response["violations"]
            faults += [(path, each["id"], node["html"][:200]) for each in found for node in each["nodes"]]
            assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), f"{path} is too wide"
    assert not faults, faults


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_light_and_dark_are_chosen_and_stay(scheme: Literal["light", "dark"], browser: Browser, address: str) -> None:
    other = "dark" if scheme == "light" else "light"
    with visiting(browser, address, color_scheme=scheme) as page:
        page.goto("/")
        page.locator('.cm-content[aria-label="SPARQL query"]').wait_for()
        before = colours(page)
        page.get_by_label("Colors").select_option(other)
        page.wait_for_function(f"getComputedStyle(document.body).backgroundColor !== '{before[0]}'")
        page.wait_for_timeout(200)  # the editor changes its theme in a moment
        chosen = colours(page)
        assert all(one != two for one, two in zip(before, chosen, strict=True))
        page.reload()
        page.locator('.cm-content[aria-label="SPARQL query"]').wait_for()
        page.wait_for_timeout(200)
        assert colours(page) == chosen
        assert page.get_by_label("Colors").input_value() == other
        page.get_by_label("Colors").select_option("system")
        page.wait_for_function(f"getComputedStyle(document.body).backgroundColor === '{before[0]}'")


def colours(page: Page) -> list[str]:
    """The colours of the ground, of the text, and of a word in the editor."""
    parts = [("body", "backgroundColor"), ("body", "color"), (".cm-line span", "color")]
    script = "parts => parts.map(([part, name]) => getComputedStyle(document.querySelector(part))[name])"
    return list(map(str, page.evaluate(script, parts)))


def test_every_page_says_where_it_is(page: Page) -> None:
    for path, name in PAGES.items():
        page.goto(path)
        assert page.locator("nav [aria-current=page]").inner_text() == name
        assert page.title().endswith("· kgreason")


def test_the_name_of_the_page_is_in_sight_on_a_narrow_screen(page: Page) -> None:
    page.set_viewport_size(NARROW)
    page.goto("/console/status")
    page.get_by_text("memory").wait_for()
    box = page.locator("nav [aria-current=page]").bounding_box()
    assert box
    assert 0 <= box["x"] <= NARROW["width"] - box["width"]


def test_the_keyboard_reaches_the_content(page: Page) -> None:
    page.goto("/console/explore")
    page.get_by_role("link", name="e:Cat").first.wait_for()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "term"
    page.keyboard.type("e:Dog")
    page.keyboard.press("Enter")
    page.get_by_role("link", name="e:ben").wait_for()
    page.keyboard.press("Tab")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"


def test_a_page_says_that_it_loads_and_nothing_else_meanwhile(page: Page) -> None:
    update = "INSERT DATA { <http://e/kit> a <http://e/Cat> }"
    assert page.request.post("/update", form={"update": update}).ok
    page.add_init_script("""
        window.seen = "";
        const look = () => {
          const waiting = document.querySelector(".loading");
          if (waiting && getComputedStyle(waiting).display !== "none") window.seen += waiting.textContent;
          window.seen += document.body?.innerText ?? "";
          requestAnimationFrame(look);
        };
        look();
    """)
    page.goto("/console/feed")
    page.get_by_role("article", name="Commit 2").wait_for()
    seen = page.evaluate("window.seen")
    assert "Loading…" in seen
    assert "No commit" not in seen
    page.locator(".loading").wait_for(state="hidden")
