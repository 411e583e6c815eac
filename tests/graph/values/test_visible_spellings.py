"""Users see one spelling of a value for each subject and property: the asserted ones, else the first by its text.

The model takes all triples of a graph with the rule group eq-spellings, from scratch, and applies this definition.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.graph.changes.delta import Delta
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.graph.standing.standing_query import RowChange
from kgreason.store.spellings import normal_forms
from tests.oracle.tables import table8
from tests.volume import many

E, XSD, OWL = "http://e/", "http://www.w3.org/2001/XMLSchema#", "http://www.w3.org/2002/07/owl#"
Triple = tuple[str, str, str]
LITERALS = [
    *(f'"{form}"^^<{XSD}{name}>' for form, name in (("10", "integer"), ("010", "integer"), ("10", "byte"))),
    *(f'"{form}"^^<{XSD}decimal>' for form in ("10.0", "10.00")),
    f'"11"^^<{XSD}integer>',
    '"10"',
]
SUB, SAME = "<http://www.w3.org/2000/01/rdf-schema#subPropertyOf>", f"<{OWL}sameAs>"
AXIOMS = [
    (f"<{E}p>", SUB, f"<{E}q>"),
    (f"<{E}r>", SUB, f"<{E}q>"),
    (f"<{E}a>", SAME, f"<{E}b>"),
    (f"<{E}c>", SAME, LITERALS[0]),
]
names = [st.sampled_from([f"<{E}{name}>" for name in each]) for each in ("abc", "pqr")]
triples = st.one_of(*[st.tuples(*names, st.sampled_from(LITERALS))] * 4, st.sampled_from(AXIOMS))
histories = st.lists(
    st.tuples(st.frozensets(triples, max_size=3), st.frozensets(triples, max_size=4), st.booleans()),
    min_size=1,
    max_size=5,
)
History = list[tuple[frozenset[Triple], frozenset[Triple], bool]]
MODES: list[dict[str, Any]] = [{}, {"same_as": "representatives"}, {"same_as": "rules"}]


def visible_triples(graph: KnowledgeGraph) -> set[Triple]:
    found = (line.removesuffix(" .").split(" ", 2) for line in b"".join(graph.dump()).decode().splitlines())
    return {(subject, predicate, object_) for subject, predicate, object_ in found}


def model(asserted: Iterable[Triple], options: dict[str, Any]) -> set[Triple]:
    """The triples that users see, by the definition."""
    with KnowledgeGraph.open(**options, rules=["owl2rl+eq-spellings"]) as graph:
        with graph.transaction() as tx:
            tx.add(*asserted)
        found = visible_triples(graph)
    return table8.visible(found, asserted)


def check(graph: KnowledgeGraph, seen: set[Triple]) -> None:
    """All views of the graph show these triples."""
    assert visible_triples(graph) == seen
    assert {(str(s), str(p), str(o)) for s, p, o, _ in graph.match()} == seen
    rows = {(s, p, form) for (s, p, _), form in zip(seen, normal_forms([o for _, _, o in seen]), strict=True)}
    found = graph.select("SELECT * { ?s ?p ?o }")
    assert sorted((str(row["s"]), str(row["p"]), str(row["o"])) for row in found) == sorted(rows)
    stats = graph.stats()
    assert (stats["facts"], stats["asserted"] + stats["inferred"]) == (len(seen), len(seen))


def by_value(seen: Iterable[Triple], asserted: Iterable[Triple]) -> Counter[tuple[object, ...]]:
    """The triples; an inferred literal counts by its value, since the order of edits decides which of its spellings."""
    known = set(asserted)
    return Counter(
        (*triple[:2], table8.value(triple[2])) if triple[2].startswith('"') and triple not in known else triple
        for triple in seen
    )


class Told:
    """What a subscriber knows of the graph."""

    def __init__(self) -> None:
        self.triples: set[Triple] = set()

    def hear(self, delta: Delta) -> None:
        gone, come = set(delta.disappeared()), set(delta.appeared())
        assert gone <= self.triples
        assert not come & self.triples
        self.triples = (self.triples - gone) | come


def follow(graph: KnowledgeGraph, history: History, options: dict[str, Any]) -> set[Triple]:
    told, asserted = Told(), set[Triple]()
    graph.subscribe(told.hear)
    for removed, added, is_tried in history:
        with graph.what_if() as tx:
            tx.add(*(added if is_tried else removed))
        with graph.transaction() as tx:
            tx.remove(*(removed & asserted))
            tx.add(*added)
        asserted = (asserted - removed) | added
        seen = model(asserted, options)
        if options.get("same_as") == "representatives":
            assert by_value(visible_triples(graph), asserted) == by_value(seen, asserted)
            seen = visible_triples(graph)
        check(graph, seen)
        assert told.triples == seen
    return model(asserted, options)


@pytest.mark.parametrize("options", MODES, ids=["aliases", "representatives", "rules"])
@settings(max_examples=many(60))
@given(history=histories)
def test_histories(options: dict[str, Any], history: History) -> None:
    with KnowledgeGraph.open(**options) as graph:
        follow(graph, history, options)


PRICES = [
    (f"<{E}tea>", f"<{E}price>", LITERALS[0]),
    (f"<{E}cake>", f"<{E}price>", LITERALS[3]),
    (f"<{E}pie>", f"<{E}costs>", LITERALS[1]),
    (f"<{E}costs>", SUB, f"<{E}price>"),
]


@pytest.mark.parametrize("options", MODES, ids=["aliases", "representatives", "rules"])
def test_a_value_counts_once(options: dict[str, Any]) -> None:
    with KnowledgeGraph.open(**options) as graph:
        graph.add(*PRICES)
        rows = graph.select("SELECT ?x (SUM(?v) AS ?sum) { ?x <http://e/price> ?v } GROUP BY ?x")
        assert {str(row["x"]): row["sum"].value for row in rows} == dict.fromkeys(
            (f"<{E}{name}>" for name in ("tea", "cake", "pie")), "10"
        )


def test_the_letter_of_eq_rep_o_is_a_group() -> None:
    for rules, count in (("owl2rl", 1), ("owl2rl+eq-spellings", 3), ("owl2rl+eq-literals", 3)):
        with KnowledgeGraph.open(rules=[rules]) as graph:
            graph.add(*PRICES)
            assert len(list(graph.match(f"{E}tea", f"{E}price"))) == count


def test_a_visible_spelling_gives_way_in_one_commit() -> None:
    """`pie` has an inferred price, which is seen until one is asserted, and again after that."""
    cell = f"<{E}pie>", f"<{E}price>"
    with KnowledgeGraph.open() as graph:
        graph.add(*PRICES)
        told: list[RowChange] = []
        graph.standing("SELECT ?v { <http://e/pie> <http://e/price> ?v }", told.append)
        delta = graph.add((*cell, LITERALS[3]))
        assert (delta.disappeared(), delta.appeared()) == ([(*cell, LITERALS[1])], [(*cell, LITERALS[3])])
        delta = graph.remove((*cell, LITERALS[3]))
        assert (delta.disappeared(), delta.appeared()) == ([(*cell, LITERALS[3])], [(*cell, LITERALS[1])])
        ten = [f'"10"^^<{XSD}{name}>' for name in ("integer", "decimal")]  # as Oxigraph shows them
        assert [(each.disappeared, each.appeared) for each in told[1:]] == [
            ([(ten[0],)], [(ten[1],)]),
            ([(ten[1],)], [(ten[0],)]),
        ]


def test_a_store_that_is_opened_again(tmp_path: Path) -> None:
    cell = f"<{E}pie>", f"<{E}price>"
    with KnowledgeGraph.open(tmp_path, history="all") as graph:
        graph.add(*PRICES)
        graph.add((*cell, LITERALS[4]))
        before = visible_triples(graph)
    for is_settled in (False, True):
        with KnowledgeGraph.open(tmp_path, read_only=True) as graph:
            assert visible_triples(graph) == before
        with KnowledgeGraph.open(tmp_path) as graph:
            check(graph, before)
            with graph.as_of(1) as past:
                assert visible_triples(past) == (before - {(*cell, LITERALS[4])}) | {(*cell, LITERALS[1])}
            if not is_settled:
                graph._committer().checkpoint()
    with KnowledgeGraph.open(tmp_path) as graph:
        graph.remove((*cell, LITERALS[4]))
        check(graph, model(PRICES, {}))


def test_a_literal_joins_a_clique_of_literals() -> None:
    """Only representatives are seen; a term that joins a clique later represents it only if the clique falls apart."""
    options: dict[str, Any] = {"same_as": "representatives"}
    cells = [(f"<{E}a>", f"<{E}p>", form) for form in (LITERALS[0], LITERALS[2], LITERALS[1])]
    for commits, representative in (([cells], LITERALS[1]), ([cells[:2], cells[2:]], LITERALS[2])):
        with KnowledgeGraph.open(**options) as graph:
            graph.add((f"<{E}p>", SUB, f"<{E}q>"))
            for triples in commits:
                graph.add(*triples)
            assert {triple[2] for triple in visible_triples(graph) if triple[1] == f"<{E}q>"} == {representative}
