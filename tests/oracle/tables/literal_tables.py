"""The W3C tables once more, as text: Datalog rules that share nothing with the functions of `table4` to `table9`.

    name | if | then            triples of three terms apart by ` . `; an empty `then` is false
    LIST ?x ?c                  the list ?x of ?c1, ..., ?cn: rdf:first and rdf:rest of every node
    @* and @+                   i and i + 1; the triple is there once for each i from 1 to n
    @i and @j                   the row is there once for each i, or for each i < j
    @1 and @end                 1 and n + 1

A row with a list becomes one rule for each length up to a bound, so these rules are complete for shorter lists only.
False is the fact `row()` with the row's name. Source: OWL 2 Profiles (Second Edition), section 4.3.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations

from tests.oracle.datalog import Atom, Rule, Var
from tests.oracle.notation import term
from tests.oracle.vocabulary import FIRST, NIL, REST

TABLES = """
eq-ref | ?s ?p ?o | ?s owl:sameAs ?s . ?p owl:sameAs ?p . ?o owl:sameAs ?o
eq-sym | ?x owl:sameAs ?y | ?y owl:sameAs ?x
eq-trans | ?x owl:sameAs ?y . ?y owl:sameAs ?z | ?x owl:sameAs ?z
eq-rep-s | ?s owl:sameAs ?t . ?s ?p ?o | ?t ?p ?o
eq-rep-p | ?p owl:sameAs ?q . ?s ?p ?o | ?s ?q ?o
eq-rep-o | ?o owl:sameAs ?t . ?s ?p ?o | ?s ?p ?t
eq-diff1 | ?x owl:sameAs ?y . ?x owl:differentFrom ?y |
eq-diff2 | ?x rdf:type owl:AllDifferent . ?x owl:members ?y . LIST ?y ?z . ?z@i owl:sameAs ?z@j |
eq-diff3 | ?x rdf:type owl:AllDifferent . ?x owl:distinctMembers ?y . LIST ?y ?z . ?z@i owl:sameAs ?z@j |
prp-ap | | rdfs:label rdf:type owl:AnnotationProperty . rdfs:comment rdf:type owl:AnnotationProperty .
    rdfs:seeAlso rdf:type owl:AnnotationProperty . rdfs:isDefinedBy rdf:type owl:AnnotationProperty .
    owl:deprecated rdf:type owl:AnnotationProperty . owl:versionInfo rdf:type owl:AnnotationProperty .
    owl:priorVersion rdf:type owl:AnnotationProperty .
    owl:backwardCompatibleWith rdf:type owl:AnnotationProperty .
    owl:incompatibleWith rdf:type owl:AnnotationProperty
prp-dom | ?p rdfs:domain ?c . ?x ?p ?y | ?x rdf:type ?c
prp-rng | ?p rdfs:range ?c . ?x ?p ?y | ?y rdf:type ?c
prp-fp | ?p rdf:type owl:FunctionalProperty . ?x ?p ?y1 . ?x ?p ?y2 | ?y1 owl:sameAs ?y2
prp-ifp | ?p rdf:type owl:InverseFunctionalProperty . ?x1 ?p ?y . ?x2 ?p ?y | ?x1 owl:sameAs ?x2
prp-irp | ?p rdf:type owl:IrreflexiveProperty . ?x ?p ?x |
prp-symp | ?p rdf:type owl:SymmetricProperty . ?x ?p ?y | ?y ?p ?x
prp-asyp | ?p rdf:type owl:AsymmetricProperty . ?x ?p ?y . ?y ?p ?x |
prp-trp | ?p rdf:type owl:TransitiveProperty . ?x ?p ?y . ?y ?p ?z | ?x ?p ?z
prp-spo1 | ?p1 rdfs:subPropertyOf ?p2 . ?x ?p1 ?y | ?x ?p2 ?y
prp-spo2 | ?p owl:propertyChainAxiom ?x . LIST ?x ?p . ?u@* ?p@* ?u@+ | ?u@1 ?p ?u@end
prp-eqp1 | ?p1 owl:equivalentProperty ?p2 . ?x ?p1 ?y | ?x ?p2 ?y
prp-eqp2 | ?p1 owl:equivalentProperty ?p2 . ?x ?p2 ?y | ?x ?p1 ?y
prp-pdw | ?p1 owl:propertyDisjointWith ?p2 . ?x ?p1 ?y . ?x ?p2 ?y |
prp-adp | ?x rdf:type owl:AllDisjointProperties . ?x owl:members ?y . LIST ?y ?p . ?u ?p@i ?v . ?u ?p@j ?v |
prp-inv1 | ?p1 owl:inverseOf ?p2 . ?x ?p1 ?y | ?y ?p2 ?x
prp-inv2 | ?p1 owl:inverseOf ?p2 . ?x ?p2 ?y | ?y ?p1 ?x
prp-key | ?c owl:hasKey ?u . LIST ?u ?p . ?x rdf:type ?c . ?x ?p@* ?z@* . ?y rdf:type ?c . ?y ?p@* ?z@* |
    ?x owl:sameAs ?y
prp-npa1 | ?x owl:sourceIndividual ?i1 . ?x owl:assertionProperty ?p . ?x owl:targetIndividual ?i2 .
    ?i1 ?p ?i2 |
prp-npa2 | ?x owl:sourceIndividual ?i . ?x owl:assertionProperty ?p . ?x owl:targetValue ?lt . ?i ?p ?lt |
cls-thing | | owl:Thing rdf:type owl:Class
cls-nothing1 | | owl:Nothing rdf:type owl:Class
cls-nothing2 | ?x rdf:type owl:Nothing |
cls-int1 | ?c owl:intersectionOf ?x . LIST ?x ?c . ?y rdf:type ?c@* | ?y rdf:type ?c
cls-int2 | ?c owl:intersectionOf ?x . LIST ?x ?c . ?y rdf:type ?c | ?y rdf:type ?c@i
cls-uni | ?c owl:unionOf ?x . LIST ?x ?c . ?y rdf:type ?c@i | ?y rdf:type ?c
cls-com | ?c1 owl:complementOf ?c2 . ?x rdf:type ?c1 . ?x rdf:type ?c2 |
cls-svf1 | ?x owl:someValuesFrom ?y . ?x owl:onProperty ?p . ?u ?p ?v . ?v rdf:type ?y | ?u rdf:type ?x
cls-svf2 | ?x owl:someValuesFrom owl:Thing . ?x owl:onProperty ?p . ?u ?p ?v | ?u rdf:type ?x
cls-avf | ?x owl:allValuesFrom ?y . ?x owl:onProperty ?p . ?u rdf:type ?x . ?u ?p ?v | ?v rdf:type ?y
cls-hv1 | ?x owl:hasValue ?y . ?x owl:onProperty ?p . ?u rdf:type ?x | ?u ?p ?y
cls-hv2 | ?x owl:hasValue ?y . ?x owl:onProperty ?p . ?u ?p ?y | ?u rdf:type ?x
cls-maxc1 | ?x owl:maxCardinality "0"^^xsd:nonNegativeInteger . ?x owl:onProperty ?p . ?u rdf:type ?x .
    ?u ?p ?y |
cls-maxc2 | ?x owl:maxCardinality "1"^^xsd:nonNegativeInteger . ?x owl:onProperty ?p . ?u rdf:type ?x .
    ?u ?p ?y1 . ?u ?p ?y2 | ?y1 owl:sameAs ?y2
cls-maxqc1 | ?x owl:maxQualifiedCardinality "0"^^xsd:nonNegativeInteger . ?x owl:onProperty ?p .
    ?x owl:onClass ?c . ?u rdf:type ?x . ?u ?p ?y . ?y rdf:type ?c |
cls-maxqc2 | ?x owl:maxQualifiedCardinality "0"^^xsd:nonNegativeInteger . ?x owl:onProperty ?p .
    ?x owl:onClass owl:Thing . ?u rdf:type ?x . ?u ?p ?y |
cls-maxqc3 | ?x owl:maxQualifiedCardinality "1"^^xsd:nonNegativeInteger . ?x owl:onProperty ?p .
    ?x owl:onClass ?c . ?u rdf:type ?x . ?u ?p ?y1 . ?y1 rdf:type ?c . ?u ?p ?y2 . ?y2 rdf:type ?c |
    ?y1 owl:sameAs ?y2
cls-maxqc4 | ?x owl:maxQualifiedCardinality "1"^^xsd:nonNegativeInteger . ?x owl:onProperty ?p .
    ?x owl:onClass owl:Thing . ?u rdf:type ?x . ?u ?p ?y1 . ?u ?p ?y2 | ?y1 owl:sameAs ?y2
cls-oo | ?c owl:oneOf ?x . LIST ?x ?y | ?y@i rdf:type ?c
cax-sco | ?c1 rdfs:subClassOf ?c2 . ?x rdf:type ?c1 | ?x rdf:type ?c2
cax-eqc1 | ?c1 owl:equivalentClass ?c2 . ?x rdf:type ?c1 | ?x rdf:type ?c2
cax-eqc2 | ?c1 owl:equivalentClass ?c2 . ?x rdf:type ?c2 | ?x rdf:type ?c1
cax-dw | ?c1 owl:disjointWith ?c2 . ?x rdf:type ?c1 . ?x rdf:type ?c2 |
cax-adc | ?x rdf:type owl:AllDisjointClasses . ?x owl:members ?y . LIST ?y ?c . ?z rdf:type ?c@i .
    ?z rdf:type ?c@j |
scm-cls | ?c rdf:type owl:Class | ?c rdfs:subClassOf ?c . ?c owl:equivalentClass ?c .
    ?c rdfs:subClassOf owl:Thing . owl:Nothing rdfs:subClassOf ?c
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
scm-hv | ?c1 owl:hasValue ?i . ?c1 owl:onProperty ?p1 . ?c2 owl:hasValue ?i . ?c2 owl:onProperty ?p2 .
    ?p1 rdfs:subPropertyOf ?p2 | ?c1 rdfs:subClassOf ?c2
scm-svf1 | ?c1 owl:someValuesFrom ?y1 . ?c1 owl:onProperty ?p . ?c2 owl:someValuesFrom ?y2 .
    ?c2 owl:onProperty ?p . ?y1 rdfs:subClassOf ?y2 | ?c1 rdfs:subClassOf ?c2
scm-svf2 | ?c1 owl:someValuesFrom ?y . ?c1 owl:onProperty ?p1 . ?c2 owl:someValuesFrom ?y .
    ?c2 owl:onProperty ?p2 . ?p1 rdfs:subPropertyOf ?p2 | ?c1 rdfs:subClassOf ?c2
scm-avf1 | ?c1 owl:allValuesFrom ?y1 . ?c1 owl:onProperty ?p . ?c2 owl:allValuesFrom ?y2 .
    ?c2 owl:onProperty ?p . ?y1 rdfs:subClassOf ?y2 | ?c1 rdfs:subClassOf ?c2
scm-avf2 | ?c1 owl:allValuesFrom ?y . ?c1 owl:onProperty ?p1 . ?c2 owl:allValuesFrom ?y .
    ?c2 owl:onProperty ?p2 . ?p1 rdfs:subPropertyOf ?p2 | ?c2 rdfs:subClassOf ?c1
scm-int | ?c owl:intersectionOf ?x . LIST ?x ?c | ?c rdfs:subClassOf ?c@i
scm-uni | ?c owl:unionOf ?x . LIST ?x ?c | ?c@i rdfs:subClassOf ?c
"""


def rules(longest: int = 3) -> list[Rule]:
    """All rows as rules, for lists of up to so many items."""
    rows = re.sub(r"\n +", " ", TABLES).strip().splitlines()
    return [rule for row in rows for rule in _expanded(row, longest)]


def _expanded(row: str, longest: int) -> Iterator[Rule]:
    name, condition, conclusion = (part.strip() for part in row.split("|"))
    for n in range(1, longest + 1) if "LIST" in condition else (0,):
        for places in _places(row, n):
            body = tuple(_atoms(condition, n, places))
            heads = tuple(_atoms(conclusion, n, places)) or (Atom(name, ()),)
            yield Rule(heads, body, ("", name))


def _places(row: str, n: int) -> list[dict[str, int]]:
    """The values that @i and @j take."""
    numbers = range(1, n + 1)
    if "@j" in row:
        return [{"i": i, "j": j} for i, j in combinations(numbers, 2)]
    return [{"i": i} for i in numbers] if "@i" in row else [{}]


def _atoms(text: str, n: int, places: dict[str, int]) -> Iterator[Atom]:
    for part in text.split(" . ") if text else ():
        if part.startswith("LIST"):
            yield from _list(part.split()[1], part.split()[2], n)
            continue
        for star in range(1, n + 1) if "@*" in part else (0,):
            values = {**places, "*": star, "+": star + 1, "1": 1, "end": n + 1}
            numbered = part
            for mark, value in values.items():
                numbered = numbered.replace(f"@{mark}", str(value))
            yield Atom(None, tuple(map(_term, numbered.split())))


def _list(head: str, item: str, n: int) -> Iterator[Atom]:
    nodes = [_term(head), *(Var(f"{head}:{i}") for i in range(1, n)), NIL]
    for i in range(n):
        yield Atom(None, (nodes[i], FIRST, _term(f"{item}{i + 1}")))
        yield Atom(None, (nodes[i], REST, nodes[i + 1]))


def _term(word: str) -> str | Var:
    return Var(word[1:]) if word.startswith("?") else term(word)
