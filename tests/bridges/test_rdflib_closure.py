"""The idiom of owlrl: the same call, all that owlrl infers, and what is refused."""

from __future__ import annotations

import gzip
import inspect
import logging
from pathlib import Path

import owlrl
import pytest
from rdflib import OWL, RDF, RDFS, XSD, BNode, Dataset, Graph, Literal, Namespace, URIRef
from rdflib.graph import ConjunctiveGraph
from rdflib.term import Node

from kgreason.bridges import rdflib as kgreason_rdflib
from kgreason.bridges.rdflib import DeductiveClosure, OWLRL_Semantics, RDFS_OWLRL_Semantics, RDFS_Semantics
from kgreason.errors import InputError, RuleError
from kgreason.resources import resource

E = Namespace("http://e/")
ERR = Namespace("http://www.daml.org/2002/03/agents/agent-ont#")
PREFIXES = """@prefix : <http://e/> . @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> . """
SEMANTICS = ["RDFS_Semantics", "OWLRL_Semantics", "RDFS_OWLRL_Semantics"]
Triple = tuple[Node, Node, Node]
_VOCABULARY = tuple(str(namespace) for namespace in (OWL._NS, RDF._NS, RDFS._NS, XSD._NS))
_REFLEXIVE = {OWL.sameAs, OWL.equivalentClass, OWL.equivalentProperty, RDFS.subClassOf, RDFS.subPropertyOf}


def is_noise(triple: Triple) -> bool:
    """What owlrl adds that says nothing, or that is no RDF."""
    subject, predicate, object_ = triple
    return (
        isinstance(subject, Literal)
        or (isinstance(subject, URIRef) and str(subject).startswith(_VOCABULARY))
        or (subject == object_ and predicate in _REFLEXIVE)
        or object_ in (OWL.Thing, RDFS.Resource, RDFS.Literal, RDF.Property, OWL.DataRange)
    )


def both(data: Graph, semantics: str, **options: bool) -> tuple[set[Triple], set[Triple]]:
    """What owlrl makes of a graph, and what kgreason does."""
    theirs, ours = Graph(), Graph()
    for triple in data:
        theirs.add(triple)
        ours.add(triple)
    owlrl.DeductiveClosure(getattr(owlrl, semantics), **options).expand(theirs)
    kgreason_rdflib.DeductiveClosure(getattr(kgreason_rdflib, semantics), **options).expand(ours)
    assert set(data) <= set(ours)
    return set(theirs), set(ours)


def parsed(text: str) -> Graph:
    return Graph().parse(data=PREFIXES + text)


SMALL = {
    "hierarchies": """:Cat rdfs:subClassOf :Pet ,
            [ a owl:Restriction ; owl:onProperty :eats ; owl:someValuesFrom :Food ] .
        :Pet rdfs:subClassOf :Animal . :tom a :Cat . :ann :owns :kim .
        :owns rdfs:subPropertyOf :has ; rdfs:range :Pet . :has rdfs:domain :Person .""",
    "properties": """:p a owl:TransitiveProperty , owl:SymmetricProperty ; owl:inverseOf :q . :a :p :b . :b :p :c .
        :f a owl:FunctionalProperty . :i a owl:InverseFunctionalProperty . :a :f :x , :y . :u :i :v . :w :i :v .
        :uncle owl:propertyChainAxiom ( :parent :brother ) . :a :parent :b . :b :brother :c .
        :r owl:equivalentProperty :s . :a :s :d .""",
    "classes": """:Mother owl:equivalentClass [ owl:intersectionOf ( :Woman :Parent ) ] . :ann a :Woman , :Parent .
        :Sex owl:oneOf ( :male :female ) . :Any owl:unionOf ( :Man :Woman ) . :bob a :Man .
        :Owner owl:equivalentClass [ a owl:Restriction ; owl:onProperty :owns ; owl:someValuesFrom owl:Thing ] .
        :bob :owns :tom .
        :Vegan rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :eats ; owl:allValuesFrom :Plant ] .
        :eve a :Vegan ; :eats :tofu .
        :Red owl:equivalentClass [ owl:onProperty :colour ; owl:hasValue :red ] . :rose a :Red .
        :One rdfs:subClassOf [ owl:onProperty :boss ; owl:maxCardinality "1"^^xsd:nonNegativeInteger ] .
        :joe a :One ; :boss :b1 , :b2 .""",
    "equality": """:a owl:sameAs :b . :b owl:sameAs :c . :a :p 1 . :p owl:sameAs :q .
        :Cat owl:sameAs :Chat . :tom a :Cat .
        :Person owl:hasKey ( :mail ) . :x a :Person ; :mail "m" . :y a :Person ; :mail "m" .""",
    "restrictions": """[] a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :C . :C a owl:Class .
        :D rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :C ] .
        :d a :D . :p a rdf:Property .""",
    "vocabulary": """:MyClass rdfs:subClassOf rdfs:Class . :C a :MyClass . :k a rdfs:ContainerMembershipProperty .
        :dt a rdfs:Datatype . :Everything owl:equivalentClass owl:Thing .
        rdfs:Resource rdfs:subClassOf :Top . :a :p "x" .""",
}


@pytest.mark.parametrize("semantics", SEMANTICS)
@pytest.mark.parametrize("name", list(SMALL))
def test_small_ontologies(name: str, semantics: str) -> None:
    theirs, ours = both(parsed(SMALL[name]), semantics)
    missing = {triple for triple in theirs - ours if not is_noise(triple)}
    assert missing == set()
    assert len(ours) < len(theirs)


@pytest.mark.parametrize("semantics", SEMANTICS)
def test_family(semantics: str) -> None:
    data = Graph().parse(resource("ontologies", "family.ttl"))
    data.remove((None, OWL.hasKey, None))  # owlrl takes all those who have no value of a key for one
    theirs, ours = both(data, semantics)
    assert {triple for triple in theirs - ours if not is_noise(triple)} == set()


def _read(shared_data: Path, name: str) -> Graph:
    data = gzip.decompress((shared_data / "ontologies" / f"{name}.gz").read_bytes())
    dataset = Dataset(default_union=True).parse(data=data, format="xml" if name.endswith("owl") else "nquads")
    graph = Graph()
    for triple in dataset.triples((None, None, None)):
        graph.add(triple)
    return graph


@pytest.mark.filterwarnings("ignore:(Dataset|ConjunctiveGraph):DeprecationWarning")
@pytest.mark.parametrize("semantics", SEMANTICS)
@pytest.mark.parametrize("name", ["skos.nq", "sosa.nq", "foaf.nq", "org.nq", "prov.nq", "time.nq", "pizza.owl"])
def test_ontologies(shared_data: Path, name: str, semantics: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL)  # rdflib logs literals that it cannot read
    theirs, ours = both(_read(shared_data, name), semantics)
    missing = {triple for triple in theirs - ours if not is_noise(triple)}
    if semantics == "RDFS_Semantics":  # a triple again for each literal that rdflib takes for an equal value
        missing = {triple for triple in missing if not isinstance(triple[2], Literal)}
    assert missing == set()


def test_axiomatic_triples() -> None:
    data = parsed(SMALL["hierarchies"])
    for semantics in SEMANTICS:
        theirs, ours = both(data, semantics, axiomatic_triples=True)
        quiet = both(data, semantics)[1]
        assert quiet < ours
        if semantics == "RDFS_Semantics":  # of the vocabulary of OWL owlrl says more than the tables of OWL 2 RL
            assert {triple for triple in theirs - ours if not is_noise(triple)} == set()
        assert ((E.tom, OWL.sameAs, E.tom) in ours) == (semantics != "RDFS_Semantics")
        assert ((RDFS.domain, RDFS.range, RDFS.Class) in ours) == (semantics != "OWLRL_Semantics")


def test_rdfs_closure_with_owl() -> None:
    data = parsed(":k a rdfs:ContainerMembershipProperty . :a :k :b .")
    for rdfs_closure in (False, True):
        graph = Graph() + data
        DeductiveClosure(OWLRL_Semantics, rdfs_closure=rdfs_closure).expand(graph)
        assert ((E.a, RDFS.member, E.b) in graph) == rdfs_closure


def test_the_call_is_that_of_owlrl() -> None:
    ours, theirs = (inspect.signature(each.__init__) for each in (DeductiveClosure, owlrl.DeductiveClosure))
    *same, complete = [(each.name, each.default) for each in ours.parameters.values()]
    assert same == [(each.name, each.default) for each in theirs.parameters.values()]
    assert complete == ("complete", False)
    for name in SEMANTICS:
        graph = parsed(":Cat rdfs:subClassOf :Animal . :tom a :Cat .")
        getattr(kgreason_rdflib, name)(graph, False, False, rdfs=False).closure()
        assert (E.tom, RDF.type, E.Animal) in graph
    empty = Graph()
    assert DeductiveClosure(None).expand(empty) == []
    assert len(empty) == 0


def test_an_option_without_rules_is_refused() -> None:
    with pytest.raises(RuleError, match="improved_datatypes"):
        DeductiveClosure(OWLRL_Semantics, improved_datatypes=False)
    with pytest.raises(RuleError, match="datatype_axioms"):
        DeductiveClosure(RDFS_Semantics, datatype_axioms=True).expand(Graph())
    with pytest.raises(RuleError, match=r"owlrl\..*: pass RDFS_Semantics, .*, OWLRL_Extension"):
        DeductiveClosure(owlrl.OWLRL_Extension)

    class Own(OWLRL_Semantics):
        pass

    with pytest.raises(RuleError, match="Own"):
        DeductiveClosure(Own)


def test_nothing_follows_from_nothing() -> None:
    for semantics in (RDFS_Semantics, OWLRL_Semantics, RDFS_OWLRL_Semantics):
        graph = Graph()
        DeductiveClosure(semantics).expand(graph)
        assert len(graph) == 0


def test_expanding_again_adds_nothing() -> None:
    graph = parsed(SMALL["classes"])
    DeductiveClosure(OWLRL_Semantics).expand(graph)
    before = set(graph)
    DeductiveClosure(OWLRL_Semantics).expand(graph)
    assert set(graph) == before


def test_terms_stay_what_they_are() -> None:
    odd = BNode("not a label of N-Triples")
    number = Literal("01", datatype=XSD.integer, normalize=False)
    graph = (
        Graph().add((E.p, RDFS.subPropertyOf, URIRef("relative"))).add((odd, E.p, number)).add((odd, E.p, Literal("é")))
    )
    graph.add((BNode("b0"), E.p, Literal("x", lang="en-GB")))
    DeductiveClosure(RDFS_Semantics).expand(graph)
    found = set(graph.subject_objects(URIRef("relative")))
    assert found == {(odd, number), (odd, Literal("é")), (BNode("b0"), Literal("x", lang="en-GB"))}
    assert {type(subject) for subject, _ in found} == {BNode}


def test_constants_of_rules_are_terms_of_rdflib() -> None:
    graph = parsed(":f a owl:FunctionalProperty . :a :f :b , :c .")
    DeductiveClosure(OWLRL_Semantics).expand(graph)
    assert (E.b, OWL.sameAs, E.c) in graph


def test_a_triple_that_is_no_rdf_is_refused() -> None:
    for triple in ((E.a, E.p, Graph()), (E.a, E.p, Literal("\ud800")), (E["\ud800"], E.p, E.a)):
        graph = Graph().add(triple)
        with pytest.raises(InputError):
            DeductiveClosure(OWLRL_Semantics).expand(graph)
        assert len(graph) == 1


def test_a_literal_may_be_a_subject_in_rdflib() -> None:
    graph = Graph().add((Literal("x"), E.p, E.a)).add((E.p, RDFS.range, E.C)).add((E.p, RDFS.domain, E.D))
    DeductiveClosure(OWLRL_Semantics).expand(graph)
    assert (E.a, RDF.type, E.C) in graph
    assert set(graph.objects(Literal("x"))) == {E.a}


def test_contradictions_are_said_as_owlrl_says_them() -> None:
    node = BNode("someone")
    graph = parsed(":Cat owl:disjointWith :Dog .").add((node, RDF.type, E.Cat)).add((node, RDF.type, E.Dog))
    found = DeductiveClosure(OWLRL_Semantics).expand(graph)
    assert [(each.rule, set(each.terms)) for each in found] == [("cax-dw", {f"<{E.Cat}>", f"<{E.Dog}>", "_:someone"})]
    [message] = graph.subjects(RDF.type, ERR.ErrorMessage)
    assert str(graph.value(message, ERR.error)).startswith("cax-dw: ")
    assert graph.namespace_manager.qname(ERR.error) == "err:error"


def test_datasets() -> None:
    dataset = Dataset()
    dataset.graph(E.ontology).add((E.Cat, RDFS.subClassOf, E.Animal))
    dataset.graph(E.data).add((E.tom, RDF.type, E.Cat))
    inferred = (E.tom, RDF.type, E.Animal)
    DeductiveClosure(OWLRL_Semantics).expand(dataset)
    assert set(dataset.default_graph) == {inferred}
    for destination in (E.one, str(E.two), dataset.graph(E.three)):
        DeductiveClosure(OWLRL_Semantics).expand(dataset, destination)
    DeductiveClosure(OWLRL_Semantics).expand(dataset)
    assert [len(dataset.graph(name)) for name in (E.one, E.two, E.three, E.data)] == [0, 0, 0, 1]


@pytest.mark.parametrize("destination", [E.inferred, str(E.inferred)])
def test_a_named_destination(destination: str) -> None:
    dataset = Dataset()
    dataset.graph(E.data).parse(data=PREFIXES + ":Cat rdfs:subClassOf :Animal . :tom a :Cat .")
    DeductiveClosure(OWLRL_Semantics).expand(dataset, destination)
    assert set(dataset.graph(E.inferred)) == {(E.tom, RDF.type, E.Animal)}
    assert len(dataset.default_graph) == 0


def test_another_graph_as_destination() -> None:
    graph, target = parsed(":Cat rdfs:subClassOf :Animal . :tom a :Cat ."), Graph()
    DeductiveClosure(OWLRL_Semantics).expand(graph, target)
    assert set(target) == {(E.tom, RDF.type, E.Animal)}
    assert len(graph) == 2
    with pytest.raises(InputError, match="Dataset"):
        DeductiveClosure(OWLRL_Semantics).expand(graph, E.g)


@pytest.mark.filterwarnings("ignore:ConjunctiveGraph:DeprecationWarning")
def test_a_conjunctive_graph() -> None:
    graph = ConjunctiveGraph()
    graph.get_context(E.g).parse(data=PREFIXES + ":Cat rdfs:subClassOf :Animal . :tom a :Cat .")
    DeductiveClosure(OWLRL_Semantics).expand(graph)
    assert set(graph.default_context) == {(E.tom, RDF.type, E.Animal)}


def test_a_graph_of_the_store_is_closed_already() -> None:
    graph = Graph(store="kgreason")
    graph.parse(data=PREFIXES + ":Cat rdfs:subClassOf :Animal . :tom a :Cat .")
    before = len(graph)
    DeductiveClosure(OWLRL_Semantics).expand(graph)
    assert len(graph) == before
