"""The terms of RDF, RDFS and OWL that the tables name, as N-Triples text."""

from __future__ import annotations

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
OWL = "http://www.w3.org/2002/07/owl#"
XSD = "http://www.w3.org/2001/XMLSchema#"

TYPE, PROPERTY = f"<{RDF}type>", f"<{RDF}Property>"
FIRST, REST, NIL = f"<{RDF}first>", f"<{RDF}rest>", f"<{RDF}nil>"

SUB_CLASS_OF, SUB_PROPERTY_OF = f"<{RDFS}subClassOf>", f"<{RDFS}subPropertyOf>"
DOMAIN, RANGE, MEMBER = f"<{RDFS}domain>", f"<{RDFS}range>", f"<{RDFS}member>"
RESOURCE, RDFS_CLASS, LITERAL = f"<{RDFS}Resource>", f"<{RDFS}Class>", f"<{RDFS}Literal>"
DATATYPE, CONTAINER_MEMBERSHIP = f"<{RDFS}Datatype>", f"<{RDFS}ContainerMembershipProperty>"

THING, NOTHING, CLASS = f"<{OWL}Thing>", f"<{OWL}Nothing>", f"<{OWL}Class>"
OBJECT_PROPERTY, DATATYPE_PROPERTY = f"<{OWL}ObjectProperty>", f"<{OWL}DatatypeProperty>"
ANNOTATION_PROPERTY = f"<{OWL}AnnotationProperty>"
FUNCTIONAL, INVERSE_FUNCTIONAL = f"<{OWL}FunctionalProperty>", f"<{OWL}InverseFunctionalProperty>"
SYMMETRIC, ASYMMETRIC = f"<{OWL}SymmetricProperty>", f"<{OWL}AsymmetricProperty>"
TRANSITIVE, IRREFLEXIVE = f"<{OWL}TransitiveProperty>", f"<{OWL}IrreflexiveProperty>"
EQUIVALENT_CLASS, EQUIVALENT_PROPERTY = f"<{OWL}equivalentClass>", f"<{OWL}equivalentProperty>"
DISJOINT_WITH, PROPERTY_DISJOINT_WITH = f"<{OWL}disjointWith>", f"<{OWL}propertyDisjointWith>"
INVERSE_OF, PROPERTY_CHAIN, HAS_KEY = f"<{OWL}inverseOf>", f"<{OWL}propertyChainAxiom>", f"<{OWL}hasKey>"
INTERSECTION_OF, UNION_OF = f"<{OWL}intersectionOf>", f"<{OWL}unionOf>"
COMPLEMENT_OF, ONE_OF = f"<{OWL}complementOf>", f"<{OWL}oneOf>"
RESTRICTION, ON_PROPERTY, ON_CLASS = f"<{OWL}Restriction>", f"<{OWL}onProperty>", f"<{OWL}onClass>"
SOME_VALUES_FROM, ALL_VALUES_FROM = f"<{OWL}someValuesFrom>", f"<{OWL}allValuesFrom>"
HAS_VALUE = f"<{OWL}hasValue>"
MAX_CARDINALITY, MAX_QUALIFIED = f"<{OWL}maxCardinality>", f"<{OWL}maxQualifiedCardinality>"
SAME_AS, DIFFERENT_FROM = f"<{OWL}sameAs>", f"<{OWL}differentFrom>"
ALL_DIFFERENT, MEMBERS, DISTINCT_MEMBERS = f"<{OWL}AllDifferent>", f"<{OWL}members>", f"<{OWL}distinctMembers>"
ALL_DISJOINT_CLASSES = f"<{OWL}AllDisjointClasses>"
ALL_DISJOINT_PROPERTIES = f"<{OWL}AllDisjointProperties>"
NEGATIVE_ASSERTION = f"<{OWL}NegativePropertyAssertion>"
SOURCE_INDIVIDUAL, ASSERTION_PROPERTY = f"<{OWL}sourceIndividual>", f"<{OWL}assertionProperty>"
TARGET_INDIVIDUAL, TARGET_VALUE = f"<{OWL}targetIndividual>", f"<{OWL}targetValue>"

ZERO = f'"0"^^<{XSD}nonNegativeInteger>'
ONE = f'"1"^^<{XSD}nonNegativeInteger>'

ANNOTATION_PROPERTIES = (
    *(f"<{RDFS}{name}>" for name in ("label", "comment", "seeAlso", "isDefinedBy")),
    *(f"<{OWL}{name}>" for name in ("deprecated", "versionInfo", "priorVersion")),
    *(f"<{OWL}{name}>" for name in ("backwardCompatibleWith", "incompatibleWith")),
)
