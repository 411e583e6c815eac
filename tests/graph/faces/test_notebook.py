"""What notebooks and consoles show: short texts, and tables in which every text is escaped."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from pyoxigraph import Literal

from kgreason import KnowledgeGraph

EX = {"": "http://e/"}
TEXT = """<http://e/Cat> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <http://e/Animal> .
    <http://e/tom> a <http://e/Cat> ; <http://e/name> "<b>Tom & Co</b>" ."""


def rows(html: str | None) -> list[list[str]]:
    """The cells of a table, which is read as XML: nothing in it may be markup that was not escaped."""
    root = ElementTree.fromstring(html or "")
    return [[cell.text or "" for cell in row] for row in root.iter("tr")]


def test_a_delta() -> None:
    with KnowledgeGraph.open(rules=["rdfs"]) as graph:
        delta = graph.add(TEXT)
        assert repr(delta) == "<Delta of commit 1: 4 (3 asserted) appeared, 0 disappeared, 0 turned>"
        header, *lines = rows(delta._repr_html_())
        assert header == ["subject", "predicate", "object", "graph", "before", "after"]
        assert len(lines) == 4
        assert ["<http://e/tom>", "<http://e/name>", '"<b>Tom & Co</b>"', "", "absent", "asserted"] in lines
        assert ["<http://e/tom>", "rdf:type", "<http://e/Animal>", "", "absent", "inferred"] in lines
        with graph.what_if() as tx:
            tx.remove((":tom", "a", ":Cat"), prefixes=EX).add((":tom", "a", ":Animal"), prefixes=EX)
        assert repr(tx.delta) == "<Delta of a what-if: 0 appeared, 1 (1 asserted) disappeared, 1 turned>"


def test_a_table_shows_the_first_rows_and_leaves_them_there() -> None:
    with KnowledgeGraph.open(rules=["none"]) as graph:
        delta = graph.add(*((":a", ":p", number) for number in range(60)), prefixes=EX)
        assert len(rows(delta._repr_html_())) == 51
        found = graph.select("SELECT ?o ?u { ?s ?p ?o }")
        html = found._repr_html_()
        assert "<caption>Solutions: the first 50 rows</caption>" in html
        assert len(rows(html)) == 51
        assert found._repr_html_() == html
        assert len(list(found)) == 60
        assert found._repr_html_() == html
        assert repr(found) == "<Solutions: o, u>"
        assert repr(graph.match()) == "<Matches: subject, predicate, object, graph>"


def test_solutions_are_escaped() -> None:
    with KnowledgeGraph.open(rules=["none"]) as graph:
        graph.add(TEXT)
        found = graph.select("SELECT ?name { ?x :name ?name }", prefixes=EX)
        assert rows(found._repr_html_()) == [["name"], ['"<b>Tom & Co</b>"']]
        assert "<caption>Solutions: 1 row</caption>" in found._repr_html_()
        next(found)
        assert "<caption>Solutions: 0 rows that are left</caption>" in found._repr_html_()
        found = graph.select("SELECT (<<( ?x :name 1 )>> AS ?t) ?u { ?x :name ?name }", prefixes=EX)
        assert rows(found._repr_html_())[1][0].startswith("<<( <http://e/tom>")


def test_a_proof_is_a_flowchart_in_a_notebook() -> None:
    with KnowledgeGraph.open(rules=["rdfs"]) as graph:
        graph.add(TEXT)
        proof = graph.explain((":tom", "a", ":Animal"), prefixes=EX)
        type_ = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
        assert repr(proof) == f"<Proof of <http://e/tom> {type_} <http://e/Animal>: by {proof.rule.name}, 2 steps>"  # type: ignore[union-attr]
        assert repr(proof.premises[0]).endswith("<http://e/Cat>: asserted, 1 step>")
        assert proof._repr_markdown_() == f"```mermaid\n{proof.to_mermaid()}```\n"


def test_a_graph(tmp_path: Path) -> None:
    with KnowledgeGraph.open(rules=["rdfs"]) as graph:
        assert repr(graph) == "<KnowledgeGraph in memory, commit 0, rules rdfs>"
        graph.add(TEXT)
        cells = dict(rows(graph._repr_html_())[1:])
        assert (cells["facts"], cells["asserted"], cells["inferred"]) == ("4", "3", "1")
    assert repr(graph) == "<KnowledgeGraph in memory, closed, rules rdfs>"
    assert graph._repr_html_() is None
    with KnowledgeGraph.open(tmp_path / "<store>", rules=["rdfs", "owl2rl"]) as graph:
        assert repr(graph) == f"<KnowledgeGraph store '{tmp_path}/<store>', commit 0, rules rdfs owl2rl>"
        assert rows(graph._repr_html_())


@pytest.mark.parametrize("text", ["<script>alert(1)</script>", '"&amp;', "'"])
def test_names_are_escaped_too(text: str) -> None:
    from kgreason.graph.results.notebook import html_table

    assert rows(html_table(text, [text], [[text, None, 1]])) == [[text], [text, "", "1"]]


def html_of(shown: Any) -> str:
    """What a notebook shows for a value."""
    html: str = shown._repr_html_()
    return html


def test_rules_and_contradictions_are_tables_and_why_not_is_its_text() -> None:
    evil = Literal("<script>alert(1)</script>")
    with KnowledgeGraph.open(rules=["none"]) as graph:
        with graph.transaction() as tx:
            tx.add_rules(f"@rule bad\nfalse :- [?x, <e:p>, {evil}], [?x, <e:q>, ?y] .")
            tx.add_rules(f"[?x, <e:r>, {evil}] :- [?x, <e:s>, {evil}] .")
            tx.add((":a", "<e:p>", evil), (":a", "<e:q>", evil), prefixes=EX)
        assert rows(html_of(graph.rules()))[0][:2] == ["name", "rule"]
        assert "bad" in [row[0] for row in rows(html_of(graph.rules(costs=True)))]
        found = graph.contradictions()
        header, [name, told] = rows(html_of(found))
        assert (header, name) == (["rule", "contradiction"], "bad")
        assert "<script>" in told
        why_not = graph.why_not((":a", "<e:r>", evil), prefixes=EX)
        for shown in (graph.rules(), found, why_not):
            assert "<script" not in html_of(shown)
            assert "&lt;script" in html_of(shown)
        assert html_of(why_not).startswith("<pre>")
        assert found == list(found)


def test_a_list_shows_its_first_rows() -> None:
    with KnowledgeGraph.open(rules=["none"]) as graph:
        assert "0 rules" in html_of(graph.rules())
        with graph.transaction() as tx:
            tx.add_rules("".join(f"r{number}(?x) :- s(?x) .\n" for number in range(60)))
        html = html_of(graph.rules())
        assert "the first 50 of 60 rules" in html
        assert len(rows(html)) == 51
        assert "0 contradictions" in html_of(graph.contradictions())


def test_tables_are_shortened_by_the_prefixes_of_loaded_files(tmp_path: Path) -> None:
    (tmp_path / "pets.ttl").write_text(f"@prefix : <http://e/> . {TEXT}", "utf-8")
    with KnowledgeGraph.open(rules=["rdfs"]) as graph:
        loaded = graph.load(tmp_path / "pets.ttl").delta
        delta = graph.add((":rex", "a", ":Cat"), prefixes=EX)
        with graph.what_if() as tx:
            tx.add((":kit", "a", ":Cat"), prefixes=EX)
        texts = [each._repr_html_() for each in (loaded, delta, tx.delta)]
        assert ["<td>:Animal</td>" in text and "http://e/" not in text for text in texts] == [True] * 3
        rules = graph.rules()._repr_html_()  # type: ignore[attr-defined]
        assert "[?v0, a, :Animal] :- [?v0, a, :Cat] ." in rules
        assert "http://e/" not in rules


@contextmanager
def elsewhere(graph: KnowledgeGraph) -> Iterator[Callable[[Any], str]]:
    """Another thread has the lock during the block. The block gets a function that shows a value, or fails at once."""
    with ThreadPoolExecutor(1) as other, graph.turn():
        try:
            yield lambda shown: other.submit(html_of, shown).result(20)
        finally:
            other.shutdown(wait=False)


@pytest.mark.parametrize("is_on_disk", [False, True])
def test_a_notebook_shows_a_graph_and_its_answers_while_another_thread_edits(is_on_disk: bool, tmp_path: Path) -> None:
    place = tmp_path / "store" if is_on_disk else None
    with KnowledgeGraph.open(place, rules=["rdfs"]) as graph:
        with elsewhere(graph) as html:
            assert "another thread uses the graph" in html(graph)
        (tmp_path / "a.ttl").write_text(f"@prefix zoo: <http://e/> . {TEXT} zoo:tom zoo:age 7 .")
        graph.load(tmp_path / "a.ttl")
        query, pattern = "SELECT ?s { ?s a <http://e/Cat> }", ("http://e/tom", None, None)
        shown = [graph.select(query), graph.construct("DESCRIBE <http://e/tom>"), graph.match("http://e/tom", "a")]
        late = [graph.match(*pattern, asserted=True), graph.match(None, "http://e/age", 7)]
        with elsewhere(graph) as html:
            for each in shown:
                assert "zoo:tom" in html(each)
            for each in late:
                assert "another thread uses the graph" in html(each)
            cells = dict(rows(html(graph))[1:])
            assert (cells["facts"], cells["asserted"]) == ("5", "4")
            graph.add("<http://e/kim> a <http://e/Cat> .")
            old = html(graph)
            assert ("commit 2" in old, "counts of commit 1" in old) == (True, True)
            assert dict(rows(old)[1:]) == cells
        assert [len(rows(html_of(each))) - 1 for each in late] == [3, 1]
        assert [len(list(each)) for each in late] == [3, 1]
        assert dict(rows(html_of(graph))[1:])["facts"] == "7"
    if place is not None:
        with KnowledgeGraph.open(place) as graph:
            found = graph.select(query)
            with elsewhere(graph) as html:
                assert "zoo:tom" in html(found)
                assert dict(rows(html(graph))[1:])["facts"] == "7"
