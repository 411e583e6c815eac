"""The pages Explore, Ontology and Status in a real browser: terms, proofs, rules, figures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from kgreason import KnowledgeGraph
from tests.console.browsing import ZOO, serving, visiting

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

LABELS = """
@prefix : <http://e/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
:Cat rdfs:label "feline"@en . :x1 a :Cat ; skos:prefLabel "Felix the cat"@en . :x2 a :Cat ; rdfs:label "Felicity" .
"""
GRAPH = "INSERT DATA { GRAPH <http://e/graph> { <http://e/x1> <http://e/seen> 7 . _:b <http://e/seen> <http://e/x1> } }"


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
    page.get_by_label("Term", exact=True).fill("e:ben")
    page.keyboard.press("Enter")
    page.get_by_role("link", name="e:Dog").first.wait_for()
    page.get_by_label("Term", exact=True).fill("e:nobody")
    page.keyboard.press("Enter")
    page.get_by_text("The graph does not have this term").wait_for()


def test_why_a_triple_does_not_hold(page: Page) -> None:
    page.goto("/console/why?triple=<http://e/fish> a <http://e/Animal>")
    page.get_by_text("The graph does not have this triple", exact=True).wait_for()
    page.get_by_role("heading", name="Rules that could derive it").wait_for()


def test_rules_are_filtered(page: Page) -> None:
    page.goto("/console/ontology")
    page.get_by_text("e:Cat SubClassOf e:Animal").wait_for()
    page.get_by_label("Filter").fill("disjoint cat")
    page.get_by_text("e:Cat SubClassOf e:Animal").wait_for(state="detached")
    page.get_by_text("cax-dw").first.click()
    page.get_by_text("false :-").wait_for()


def test_status_shows_figures(page: Page) -> None:
    page.goto("/console/status")
    page.get_by_text("memory").wait_for()
    assert "triples" in page.locator("dl").first.inner_text()
    page.get_by_role("heading", name="Slowest queries").wait_for()


def test_the_class_tree_folds_and_is_filtered(page: Page) -> None:
    page.goto("/console/explore")
    page.get_by_role("link", name="e:Cat").first.wait_for()
    page.get_by_label("Subclasses of e:Animal").press("Enter")
    assert not page.get_by_role("link", name="e:Cat").is_visible()
    page.get_by_label("Filter").fill("do")
    page.get_by_text("3 classes").wait_for()
    page.get_by_role("link", name="e:Dog").wait_for()
    assert page.get_by_role("link", name="e:Cat").count() == 0


def test_a_long_class_tree_shows_more_on_demand(browser: Browser, tmp_path: Path) -> None:
    classes = " ".join(f"<http://e/C{each:04}> a <http://www.w3.org/2002/07/owl#Class> ." for each in range(1005))
    with serving(tmp_path / "store", text=classes) as address, visiting(browser, address) as page:
        page.goto("/console/explore")
        page.get_by_text("1,005 classes, 5 of them not shown yet").wait_for()
        page.get_by_role("button", name="Show 5 more").click()
        page.get_by_role("link", name="e:C1004").wait_for()
        assert page.get_by_role("button", name="more").count() == 0


def test_terms_are_found_by_their_labels_and_named_graphs_are_listed(browser: Browser, tmp_path: Path) -> None:
    store = tmp_path / "store"
    with KnowledgeGraph.open(store) as graph:
        graph.add(ZOO + LABELS.replace("@prefix : <http://e/> .", ""))
        graph.update(GRAPH)
    with serving(store) as address, visiting(browser, address) as page:
        page.goto("/console/explore")
        page.get_by_text("Named graphs: 1").click()
        page.get_by_role("link", name="http://e/graph").wait_for()
        page.get_by_label("Term", exact=True).press_sequentially("felix")
        page.wait_for_selector('#term-offers option[value="e:x1"]:text("Felix the cat")', state="attached")
        page.get_by_label("Term", exact=True).fill("feli")
        page.keyboard.press("Enter")
        page.get_by_role("heading", name="Terms whose label or name fits").wait_for()
        assert page.locator("tbody tr").all_inner_texts() == ["e:Cat\tfeline", "e:x2\tFelicity", "e:x1\tFelix the cat"]
        page.get_by_label("Term", exact=True).fill("feline")
        page.keyboard.press("Enter")
        page.get_by_role("heading", name="What says something of it").wait_for()
        assert page.get_by_label("Term", exact=True).input_value() == "e:Cat"
        page.get_by_label("Term", exact=True).fill("felix the")
        page.get_by_label("Graph").fill("http://e/graph")
        page.keyboard.press("Enter")
        page.get_by_role("heading", name="What says something of it").wait_for()
        assert page.locator("tbody tr").all_inner_texts()[0] == "e:seen\t7"
        page.locator(".term.blank").click()
        page.get_by_role("link", name="e:x1").wait_for()


def test_expressions_and_labels_are_shown_in_the_language_that_the_user_chooses(
    browser: Browser, tmp_path: Path
) -> None:
    cats = """:Cat rdfs:label "cat"@en , "Katze"@de .
        :Cat rdfs:subClassOf [ owl:onProperty :eats ; owl:someValuesFrom :Dog ] .
        :Dog rdfs:label "dog"@en , "Großer Hund"@de ."""
    with serving(tmp_path / "store", text=ZOO + cats) as address, visiting(browser, address) as page:
        page.goto("/console/explore?term=e:Cat")
        page.get_by_role("link", name="(e:eats some e:Dog)").wait_for()
        page.get_by_label("Label language").select_option("de")
        page.get_by_role("link", name="(e:eats some 'Großer Hund')").wait_for()
        page.get_by_role("link", name="Katze").first.wait_for()
        page.goto("/console/ontology")
        page.get_by_text("Katze DisjointWith 'Großer Hund'").first.wait_for()
        assert page.get_by_label("Label language").input_value() == "de"
        page.get_by_label("Label language").select_option("none")
        page.get_by_text("e:Cat DisjointWith e:Dog").first.wait_for()
