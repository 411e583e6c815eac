"""One axiom of each construct, and the rules that the OWL 2 RL tables give for it."""

from __future__ import annotations

from tests.tables import table

from .reading import rules, translated

CASES = {
    "domain": (":p rdfs:domain :C .", "@rule prp-dom [?x, a, :C] :- [?x, :p, ?y] ."),
    "range": (":p rdfs:range :C .", "@rule prp-rng [?y, a, :C] :- [?x, :p, ?y] ."),
    "datatype range": (":p rdfs:range xsd:integer .", "@rule prp-rng [?y, a, xsd:integer] :- [?x, :p, ?y] ."),
    "functional": (
        ":p a owl:FunctionalProperty .",
        """@rule prp-fp [?y, owl:sameAs, ?z] :- [?x, :p, ?y], [?x, :p, ?z] .
           @rule prp-fp-literals false :- [?x, :p, ?y], [?x, :p, ?z], dt_differ(?y, ?z) .""",
    ),
    "inverse functional": (
        ":p a owl:InverseFunctionalProperty .",
        """@rule prp-ifp [?x, owl:sameAs, ?y] :- [?x, :p, ?z], [?y, :p, ?z] .
           @rule prp-ifp-literals false :- [?x, :p, ?z], [?y, :p, ?z], dt_differ(?x, ?y) .""",
    ),
    "irreflexive": (":p a owl:IrreflexiveProperty .", "@rule prp-irp false :- [?x, :p, ?x] ."),
    "symmetric": (":p a owl:SymmetricProperty .", "@rule prp-symp [?y, :p, ?x] :- [?x, :p, ?y] ."),
    "asymmetric": (":p a owl:AsymmetricProperty .", "@rule prp-asyp false :- [?x, :p, ?y], [?y, :p, ?x] ."),
    "transitive": (
        ":p a owl:TransitiveProperty .",
        "@rule prp-trp [?x, :p, ?z] :- [?x, :p, ?y], [?y, :p, ?z] .",
    ),
    "subPropertyOf": (":p rdfs:subPropertyOf :q .", "@rule prp-spo1 [?x, :q, ?y] :- [?x, :p, ?y] ."),
    "chain of one": (":p owl:propertyChainAxiom ( :q ) .", "@rule prp-spo2 [?x, :p, ?y] :- [?x, :q, ?y] ."),
    "chain of three": (
        ":p owl:propertyChainAxiom ( :q :r :q ) .",
        "@rule prp-spo2 [?a, :p, ?d] :- [?a, :q, ?b], [?b, :r, ?c], [?c, :q, ?d] .",
    ),
    "equivalentProperty": (
        ":p owl:equivalentProperty :q .",
        "@rule prp-eqp1 [?x, :q, ?y] :- [?x, :p, ?y] . @rule prp-eqp2 [?x, :p, ?y] :- [?x, :q, ?y] .",
    ),
    "propertyDisjointWith": (
        ":p owl:propertyDisjointWith :q .",
        "@rule prp-pdw false :- [?x, :p, ?y], [?x, :q, ?y] .",
    ),
    "AllDisjointProperties": (
        "[] a owl:AllDisjointProperties ; owl:members ( :p :q :r ) .",
        """@rule prp-adp false :- [?x, :p, ?y], [?x, :q, ?y] .
           @rule prp-adp false :- [?x, :p, ?y], [?x, :r, ?y] .
           @rule prp-adp false :- [?x, :q, ?y], [?x, :r, ?y] .""",
    ),
    "inverseOf": (
        ":p owl:inverseOf :q .",
        "@rule prp-inv1 [?y, :q, ?x] :- [?x, :p, ?y] . @rule prp-inv2 [?y, :p, ?x] :- [?x, :q, ?y] .",
    ),
    "hasKey": (
        ":C owl:hasKey ( :p :q ) .",
        """@rule prp-key [?x, owl:sameAs, ?y] :-
               [?x, a, :C], [?y, a, :C], [?x, :p, ?z], [?y, :p, ?z], [?x, :q, ?w], [?y, :q, ?w] .
           @rule prp-key-literals false :-
               [?x, a, :C], [?y, a, :C], [?x, :p, ?z], [?y, :p, ?z], [?x, :q, ?w], [?y, :q, ?w], dt_differ(?x, ?y) .""",
    ),
    "negative assertion": (
        "[] owl:sourceIndividual :i ; owl:assertionProperty :p ; owl:targetIndividual :j .",
        "@rule prp-npa1 false :- [:i, :p, :j] .",
    ),
    "negative assertion of a value": (
        '[] owl:sourceIndividual :i ; owl:assertionProperty :p ; owl:targetValue "1"@EN .',
        '@rule prp-npa2 false :- [:i, :p, "1"@en] .',
    ),
    "intersectionOf": (
        ":C owl:intersectionOf ( :A :B ) .",
        """@rule cls-int1 [?y, a, :C] :- [?y, a, :A], [?y, a, :B] .
           @rule cls-int2 [?y, a, :A] :- [?y, a, :C] . @rule cls-int2 [?y, a, :B] :- [?y, a, :C] .""",
    ),
    "intersectionOf one": (
        ":C owl:intersectionOf ( :A ) .",
        "@rule cls-int1 [?y, a, :C] :- [?y, a, :A] . @rule cls-int2 [?y, a, :A] :- [?y, a, :C] .",
    ),
    "intersectionOf none": (":C owl:intersectionOf () .", ""),
    "unionOf": (
        ":C owl:unionOf ( :A :B ) .",
        "@rule cls-uni [?y, a, :C] :- [?y, a, :A] . @rule cls-uni [?y, a, :C] :- [?y, a, :B] .",
    ),
    "unionOf none": (":C owl:unionOf () .", ""),
    "complementOf": (":C owl:complementOf :D .", "@rule cls-com false :- [?x, a, :C], [?x, a, :D] ."),
    "someValuesFrom": (
        "_:r owl:onProperty :p ; owl:someValuesFrom :C .",
        "@rule cls-svf1 [?u, a, _:r] :- [?u, :p, ?v], [?v, a, :C] .",
    ),
    "someValuesFrom owl:Thing": (
        "_:r owl:onProperty :p ; owl:someValuesFrom owl:Thing .",
        "@rule cls-svf2 [?u, a, _:r] :- [?u, :p, ?v] .",
    ),
    "someValuesFrom without a property": ("_:r owl:someValuesFrom :C .", ""),
    "allValuesFrom": (
        "_:r owl:onProperty :p ; owl:allValuesFrom :C .",
        "@rule cls-avf [?v, a, :C] :- [?u, a, _:r], [?u, :p, ?v] .",
    ),
    "hasValue": (
        ":r owl:onProperty :p ; owl:hasValue 7 .",
        "@rule cls-hv1 [?u, :p, 7] :- [?u, a, :r] . @rule cls-hv2 [?u, a, :r] :- [?u, :p, 7] .",
    ),
    "maxCardinality 0": (
        ':r owl:onProperty :p ; owl:maxCardinality "0"^^xsd:nonNegativeInteger .',
        "@rule cls-maxc1 false :- [?u, a, :r], [?u, :p, ?y] .",
    ),
    "maxCardinality 1": (
        ':r owl:onProperty :p ; owl:maxCardinality "1"^^xsd:nonNegativeInteger .',
        """@rule cls-maxc2 [?y, owl:sameAs, ?z] :- [?u, a, :r], [?u, :p, ?y], [?u, :p, ?z] .
           @rule cls-maxc2-literals false :- [?u, a, :r], [?u, :p, ?y], [?u, :p, ?z], dt_differ(?y, ?z) .""",
    ),
    "maxCardinality of an equal value": (
        ':r owl:onProperty :p ; owl:maxCardinality "+00"^^xsd:int .',
        "@rule cls-maxc1 false :- [?u, a, :r], [?u, :p, ?y] .",
    ),
    "maxCardinality that no row has": (
        """:r owl:onProperty :p ; owl:maxCardinality 2 , 10 , -1 , "1" , "1"^^xsd:double .""",
        "",
    ),
    "maxQualifiedCardinality 0": (
        ":r owl:onProperty :p ; owl:onClass :C ; owl:maxQualifiedCardinality 0 .",
        "@rule cls-maxqc1 false :- [?u, a, :r], [?u, :p, ?y], [?y, a, :C] .",
    ),
    "maxQualifiedCardinality 0 owl:Thing": (
        ":r owl:onProperty :p ; owl:onClass owl:Thing ; owl:maxQualifiedCardinality 0 .",
        "@rule cls-maxqc2 false :- [?u, a, :r], [?u, :p, ?y] .",
    ),
    "maxQualifiedCardinality 1": (
        ":r owl:onProperty :p ; owl:onClass :C ; owl:maxQualifiedCardinality 1 .",
        """@rule cls-maxqc3 [?y, owl:sameAs, ?z] :-
               [?u, a, :r], [?u, :p, ?y], [?y, a, :C], [?u, :p, ?z], [?z, a, :C] .
           @rule cls-maxqc3-literals false :-
               [?u, a, :r], [?u, :p, ?y], [?y, a, :C], [?u, :p, ?z], [?z, a, :C], dt_differ(?y, ?z) .""",
    ),
    "maxQualifiedCardinality 1 owl:Thing": (
        ":r owl:onProperty :p ; owl:onClass owl:Thing ; owl:maxQualifiedCardinality 1 .",
        """@rule cls-maxqc4 [?y, owl:sameAs, ?z] :- [?u, a, :r], [?u, :p, ?y], [?u, :p, ?z] .
           @rule cls-maxqc4-literals false :- [?u, a, :r], [?u, :p, ?y], [?u, :p, ?z], dt_differ(?y, ?z) .""",
    ),
    "maxQualifiedCardinality without a class": (":r owl:onProperty :p ; owl:maxQualifiedCardinality 0 .", ""),
    "oneOf": (":C owl:oneOf ( :i 2 ) .", "@rule cls-oo [:i, a, :C] . @rule cls-oo [2, a, :C] ."),
    "subClassOf": (":C rdfs:subClassOf :D .", "@rule cax-sco [?x, a, :D] :- [?x, a, :C] ."),
    "equivalentClass": (
        ":C owl:equivalentClass :D .",
        "@rule cax-eqc1 [?x, a, :D] :- [?x, a, :C] . @rule cax-eqc2 [?x, a, :C] :- [?x, a, :D] .",
    ),
    "disjointWith": (":C owl:disjointWith :D .", "@rule cax-dw false :- [?x, a, :C], [?x, a, :D] ."),
    "disjointWith itself": (":C owl:disjointWith :C .", "@rule cax-dw false :- [?x, a, :C] ."),
    "AllDisjointClasses": (
        "[] a owl:AllDisjointClasses ; owl:members ( :A :B :C ) .",
        """@rule cax-adc false :- [?x, a, :A], [?x, a, :B] .
           @rule cax-adc false :- [?x, a, :A], [?x, a, :C] .
           @rule cax-adc false :- [?x, a, :B], [?x, a, :C] .""",
    ),
    "AllDifferent members": (
        "[] a owl:AllDifferent ; owl:members ( :i :j :k ) .",
        """@rule eq-diff2 false :- [:i, owl:sameAs, :j] .
           @rule eq-diff2 false :- [:i, owl:sameAs, :k] .
           @rule eq-diff2 false :- [:j, owl:sameAs, :k] .""",
    ),
    "AllDifferent distinctMembers": (
        "[] a owl:AllDifferent ; owl:distinctMembers ( :i :j ) .",
        "@rule eq-diff3 false :- [:i, owl:sameAs, :j] .",
    ),
    "members of no type": ("[] owl:members ( :i :j ) .", ""),
    "no axiom": (':i owl:sameAs :j ; owl:differentFrom :k ; a :C , owl:Thing ; rdfs:label "i" .', ""),
}


@table(("schema", "expected"), CASES.values())
def test_construct(schema: str, expected: str) -> None:
    assert translated(schema) == rules(expected)


def test_two_properties_of_one_restriction_each_count() -> None:
    schema = "_:r owl:onProperty :p , :q ; owl:hasValue 1 ."
    assert len(translated(schema)) == 4


def test_expressions_nest_through_their_nodes() -> None:
    schema = """:C rdfs:subClassOf _:u . _:u owl:unionOf ( :A _:r ) . _:r owl:onProperty :p ; owl:allValuesFrom :B ."""
    expected = """@rule cax-sco [?x, a, _:u] :- [?x, a, :C] .
        @rule cls-uni [?y, a, _:u] :- [?y, a, :A] . @rule cls-uni [?y, a, _:u] :- [?y, a, _:r] .
        @rule cls-avf [?v, a, :B] :- [?u, a, _:r], [?u, :p, ?v] ."""
    assert translated(schema) == rules(expected)
