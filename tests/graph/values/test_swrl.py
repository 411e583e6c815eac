"""SWRL rules in a graph: which individuals are different, and constants of rdf:PlainLiteral."""

from __future__ import annotations

from itertools import permutations

import pytest

from kgreason.graph.knowledge_graph import KnowledgeGraph

PREFIXES = """PREFIX : <http://e/> PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> PREFIX swrl: <http://www.w3.org/2003/11/swrl#>
PREFIX swrlb: <http://www.w3.org/2003/11/swrlb#>"""
RIVALS = """:x a swrl:Variable . :y a swrl:Variable . :r a swrl:Imp ;
    swrl:body ( [ a swrl:ClassAtom ; swrl:classPredicate :Player ; swrl:argument1 :x ]
        [ a swrl:ClassAtom ; swrl:classPredicate :Player ; swrl:argument1 :y ]
        [ a swrl:DifferentIndividualsAtom ; swrl:argument1 :x ; swrl:argument2 :y ] ) ;
    swrl:head ( [ a swrl:IndividualPropertyAtom ; swrl:propertyPredicate :rival ;
        swrl:argument1 :x ; swrl:argument2 :y ] ) .
    :a a :Player . :b a :Player . :c a :Player ."""
SAYS = """:x a swrl:Variable . :n a swrl:Variable . :r a swrl:Imp ;
    swrl:body ( [ a swrl:DatavaluedPropertyAtom ; swrl:propertyPredicate :says ; swrl:argument1 :x ; swrl:argument2 :n ]
        [ a swrl:BuiltinAtom ; swrl:builtin swrlb:equal ; swrl:arguments ( :n CONSTANT ) ] ) ;
    swrl:head ( [ a swrl:ClassAtom ; swrl:classPredicate :Fan ; swrl:argument1 :x ] ) ."""


def rivals(graph: KnowledgeGraph) -> set[str]:
    pairs = permutations("abcd", 2)
    return {x + y for x, y in pairs if (f"<http://e/{x}>", "<http://e/rival>", f"<http://e/{y}>") in graph}


DIFFERENT = {
    ":a owl:differentFrom :b": {"ab", "ba"},
    "[] a owl:AllDifferent ; owl:members ( :a :c )": {"ac", "ca"},
    "[] a owl:AllDifferent ; owl:distinctMembers ( :c :d :b )": {"bc", "cb"},
    "[] a owl:AllDifferent ; owl:members ( :a :b :c )": {"ab", "ba", "ac", "ca", "bc", "cb"},
    ":d owl:differentFrom :b . :d owl:sameAs :c": {"bc", "cb", "bd", "db"},
    "[] a owl:AllDisjointClasses ; owl:members ( :a :b )": set[str](),
    "[] a owl:AllDifferent ; owl:members ( :a )": set[str](),
}


@pytest.mark.parametrize("said", DIFFERENT)
def test_different_individuals_are_stated_or_listed(said: str) -> None:
    with KnowledgeGraph.open() as graph:
        graph.update(f"{PREFIXES} INSERT DATA {{ {RIVALS} }}")
        assert rivals(graph) == set()
        graph.update(f"{PREFIXES} INSERT DATA {{ {said} }}")
        assert rivals(graph) == DIFFERENT[said]
        assert not graph.contradictions()
        graph.update(f"{PREFIXES} DELETE {{ ?s ?p ?o }} WHERE {{ ?s a owl:AllDifferent ; ?p ?o }}")
        graph.update(f"{PREFIXES} DELETE WHERE {{ ?s owl:differentFrom ?o }}")
        assert rivals(graph) == set()


def test_members_of_different_lists_need_not_be_different() -> None:
    lists = "[] a owl:AllDifferent ; owl:members ( :a :b ) . [] a owl:AllDifferent ; owl:members ( :c :d )"
    with KnowledgeGraph.open() as graph:
        graph.update(f"{PREFIXES} INSERT DATA {{ {RIVALS} {lists} }}")
        assert rivals(graph) == {"ab", "ba"}


PLAIN = {
    ('"like@"^^rdf:PlainLiteral', '"like"'): True,
    ('"like@EN-gb"^^rdf:PlainLiteral', '"like"@en-GB'): True,
    ('"li@ke@"^^rdf:PlainLiteral', '"li@ke"'): True,
    ('"li\\"ke\\\\@"^^rdf:PlainLiteral', '"li\\"ke\\\\"'): True,
    ('"like@en"^^rdf:PlainLiteral', '"like"'): False,
    ('"like"^^rdf:PlainLiteral', '"like"'): False,
}


@pytest.mark.parametrize(("constant", "value"), PLAIN)
def test_a_plain_literal_is_its_string_in_a_built_in_and_in_an_expression(constant: str, value: str) -> None:
    is_equal = PLAIN[constant, value]
    with KnowledgeGraph.open() as graph:
        graph.update(f"{PREFIXES} INSERT DATA {{ {SAYS.replace('CONSTANT', constant)} :ann :says {value} }}")
        assert bool(graph.query(f"{PREFIXES} ASK {{ :ann a :Fan }}")) == is_equal
    rule = "@prefix : <http://e/> . @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> ."
    rule += f"[?x, a, :Fan] :- [?x, :says, ?n], FILTER(?n = {constant}) ."
    with KnowledgeGraph.open() as graph:
        with graph.transaction() as transaction:
            transaction.add_rules(rule)
        graph.update(f"{PREFIXES} INSERT DATA {{ :ann :says {value} }}")
        assert bool(graph.query(f"{PREFIXES} ASK {{ :ann a :Fan }}")) == is_equal
