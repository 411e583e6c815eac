"""The rows of the W3C tables as text, and what a row says of a graph.

    name | if | then            triples of three terms apart by ` . `; an empty `then` is false
    axioms ; facts              a row that derives false: the axioms that it reads, and the offending facts
    LIST ?x ?c                  the list ?x of ?c1, ..., ?cn (`Graph.lists`)
    @* and @+                   i and i + 1; the triple is there once for each i from 1 to n
    @i and @j                   the row is there once for each i, or for each i < j
    @1 and @end                 1 and n + 1

Sources: OWL 2 Profiles (Second Edition), section 4.3, Tables 4 to 7 and 9 (Table 8 is `table8`); RDF 1.1 Semantics,
sections 8.1.1 and 9.2.1; Munoz, Perez and Gutierrez, *Simple and Efficient Minimal RDFS* (2009), Table 1. Cost: a join
through the indexes of the graph, in the order of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import combinations, product
from typing import NamedTuple, TypeAlias

from tests.oracle.graph import Contradiction, Graph, Triple
from tests.oracle.notation import term
from tests.oracle.tables.table8 import are_apart
from tests.oracle.vocabulary import SAME_AS

OWL2RL = """
eq-ref | ?s ?p ?o | ?s owl:sameAs ?s . ?p owl:sameAs ?p . ?o owl:sameAs ?o
eq-sym | ?x owl:sameAs ?y | ?y owl:sameAs ?x
eq-trans | ?x owl:sameAs ?y . ?y owl:sameAs ?z | ?x owl:sameAs ?z
eq-rep-s | ?s owl:sameAs ?t . ?s ?p ?o | ?t ?p ?o
eq-rep-p | ?p owl:sameAs ?q . ?s ?p ?o | ?s ?q ?o
eq-rep-o | ?o owl:sameAs ?t . ?s ?p ?o | ?s ?p ?t
eq-diff1 | ; ?x owl:differentFrom ?y . ?x owl:sameAs ?y |
eq-diff2 | ?x rdf:type owl:AllDifferent . ?x owl:members ?y . LIST ?y ?z ; ?z@i owl:sameAs ?z@j |
eq-diff3 | ?x rdf:type owl:AllDifferent . ?x owl:distinctMembers ?y . LIST ?y ?z ; ?z@i owl:sameAs ?z@j |
prp-ap | | rdfs:label rdf:type owl:AnnotationProperty . rdfs:comment rdf:type owl:AnnotationProperty .
    rdfs:seeAlso rdf:type owl:AnnotationProperty . rdfs:isDefinedBy rdf:type owl:AnnotationProperty .
    owl:deprecated rdf:type owl:AnnotationProperty . owl:versionInfo rdf:type owl:AnnotationProperty .
    owl:priorVersion rdf:type owl:AnnotationProperty . owl:backwardCompatibleWith rdf:type owl:AnnotationProperty .
    owl:incompatibleWith rdf:type owl:AnnotationProperty
prp-dom | ?p rdfs:domain ?c . ?x ?p ?y | ?x rdf:type ?c
prp-rng | ?p rdfs:range ?c . ?x ?p ?y | ?y rdf:type ?c
prp-fp | ?p rdf:type owl:FunctionalProperty . ?x ?p ?y1 . ?x ?p ?y2 | ?y1 owl:sameAs ?y2
prp-ifp | ?p rdf:type owl:InverseFunctionalProperty . ?x1 ?p ?y . ?x2 ?p ?y | ?x1 owl:sameAs ?x2
prp-irp | ?p rdf:type owl:IrreflexiveProperty ; ?x ?p ?x |
prp-symp | ?p rdf:type owl:SymmetricProperty . ?x ?p ?y | ?y ?p ?x
prp-asyp | ?p rdf:type owl:AsymmetricProperty ; ?x ?p ?y . ?y ?p ?x |
prp-trp | ?p rdf:type owl:TransitiveProperty . ?x ?p ?y . ?y ?p ?z | ?x ?p ?z
prp-spo1 | ?p1 rdfs:subPropertyOf ?p2 . ?x ?p1 ?y | ?x ?p2 ?y
prp-spo2 | ?p owl:propertyChainAxiom ?x . LIST ?x ?p . ?u@* ?p@* ?u@+ | ?u@1 ?p ?u@end
prp-eqp1 | ?p1 owl:equivalentProperty ?p2 . ?x ?p1 ?y | ?x ?p2 ?y
prp-eqp2 | ?p1 owl:equivalentProperty ?p2 . ?x ?p2 ?y | ?x ?p1 ?y
prp-pdw | ?p1 owl:propertyDisjointWith ?p2 ; ?x ?p1 ?y . ?x ?p2 ?y |
prp-adp | ?x rdf:type owl:AllDisjointProperties . ?x owl:members ?y . LIST ?y ?p ; ?u ?p@i ?v . ?u ?p@j ?v |
prp-inv1 | ?p1 owl:inverseOf ?p2 . ?x ?p1 ?y | ?y ?p2 ?x
prp-inv2 | ?p1 owl:inverseOf ?p2 . ?x ?p2 ?y | ?y ?p1 ?x
prp-key | ?c owl:hasKey ?u . LIST ?u ?p . ?x rdf:type ?c . ?x ?p@* ?z@* . ?y ?p@* ?z@* . ?y rdf:type ?c | ?x
    owl:sameAs ?y
prp-npa1 | ?x owl:sourceIndividual ?i1 . ?x owl:assertionProperty ?p . ?x owl:targetIndividual ?i2 ; ?i1 ?p ?i2 |
prp-npa2 | ?x owl:sourceIndividual ?i . ?x owl:assertionProperty ?p . ?x owl:targetValue ?lt ; ?i ?p ?lt |
cls-thing | | owl:Thing rdf:type owl:Class
cls-nothing1 | | owl:Nothing rdf:type owl:Class
cls-nothing2 | ; ?x rdf:type owl:Nothing |
cls-int1 | ?c owl:intersectionOf ?x . LIST ?x ?c . ?y rdf:type ?c@* | ?y rdf:type ?c
cls-int2 | ?c owl:intersectionOf ?x . LIST ?x ?c . ?y rdf:type ?c | ?y rdf:type ?c@i
cls-uni | ?c owl:unionOf ?x . LIST ?x ?c . ?y rdf:type ?c@i | ?y rdf:type ?c
cls-com | ?c1 owl:complementOf ?c2 ; ?x rdf:type ?c1 . ?x rdf:type ?c2 |
cls-svf1 | ?x owl:someValuesFrom ?y . ?x owl:onProperty ?p . ?u ?p ?v . ?v rdf:type ?y | ?u rdf:type ?x
cls-svf2 | ?x owl:someValuesFrom owl:Thing . ?x owl:onProperty ?p . ?u ?p ?v | ?u rdf:type ?x
cls-avf | ?x owl:allValuesFrom ?y . ?x owl:onProperty ?p . ?u rdf:type ?x . ?u ?p ?v | ?v rdf:type ?y
cls-hv1 | ?x owl:hasValue ?y . ?x owl:onProperty ?p . ?u rdf:type ?x | ?u ?p ?y
cls-hv2 | ?x owl:hasValue ?y . ?x owl:onProperty ?p . ?u ?p ?y | ?u rdf:type ?x
cls-maxc1 | ?x owl:maxCardinality "0"^^xsd:nonNegativeInteger . ?x owl:onProperty ?p ; ?u rdf:type ?x . ?u ?p ?y |
cls-maxc2 | ?x owl:maxCardinality "1"^^xsd:nonNegativeInteger . ?x owl:onProperty ?p . ?u rdf:type ?x . ?u ?p ?y1 . ?u
    ?p ?y2 | ?y1 owl:sameAs ?y2
cls-maxqc1 | ?x owl:maxQualifiedCardinality "0"^^xsd:nonNegativeInteger . ?x owl:onProperty ?p . ?x owl:onClass ?c ;
    ?u rdf:type ?x . ?u ?p ?y . ?y rdf:type ?c |
cls-maxqc2 | ?x owl:maxQualifiedCardinality "0"^^xsd:nonNegativeInteger . ?x owl:onProperty ?p . ?x owl:onClass
    owl:Thing ; ?u rdf:type ?x . ?u ?p ?y |
cls-maxqc3 | ?x owl:maxQualifiedCardinality "1"^^xsd:nonNegativeInteger . ?x owl:onProperty ?p . ?x owl:onClass ?c .
    ?u rdf:type ?x . ?u ?p ?y1 . ?y1 rdf:type ?c . ?u ?p ?y2 . ?y2 rdf:type ?c | ?y1 owl:sameAs ?y2
cls-maxqc4 | ?x owl:maxQualifiedCardinality "1"^^xsd:nonNegativeInteger . ?x owl:onProperty ?p . ?x owl:onClass
    owl:Thing . ?u rdf:type ?x . ?u ?p ?y1 . ?u ?p ?y2 | ?y1 owl:sameAs ?y2
cls-oo | ?c owl:oneOf ?x . LIST ?x ?y | ?y@i rdf:type ?c
cax-sco | ?c1 rdfs:subClassOf ?c2 . ?x rdf:type ?c1 | ?x rdf:type ?c2
cax-eqc1 | ?c1 owl:equivalentClass ?c2 . ?x rdf:type ?c1 | ?x rdf:type ?c2
cax-eqc2 | ?c1 owl:equivalentClass ?c2 . ?x rdf:type ?c2 | ?x rdf:type ?c1
cax-dw | ?c1 owl:disjointWith ?c2 ; ?x rdf:type ?c1 . ?x rdf:type ?c2 |
cax-adc | ?x rdf:type owl:AllDisjointClasses . ?x owl:members ?y . LIST ?y ?c ; ?z rdf:type ?c@i . ?z rdf:type ?c@j |
scm-cls | ?c rdf:type owl:Class | ?c rdfs:subClassOf ?c . ?c owl:equivalentClass ?c . ?c rdfs:subClassOf owl:Thing .
    owl:Nothing rdfs:subClassOf ?c
scm-sco | ?c1 rdfs:subClassOf ?c2 . ?c2 rdfs:subClassOf ?c3 | ?c1 rdfs:subClassOf ?c3
scm-eqc1 | ?c1 owl:equivalentClass ?c2 | ?c1 rdfs:subClassOf ?c2 . ?c2 rdfs:subClassOf ?c1
scm-eqc2 | ?c1 rdfs:subClassOf ?c2 . ?c2 rdfs:subClassOf ?c1 | ?c1 owl:equivalentClass ?c2
scm-op | ?p rdf:type owl:ObjectProperty | ?p rdfs:subPropertyOf ?p . ?p owl:equivalentProperty ?p
scm-dp | ?p rdf:type owl:DatatypeProperty | ?p rdfs:subPropertyOf ?p . ?p owl:equivalentProperty ?p
scm-spo | ?p1 rdfs:subPropertyOf ?p2 . ?p2 rdfs:subPropertyOf ?p3 | ?p1 rdfs:subPropertyOf ?p3
scm-eqp1 | ?p1 owl:equivalentProperty ?p2 | ?p1 rdfs:subPropertyOf ?p2 . ?p2 rdfs:subPropertyOf ?p1
scm-eqp2 | ?p1 rdfs:subPropertyOf ?p2 . ?p2 rdfs:subPropertyOf ?p1 | ?p1 owl:equivalentProperty ?p2
scm-dom1 | ?p rdfs:domain ?c1 . ?c1 rdfs:subClassOf ?c2 | ?p rdfs:domain ?c2
scm-dom2 | ?p2 rdfs:domain ?c . ?p1 rdfs:subPropertyOf ?p2 | ?p1 rdfs:domain ?c
scm-rng1 | ?p rdfs:range ?c1 . ?c1 rdfs:subClassOf ?c2 | ?p rdfs:range ?c2
scm-rng2 | ?p2 rdfs:range ?c . ?p1 rdfs:subPropertyOf ?p2 | ?p1 rdfs:range ?c
scm-hv | ?c1 owl:hasValue ?i . ?c1 owl:onProperty ?p1 . ?c2 owl:hasValue ?i . ?c2 owl:onProperty ?p2 . ?p1
    rdfs:subPropertyOf ?p2 | ?c1 rdfs:subClassOf ?c2
scm-svf1 | ?c1 owl:someValuesFrom ?y1 . ?c1 owl:onProperty ?p . ?c2 owl:someValuesFrom ?y2 . ?c2 owl:onProperty ?p .
    ?y1 rdfs:subClassOf ?y2 | ?c1 rdfs:subClassOf ?c2
scm-svf2 | ?c1 owl:someValuesFrom ?y . ?c1 owl:onProperty ?p1 . ?c2 owl:someValuesFrom ?y . ?c2 owl:onProperty ?p2 .
    ?p1 rdfs:subPropertyOf ?p2 | ?c1 rdfs:subClassOf ?c2
scm-avf1 | ?c1 owl:allValuesFrom ?y1 . ?c1 owl:onProperty ?p . ?c2 owl:allValuesFrom ?y2 . ?c2 owl:onProperty ?p . ?y1
    rdfs:subClassOf ?y2 | ?c1 rdfs:subClassOf ?c2
scm-avf2 | ?c1 owl:allValuesFrom ?y . ?c1 owl:onProperty ?p1 . ?c2 owl:allValuesFrom ?y . ?c2 owl:onProperty ?p2 . ?p1
    rdfs:subPropertyOf ?p2 | ?c2 rdfs:subClassOf ?c1
scm-int | ?c owl:intersectionOf ?x . LIST ?x ?c | ?c rdfs:subClassOf ?c@i
scm-uni | ?c owl:unionOf ?x . LIST ?x ?c | ?c@i rdfs:subClassOf ?c
"""
RDFS = """
rdfD2 | ?s ?p ?o | ?p rdf:type rdf:Property
rdfs2 | ?p rdfs:domain ?c . ?x ?p ?y | ?x rdf:type ?c
rdfs3 | ?p rdfs:range ?c . ?x ?p ?y | ?y rdf:type ?c
rdfs4a | ?s ?p ?o | ?s rdf:type rdfs:Resource
rdfs4b | ?s ?p ?o | ?o rdf:type rdfs:Resource
rdfs5 | ?p rdfs:subPropertyOf ?q . ?q rdfs:subPropertyOf ?r | ?p rdfs:subPropertyOf ?r
rdfs6 | ?p rdf:type rdf:Property | ?p rdfs:subPropertyOf ?p
rdfs7 | ?p rdfs:subPropertyOf ?q . ?x ?p ?y | ?x ?q ?y
rdfs8 | ?c rdf:type rdfs:Class | ?c rdfs:subClassOf rdfs:Resource
rdfs9 | ?c rdfs:subClassOf ?d . ?x rdf:type ?c | ?x rdf:type ?d
rdfs10 | ?c rdf:type rdfs:Class | ?c rdfs:subClassOf ?c
rdfs11 | ?c rdfs:subClassOf ?d . ?d rdfs:subClassOf ?e | ?c rdfs:subClassOf ?e
rdfs12 | ?p rdf:type rdfs:ContainerMembershipProperty | ?p rdfs:subPropertyOf rdfs:member
rdfs13 | ?d rdf:type rdfs:Datatype | ?d rdfs:subClassOf rdfs:Literal
"""
RHO_DF = """
5a | ?a rdfs:domain ?b . ?c rdfs:subPropertyOf ?a . ?x ?c ?y | ?x rdf:type ?b
5b | ?a rdfs:range ?b . ?c rdfs:subPropertyOf ?a . ?x ?c ?y | ?y rdf:type ?b
6a | ?x ?a ?y | ?a rdfs:subPropertyOf ?a
6b | ?a rdfs:subPropertyOf ?b | ?a rdfs:subPropertyOf ?a . ?b rdfs:subPropertyOf ?b
6c | | rdfs:subPropertyOf rdfs:subPropertyOf rdfs:subPropertyOf . rdfs:subClassOf rdfs:subPropertyOf rdfs:subClassOf .
    rdfs:domain rdfs:subPropertyOf rdfs:domain . rdfs:range rdfs:subPropertyOf rdfs:range .
    rdf:type rdfs:subPropertyOf rdf:type
6d-domain | ?a rdfs:domain ?b | ?a rdfs:subPropertyOf ?a
6d-range | ?a rdfs:range ?b | ?a rdfs:subPropertyOf ?a
7a | ?a rdfs:subClassOf ?b | ?a rdfs:subClassOf ?a . ?b rdfs:subClassOf ?b
7b-domain | ?x rdfs:domain ?a | ?a rdfs:subClassOf ?a
7b-range | ?x rdfs:range ?a | ?a rdfs:subClassOf ?a
7b-type | ?x rdf:type ?a | ?a rdfs:subClassOf ?a
"""

Binding: TypeAlias = tuple[str, ...]
"""The constants of a row, then the values of its variables in the order in which they are bound."""


class Row(NamedTuple):
    """A row of a table: its name, the patterns before its list, the list and its items, the patterns behind it."""

    name: str
    axioms: str
    list_: tuple[str, ...]
    body: str
    then: str

    def constants(self) -> list[str]:
        """The words of the row that are no variables."""
        words = " ".join((self.axioms, self.body, self.then)).split()
        return list(dict.fromkeys(word for word in words if word[0] not in "?."))


class Pattern(NamedTuple):
    """Three terms by their places in a binding.

    `known` are the places, None for a variable without a value; `fresh` are the positions at which a variable gets its
    value, `same` pairs of positions with one such variable.
    """

    places: tuple[int, ...]
    known: tuple[int | None, ...]
    fresh: tuple[int, ...]
    same: tuple[tuple[int, int], ...]

    def ground(self, binding: Binding) -> Triple:
        s, p, o = self.places
        return binding[s], binding[p], binding[o]


class Plan(NamedTuple):
    """A row for lists of one length: the patterns of its axioms, of the rest of its body, and of what it derives."""

    axioms: list[Pattern]
    body: list[Pattern]
    then: list[Pattern]


def rows(text: str) -> dict[str, Row]:
    """The rows of a text by name."""
    return {row.name: row for row in map(_row, re.sub(r"\n +", " ", text).strip().splitlines())}


def conclusions(row: Row, graph: Graph, *, careful: bool = False) -> Iterator[Triple]:
    """The triples that a row derives. `careful`: it follows no link between literals that are known to differ."""
    for plan, bindings in _matches(row, graph):
        for binding in bindings:
            triples = [each.ground(binding) for each in plan.body] if careful else []
            if not any(p == SAME_AS and are_apart(s, o) for s, p, o in triples):
                for head in plan.then:
                    yield head.ground(binding)


def contradictions(row: Row, graph: Graph) -> Iterator[Contradiction]:
    """The contradictions that a row finds. A term is equal to itself for these rows, so eq-ref may be off."""
    for plan, bindings in _matches(row, graph):
        for binding in bindings:
            axioms, facts = (frozenset(each.ground(binding) for each in part) for part in (plan.axioms, plan.body))
            yield Contradiction(row.name, axioms, facts)


def _row(line: str) -> Row:
    name, condition, then = (part.strip() for part in line.split("|"))
    axioms, _, body = condition.rpartition(";")
    if " LIST " in condition:
        axioms, _, behind = condition.partition(" . LIST ")
        list_, _, body = behind.replace(" ;", " .").partition(" . ")
        return Row(name, axioms, tuple(list_.split()), body, then)
    return Row(name, axioms.strip(), (), body.strip(), then)


def _matches(row: Row, graph: Graph) -> Iterator[tuple[Plan, list[Binding]]]:
    constants, axioms, list_ = _start(row)
    bindings = _join(graph, axioms, [constants], not row.then)
    groups = iter([(0, bindings)])
    if list_ is not None:
        lists = ((binding, items) for binding in bindings for items in graph.lists(binding[list_]))
        groups = ((len(items), [binding + choice for choice in product(*items)]) for binding, items in lists)
    for n, bindings in groups:
        for plan in _plans(row, n):
            yield plan, _join(graph, plan.body, bindings, not row.then)


def _join(graph: Graph, patterns: Iterable[Pattern], bindings: list[Binding], is_equal: bool) -> list[Binding]:
    """Extend bindings by all patterns; with `is_equal` each term is equal to itself."""
    for _, known, fresh, same in patterns:
        before, bindings = bindings, []
        for binding in before:
            s, p, o = [None if place is None else binding[place] for place in known]
            if is_equal and p == SAME_AS and s == o is not None:
                bindings.append(binding)
                continue
            for triple in graph.matching(s, p, o):
                if not same or all(triple[i] == triple[j] for i, j in same):
                    bindings.append(binding + tuple([triple[i] for i in fresh]))
    return bindings


@cache
def _start(row: Row) -> tuple[Binding, list[Pattern], int | None]:
    """The constants, the patterns before the list, and the place of the list in a binding."""
    places = _places(row)
    axioms = list(_patterns(row.axioms, 0, {}, places))
    return tuple(map(term, row.constants())), axioms, places[row.list_[0]] if row.list_ else None


@cache
def _plans(row: Row, n: int) -> list[Plan]:
    """A row for lists of n items: a plan for each choice of @i and @j."""
    numbers, text = range(1, n + 1), row.body + row.then
    chosen = [{"i": i} for i in numbers] if "@i" in text else [dict[str, int]()]
    if "@j" in text:
        chosen = [{"i": i, "j": j} for i, j in combinations(numbers, 2)]
    return [_plan(row, n, each) for each in chosen]


def _plan(row: Row, n: int, chosen: dict[str, int]) -> Plan:
    places = _places(row)
    axioms = list(_patterns(row.axioms, n, chosen, places))
    for number in range(1, n + 1):
        places[f"{row.list_[1]}{number}"] = len(places)
    body = list(_patterns(row.body, n, chosen, places))
    return Plan(axioms, body, list(_patterns(row.then, n, chosen, places)))


def _places(row: Row) -> dict[str, int]:
    return {word: place for place, word in enumerate(row.constants())}


def _patterns(text: str, n: int, chosen: dict[str, int], places: dict[str, int]) -> Iterator[Pattern]:
    """The patterns of a text for lists of n items; `places` gets the places of new variables."""
    for part in text.split(" . ") if text else ():
        for star in range(1, n + 1) if "@*" in part else (0,):
            numbered = part
            for mark, value in {**chosen, "*": star, "+": star + 1, "1": 1, "end": n + 1}.items():
                numbered = numbered.replace(f"@{mark}", str(value))
            bound = len(places)
            terms = tuple(places.setdefault(word, len(places)) for word in numbered.split())
            new = [at for at, place in enumerate(terms) if place >= bound]
            fresh = tuple(at for at in new if terms.index(terms[at]) == at)
            known = tuple(None if place >= bound else place for place in terms)
            yield Pattern(terms, known, fresh, tuple((terms.index(terms[at]), at) for at in new if at not in fresh))
