"""For every W3C rule: triples, and all that this rule alone derives from them (notation of `tests.oracle.notation`).

The triples hold a near miss where the rule could easily take too much. `FALSE` stands for a contradiction.
"""

FALSE = "false"

_TWO = "LIST l A B"
_AXIOM = "d rdf:type owl:{kind} . d owl:{members} l"

DATATYPES = (
    *("rdf:PlainLiteral", "rdf:XMLLiteral", "rdfs:Literal"),
    *("xsd:decimal", "xsd:integer", "xsd:nonNegativeInteger", "xsd:nonPositiveInteger", "xsd:positiveInteger"),
    *("xsd:negativeInteger", "xsd:long", "xsd:int", "xsd:short", "xsd:byte", "xsd:unsignedLong", "xsd:unsignedInt"),
    *("xsd:unsignedShort", "xsd:unsignedByte", "xsd:float", "xsd:double", "xsd:string", "xsd:normalizedString"),
    *("xsd:token", "xsd:language", "xsd:Name", "xsd:NCName", "xsd:NMTOKEN", "xsd:boolean", "xsd:hexBinary"),
    *("xsd:base64Binary", "xsd:anyURI", "xsd:dateTime", "xsd:dateTimeStamp"),
)
"""Those of OWL 2 RL (OWL 2 Profiles, 4.2.1)."""

OWL2RL: dict[str, tuple[str, str]] = {
    # Table 4
    "eq-ref": (
        'x p "1"',
        'x owl:sameAs x . p owl:sameAs p . "1" owl:sameAs "1" . owl:sameAs owl:sameAs owl:sameAs',
    ),
    "eq-sym": ("x owl:sameAs y", "y owl:sameAs x"),
    "eq-trans": ("x owl:sameAs y . y owl:sameAs z", "x owl:sameAs z"),
    "eq-rep-s": ("x owl:sameAs y . x p z . z p x", "y p z . y owl:sameAs y"),
    "eq-rep-p": ("p owl:sameAs q . x p y", "x q y"),
    "eq-rep-o": ("x owl:sameAs y . z p x", "z p y"),
    "eq-diff1": ("x owl:sameAs y . x owl:differentFrom y", FALSE),
    "eq-diff1-self": ("x owl:differentFrom x . x owl:differentFrom y", FALSE),
    "eq-diff2": (f"{_AXIOM.format(kind='AllDifferent', members='members')} . LIST l x y z . x owl:sameAs z", FALSE),
    "eq-diff3": (
        f"{_AXIOM.format(kind='AllDifferent', members='distinctMembers')} . LIST l x y z . y owl:sameAs z",
        FALSE,
    ),
    # Table 5
    "prp-ap": (
        "",
        " . ".join(
            f"{name} rdf:type owl:AnnotationProperty"
            for name in (
                *("rdfs:label", "rdfs:comment", "rdfs:seeAlso", "rdfs:isDefinedBy", "owl:deprecated"),
                *("owl:versionInfo", "owl:priorVersion", "owl:backwardCompatibleWith", "owl:incompatibleWith"),
            )
        ),
    ),
    "prp-dom": ("p rdfs:domain C . x p y . x q z", "x rdf:type C"),
    "prp-rng": ('p rdfs:range C . x p y . x p "1" . x q z', 'y rdf:type C . "1" rdf:type C'),
    "prp-fp": (
        "p rdf:type owl:FunctionalProperty . x p y . x p z . u p v",
        "y owl:sameAs y . y owl:sameAs z . z owl:sameAs y . z owl:sameAs z . v owl:sameAs v",
    ),
    "prp-ifp": (
        "p rdf:type owl:InverseFunctionalProperty . x p z . y p z",
        "x owl:sameAs x . x owl:sameAs y . y owl:sameAs x . y owl:sameAs y",
    ),
    "prp-irp": ("p rdf:type owl:IrreflexiveProperty . x p x", FALSE),
    "prp-symp": ('p rdf:type owl:SymmetricProperty . x p y . x p "1" . x q z', 'y p x . "1" p x'),
    "prp-asyp": ("p rdf:type owl:AsymmetricProperty . x p y . y p x", FALSE),
    "prp-trp": ("p rdf:type owl:TransitiveProperty . x p y . y p z . z q u", "x p z"),
    "prp-spo1": ("p rdfs:subPropertyOf q . x p y . x r z", "x q y"),
    "prp-spo2": ("p owl:propertyChainAxiom l . LIST l q r s . x q y . y r z . z s u . z q u", "x p u"),
    "prp-eqp1": ("p owl:equivalentProperty q . x p y . z q u", "x q y"),
    "prp-eqp2": ("p owl:equivalentProperty q . x p y . z q u", "z p u"),
    "prp-pdw": ("p owl:propertyDisjointWith q . x p y . x q y", FALSE),
    "prp-adp": (
        f"{_AXIOM.format(kind='AllDisjointProperties', members='members')} . LIST l p q r . x p y . x r y",
        FALSE,
    ),
    "prp-inv1": ("p owl:inverseOf q . x p y . z q u", "y q x"),
    "prp-inv2": ("p owl:inverseOf q . x p y . z q u", "u p z"),
    "prp-key": (
        "C owl:hasKey l . LIST l p q . x rdf:type C . y rdf:type C . z rdf:type C . x p 1 . y p 1 . z p 1 . w p 1 . "
        "x q 2 . y q 2 . z q 3 . w q 2",
        "x owl:sameAs x . x owl:sameAs y . y owl:sameAs x . y owl:sameAs y . z owl:sameAs z",
    ),
    "prp-npa1": (
        "n owl:sourceIndividual x . n owl:assertionProperty p . n owl:targetIndividual y . x p y",
        FALSE,
    ),
    "prp-npa2": ('n owl:sourceIndividual x . n owl:assertionProperty p . n owl:targetValue "1" . x p "1"', FALSE),
    # Table 6
    "cls-thing": ("", "owl:Thing rdf:type owl:Class"),
    "cls-nothing1": ("", "owl:Nothing rdf:type owl:Class"),
    "cls-nothing2": ("x rdf:type owl:Nothing", FALSE),
    "cls-int1": (
        "C owl:intersectionOf l . LIST l A B D . x rdf:type A . x rdf:type B . x rdf:type D . "
        "y rdf:type A . y rdf:type D . z rdf:type B . z rdf:type D",
        "x rdf:type C",
    ),
    "cls-int2": (f"C owl:intersectionOf l . {_TWO} . x rdf:type C . y rdf:type A", "x rdf:type A . x rdf:type B"),
    "cls-uni": (
        f"C owl:unionOf l . {_TWO} . x rdf:type B . y rdf:type A . z rdf:type D",
        "x rdf:type C . y rdf:type C",
    ),
    "cls-com": ("C owl:complementOf D . x rdf:type C . x rdf:type D", FALSE),
    "cls-svf1": (
        "R owl:someValuesFrom C . R owl:onProperty p . x p y . y rdf:type C . x2 p z . x3 q y",
        "x rdf:type R",
    ),
    "cls-svf2": ("R owl:someValuesFrom owl:Thing . R owl:onProperty p . x p y . z q y", "x rdf:type R"),
    "cls-avf": (
        "R owl:allValuesFrom C . R owl:onProperty p . x rdf:type R . x p y . x q z . u p z",
        "y rdf:type C",
    ),
    "cls-hv1": ("R owl:hasValue v . R owl:onProperty p . x rdf:type R", "x p v"),
    "cls-hv2": ("R owl:hasValue v . R owl:onProperty p . x p v . y p w . z q v", "x rdf:type R"),
    "cls-maxc1": (
        'R owl:maxCardinality "0"^^xsd:nonNegativeInteger . R owl:onProperty p . x rdf:type R . x p y',
        FALSE,
    ),
    "cls-maxc2": (
        'R owl:maxCardinality "1"^^xsd:nonNegativeInteger . R owl:onProperty p . x rdf:type R . x p y . x p z . u p v',
        "y owl:sameAs y . y owl:sameAs z . z owl:sameAs y . z owl:sameAs z",
    ),
    "cls-maxqc1": (
        'R owl:maxQualifiedCardinality "0"^^xsd:nonNegativeInteger . R owl:onProperty p . R owl:onClass C . '
        "x rdf:type R . x p y . y rdf:type C",
        FALSE,
    ),
    "cls-maxqc2": (
        'R owl:maxQualifiedCardinality "0"^^xsd:nonNegativeInteger . R owl:onProperty p . R owl:onClass owl:Thing . '
        "x rdf:type R . x p y",
        FALSE,
    ),
    "cls-maxqc3": (
        'R owl:maxQualifiedCardinality "1"^^xsd:nonNegativeInteger . R owl:onProperty p . R owl:onClass C . '
        "x rdf:type R . x p y . x p z . x p w . y rdf:type C . z rdf:type C",
        "y owl:sameAs y . y owl:sameAs z . z owl:sameAs y . z owl:sameAs z",
    ),
    "cls-maxqc4": (
        'R owl:maxQualifiedCardinality "1"^^xsd:nonNegativeInteger . R owl:onProperty p . R owl:onClass owl:Thing . '
        "x rdf:type R . x p y . x p z . u p v",
        "y owl:sameAs y . y owl:sameAs z . z owl:sameAs y . z owl:sameAs z",
    ),
    "cls-oo": ("C owl:oneOf l . LIST l x y . m rdf:first z", "x rdf:type C . y rdf:type C"),
    # Table 7
    "cax-sco": ("C rdfs:subClassOf D . x rdf:type C . y rdf:type D", "x rdf:type D"),
    "cax-eqc1": ("C owl:equivalentClass D . x rdf:type C . y rdf:type D", "x rdf:type D"),
    "cax-eqc2": ("C owl:equivalentClass D . x rdf:type C . y rdf:type D", "y rdf:type C"),
    "cax-dw": ("C owl:disjointWith D . x rdf:type C . x rdf:type D", FALSE),
    "cax-adc": (
        f"{_AXIOM.format(kind='AllDisjointClasses', members='members')} . LIST l A B C . x rdf:type A . x rdf:type C",
        FALSE,
    ),
    # Table 8
    "dt-type1": ("", " . ".join(f"{name} rdf:type rdfs:Datatype" for name in DATATYPES)),
    # Table 9
    "scm-cls": (
        "C rdf:type owl:Class",
        "C rdfs:subClassOf C . C owl:equivalentClass C . C rdfs:subClassOf owl:Thing . owl:Nothing rdfs:subClassOf C",
    ),
    "scm-sco": ("A rdfs:subClassOf B . B rdfs:subClassOf C", "A rdfs:subClassOf C"),
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
    "scm-dom1": ("p rdfs:domain C . C rdfs:subClassOf D", "p rdfs:domain D"),
    "scm-dom2": ("q rdfs:domain C . p rdfs:subPropertyOf q . q rdfs:subPropertyOf r", "p rdfs:domain C"),
    "scm-rng1": ("p rdfs:range C . C rdfs:subClassOf D", "p rdfs:range D"),
    "scm-rng2": ("q rdfs:range C . p rdfs:subPropertyOf q . q rdfs:subPropertyOf r", "p rdfs:range C"),
    "scm-hv": (
        "R owl:hasValue v . R owl:onProperty p . S owl:hasValue v . S owl:onProperty q . p rdfs:subPropertyOf q . "
        "T owl:hasValue w . T owl:onProperty q",
        "R rdfs:subClassOf S",
    ),
    "scm-svf1": (
        "R owl:someValuesFrom A . R owl:onProperty p . S owl:someValuesFrom B . S owl:onProperty p . "
        "A rdfs:subClassOf B . T owl:someValuesFrom B . T owl:onProperty q",
        "R rdfs:subClassOf S",
    ),
    "scm-svf2": (
        "R owl:someValuesFrom A . R owl:onProperty p . S owl:someValuesFrom A . S owl:onProperty q . "
        "p rdfs:subPropertyOf q . T owl:someValuesFrom B . T owl:onProperty q",
        "R rdfs:subClassOf S",
    ),
    "scm-avf1": (
        "R owl:allValuesFrom A . R owl:onProperty p . S owl:allValuesFrom B . S owl:onProperty p . "
        "A rdfs:subClassOf B . T owl:allValuesFrom B . T owl:onProperty q",
        "R rdfs:subClassOf S",
    ),
    "scm-avf2": (
        "R owl:allValuesFrom A . R owl:onProperty p . S owl:allValuesFrom A . S owl:onProperty q . "
        "p rdfs:subPropertyOf q . T owl:allValuesFrom B . T owl:onProperty q",
        "S rdfs:subClassOf R",
    ),
    "scm-int": (f"C owl:intersectionOf l . {_TWO}", "C rdfs:subClassOf A . C rdfs:subClassOf B"),
    "scm-uni": (f"C owl:unionOf l . {_TWO}", "A rdfs:subClassOf C . B rdfs:subClassOf C"),
}

TRICKY = (
    "d rdf:type owl:AllDifferent . d owl:members l . LIST l x y z . x owl:sameAs x . y owl:sameAs w",
    "d rdf:type owl:AllDifferent . d owl:distinctMembers l . LIST l x y z . x owl:sameAs x . y owl:sameAs w",
    "d rdf:type owl:AllDisjointClasses . d owl:members l . d owl:distinctMembers l . LIST l p q . p owl:sameAs q",
    "d rdf:type owl:AllDisjointClasses . d owl:members l . LIST l p q . x p y . x q y",
    "d rdf:type owl:AllDisjointProperties . d owl:members l . LIST l A B . x rdf:type A . x rdf:type B",
    "d rdf:type owl:AllDifferent . d owl:members l . l rdf:first x . l rdf:rest m . m rdf:first y . x owl:sameAs y",
    "C owl:hasKey l . l rdf:first p . l rdf:rest m . D owl:hasKey n . n rdf:first r . n rdf:rest m . LIST m q . "
    "x rdf:type D . y rdf:type D . x p 1 . y p 1 . x q 2 . y q 2 . x r 3 . y r 4",
    "C owl:hasKey l . l rdf:first p . l rdf:rest m . D owl:hasKey n . n rdf:first r . n rdf:rest m . LIST m q . "
    "x rdf:type D . y rdf:type D . y rdf:type C . x p 1 . y p 1 . x q 2 . y q 2 . x r 3 . y r 4",
    "C owl:hasKey l . LIST l p q . C owl:hasKey n . LIST n r s . x rdf:type C . y rdf:type C . "
    "x p 1 . y p 1 . x q 2 . y q 3 . x r 4 . y r 5 . x s 6 . y s 6",
    "C owl:intersectionOf l . l rdf:first A . l rdf:rest m . E owl:unionOf n . n rdf:first A . n rdf:rest m . "
    "LIST m B . x rdf:type A . y rdf:type B",
    "C owl:unionOf l . LIST l A . E owl:unionOf n . LIST n B . x rdf:type A . y rdf:type B",
    "d rdf:type owl:AllDifferent . e rdf:type owl:AllDisjointClasses . e owl:members n . LIST n A B . A owl:sameAs B",
    "d rdf:type owl:AllDisjointProperties . e rdf:type owl:AllDisjointClasses . e owl:members n . LIST n p q . "
    "x p y . x q y",
    "d rdf:type owl:AllDisjointClasses . e rdf:type owl:AllDisjointProperties . e owl:members n . LIST n A B . "
    "x rdf:type A . x rdf:type B",
    "C owl:unionOf l . l rdf:first A . l rdf:rest m . l rdf:rest n . LIST m B . n rdf:first D . "
    "x rdf:type A . y rdf:type B . z rdf:type D",
)
"""Graphs in which axioms share lists, or in which helpers of one rule could mislead another."""

RDFS: dict[str, tuple[str, str]] = {
    "rdfs1": ("", "rdf:langString rdf:type rdfs:Datatype . xsd:string rdf:type rdfs:Datatype"),
    "rdfs2": ("p rdfs:domain C . x p y . x q z", "x rdf:type C"),
    "rdfs3": ("p rdfs:range C . x p y . x q z", "y rdf:type C"),
    "rdfs4a": ('x p "1"', "x rdf:type rdfs:Resource"),
    "rdfs4b": ('x p "1"', '"1" rdf:type rdfs:Resource . rdfs:Resource rdf:type rdfs:Resource'),
    "rdfs5": ("p rdfs:subPropertyOf q . q rdfs:subPropertyOf r", "p rdfs:subPropertyOf r"),
    "rdfs6": ("p rdf:type rdf:Property", "p rdfs:subPropertyOf p"),
    "rdfs7": ("p rdfs:subPropertyOf q . x p y . x r z", "x q y"),
    "rdfs8": ("C rdf:type rdfs:Class", "C rdfs:subClassOf rdfs:Resource"),
    "rdfs9": ("C rdfs:subClassOf D . x rdf:type C . y rdf:type D", "x rdf:type D"),
    "rdfs10": ("C rdf:type rdfs:Class", "C rdfs:subClassOf C"),
    "rdfs11": ("A rdfs:subClassOf B . B rdfs:subClassOf C", "A rdfs:subClassOf C"),
    "rdfs12": ("p rdf:type rdfs:ContainerMembershipProperty", "p rdfs:subPropertyOf rdfs:member"),
    "rdfs13": ("D rdf:type rdfs:Datatype", "D rdfs:subClassOf rdfs:Literal"),
    "rdfD2": ("x p y", "p rdf:type rdf:Property . rdf:type rdf:type rdf:Property"),
}

WHY_ABSENT = {
    "dt-type2": "it is in datatypes.dl",
    "dt-eq": "it is in datatypes.dl",
    "dt-diff": "it is in datatypes.dl",
    "dt-not-type": "it is in datatypes.dl",
    "rdfD1": "it takes the datatype out of a literal",
}
"""The W3C rules that the ruleset of their specification has not, with the reason."""

_TABLES = {
    "eq": "ref sym trans rep-s rep-p rep-o diff1 diff2 diff3",
    "prp": "ap dom rng fp ifp irp symp asyp trp spo1 spo2 eqp1 eqp2 pdw adp inv1 inv2 key npa1 npa2",
    "cls": "thing nothing1 nothing2 int1 int2 uni com svf1 svf2 avf hv1 hv2 maxc1 maxc2 maxqc1 maxqc2 maxqc3 maxqc4 oo",
    "cax": "sco eqc1 eqc2 dw adc",
    "dt": "type1 type2 eq diff not-type",
    "scm": "cls sco eqc1 eqc2 op dp spo eqp1 eqp2 dom1 dom2 rng1 rng2 hv svf1 svf2 avf1 avf2 int uni",
}
TABLES_4_TO_9 = [f"{table}-{row}" for table, rows in _TABLES.items() for row in rows.split()]
"""The names of all rows of Tables 4 to 9."""
