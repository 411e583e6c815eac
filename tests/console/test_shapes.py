"""The page Shapes, and the results that an edit would bring and end on the page Edit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.console.browsing import EVIL, write

if TYPE_CHECKING:
    from playwright.sync_api import Page

SHAPES = f"""@prefix : <http://e/> . @prefix sh: <http://www.w3.org/ns/shacl#> .
:AnimalShape sh:targetClass :Animal ; sh:property :Age , [ sh:path :eats ; sh:class :Plant ; sh:message {EVIL!r} ] .
:Age sh:path :age ; sh:minCount 1 ; sh:severity sh:Warning .
"""


@pytest.fixture
def shaped(page: Page) -> Page:
    """A page of a server with these shapes: tom eats what is no plant, and ben has no age."""
    assert page.request.put("/shapes", data=SHAPES, headers={"content-type": "text/turtle"}).ok
    return page


def test_results_are_shown_by_shape_and_by_node_each_with_its_proof(shaped: Page) -> None:
    shaped.goto("/console/shapes")
    row = shaped.get_by_role("row", name="e:Age")
    row.wait_for()
    assert row.get_by_role("cell").all_inner_texts()[1:] == ["Warning", "2", "1"]
    assert shaped.locator(".group h2").all_inner_texts() == ["e:Age", "e:eats of e:AnimalShape"]
    shaped.locator(".group", has_text="e:eats of").get_by_role("button", name="Proof").click()
    shaped.get_by_text("e:tom is a focus node of the shape e:AnimalShape").wait_for()
    shaped.get_by_text("rdfs:subClassOf").first.wait_for()
    shaped.get_by_label("Group the results").select_option("focus")
    shaped.locator(".group h2", has_text="e:ben").wait_for()
    assert shaped.locator(".group h2").all_inner_texts() == ["e:ben", "e:tom"]
    shaped.get_by_label("Severity").select_option("Warning")
    shaped.get_by_text("1 result").wait_for()
    assert shaped.locator(".group h2").all_inner_texts() == ["e:ben"]


def test_a_shape_leads_to_its_results_and_its_message_is_text(shaped: Page) -> None:
    shaped.goto("/console/shapes")
    shaped.get_by_role("row", name="e:eats").get_by_role("link", name="1").click()
    shaped.get_by_role("link", name="show all").wait_for()
    assert shaped.locator(".result").count() == 1
    assert EVIL in shaped.locator(".result").inner_text()
    assert shaped.title() == "Shapes · kgreason"


def test_edit_shows_the_results_that_come_and_go(shaped: Page) -> None:
    shaped.goto("/console/edit")
    shaped.locator('.cm-content[aria-label="Triples or update"]').wait_for()
    write(shaped, "e:ben e:age 3 . e:kit a e:Cat .")
    come = shaped.get_by_role("region", name="Validation results that come")
    come.get_by_text("e:kit").wait_for()
    assert "fewer than 1 values" in come.inner_text()
    assert "e:ben" in shaped.get_by_role("region", name="Validation results that go").inner_text()


def test_a_graph_without_shapes_says_how_to_get_some(page: Page) -> None:
    assert page.request.delete("/shapes").ok
    page.goto("/console/shapes")
    page.get_by_text("The graph has no shapes").wait_for()
    assert not page.get_by_label("Severity").is_visible()
