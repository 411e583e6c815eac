"""The pages Edit, Feed and Contradictions in a real browser: an edit is seen before it is saved, then by others."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import httpx

from kgreason import KnowledgeGraph
from tests.console.browsing import ENDLESS, ZOO, serving, visiting, write

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


def consequences(page: Page) -> str:
    return page.get_by_label("Consequences", exact=True).inner_text()


def test_an_edit_is_seen_before_it_is_saved_and_by_others_after(page: Page, browser: Browser, address: str) -> None:
    with visiting(browser, address) as other:
        other.goto("/console/feed")
        page.goto("/console/edit")
        page.locator('.cm-content[aria-label="Triples or update"]').click()
        page.keyboard.type("e:kit a e:Cat .")
        page.get_by_text("e:Cat rdfs:subClassOf e:Animal").wait_for()
        assert "inferred" in consequences(page)
        assert "e:kit" not in other.content()
        page.get_by_role("button", name="Commit").click()
        page.get_by_text("is saved:").wait_for()
        other.get_by_text("e:kit a e:LivingThing").wait_for()
        assert other.locator("article").first.inner_text().startswith("Commit 2")


def test_an_edit_tells_the_contradiction_that_it_would_bring(page: Page) -> None:
    page.goto("/console/edit")
    write(page, "e:rex a e:Cat, e:Dog .")
    page.get_by_text("Contradictions that come").wait_for()
    assert "e:Cat owl:disjointWith e:Dog" in consequences(page)


def test_an_update_tells_what_would_disappear(page: Page) -> None:
    page.goto("/console/edit")
    page.get_by_label("Language", exact=True).select_option(label="SPARQL Update")
    write(page, "DELETE DATA { e:Animal rdfs:subClassOf e:LivingThing }")
    page.get_by_role("heading", name="Disappears").wait_for()
    assert "e:tom a e:LivingThing" in consequences(page)
    write(page, "DELETE DATA {")
    page.get_by_text("Not complete yet").wait_for()
    assert page.get_by_role("button", name="Commit").is_disabled()


def test_deleting_an_inferred_triple_shows_its_reasons(page: Page) -> None:
    page.goto("/console/explore?term=e:tom")
    row = page.locator("tr", has_text="e:Cat")
    row.get_by_role("link", name="remove").wait_for()
    assert page.locator("tr", has_text="e:LivingThing").get_by_role("link", name="remove").count() == 0
    row.get_by_role("link", name="remove").click()
    page.get_by_role("heading", name="Disappears").wait_for()
    write(page, "DELETE DATA { e:tom a e:LivingThing }")
    page.get_by_role("heading", name="It is inferred").wait_for()
    assert "e:Animal rdfs:subClassOf e:LivingThing" in consequences(page)
    assert page.get_by_role("button", name="Commit").is_disabled()
    write(page, "DELETE DATA { e:tom a e:Cat }")
    page.get_by_role("heading", name="It is inferred").wait_for(state="detached")


def test_old_consequences_are_dimmed_while_the_text_is_incomplete(page: Page) -> None:
    page.goto("/console/edit")
    write(page, "e:pip a e:Cat .")
    page.get_by_text("e:pip a e:Animal").wait_for()
    old = page.locator(".consequences.old")
    assert old.count() == 0
    write(page, "e:pip a e:Cat")
    page.get_by_text("Not complete yet").wait_for()
    assert "e:pip a e:Animal" in old.inner_text()
    write(page, "")
    old.wait_for(state="detached")


def test_turtle_is_added_to_a_named_graph(page: Page, address: str) -> None:
    page.goto("/console/edit")
    page.get_by_label("Graph").fill("http://e/graph")
    write(page, "e:zoe a e:Cat .")
    page.get_by_text("e:zoe a e:Animal").wait_for()
    page.get_by_role("button", name="Commit").click()
    page.get_by_text("is saved:").wait_for()
    graph = httpx.get(f"{address}/store", params={"graph": "http://e/graph"}, trust_env=False)
    assert "<http://e/zoe>" in graph.text


def test_looking_ahead_is_stopped(page: Page) -> None:
    page.goto("/console/edit")
    page.get_by_label("Language", exact=True).select_option(label="SPARQL Update")
    stop = page.get_by_role("button", name="Stop")
    assert stop.is_disabled()
    write(page, f"INSERT {{ e:n e:n ?n }} WHERE {{ {ENDLESS} }}")
    page.get_by_text("looking ahead…").wait_for()
    stop.click()
    page.get_by_text("Stopped.").wait_for()
    write(page, "INSERT DATA { e:pip a e:Cat }")
    page.get_by_text("e:pip a e:Animal").wait_for()


def test_an_edit_of_another_user_is_looked_at_before_the_commit(page: Page, browser: Browser, address: str) -> None:
    page.goto("/console/edit")
    write(page, "e:may a e:Cat .")
    page.get_by_text("e:may a e:Animal").wait_for()
    with visiting(browser, address) as other:
        other.goto("/console/edit")
        write(other, "e:joe a e:Dog .")
        other.get_by_text("e:joe a e:Animal").wait_for()
        other.get_by_role("button", name="Commit").click()
        other.get_by_text("is saved:").wait_for()
    page.get_by_role("button", name="Commit").click()
    page.get_by_text("Somebody has changed the graph meanwhile").wait_for()
    page.get_by_role("button", name="Commit").click()
    page.get_by_text("is saved:").wait_for()


def test_a_contradiction_is_proved_and_repaired(page: Page) -> None:
    page.goto("/console/contradictions")
    page.get_by_text("The graph has no contradictions").wait_for()
    page.goto("/console/edit")
    write(page, "e:rex a e:Cat, e:Dog .")
    page.get_by_text("Contradictions that come").wait_for()
    page.keyboard.press("ControlOrMeta+Enter")
    page.get_by_text("is saved:").wait_for()
    page.goto("/console/contradictions")
    page.get_by_text("Proof", exact=True).click()
    page.get_by_text("contradiction by cax-dw").wait_for()
    page.get_by_role("button", name="Find repairs").click()
    page.locator(".repair", has_text="e:rex a e:Dog").get_by_role("button", name="Remove").click()
    page.get_by_text("The graph has no contradictions").wait_for()
    page.get_by_text("the triple is gone").wait_for()


def test_a_class_that_nothing_can_be_in_is_proved(page: Page) -> None:
    page.goto("/console/contradictions")
    page.get_by_text("Every class can have members").wait_for()
    page.goto("/console/edit")
    write(page, "e:CatDog rdfs:subClassOf e:Cat, e:Dog .")
    page.get_by_text("e:CatDog rdfs:subClassOf e:Animal").wait_for()
    page.keyboard.press("ControlOrMeta+Enter")
    page.get_by_text("is saved:").wait_for()
    page.goto("/console/contradictions")
    page.get_by_text("nothing can be in e:CatDog").wait_for()
    page.get_by_text("Proof", exact=True).click()
    page.get_by_text("contradiction by cax-dw").wait_for()
    page.get_by_role("button", name="Find repairs").click()
    page.locator(".repair", has_text="e:CatDog rdfs:subClassOf e:Dog").wait_for()


def test_an_annotated_axiom_is_removed_with_its_annotations(browser: Browser, tmp_path: Path) -> None:
    store = tmp_path / "store"
    with KnowledgeGraph.open(store) as graph:
        graph.add(ZOO)
        graph.add("""PREFIX e: <http://e/> PREFIX owl: <http://www.w3.org/2002/07/owl#>
            PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#> e:CatDog a owl:Class ; rdfs:subClassOf e:Cat , e:Dog .
            [] a owl:Axiom ; owl:annotatedSource e:CatDog ; owl:annotatedProperty rdfs:subClassOf ;
                owl:annotatedTarget e:Dog ; rdfs:comment "by hand" .""")
        others = "".join(
            f"""<urn:a{number}> owl:annotatedSource e:CatDog ; owl:annotatedProperty rdfs:seeAlso ;
            owl:annotatedTarget e:{number} ."""
            for number in range(99)
        )
        graph.add(
            f"PREFIX e: <http://e/> PREFIX owl: <http://www.w3.org/2002/07/owl#> "
            f"PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#> {others}"
        )
    with serving(store) as address, visiting(browser, address) as page:
        page.goto("/console/contradictions")
        page.get_by_role("button", name="Find repairs").click()
        repair = page.locator(".repair", has_text="Dog Annotations: rdfs:comment")
        repair.get_by_role("button", name="Remove").click()
        page.get_by_text("Every class can have members").wait_for()
    with KnowledgeGraph.open(store) as graph:
        assert len(list(graph.match(predicate="<http://www.w3.org/2002/07/owl#annotatedSource>"))) == len(range(99))


def test_a_commit_is_taken_back(browser: Browser, tmp_path: Path) -> None:
    store = tmp_path / "store"
    with KnowledgeGraph.open(store, history="all") as graph:
        graph.add(ZOO)
    with serving(store) as address, visiting(browser, address) as page:
        page.goto("/console/edit")
        write(page, "e:kit a e:Cat .")
        page.get_by_text("e:kit a e:Animal").wait_for()
        page.get_by_role("button", name="Commit").click()
        page.get_by_text("is saved:").wait_for()
        page.goto("/console/feed")
        page.get_by_role("button", name="Take commit 2 back").click()
        dialog = page.get_by_role("dialog", name="Take commit 2 back")
        assert re.search(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC", dialog.inner_text())
        dialog.get_by_role("button", name="Cancel").click()
        dialog.wait_for(state="detached")
        assert page.get_by_text("was taken back").count() == 0
        page.get_by_role("button", name="Take commit 2 back").click()
        dialog.get_by_role("button", name="Take back").click()
        page.get_by_text("Commit 2 was taken back by commit 3").wait_for()
        page.get_by_role("article", name="Commit 3").wait_for()
