"""Long lists in a graph: every pair of members counts, a contradiction names its own cells, a store grows linearly."""

from __future__ import annotations

import json
from itertools import chain, product
from pathlib import Path

import pytest

from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.options import SameAsMode, SchemaMode

COUNT = 21
PAIRS = [(0, 1), (0, COUNT - 1), (3, 4), (4, 6), (7, 8), (15, 16), (10, 20), (19, 20)]
AXIOMS = {
    "different": "[] a owl:AllDifferent ; owl:members ( {} ) .",
    "distinct": "[] a owl:AllDifferent ; owl:distinctMembers ( {} ) .",
    "classes": "[] a owl:AllDisjointClasses ; owl:members ( {} ) .",
    "properties": "[] a owl:AllDisjointProperties ; owl:members ( {} ) .",
}
MEETING = {
    "different": ":m{} owl:sameAs :m{}",
    "distinct": ":m{} owl:sameAs :m{}",
    "classes": ":x a :m{} , :m{}",
    "properties": ":x :m{0} :y ; :m{1} :y",
}
PREFIXES = "PREFIX : <http://e/> PREFIX owl: <http://www.w3.org/2002/07/owl#>"
READINGS: tuple[SchemaMode, SchemaMode] = ("axioms", "data")
LINKS: tuple[SameAsMode, ...] = ("aliases", "representatives", "rules")


def load(graph: KnowledgeGraph, kind: str, count: int = COUNT) -> None:
    members = " ".join(f":m{number}" for number in range(count))
    graph.update(f"{PREFIXES} INSERT DATA {{ {AXIOMS[kind].format(members)} }}")


@pytest.mark.parametrize(("kind", "same_as", "schema"), [*product(AXIOMS, LINKS, READINGS)])
def test_any_two_members_of_a_long_list_that_meet_are_one_contradiction(
    kind: str, same_as: SameAsMode, schema: SchemaMode
) -> None:
    with KnowledgeGraph.open(schema=schema, same_as=same_as) as graph:
        load(graph, kind)
        for pair in PAIRS:
            facts = MEETING[kind].format(*pair)
            graph.update(f"{PREFIXES} INSERT DATA {{ {facts} }}")
            [found] = graph.contradictions()
            assert all(f"<http://e/m{number}>" in found.message for number in pair)
            graph.update(f"{PREFIXES} DELETE DATA {{ {facts} }}")
            assert not graph.contradictions()


@pytest.mark.parametrize("schema", READINGS)
def test_links_to_other_things_make_no_member_meet_another(schema: SchemaMode) -> None:
    with KnowledgeGraph.open(schema=schema) as graph:
        load(graph, "different")
        for number in range(COUNT):
            graph.update(f"{PREFIXES} INSERT DATA {{ :m{number} owl:sameAs :other{number} }}")
        assert not graph.contradictions()


def test_a_contradiction_names_the_axiom_and_the_cells_of_its_two_members() -> None:
    with KnowledgeGraph.open() as graph:
        load(graph, "classes")
        graph.update(f"{PREFIXES} INSERT DATA {{ :x a :m2 , :m19 }}")
        [found] = graph.contradictions()
        assert {object_ for _, predicate, object_ in found.axioms if predicate.endswith("first>")} == {
            "<http://e/m2>",
            "<http://e/m19>",
        }
        assert len(found.axioms) == 4


@pytest.mark.parametrize("schema", READINGS)
def test_a_member_listed_twice_is_a_contradiction_for_its_instances(schema: SchemaMode) -> None:
    with KnowledgeGraph.open(schema=schema) as graph:
        members = " ".join(f":m{number % (COUNT - 1)}" for number in range(COUNT))
        graph.update(f"{PREFIXES} INSERT DATA {{ {AXIOMS['classes'].format(members)} :x a :m1 . :y a :m0 }}")
        [found] = graph.contradictions()
        assert "<http://e/y>" in found.terms


@pytest.mark.parametrize("kind", [*AXIOMS, "union"])
def test_a_store_grows_with_the_length_of_a_list(kind: str, tmp_path: Path) -> None:
    sizes = []
    for count in (2 * COUNT, 4 * COUNT):
        with KnowledgeGraph.open(tmp_path / str(count)) as graph:
            if kind == "union":
                members = " ".join(f":m{number}" for number in range(count))
                graph.update(f"{PREFIXES} INSERT DATA {{ :C owl:unionOf ( {members} ) }}")
            else:
                load(graph, kind, count)
            sizes.append(len(json.dumps(graph.rules())))
    base = sizes[0] if kind == "union" else 0
    assert sizes[1] <= 2 * sizes[0] + base // 10


def test_one_thing_more_than_a_member_of_each_other_kind_of_list() -> None:
    """A key, a chain and an intersection of many members need all of them."""
    members = [f":m{number}" for number in range(COUNT)]
    listed = " ".join(members)
    axioms = (
        f":All owl:intersectionOf ( {listed} ) . :p owl:propertyChainAxiom ( {listed} ) . :C owl:hasKey ( {listed} ) ."
    )
    facts = [f":x a {member} . :v{number} {member} :v{number + 1}" for number, member in enumerate(members)]
    facts += chain.from_iterable((f":a {member} 1", f":b {member} 1") for member in members)
    with KnowledgeGraph.open() as graph:
        graph.update(f"{PREFIXES} INSERT DATA {{ {axioms} :a a :C . :b a :C . {' . '.join(facts)} }}")
        asked = f"{PREFIXES} ASK {{ :x a :All . :v0 :p :v{COUNT} . :a owl:sameAs :b }}"
        assert graph.query(asked)
        for lost in (":x a :m9", ":v9 :m9 :v10", ":b :m9 1"):
            graph.update(f"{PREFIXES} DELETE DATA {{ {lost} }}")
            assert not graph.query(asked), lost
            graph.update(f"{PREFIXES} INSERT DATA {{ {lost} }}")
            assert graph.query(asked), lost
