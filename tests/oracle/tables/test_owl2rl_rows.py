"""Every row of the W3C tables on a case worked out by hand: what it reads, and all that it then says."""

from __future__ import annotations

from tests.oracle import owl2rl
from tests.oracle.graph import Contradiction, Graph
from tests.oracle.notation import triples
from tests.tables import table

ZERO, ONE = '"0"^^xsd:nonNegativeInteger', '"1"^^xsd:nonNegativeInteger'
SOME_AB = "r owl:someValuesFrom A . s owl:someValuesFrom B . r owl:onProperty p . s owl:onProperty p"
ALL_AB = "r owl:allValuesFrom A . s owl:allValuesFrom B . r owl:onProperty p . s owl:onProperty p"
ON_PQ = "r owl:onProperty p . s owl:onProperty q . p rdfs:subPropertyOf q"

ANNOTATIONS = (
    *("rdfs:label", "rdfs:comment", "rdfs:seeAlso", "rdfs:isDefinedBy", "owl:deprecated", "owl:versionInfo"),
    *("owl:priorVersion", "owl:backwardCompatibleWith", "owl:incompatibleWith"),
)

DATATYPES = (
    *("rdf:PlainLiteral", "rdf:XMLLiteral", "rdfs:Literal", "xsd:string", "xsd:boolean", "xsd:anyURI", "xsd:dateTime"),
    *("xsd:decimal", "xsd:integer", "xsd:nonNegativeInteger", "xsd:nonPositiveInteger", "xsd:positiveInteger"),
    *("xsd:negativeInteger", "xsd:long", "xsd:int", "xsd:short", "xsd:byte", "xsd:unsignedLong", "xsd:unsignedInt"),
    *("xsd:unsignedShort", "xsd:unsignedByte", "xsd:float", "xsd:double", "xsd:normalizedString", "xsd:token"),
    *("xsd:language", "xsd:Name", "xsd:NCName", "xsd:NMTOKEN", "xsd:hexBinary", "xsd:base64Binary"),
    "xsd:dateTimeStamp",
)

ROWS = {
    "eq-ref": ("i p j", "i owl:sameAs i . p owl:sameAs p . j owl:sameAs j"),
    "eq-sym": ("i owl:sameAs j", "j owl:sameAs i"),
    "eq-trans": ("i owl:sameAs j . j owl:sameAs k", "i owl:sameAs k"),
    "eq-rep-s": ("i owl:sameAs j . i p k", "j p k . j owl:sameAs j"),
    "eq-rep-p": ("p owl:sameAs q . i p k", "i q k"),
    "eq-rep-o": ("i owl:sameAs j . k p i", "k p j"),
    "prp-ap": ("", " . ".join(f"{p} rdf:type owl:AnnotationProperty" for p in ANNOTATIONS)),
    "prp-dom": ("p rdfs:domain A . i p j . i q k", "i rdf:type A"),
    "prp-rng": ('p rdfs:range A . i p j . i p "1" . k q k', 'j rdf:type A . "1" rdf:type A'),
    "prp-fp": (
        "p rdf:type owl:FunctionalProperty . i p j . i p k . j p i",
        "j owl:sameAs k . k owl:sameAs j . i owl:sameAs i . j owl:sameAs j . k owl:sameAs k",
    ),
    "prp-ifp": (
        "p rdf:type owl:InverseFunctionalProperty . j p i . k p i . i p j",
        "j owl:sameAs k . k owl:sameAs j . i owl:sameAs i . j owl:sameAs j . k owl:sameAs k",
    ),
    "prp-symp": ('p rdf:type owl:SymmetricProperty . i p "1" . i q j', '"1" p i'),
    "prp-trp": ("p rdf:type owl:TransitiveProperty . i p j . j p k . k q i", "i p k"),
    "prp-spo1": ("p rdfs:subPropertyOf q . i p j . k q k", "i q j"),
    "prp-spo2": (
        "r owl:propertyChainAxiom _:l . LIST _:l p q p . i p j . j q k . k p m . k p n . i q k",
        "i r m . i r n",
    ),
    "prp-eqp1": ("p owl:equivalentProperty q . i p j . j q k", "i q j"),
    "prp-eqp2": ("p owl:equivalentProperty q . i p j . j q k", "j p k"),
    "prp-inv1": ("p owl:inverseOf q . i p j . j q k", "j q i"),
    "prp-inv2": ("p owl:inverseOf q . i p j . j q k", "k p j"),
    "prp-key": (
        """A owl:hasKey _:l . LIST _:l p q . i rdf:type A . j rdf:type A . k rdf:type A . i p "1" . i p "2" . i q m .
           j p "2" . j q m . k p "1" . n p "1" . n q m""",
        "i owl:sameAs i . i owl:sameAs j . j owl:sameAs i . j owl:sameAs j",
    ),
    "cls-thing": ("", "owl:Thing rdf:type owl:Class"),
    "cls-nothing1": ("", "owl:Nothing rdf:type owl:Class"),
    "cls-int1": (
        "A owl:intersectionOf _:l . LIST _:l B C . i rdf:type B . i rdf:type C . j rdf:type B",
        "i rdf:type A",
    ),
    "cls-int2": (
        "A owl:intersectionOf _:l . LIST _:l B C . i rdf:type A . j rdf:type B",
        "i rdf:type B . i rdf:type C",
    ),
    "cls-uni": (
        "A owl:unionOf _:l . LIST _:l B C . i rdf:type B . j rdf:type C . k rdf:type A",
        "i rdf:type A . j rdf:type A",
    ),
    "cls-svf1": (
        "A owl:someValuesFrom B . A owl:onProperty p . i p j . j rdf:type B . k p k . k q j",
        "i rdf:type A",
    ),
    "cls-svf2": (
        'A owl:someValuesFrom owl:Thing . A owl:onProperty p . i p "1" . k q j',
        "i rdf:type A",
    ),
    "cls-avf": (
        "A owl:allValuesFrom B . A owl:onProperty p . i rdf:type A . i p j . i q k . m p n",
        "j rdf:type B",
    ),
    "cls-hv1": ("A owl:hasValue j . A owl:onProperty p . i rdf:type A", "i p j"),
    "cls-hv2": ("A owl:hasValue j . A owl:onProperty p . i p j . k p i . k q j", "i rdf:type A"),
    "cls-maxc2": (
        f"A owl:maxCardinality {ONE} . A owl:onProperty p . i rdf:type A . i p j . i p k . m p i . m p n",
        "j owl:sameAs j . j owl:sameAs k . k owl:sameAs j . k owl:sameAs k",
    ),
    "cls-maxqc3": (
        f"""A owl:maxQualifiedCardinality {ONE} . A owl:onProperty p . A owl:onClass B . i rdf:type A .
            i p j . i p k . i p m . j rdf:type B . k rdf:type B""",
        "j owl:sameAs j . j owl:sameAs k . k owl:sameAs j . k owl:sameAs k",
    ),
    "cls-maxqc4": (
        f"""A owl:maxQualifiedCardinality {ONE} . A owl:onProperty p . A owl:onClass owl:Thing . i rdf:type A .
            i p j . i p k . B owl:maxQualifiedCardinality {ONE} . B owl:onProperty p . B owl:onClass A . j p i""",
        "j owl:sameAs j . j owl:sameAs k . k owl:sameAs j . k owl:sameAs k",
    ),
    "cls-oo": ("A owl:oneOf _:l . LIST _:l i j", "i rdf:type A . j rdf:type A"),
    "cax-sco": ("A rdfs:subClassOf B . i rdf:type A . j rdf:type B", "i rdf:type B"),
    "cax-eqc1": ("A owl:equivalentClass B . i rdf:type A . j rdf:type B", "i rdf:type B"),
    "cax-eqc2": ("A owl:equivalentClass B . i rdf:type A . j rdf:type B", "j rdf:type A"),
    "dt-type1": ("", " . ".join(f"{name} rdf:type rdfs:Datatype" for name in DATATYPES)),
    "dt-type2": (
        'p rdfs:range xsd:integer . i p "1.0"^^xsd:decimal . i p "1.5"^^xsd:decimal . i p "1"',
        '"1.0"^^xsd:decimal rdf:type xsd:integer',
    ),
    "dt-eq": (
        'i p "1"^^xsd:integer . j p "1.0"^^xsd:decimal . k p "2"^^xsd:integer . i p "1" . i p "1"^^xsd:boolean',
        """"1"^^xsd:integer owl:sameAs "1"^^xsd:integer . "1"^^xsd:integer owl:sameAs "1.0"^^xsd:decimal .
        "1.0"^^xsd:decimal owl:sameAs "1"^^xsd:integer . "1.0"^^xsd:decimal owl:sameAs "1.0"^^xsd:decimal""",
    ),
    "dt-diff": (
        """"1"^^xsd:integer owl:sameAs "2"^^xsd:integer . "1"^^xsd:integer owl:sameAs "01"^^xsd:integer .
        "1" owl:sameAs i . "3"^^xsd:integer owl:sameAs "a"^^xsd:integer""",
        '"1"^^xsd:integer owl:differentFrom "2"^^xsd:integer',
    ),
    "scm-cls": (
        "A rdf:type owl:Class . B rdf:type rdfs:Class",
        "A rdfs:subClassOf A . A owl:equivalentClass A . A rdfs:subClassOf owl:Thing . owl:Nothing rdfs:subClassOf A",
    ),
    "scm-sco": ("A rdfs:subClassOf B . B rdfs:subClassOf C . C p D", "A rdfs:subClassOf C"),
    "scm-eqc1": ("A owl:equivalentClass B", "A rdfs:subClassOf B . B rdfs:subClassOf A"),
    "scm-eqc2": (
        "A rdfs:subClassOf B . B rdfs:subClassOf A . B rdfs:subClassOf C",
        "A owl:equivalentClass B . B owl:equivalentClass A",
    ),
    "scm-op": ("p rdf:type owl:ObjectProperty", "p rdfs:subPropertyOf p . p owl:equivalentProperty p"),
    "scm-dp": ("p rdf:type owl:DatatypeProperty", "p rdfs:subPropertyOf p . p owl:equivalentProperty p"),
    "scm-spo": ("p rdfs:subPropertyOf q . q rdfs:subPropertyOf r", "p rdfs:subPropertyOf r"),
    "scm-eqp1": ("p owl:equivalentProperty q", "p rdfs:subPropertyOf q . q rdfs:subPropertyOf p"),
    "scm-eqp2": (
        "p rdfs:subPropertyOf q . q rdfs:subPropertyOf p . q rdfs:subPropertyOf r",
        "p owl:equivalentProperty q . q owl:equivalentProperty p",
    ),
    "scm-dom1": ("p rdfs:domain A . A rdfs:subClassOf B", "p rdfs:domain B"),
    "scm-dom2": ("q rdfs:domain A . p rdfs:subPropertyOf q . q rdfs:subPropertyOf r", "p rdfs:domain A"),
    "scm-rng1": ("p rdfs:range A . A rdfs:subClassOf B", "p rdfs:range B"),
    "scm-rng2": ("q rdfs:range A . p rdfs:subPropertyOf q . q rdfs:subPropertyOf r", "p rdfs:range A"),
    "scm-hv": (
        f"r owl:hasValue i . s owl:hasValue i . u owl:hasValue j . u owl:onProperty q . {ON_PQ}",
        "r rdfs:subClassOf s",
    ),
    "scm-svf1": (f"{SOME_AB} . A rdfs:subClassOf B", "r rdfs:subClassOf s"),
    "scm-svf2": (f"r owl:someValuesFrom A . s owl:someValuesFrom A . {ON_PQ}", "r rdfs:subClassOf s"),
    "scm-avf1": (f"{ALL_AB} . A rdfs:subClassOf B", "r rdfs:subClassOf s"),
    "scm-avf2": (f"r owl:allValuesFrom A . s owl:allValuesFrom A . {ON_PQ}", "s rdfs:subClassOf r"),
    "scm-int": ("A owl:intersectionOf _:l . LIST _:l B C", "A rdfs:subClassOf B . A rdfs:subClassOf C"),
    "scm-uni": ("A owl:unionOf _:l . LIST _:l B C", "B rdfs:subClassOf A . C rdfs:subClassOf A"),
}

CHECKS = {
    "eq-diff1": ("", "i owl:sameAs j . i owl:differentFrom j", "i owl:differentFrom k . j owl:sameAs k"),
    "eq-diff2": (
        "x rdf:type owl:AllDifferent . x owl:members _:l",
        "j owl:sameAs k",
        "LIST _:l i j k . k owl:sameAs j . i owl:sameAs m",
    ),
    "eq-diff3": (
        "x rdf:type owl:AllDifferent . x owl:distinctMembers _:l",
        "i owl:sameAs k",
        "LIST _:l i j k . k owl:sameAs i . y owl:distinctMembers _:m . LIST _:m i k",
    ),
    "prp-irp": ("p rdf:type owl:IrreflexiveProperty", "i p i", "i p j . i q i"),
    "prp-asyp": ("p rdf:type owl:AsymmetricProperty", "i p j . j p i", "i p k . k q i"),
    "prp-pdw": ("p owl:propertyDisjointWith q", "i p j . i q j", "j p i . i r j"),
    "prp-adp": (
        "x rdf:type owl:AllDisjointProperties . x owl:members _:l",
        "i p j . i r j",
        "LIST _:l p q r . i q k . j r i",
    ),
    "prp-npa1": (
        "x owl:sourceIndividual i . x owl:assertionProperty p . x owl:targetIndividual j",
        "i p j",
        "j p i . i q j",
    ),
    "prp-npa2": (
        'x owl:sourceIndividual i . x owl:assertionProperty p . x owl:targetValue "1"',
        'i p "1"',
        'i p "2" . j p "1"',
    ),
    "cls-nothing2": ("", "i rdf:type owl:Nothing", "j rdf:type owl:Thing"),
    "cls-com": ("A owl:complementOf B", "i rdf:type A . i rdf:type B", "j rdf:type A . k rdf:type B"),
    "cls-maxc1": (
        f"A owl:maxCardinality {ZERO} . A owl:onProperty p",
        "i rdf:type A . i p j",
        "i q j . j p i . k rdf:type A",
    ),
    "cls-maxqc1": (
        f"A owl:maxQualifiedCardinality {ZERO} . A owl:onProperty p . A owl:onClass B",
        "i rdf:type A . i p j . j rdf:type B",
        "i p k . i q m . m rdf:type B",
    ),
    "cls-maxqc2": (
        f"A owl:maxQualifiedCardinality {ZERO} . A owl:onProperty p . A owl:onClass owl:Thing",
        "i rdf:type A . i p j",
        "i q j . j p i . k rdf:type A",
    ),
    "dt-not-type": (
        "",
        '"300"^^xsd:integer rdf:type xsd:byte',
        '"3"^^xsd:integer rdf:type xsd:byte . i rdf:type xsd:byte',
    ),
    "cax-dw": ("A owl:disjointWith B", "i rdf:type A . i rdf:type B", "j rdf:type A . k rdf:type B"),
    "cax-adc": (
        "x rdf:type owl:AllDisjointClasses . x owl:members _:l",
        "i rdf:type A . i rdf:type C",
        "LIST _:l A B C . j rdf:type B . i rdf:type D",
    ),
}


def test_every_row_has_its_case() -> None:
    assert ROWS.keys() == owl2rl.ROWS.keys()
    assert CHECKS.keys() == owl2rl.CHECKS.keys()


@table("row", ROWS)
def test_a_row_says_exactly_this(row: str) -> None:
    given, expected = ROWS[row]
    said = set(owl2rl.ROWS[row](Graph(triples(given))))
    assert said - triples(given) == triples(expected) - triples(given)
    assert triples(expected) <= said


@table("row", CHECKS)
def test_a_check_finds_exactly_this(row: str) -> None:
    axioms, facts, beside = CHECKS[row]
    graph = Graph(triples(axioms) | triples(facts) | triples(beside))
    expected = Contradiction(row, frozenset(triples(axioms)), frozenset(triples(facts)))
    assert {found for found in owl2rl.CHECKS[row](graph) if found.facts == expected.facts} == {expected}
    for fact in expected.facts:
        assert not list(owl2rl.CHECKS[row](Graph(graph.triples - {fact})))
