"""Axioms over lists of 0, 1, 2 and 50 members, and lists that break and are edited, in both readings of the schema.

After every commit the graph is what the oracle makes of its assertions: closure and contradictions.
"""

from __future__ import annotations

from itertools import product

import pytest

from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.options import SchemaMode
from tests.graph.axioms.listed import CHANGES, KINDS, ROUND, TWOFOLD, Change, chain, head, members, pairs, with_new
from tests.graph.commits.test_edits import commit
from tests.graph.histories import Edit, lines_of
from tests.graph.states import in_default
from tests.graph.views import Lines, lines
from tests.oracle import owl2rl
from tests.oracle.graph import Triple
from tests.oracle.notation import triples
from tests.w3crules import book
from tests.w3crules.cases import Wrong
from tests.w3crules.running import contradictions

READINGS: tuple[SchemaMode, SchemaMode] = ("axioms", "data")
Triples = set[Triple]


def result(graph: KnowledgeGraph) -> tuple[Lines, frozenset[Wrong]]:
    """The closure, and what is wrong."""
    return lines(graph.dump()), comparable(contradictions(graph))


def comparable(found: frozenset[Wrong]) -> frozenset[Wrong]:
    """Of a contradiction between equals the rule: it is there under all names, and owl:sameAs has many proofs."""
    return frozenset(each._replace(facts=frozenset()) if each.rule.startswith("eq-") else each for each in found)


def agrees(graph: KnowledgeGraph, asserted: Triples, without: tuple[str, ...] = ()) -> bool:
    """Whether a graph shows what the oracle makes of its assertions, without the rows named."""
    closure, wrong = owl2rl.close(asserted, without=without)
    rdf = {triple for triple in closure if not triple[0].startswith('"')}
    return result(graph) == (lines_of(rdf), comparable(book.named(wrong)))


def edit(graph: KnowledgeGraph, asserted: Triples, change: Change) -> Triples:
    """Commit a change; what is asserted then."""
    commit(graph, Edit(tuple(in_default(change.removed)), tuple(in_default(change.added))))
    return (asserted - change.removed) | change.added


def broken(graph: KnowledgeGraph) -> list[str]:
    """The warnings about lists: all but the last one if that counts axioms that no rule reads as a superclass."""
    return [warning for warning in graph.warnings if "under the rules of owl2rl" not in warning]


@pytest.mark.parametrize(("kind", "count", "schema"), [*product(KINDS, (0, 1, 2, 3, 50), READINGS)])
def test_a_list_of_any_length(kind: str, count: int, schema: SchemaMode) -> None:
    asserted = KINDS[kind].example(count)
    with KnowledgeGraph.open(schema=schema) as graph:
        edit(graph, set(), Change(set(), asserted))
        assert agrees(graph, asserted)
        assert not broken(graph)


def check_every_edit(graph: KnowledgeGraph, asserted: set[Triple]) -> None:
    """After each of the changes the graph is what it has to be, and as before once the change is taken back."""
    first = result(graph)
    for name, change in CHANGES.items():
        assert agrees(graph, edit(graph, asserted, change)), name
        edit(graph, asserted, Change(change.added, change.removed))
        assert result(graph) == first, name


@pytest.mark.parametrize(("kind", "schema"), [*product(KINDS, READINGS)])
def test_a_list_that_is_edited_and_its_repair(kind: str, schema: SchemaMode) -> None:
    asserted = with_new(KINDS[kind])
    with KnowledgeGraph.open(schema=schema) as graph:
        edit(graph, set(), Change(set(), asserted))
        check_every_edit(graph, asserted)


@pytest.mark.parametrize("schema", READINGS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_list_that_could_be_two_is_each_of_them(kind: str, schema: SchemaMode) -> None:
    """A warning says so."""
    asserted = with_new(KINDS[kind])
    with KnowledgeGraph.open(schema=schema) as graph:
        edit(graph, set(), Change(set(), asserted))
        first = result(graph)
        for name, change in TWOFOLD.items():
            assert agrees(graph, edit(graph, asserted, change)), name
            [warning] = broken(graph)
            assert warning.startswith("forked list at"), name
            assert warning.endswith("is read with each of these values"), name
            edit(graph, asserted, Change(change.added, change.removed))
            assert result(graph) == first, name
            assert not broken(graph), name


@pytest.mark.parametrize("kind", KINDS)
def test_lists_that_break_are_warned_of_alike_in_both_readings(kind: str) -> None:
    asserted = with_new(KINDS[kind])
    with KnowledgeGraph.open(schema="axioms") as one, KnowledgeGraph.open(schema="data") as other:
        for change in (Change(set(), asserted), *CHANGES.values(), *TWOFOLD.values(), ROUND):
            for graph in (one, other):
                edit(graph, asserted, change)
            assert one.warnings == other.warnings
            assert lines(one.dump()) == lines(other.dump())


@pytest.mark.parametrize("schema", READINGS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_list_that_may_go_round_can_be_repaired(kind: str, schema: SchemaMode) -> None:
    asserted = with_new(KINDS[kind])
    with KnowledgeGraph.open(schema=schema) as graph:
        edit(graph, set(), Change(set(), asserted))
        after = edit(graph, asserted, ROUND)
        edit(graph, after, Change(ROUND.added, ROUND.removed))
        assert agrees(graph, asserted)


@pytest.mark.parametrize("schema", READINGS)
def test_a_list_that_two_axioms_share(schema: SchemaMode) -> None:
    """And one that shares its tail."""
    shared = triples("A owl:intersectionOf l1 . B owl:unionOf l1 . D owl:unionOf l2 . C owl:oneOf l1")
    asserted = with_new(KINDS["intersectionOf"]) | shared
    with KnowledgeGraph.open(schema=schema) as graph:
        edit(graph, set(), Change(set(), asserted))
        check_every_edit(graph, asserted)
        asserted = edit(graph, asserted, Change(triples("A owl:intersectionOf l1"), set()))
        assert agrees(graph, asserted)


@pytest.mark.parametrize("schema", READINGS)
@pytest.mark.parametrize("name", ["members", "distinctMembers"])
def test_any_two_members_that_are_one_are_a_contradiction(name: str, schema: SchemaMode) -> None:
    """The last two as well: a loop that stops before the last member would miss them."""
    kind = KINDS[f"AllDifferent {name}"]
    rule = "eq-diff2" if name == "members" else "eq-diff3"
    with KnowledgeGraph.open(schema=schema) as graph:
        edit(graph, set(), Change(set(), kind.about(head(4)) | chain(members(4)) | triples("m1 p other")))
        assert not graph.contradictions()
        for i, j in pairs(4):
            link = triples(f"m{i} owl:sameAs m{j}")
            edit(graph, set(), Change(set(), link))
            assert {each.rule for each in graph.contradictions()} == {rule}, (i, j)
            edit(graph, set(), Change(link, set()))
            assert not graph.contradictions()
        edit(graph, set(), Change(set(), triples("m1 owl:sameAs other")))
        assert not graph.contradictions()


@pytest.mark.parametrize("schema", READINGS)
@pytest.mark.parametrize(
    ("kind", "fact"),
    [("AllDisjointClasses", "i rdf:type {}"), ("AllDisjointProperties", "i {} j")],
)
def test_any_two_members_that_meet_are_one_contradiction(kind: str, fact: str, schema: SchemaMode) -> None:
    with KnowledgeGraph.open(schema=schema) as graph:
        edit(graph, set(), Change(set(), KINDS[kind].about(head(4)) | chain(members(4))))
        for i, j in pairs(4):
            facts = frozenset(triples(f"{fact.format(f'm{i}')} . {fact.format(f'm{j}')}"))
            edit(graph, set(), Change(set(), set(facts)))
            assert {each.facts for each in contradictions(graph)} == {facts}
            edit(graph, set(), Change(set(facts), set()))
            assert not graph.contradictions()


@pytest.mark.parametrize("schema", ["axioms", "data"])
def test_each_pair_of_disjoint_classes_is_a_contradiction_of_its_own(schema: SchemaMode) -> None:
    with KnowledgeGraph.open(schema=schema) as graph:
        asserted = KINDS["AllDisjointClasses"].about(head(3)) | chain(members(3))
        edit(graph, set(), Change(set(), asserted | triples("i rdf:type m1 . i rdf:type m2 . i rdf:type m3")))
        assert len(graph.contradictions()) == 3
