"""Literals of different values that a rule makes one: a contradiction, and nothing else follows."""

from __future__ import annotations

from itertools import product
from typing import get_args

import pytest

from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.materialize.edit import Edit
from kgreason.materialize.materializer import Materializer
from kgreason.materialize.selection import select
from kgreason.options import SameAsMode, SchemaMode
from tests.graph.states import in_default, rows_of, triples_of
from tests.oracle.notation import triples

PREFIXES = """
    @prefix : <http://e/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
    @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
MODES = list(product(get_args(SchemaMode), get_args(SameAsMode)))
QUALIFIED = (
    ':Sensor owl:maxQualifiedCardinality "1"^^xsd:nonNegativeInteger ; owl:onProperty :reading . :s1 a :Sensor .'
)
LINKS = {
    "prp-fp": ":reading a owl:FunctionalProperty .",
    "prp-ifp": ":of a owl:InverseFunctionalProperty ; owl:inverseOf :reading .",
    "prp-key": ":Value owl:hasKey ( :of ) . :of owl:inverseOf :reading . :reading rdfs:range :Value .",
    "cls-maxc2": ':Sensor owl:maxCardinality "1"^^xsd:nonNegativeInteger ; owl:onProperty :reading . :s1 a :Sensor .',
    "cls-maxqc3": f"{QUALIFIED} :Sensor owl:onClass xsd:integer .",
    "cls-maxqc4": f"{QUALIFIED} :Sensor owl:onClass owl:Thing .",
}
"""For each rule that derives owl:sameAs, what makes it link the readings of :s1."""
OF_SUBJECTS = ("prp-fp", "cls-maxc2", "cls-maxqc3", "cls-maxqc4")
"""Those of them that are of the values of one subject."""
OWN = "[?x, <http://www.w3.org/2002/07/owl#sameAs>, ?y] :- [?s, <http://e/reading>, ?x], [?s, <http://e/reading>, ?y] ."


def opened(schema: SchemaMode, same_as: SameAsMode, rules: str = "owl2rl") -> KnowledgeGraph:
    return KnowledgeGraph.open(rules=[rules], schema=schema, same_as=same_as)


def edit(graph: KnowledgeGraph, added: str = "", removed: str = "") -> None:
    with graph.transaction() as tx:
        tx.remove(PREFIXES + removed)
        tx.add(PREFIXES + added)


def readings(graph: KnowledgeGraph) -> set[str]:
    found = graph.select("PREFIX : <http://e/> SELECT ?s ?v { ?s :reading ?v }")
    return {f"{row['s'].value.rsplit('/')[-1]} {row['v'].value.rsplit('/')[-1]}" for row in found}


def wrong(graph: KnowledgeGraph) -> list[tuple[str, tuple[str, ...]]]:
    return [(each.rule, each.terms) for each in graph.contradictions()]


def differ(*numbers: int) -> list[tuple[str, tuple[str, ...]]]:
    return [("eq-diff1", tuple(map(integer, numbers)))]


def integer(number: int) -> str:
    return f'"{number}"^^<http://www.w3.org/2001/XMLSchema#integer>'


def values_of(graph: KnowledgeGraph) -> set[tuple[str, str, frozenset[str]]]:
    """What contradictions say of whom: the name of the rule, the subject, and its values."""
    told = [(each.rule, [fact.terms for fact in each.facts]) for each in graph.contradictions()]
    found = {
        (rule, str(s), frozenset(str(o) for x, p, o in facts if p == "<http://e/reading>"))
        for rule, facts in told
        for s, p, _ in facts
        if p == "<http://e/reading>"
    }
    assert len(found) == len(told) == len(graph.prove_contradictions()) == graph.stats()["contradictions"]
    return found


@pytest.mark.parametrize("rule", LINKS)
@pytest.mark.parametrize(("schema", "same_as"), MODES)
def test_two_values_of_one_are_one_contradiction_and_nothing_else(
    schema: SchemaMode, same_as: SameAsMode, rule: str
) -> None:
    with opened(schema, same_as) as graph:
        edit(graph, f"{LINKS[rule]} :s1 :reading 4, 5 . :s2 :reading 4 . :s3 :reading 5 .")
        assert readings(graph) == {"s1 4", "s1 5", "s2 4", "s3 5"}
        assert_apart(graph, rule, 4, 5)
        [proof] = graph.prove_contradictions()
        assert f"by {rule}" in proof.to_text()
        edit(graph, removed=":s1 :reading 5 .")
        assert readings(graph) == {"s1 4", "s2 4", "s3 5"}
        assert graph.contradictions() == []
        edit(graph, ":s1 :reading 6 .")
        assert readings(graph) == {"s1 4", "s1 6", "s2 4", "s3 5"}
        assert_apart(graph, rule, 4, 6)


def assert_apart(graph: KnowledgeGraph, rule: str, *numbers: int) -> None:
    """The values of :s1 are the one contradiction, told by the rule; and of :s1 if the rule speaks of one subject."""
    if rule in OF_SUBJECTS:
        values = frozenset(map(integer, numbers))
        assert values_of(graph) == {(f"{rule}-literals", "<http://e/s1>", values)}
    else:
        (found,) = graph.contradictions()
        assert found.rule == f"{rule}-literals"
        assert {term for fact in found.facts for term in fact.terms} >= {*map(integer, numbers)}


@pytest.mark.parametrize("rule", OF_SUBJECTS)
@pytest.mark.parametrize(("schema", "same_as"), MODES)
def test_each_subject_with_two_values_is_a_contradiction(schema: SchemaMode, same_as: SameAsMode, rule: str) -> None:
    with opened(schema, same_as) as graph:
        edit(graph, f"{LINKS[rule]} :s2 a :Sensor . :s1 :reading 4, 5 . :s2 :reading 5, 4 .")
        both = frozenset([integer(4), integer(5)])
        expected = {(f"{rule}-literals", f"<http://e/{subject}>", both) for subject in ("s1", "s2")}
        assert values_of(graph) == expected
        edit(graph, removed=":s1 :reading 4 .")
        assert {subject for _, subject, _ in values_of(graph)} == {"<http://e/s2>"}
        edit(graph, ":s1 :reading 4 .")
        assert values_of(graph) == expected
        edit(graph, removed=LINKS[rule])
        assert graph.contradictions() == []
        edit(graph, LINKS[rule])
        assert values_of(graph) == expected


@pytest.mark.parametrize(("schema", "same_as"), MODES)
def test_two_spellings_of_a_value_are_one_value(schema: SchemaMode, same_as: SameAsMode) -> None:
    with opened(schema, same_as) as graph:
        edit(graph, f'{LINKS["prp-fp"]} :s1 :reading 4, "04"^^xsd:integer, 4.0 .')
        assert graph.contradictions() == []
        edit(graph, ":s1 :reading 5 .")
        assert {(rule, subject) for rule, subject, _ in values_of(graph)} == {("prp-fp-literals", "<http://e/s1>")}
        assert same_as == "rules" or len(graph.contradictions()) == 1


@pytest.mark.parametrize(("schema", "same_as"), MODES)
def test_two_values_are_told_as_well_where_other_rules_make_them_one(schema: SchemaMode, same_as: SameAsMode) -> None:
    """By an inverse functional property they are one as well; the subject is told, and the pair not again."""
    with opened(schema, same_as) as graph:
        edit(graph, f"{LINKS['prp-fp']} {LINKS['prp-ifp']} :s1 :reading 4, 5 . :s2 :reading 4 .")
        assert {rule for rule, _, _ in values_of(graph)} == {"prp-fp-literals"}
        edit(graph, removed=LINKS["prp-fp"])
        assert_apart(graph, "prp-ifp", 4, 5)


@pytest.mark.parametrize(("schema", "same_as"), MODES)
def test_a_rule_of_the_user_makes_them_one_contradiction_too(schema: SchemaMode, same_as: SameAsMode) -> None:
    with opened(schema, same_as) as graph:
        graph.update("INSERT DATA { <http://e/s1> <http://e/reading> 4, 5 . <http://e/s2> <http://e/reading> 4 }")
        with graph.transaction() as tx:
            tx.add_rules(OWN)
        assert readings(graph) == {"s1 4", "s1 5", "s2 4"}
        assert wrong(graph) == differ(4, 5)


@pytest.mark.parametrize(("schema", "same_as"), MODES)
def test_to_the_letter_of_the_tables_they_are_equal(schema: SchemaMode, same_as: SameAsMode) -> None:
    with opened(schema, same_as, "owl2rl+eq-literals") as graph:
        edit(graph, f"{LINKS['prp-fp']} :s1 :reading 4, 5 . :s2 :reading 4 .")
        shown = {"s2 5"} if same_as != "representatives" else set()
        assert readings(graph) == {"s1 4", "s1 5", "s2 4"} | shown
        assert graph.contradictions()
        edit(graph, removed=":s1 :reading 5 .")
        assert readings(graph) == {"s1 4", "s2 4"}
        assert graph.contradictions() == []


@pytest.mark.parametrize(("schema", "same_as"), MODES)
def test_of_values_that_are_not_known_nothing_is_known(schema: SchemaMode, same_as: SameAsMode) -> None:
    """They may be equal, and are made equal."""
    with opened(schema, same_as) as graph:
        edit(graph, f'{LINKS["prp-fp"]} :s1 :reading "a"^^:known, "b"^^:known . :s2 :reading "a"^^:known .')
        assert ("s2 b" in readings(graph)) == (same_as != "representatives")
        assert graph.contradictions() == []


@pytest.mark.parametrize("same_as", get_args(SameAsMode))
def test_a_literal_without_value_is_equal_to_nothing(same_as: SameAsMode) -> None:
    with opened("axioms", same_as) as graph:
        edit(graph, f'{LINKS["prp-fp"]} :s1 :reading 4, "x"^^xsd:integer . :s2 :reading 4 .')
        assert readings(graph) == {"s1 4", "s1 x", "s2 4"}
        assert {each.rule for each in graph.contradictions()} == {"dt-not-type-ill"}


@pytest.mark.parametrize("same_as", get_args(SameAsMode))
def test_a_term_equal_to_two_values_is_in_the_triples_of_both(same_as: SameAsMode) -> None:
    """The two are different all the same, and that is a contradiction."""
    with opened("axioms", same_as) as graph:
        edit(graph, ":a owl:sameAs 4, 5 . :s1 :reading 4 .")
        assert {"s1 a", "s1 4"} & readings(graph)
        assert {each.rule.removesuffix("-self") for each in graph.contradictions()} == {"eq-diff1"}
        edit(graph, removed=":a owl:sameAs 5 .")
        assert graph.contradictions() == []
        assert "s1 5" not in readings(graph)


@pytest.mark.parametrize(("schema", "same_as"), MODES)
def test_a_link_that_goes_and_comes_in_one_commit_is_followed(schema: SchemaMode, same_as: SameAsMode) -> None:
    materializer = Materializer(select(["owl2rl"], schema, same_as))
    rows = rows_of(materializer, in_default(triples("p rdf:type owl:FunctionalProperty . a p b . a p c . b q d")))
    link = rows_of(materializer, in_default(triples("a p c")))
    materializer.change(Edit(added=rows))
    materializer.accept()
    before = triples_of(materializer)
    materializer.change(Edit(removed=link))
    assert triples_of(materializer) != before
    materializer.change(Edit(added=link))
    materializer.accept()
    assert triples_of(materializer) == before


@pytest.mark.parametrize(("schema", "same_as"), MODES)
def test_a_link_between_values_goes_with_its_reason(schema: SchemaMode, same_as: SameAsMode) -> None:
    with opened(schema, same_as) as graph:
        edit(graph, ":reading a owl:FunctionalProperty . :a :reading :b . :c :reading :d, 4 .")
        before = links_of(graph)
        edit(graph, ":e owl:sameAs :f . :a :reading :g . :c :reading 5 .")
        assert len(links_of(graph)) > len(before)
        edit(graph, removed=":e owl:sameAs :f . :a :reading :g . :c :reading 5 .")
        assert links_of(graph) == before


def links_of(graph: KnowledgeGraph) -> set[tuple[int, ...]]:
    materializer = graph._committer().materializer
    rows = materializer.save().facts_of_relations(materializer.dictionary.find(["dt_may_equal/2"]))
    return {tuple(row) for row in rows.tolist()}
