"""What entails what: axioms, class expressions, blank nodes, and what has to be left open."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest

import kgreason
from kgreason.entailment.entails import Semantics, unproved_parts
from kgreason.errors import InputError, RdfSyntaxError, RuleError

PREFIXES = """
@prefix : <http://example.org/> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
_NUMBERS = count()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def document(folder: Path, text: str) -> Path:
    path = folder / f"{next(_NUMBERS)}.ttl"
    path.write_text(PREFIXES + text)
    return path


def entails(folder: Path, premise: str, conclusion: str, semantics: Semantics = "direct") -> bool:
    return kgreason.entails(document(folder, premise), document(folder, conclusion), semantics=semantics)


ENTAILED = {
    "a triple": (":a :p :b .", ":a :p :b ."),
    "nothing": (":a :p :b .", ""),
    "a blank node is a variable": (":a :p :b . :b :q :c .", ":a :p [ :q [] ] ."),
    "a contradiction entails everything": (":a a owl:Nothing .", ":x :y :z ."),
    "subclasses": (":A rdfs:subClassOf :B . :B rdfs:subClassOf :C .", ":A rdfs:subClassOf :C ."),
    "a class below itself": ("", ":A rdfs:subClassOf :A , owl:Thing . owl:Nothing rdfs:subClassOf :A ."),
    "a subclass by what its members are": (
        ":A rdfs:subClassOf [ owl:onProperty :p ; owl:hasValue :v ] ."
        "[ owl:onProperty :p ; owl:hasValue :v ] rdfs:subClassOf :B .",
        ":A rdfs:subClassOf :B .",
    ),
    "equal definitions": (
        ":A owl:intersectionOf (:C :D) . :B owl:intersectionOf (:D :C) .",
        ":A owl:equivalentClass :B .",
    ),
    "disjoint by subclasses": (
        ":A rdfs:subClassOf :C . :B rdfs:subClassOf :D . :C owl:disjointWith :D .",
        ":B owl:disjointWith :A . [ a owl:AllDisjointClasses ; owl:members (:A :B) ] .",
    ),
    "a complement is one both ways": (":B owl:complementOf :A .", ":A owl:complementOf :B ."),
    "a complement below": (":A owl:disjointWith :B .", ":A rdfs:subClassOf [ owl:complementOf :B ] ."),
    "a contraposition": (":A rdfs:subClassOf :B . :x a [ owl:complementOf :B ] .", ":x a [ owl:complementOf :A ] ."),
    "the other member of a union": (
        ":x a [ owl:unionOf (:A :B :C) ] , [ owl:complementOf :A ] , [ owl:complementOf :C ] .",
        ":x a :B .",
    ),
    "a union below": (
        ":A rdfs:subClassOf :C . :B rdfs:subClassOf :C .",
        "[ owl:unionOf (:A :B) ] rdfs:subClassOf :C .",
    ),
    "a union above": (":A rdfs:subClassOf :B .", ":A rdfs:subClassOf [ owl:unionOf (:B :C) ] ."),
    "an intersection": (":x a :A , :B .", ":x a [ owl:intersectionOf (:A [ owl:unionOf (:B :C) ]) ] ."),
    "a named definition": (":A rdfs:subClassOf :B . :B rdfs:subClassOf :A .", ":A owl:unionOf (:A :B) ."),
    "some values": (":x :p :y . :y a :A .", ":x a [ owl:onProperty :p ; owl:someValuesFrom :A ] ."),
    "some values above": (
        ":p rdfs:range :A .",
        "[ owl:onProperty :p ; owl:someValuesFrom owl:Thing ] rdfs:subClassOf "
        "[ owl:onProperty :p ; owl:someValuesFrom :A ] .",
    ),
    "only values": (":p rdfs:range :A .", ":x a [ owl:onProperty :p ; owl:allValuesFrom :A ] ."),
    "only none are some complement": (
        ":x a [ owl:onProperty :p ; owl:allValuesFrom :B ] . :A owl:disjointWith :B .",
        ":x a [ owl:complementOf [ owl:onProperty :p ; owl:someValuesFrom :A ] ] .",
    ),
    "a value": (":x :p :y .", ":x a [ owl:onProperty :p ; owl:hasValue :y ] ."),
    "an enumeration": (":x owl:sameAs :y .", ":x a [ owl:oneOf (:y :z) ] . :y a [ owl:oneOf (:x) ] ."),
    "an enumeration below": (
        ":a a :A . :b a :A .",
        "[ owl:oneOf (:a :b) ] rdfs:subClassOf :A .",
    ),
    "an enumeration of the premises": (
        ":A owl:oneOf (:a) . :B owl:oneOf (:b) . :C owl:oneOf (:b :a) .",
        ":C owl:unionOf (:A :B) .",
    ),
    "one member is one value": (
        ":p rdfs:range [ owl:oneOf (:a) ] .",
        ":p a owl:FunctionalProperty .",
    ),
    "at most none": (
        ":p rdfs:domain :A . :x a [ owl:complementOf :A ] .",
        ':x a [ owl:onProperty :p ; owl:maxCardinality "0"^^xsd:nonNegativeInteger ] .',
    ),
    "at most two": (
        ":p a owl:FunctionalProperty .",
        ':x a [ owl:onProperty :p ; owl:maxCardinality "2"^^xsd:nonNegativeInteger ] .',
    ),
    "at least two": (
        ":x :p :y , :z . :y a :A . :z a :B . :A owl:disjointWith :B .",
        ':x a [ owl:onProperty :p ; owl:minCardinality "2"^^xsd:nonNegativeInteger ] .',
    ),
    "exactly one": (
        ":p a owl:FunctionalProperty . :x :p :y .",
        ':x a [ owl:onProperty :p ; owl:cardinality "1"^^xsd:nonNegativeInteger ] .',
    ),
    "one of a class": (
        ":x :p :y . :y a :A .",
        ':x a [ owl:onProperty :p ; owl:minQualifiedCardinality "1"^^xsd:nonNegativeInteger ; owl:onClass :A ] .',
    ),
    "oneself": (":x :p :x .", ":x a [ owl:onProperty :p ; owl:hasSelf true ] ."),
    "a reflexive property": (
        ":p a owl:ReflexiveProperty .",
        ":x :p :x ; a [ owl:onProperty :p ; owl:hasSelf true ] , [ owl:onProperty :p ; owl:hasValue :x ] .",
    ),
    "subproperties": (
        ":p rdfs:subPropertyOf :q . :q rdfs:subPropertyOf :p .",
        ":p rdfs:subPropertyOf :q ; owl:equivalentProperty :q .",
    ),
    "an inverse": (":p owl:inverseOf :q .", ":q owl:inverseOf :p ."),
    "an inverse of an inverse": (":p owl:inverseOf :q . :q owl:inverseOf :r .", ":p owl:equivalentProperty :r ."),
    "an inverse that is written": (":p owl:inverseOf :q .", ":p rdfs:subPropertyOf [ owl:inverseOf :q ] ."),
    "domain and range": (
        ":p rdfs:subPropertyOf :q . :q rdfs:domain :A ; rdfs:range [ owl:intersectionOf (:A :B) ] .",
        ":p rdfs:domain :A ; rdfs:range :B .",
    ),
    "functional by a superproperty": (
        ":p rdfs:subPropertyOf :q . :q a owl:FunctionalProperty , owl:InverseFunctionalProperty .",
        ":p a owl:FunctionalProperty , owl:InverseFunctionalProperty .",
    ),
    "functional by a class": (
        ':p rdfs:domain [ owl:onProperty :p ; owl:maxCardinality "1"^^xsd:nonNegativeInteger ] .',
        ":p a owl:FunctionalProperty .",
    ),
    "symmetric": (":p owl:inverseOf :p .", ":p a owl:SymmetricProperty ."),
    "asymmetric and irreflexive": (
        ":p rdfs:domain :A ; rdfs:range :B . :A owl:disjointWith :B .",
        ":p a owl:AsymmetricProperty , owl:IrreflexiveProperty .",
    ),
    "transitive": (":p owl:propertyChainAxiom (:p :p) .", ":p a owl:TransitiveProperty ."),
    "a chain": (
        ":p a owl:TransitiveProperty . :q rdfs:subPropertyOf :p .",
        ":p owl:propertyChainAxiom (:q :p :q) .",
    ),
    "disjoint properties": (
        ":p rdfs:domain :A . :q rdfs:domain :B . :A owl:disjointWith :B .",
        ":p owl:propertyDisjointWith :q . [ a owl:AllDisjointProperties ; owl:members (:p :q) ] .",
    ),
    "a key": (":p a owl:InverseFunctionalProperty .", ":A owl:hasKey (:q :p) ."),
    "a negative assertion": (
        ":p rdfs:domain :A . :x a [ owl:complementOf :A ] .",
        "[ a owl:NegativePropertyAssertion ; owl:sourceIndividual :x ; owl:assertionProperty :p ;"
        " owl:targetIndividual :y ] .",
    ),
    "different": (
        ":x a :A . :y a :B . :z a :C . [ a owl:AllDisjointClasses ; owl:members (:A :B :C) ] .",
        ":x owl:differentFrom :z . [ a owl:AllDifferent ; owl:distinctMembers (:x :y :z) ] .",
    ),
    "same": (":x owl:sameAs :y .", ":y owl:sameAs :x . :z owl:sameAs :z ."),
    "an individual in an expression": (
        ":a :p :b . :b :q :c .",
        ":a :p [ a [ owl:onProperty :q ; owl:someValuesFrom owl:Thing ] ] .",
    ),
    "a literal in a class": (':a :p "x" . :p rdfs:range :A .', ":a :p [ a :A ] ."),
    "the same list": (":A owl:oneOf (:x :y) .", ":A owl:oneOf (:x :y) ."),
    "declarations and remarks say nothing": (
        ":n a owl:AnnotationProperty .",
        "<http://example.org/doc> a owl:Ontology ; owl:imports <http://example.org/d> . :A a owl:Class ; :n 1 ;"
        ' rdfs:label "A" . [ a owl:Axiom ; owl:annotatedSource :A ] .',
    ),
}
OPEN = {
    "another triple": (":a :p :b .", ":b :p :a ."),
    "a blank node that nothing is": (":a :p :b . :c :q :d .", ":a :p [ :q [] ] ."),
    "a superclass below": (":A rdfs:subClassOf :B .", ":B rdfs:subClassOf :A ."),
    "half of an equivalence": (":A rdfs:subClassOf :B .", ":A owl:equivalentClass :B ."),
    "two of three": (
        ":A owl:disjointWith :B . :B owl:disjointWith :C .",
        "[ a owl:AllDisjointClasses ; owl:members (:A :B :C) ] .",
    ),
    "one of a union": (":x a [ owl:unionOf (:A :B) ] .", ":x a :A ."),
    "a definition by half of itself": (":A rdfs:subClassOf :B .", ":A owl:intersectionOf (:B :C) ."),
    "a member that is not listed": (":A owl:oneOf (:a) .", ":A rdfs:subClassOf [ owl:oneOf (:b) ] ."),
    "two members are two values": (":p rdfs:range [ owl:oneOf (:a :b) ] .", ":p a owl:FunctionalProperty ."),
    "some values of another class": (":x :p :y .", ":x a [ owl:onProperty :p ; owl:someValuesFrom :A ] ."),
    "only values that are known": (":x :p :y . :y a :A .", ":x a [ owl:onProperty :p ; owl:allValuesFrom :A ] ."),
    "values that may be one": (
        ":x :p :y , :z .",
        ':x a [ owl:onProperty :p ; owl:minCardinality "2"^^xsd:nonNegativeInteger ] .',
    ),
    "at most one": (
        ":x :p :y .",
        ':x a [ owl:onProperty :p ; owl:maxCardinality "1"^^xsd:nonNegativeInteger ] .',
    ),
    "a functional subproperty": (
        ":p rdfs:subPropertyOf :q . :p a owl:FunctionalProperty .",
        ":q a owl:FunctionalProperty .",
    ),
    "symmetric facts": (":x :p :y . :y :p :x .", ":p a owl:SymmetricProperty ."),
    "names of two": (":x a :A . :y a :B .", ":x owl:differentFrom :y ."),
    "oneself": (":x :p :y .", ":x a [ owl:onProperty :p ; owl:hasSelf true ] ."),
    "a reflexive property": (":p a owl:ReflexiveProperty .", ":x :p :y ."),
    "a chain the other way": (":p owl:propertyChainAxiom (:q :r) .", ":p owl:propertyChainAxiom (:r :q) ."),
    "part of a key": (":A owl:hasKey (:p :q) .", ":A owl:hasKey (:p) ."),
    "a circle of expressions": (
        ":x a :A .",
        ":x a _:c . _:c owl:intersectionOf (:A _:c) .",
    ),
    "what is no self restriction": (":x :p :x .", ":x a [ owl:onProperty :p ; owl:hasSelf false ] ."),
    "a count that does not say of what": (
        ":x :p :y .",
        ':x a [ owl:onProperty :p ; owl:minQualifiedCardinality "1"^^xsd:nonNegativeInteger ] .',
    ),
    "an ontology that is an individual besides": (":a a :C .", ":a a owl:Ontology , :D ."),
    "a fact about an ontology": (":a a :C . :p a owl:ObjectProperty .", ":a a owl:Ontology ; :p :b ."),
    "a list by name that the premise has as well": (
        ":C owl:unionOf :l . :l rdf:first :A ; rdf:rest () .",
        "[] owl:unionOf :l . :l rdf:first :B ; rdf:rest () . :B rdfs:subClassOf :C .",
    ),
    "an expression of two kinds": (":x a :A .", ":x a [ owl:unionOf (:A) ; owl:intersectionOf (:A :B) ] ."),
}


@pytest.mark.parametrize(("premise", "conclusion"), ENTAILED.values(), ids=list(ENTAILED))
def test_entailed(folder: Path, premise: str, conclusion: str) -> None:
    assert entails(folder, premise, conclusion)


@pytest.mark.parametrize(("premise", "conclusion"), OPEN.values(), ids=list(OPEN))
def test_open(folder: Path, premise: str, conclusion: str) -> None:
    assert not entails(folder, premise, conclusion)


@pytest.mark.parametrize(("premise", "conclusion"), [*ENTAILED.values(), *OPEN.values()])
def test_an_asserted_axiom_is_entailed(folder: Path, premise: str, conclusion: str) -> None:
    path = document(folder, premise + conclusion)
    assert kgreason.entails(path, path)


def test_rdf_based_semantics_take_every_triple(folder: Path) -> None:
    assert not entails(folder, ":x a :A .", ":A a owl:Class .", "rdf-based")
    assert not entails(folder, ":x a :A .", ":x a [ owl:unionOf (:A :B) ] .", "rdf-based")
    assert entails(folder, ":B owl:unionOf (:A) . :x a :A .", ":x a [ owl:unionOf ([]) ] .", "rdf-based")
    assert entails(folder, ":A owl:sameAs :B . :x a :A .", ":A owl:equivalentClass :B .", "rdf-based")


@pytest.mark.parametrize(
    ("premise", "conclusion"),
    [
        (":x a :A .", ":A rdfs:subClassOf :A , owl:Thing ."),
        (":q rdfs:domain :A .", ":A rdfs:subClassOf :A ."),
        (":A owl:unionOf () .", ":A rdfs:subClassOf :A ."),
        (":x :p :y .", ":p rdfs:subPropertyOf :p ."),
        (":p a owl:ObjectProperty . :A a owl:Class .", ":p rdfs:subPropertyOf :p ; rdfs:domain owl:Thing ."),
    ],
)
def test_under_rdf_based_semantics_an_axiom_says_what_its_names_are_of(
    folder: Path, premise: str, conclusion: str
) -> None:
    assert entails(folder, premise, conclusion, "rdf-based")
    assert not entails(folder, ":x :y :z .", conclusion, "rdf-based")
    assert entails(folder, ":x :y :z .", conclusion)


def test_without_owl_a_conclusion_is_a_graph(folder: Path) -> None:
    premise = document(folder, ":p rdfs:domain :A . :A rdfs:subClassOf :B . :x :p :y ; rdf:_7 :z .")
    rules = ["rdfs+container+axiomatic"]
    assert kgreason.entails(premise, document(folder, ":x a :B ; rdfs:member [] ."), rules=rules)
    assert not kgreason.entails(premise, document(folder, ":p rdfs:domain :B ."), rules=rules)
    assert kgreason.entails(premise, document(folder, ":p rdfs:domain :B ."))
    assert not kgreason.entails(premise, document(folder, ":x a :B ."), rules=["none"])


RDFS = {
    "RDF: properties and lists": ("", "rdf:type a rdf:Property . rdf:value a rdf:Property . rdf:nil a rdf:List ."),
    "reification": (":s rdf:subject :x .", ":s a rdf:Statement . rdf:object rdfs:domain rdf:Statement ."),
    "lists": (":l rdf:rest :m .", ":l a rdf:List . :m a rdf:List . rdf:rest rdfs:range rdf:List ."),
    "containers": ("", "rdf:Bag rdfs:subClassOf rdfs:Container . rdf:_7 a rdfs:ContainerMembershipProperty ."),
    "members": (
        ":a rdf:_2 5 .",
        ":a rdfs:member 5 , [ a xsd:integer , rdfs:Literal ] . rdf:_2 rdfs:domain rdfs:Resource .",
    ),
    "a membership property that nobody names": (":a :p :b .", "[] a rdfs:ContainerMembershipProperty ."),
    "classes": ("", "rdfs:Literal a rdfs:Class . rdfs:Class rdfs:subClassOf rdfs:Resource , rdfs:Class ."),
    "properties": (":a :p :b .", ":p a rdf:Property ; rdfs:subPropertyOf :p ."),
    "resources": (":a :p 5 .", ":a a rdfs:Resource ; :p [ a rdfs:Resource ] . :nobody a rdfs:Resource ."),
    "a literal of its datatype": (":a :p 5 .", ":a :p [ a xsd:integer ] ."),
    "a literal of a datatype that nobody names": (
        ":a :p 5 .",
        ":a :p [ a [ a rdfs:Datatype ; rdfs:subClassOf rdfs:Literal ] ] .",
    ),
    "a literal of a wider datatype": (":a :p 5 .", ":a :p [ a xsd:decimal ] ."),
    "a string, and a tagged one": (":a :p 'x' , 'x'@en .", ":a :p [ a xsd:string ] , [ a rdf:langString ] ."),
    "a literal in a range": (":p rdfs:range :C . :a :p 5 .", ":a :p [ a :C , xsd:integer ] ."),
    "labels": (":a rdfs:label 'a' .", ":a rdfs:label [ a rdfs:Literal ] ."),
    "a datatype": (":d a rdfs:Datatype .", ":d rdfs:subClassOf rdfs:Literal . :d a rdfs:Class ."),
    "a recognized datatype": (":x a xsd:date .", "xsd:date a rdfs:Datatype . :x a rdfs:Literal ."),
    "an ill-typed literal": (":a :p 'x'^^xsd:integer .", ":any :thing :follows ."),
    "a literal outside of a range": (":p rdfs:range xsd:integer . :a :p 'x' .", ":any :thing :follows ."),
}
NOT_RDFS = {
    "a class of which nothing is known": (":a :p :b .", ":A rdfs:subClassOf :A ."),
    "a datatype of which nothing is known": (":a :p 'x'^^:d .", ":a :p [ a :d ] ."),
    "a literal for a resource": (":a :p :b .", ":a :p [ a rdfs:Literal ] ."),
    "datatypes are classes, not sets": ("", "xsd:integer rdfs:subClassOf xsd:decimal ."),
    "values of another datatype": (":a :p 5 .", ":a :p [ a xsd:string ] ."),
    "a subclass by its members": (":a a :A , :B .", ":A rdfs:subClassOf :B ."),
}


@pytest.mark.parametrize("rules", ["rdfs", "rdfs+axiomatic"])
@pytest.mark.parametrize(("premise", "conclusion"), RDFS.values(), ids=RDFS)
def test_rdfs_entailment_is_complete(folder: Path, premise: str, conclusion: str, rules: str) -> None:
    assert kgreason.entails(document(folder, premise), document(folder, conclusion), rules=rules)


@pytest.mark.parametrize(("premise", "conclusion"), NOT_RDFS.values(), ids=NOT_RDFS)
def test_rdfs_does_not_entail_more_than_it_should(folder: Path, premise: str, conclusion: str) -> None:
    assert not kgreason.entails(document(folder, premise), document(folder, conclusion), rules="rdfs")


def test_materialization_under_rdfs_stays_quiet(folder: Path) -> None:
    with kgreason.KnowledgeGraph.open(rules=["rdfs"]) as graph:
        graph.load(document(folder, ":a rdf:_1 5 . :A rdfs:subClassOf :B . :a a :A ."))
        assert graph.stats()["inferred"] == 1


def test_several_files_are_one_graph(folder: Path) -> None:
    premises = [document(folder, ":A rdfs:subClassOf :B ."), document(folder, ":x a :A .")]
    assert kgreason.entails(premises, [document(folder, ":x a :B ."), document(folder, ":x a :A .")])


def test_imports_come_from_a_catalogue(folder: Path) -> None:
    imported = folder / "imported"
    imported.mkdir()
    document(imported, "<http://example.org/doc> a owl:Ontology . :A rdfs:subClassOf :B . :A owl:disjointWith :B .")
    premise = document(folder, "[] a owl:Ontology ; owl:imports <http://example.org/doc> . :x a :A .")
    conclusion = document(folder, ":x a :B .")
    assert kgreason.entails(premise, conclusion, catalogue=imported)
    assert not kgreason.entails(premise, conclusion)
    assert [each.rule for each in kgreason.check(premise, catalogue=imported)] == ["cax-dw"]
    assert not kgreason.check(premise)


def test_a_missing_conclusion_is_named(folder: Path) -> None:
    premise = document(folder, ":A rdfs:subClassOf :B .")
    conclusion = document(folder, ":A rdfs:subClassOf :B . :B rdfs:subClassOf :A . :x a :A .")
    parts = set(unproved_parts(premise, conclusion))
    e, rdfs = "http://example.org/", "http://www.w3.org/2000/01/rdf-schema#"
    type_ = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
    assert parts == {
        ((f"<{e}B>", f"<{rdfs}subClassOf>", f"<{e}A>"),),
        ((f"<{e}x>", type_, f"<{e}A>"),),
    }


def test_errors(folder: Path) -> None:
    good, bad = document(folder, ""), document(folder, ":a :p")
    with pytest.raises(RdfSyntaxError):
        kgreason.entails(good, bad)
    with pytest.raises(InputError):
        kgreason.check(folder / "missing.ttl")
    with pytest.raises(RuleError, match="unknown rule group 'thin'"):
        kgreason.check(good, rules=["owl2rl+thin"])
