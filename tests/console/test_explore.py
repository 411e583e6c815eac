"""The pages Explore, Ontology and Status in a real browser: terms, proofs, rules, figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page


def test_the_classes_lead_to_a_term_and_to_a_proof(page: Page) -> None:
    page.goto("/console/explore")
    page.get_by_role("link", name="e:Cat").first.click()
    page.get_by_role("heading", name="What says something of it").wait_for()
    page.get_by_role("link", name="e:tom").first.click()
    row = page.locator("tr", has_text="e:LivingThing")
    row.wait_for()
    assert "inferred" in row.inner_text()
    assert "asserted" in page.locator("tr", has_text="e:eats").inner_text()
    row.get_by_role("link", name="why?").click()
    page.get_by_text("axiom e:Animal rdfs:subClassOf e:LivingThing").wait_for()
    page.get_by_text("e:tom a e:Cat").wait_for()
    page.get_by_text("by cax-sco").first.click()
    assert not page.get_by_text("e:tom a e:Cat").is_visible()


def test_a_term_is_found_by_its_name(page: Page) -> None:
    page.goto("/console/explore")
    page.get_by_role("link", name="e:Cat").first.wait_for()
    page.get_by_label("Term").fill("e:ben")
    page.keyboard.press("Enter")
    page.get_by_role("link", name="e:Dog").first.wait_for()
    page.get_by_label("Term").fill("e:nobody")
    page.keyboard.press("Enter")
    page.get_by_text("The graph does not have this term").wait_for()


def test_why_a_triple_does_not_hold(page: Page) -> None:
    page.goto("/console/why?triple=<http://e/fish> a <http://e/Animal>")
    page.get_by_text("The graph does not have this triple", exact=True).wait_for()
    page.get_by_role("heading", name="Rules that could derive it").wait_for()


def test_rules_are_filtered(page: Page) -> None:
    page.goto("/console/ontology")
    page.get_by_text("e:Cat rdfs:subClassOf e:Animal").wait_for()
    page.get_by_label("Filter").fill("disjoint cat")
    page.get_by_text("e:Cat rdfs:subClassOf e:Animal").wait_for(state="detached")
    page.get_by_text("cax-dw").first.click()
    page.get_by_text("false :-").wait_for()


def test_status_shows_figures(page: Page) -> None:
    page.goto("/console/status")
    page.get_by_text("memory").wait_for()
    assert "triples" in page.locator("dl").first.inner_text()
    page.get_by_role("heading", name="Slowest queries").wait_for()
