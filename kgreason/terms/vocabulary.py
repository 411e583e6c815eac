"""The terms of RDF, RDFS, OWL, XSD and SWRL as constants: the N-Triples text that atoms and the dictionary use.

`VOCABULARY` lists the terms in a fixed order: term number i (from 0) has the id i + 1 in every dictionary, on disk and
on Spark.
Invariant: the order is append-only, because stored graphs hold these ids. A new term goes to the end of `VOCABULARY`,
whatever its vocabulary. No term is moved or removed.

Cost: about 170 strings; this module imports no other.
"""

from __future__ import annotations

# RDF 1.1 and 1.2
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
"""The namespace rdf:, as bare IRI text."""

RDF_TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
RDF_FIRST = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#first>"
RDF_REST = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#rest>"
RDF_NIL = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#nil>"
RDF_LIST = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#List>"
RDF_PROPERTY = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#Property>"
RDF_STATEMENT = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#Statement>"
RDF_SUBJECT = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#subject>"
RDF_PREDICATE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#predicate>"
RDF_OBJECT = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#object>"
RDF_VALUE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#value>"
RDF_BAG = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#Bag>"
RDF_SEQ = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#Seq>"
RDF_ALT = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#Alt>"
RDF_REIFIES = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#reifies>"
RDF_LANG_STRING = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#langString>"
RDF_DIR_LANG_STRING = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#dirLangString>"
RDF_XML_LITERAL = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#XMLLiteral>"
RDF_HTML = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#HTML>"
RDF_JSON = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#JSON>"
RDF_PLAIN_LITERAL = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#PlainLiteral>"

# RDF Schema
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
"""The namespace rdfs:, as bare IRI text."""

RDFS_SUB_CLASS_OF = "<http://www.w3.org/2000/01/rdf-schema#subClassOf>"
RDFS_SUB_PROPERTY_OF = "<http://www.w3.org/2000/01/rdf-schema#subPropertyOf>"
RDFS_DOMAIN = "<http://www.w3.org/2000/01/rdf-schema#domain>"
RDFS_RANGE = "<http://www.w3.org/2000/01/rdf-schema#range>"
RDFS_RESOURCE = "<http://www.w3.org/2000/01/rdf-schema#Resource>"
RDFS_CLASS = "<http://www.w3.org/2000/01/rdf-schema#Class>"
RDFS_DATATYPE = "<http://www.w3.org/2000/01/rdf-schema#Datatype>"
RDFS_LITERAL = "<http://www.w3.org/2000/01/rdf-schema#Literal>"
RDFS_CONTAINER = "<http://www.w3.org/2000/01/rdf-schema#Container>"
RDFS_CONTAINER_MEMBERSHIP_PROPERTY = "<http://www.w3.org/2000/01/rdf-schema#ContainerMembershipProperty>"
RDFS_MEMBER = "<http://www.w3.org/2000/01/rdf-schema#member>"
RDFS_PROPOSITION = "<http://www.w3.org/2000/01/rdf-schema#Proposition>"
RDFS_LABEL = "<http://www.w3.org/2000/01/rdf-schema#label>"
RDFS_COMMENT = "<http://www.w3.org/2000/01/rdf-schema#comment>"
RDFS_SEE_ALSO = "<http://www.w3.org/2000/01/rdf-schema#seeAlso>"
RDFS_IS_DEFINED_BY = "<http://www.w3.org/2000/01/rdf-schema#isDefinedBy>"

# OWL 2
OWL = "http://www.w3.org/2002/07/owl#"
"""The namespace owl:, as bare IRI text."""

OWL_SAME_AS = "<http://www.w3.org/2002/07/owl#sameAs>"
OWL_DIFFERENT_FROM = "<http://www.w3.org/2002/07/owl#differentFrom>"
OWL_THING = "<http://www.w3.org/2002/07/owl#Thing>"
OWL_NOTHING = "<http://www.w3.org/2002/07/owl#Nothing>"
OWL_CLASS = "<http://www.w3.org/2002/07/owl#Class>"
OWL_RESTRICTION = "<http://www.w3.org/2002/07/owl#Restriction>"
OWL_EQUIVALENT_CLASS = "<http://www.w3.org/2002/07/owl#equivalentClass>"
OWL_DISJOINT_WITH = "<http://www.w3.org/2002/07/owl#disjointWith>"
OWL_COMPLEMENT_OF = "<http://www.w3.org/2002/07/owl#complementOf>"
OWL_INTERSECTION_OF = "<http://www.w3.org/2002/07/owl#intersectionOf>"
OWL_UNION_OF = "<http://www.w3.org/2002/07/owl#unionOf>"
OWL_DISJOINT_UNION_OF = "<http://www.w3.org/2002/07/owl#disjointUnionOf>"
OWL_ONE_OF = "<http://www.w3.org/2002/07/owl#oneOf>"
OWL_ON_PROPERTY = "<http://www.w3.org/2002/07/owl#onProperty>"
OWL_ON_PROPERTIES = "<http://www.w3.org/2002/07/owl#onProperties>"
OWL_ON_CLASS = "<http://www.w3.org/2002/07/owl#onClass>"
OWL_ON_DATA_RANGE = "<http://www.w3.org/2002/07/owl#onDataRange>"
OWL_SOME_VALUES_FROM = "<http://www.w3.org/2002/07/owl#someValuesFrom>"
OWL_ALL_VALUES_FROM = "<http://www.w3.org/2002/07/owl#allValuesFrom>"
OWL_HAS_VALUE = "<http://www.w3.org/2002/07/owl#hasValue>"
OWL_HAS_SELF = "<http://www.w3.org/2002/07/owl#hasSelf>"
OWL_MIN_CARDINALITY = "<http://www.w3.org/2002/07/owl#minCardinality>"
OWL_MAX_CARDINALITY = "<http://www.w3.org/2002/07/owl#maxCardinality>"
OWL_CARDINALITY = "<http://www.w3.org/2002/07/owl#cardinality>"
OWL_MIN_QUALIFIED_CARDINALITY = "<http://www.w3.org/2002/07/owl#minQualifiedCardinality>"
OWL_MAX_QUALIFIED_CARDINALITY = "<http://www.w3.org/2002/07/owl#maxQualifiedCardinality>"
OWL_QUALIFIED_CARDINALITY = "<http://www.w3.org/2002/07/owl#qualifiedCardinality>"
OWL_HAS_KEY = "<http://www.w3.org/2002/07/owl#hasKey>"
OWL_ALL_DISJOINT_CLASSES = "<http://www.w3.org/2002/07/owl#AllDisjointClasses>"
OWL_ALL_DISJOINT_PROPERTIES = "<http://www.w3.org/2002/07/owl#AllDisjointProperties>"
OWL_ALL_DIFFERENT = "<http://www.w3.org/2002/07/owl#AllDifferent>"
OWL_MEMBERS = "<http://www.w3.org/2002/07/owl#members>"
OWL_DISTINCT_MEMBERS = "<http://www.w3.org/2002/07/owl#distinctMembers>"
OWL_OBJECT_PROPERTY = "<http://www.w3.org/2002/07/owl#ObjectProperty>"
OWL_DATATYPE_PROPERTY = "<http://www.w3.org/2002/07/owl#DatatypeProperty>"
OWL_ANNOTATION_PROPERTY = "<http://www.w3.org/2002/07/owl#AnnotationProperty>"
OWL_ONTOLOGY_PROPERTY = "<http://www.w3.org/2002/07/owl#OntologyProperty>"
OWL_FUNCTIONAL_PROPERTY = "<http://www.w3.org/2002/07/owl#FunctionalProperty>"
OWL_INVERSE_FUNCTIONAL_PROPERTY = "<http://www.w3.org/2002/07/owl#InverseFunctionalProperty>"
OWL_TRANSITIVE_PROPERTY = "<http://www.w3.org/2002/07/owl#TransitiveProperty>"
OWL_SYMMETRIC_PROPERTY = "<http://www.w3.org/2002/07/owl#SymmetricProperty>"
OWL_ASYMMETRIC_PROPERTY = "<http://www.w3.org/2002/07/owl#AsymmetricProperty>"
OWL_REFLEXIVE_PROPERTY = "<http://www.w3.org/2002/07/owl#ReflexiveProperty>"
OWL_IRREFLEXIVE_PROPERTY = "<http://www.w3.org/2002/07/owl#IrreflexiveProperty>"
OWL_EQUIVALENT_PROPERTY = "<http://www.w3.org/2002/07/owl#equivalentProperty>"
OWL_INVERSE_OF = "<http://www.w3.org/2002/07/owl#inverseOf>"
OWL_PROPERTY_DISJOINT_WITH = "<http://www.w3.org/2002/07/owl#propertyDisjointWith>"
OWL_PROPERTY_CHAIN_AXIOM = "<http://www.w3.org/2002/07/owl#propertyChainAxiom>"
OWL_TOP_OBJECT_PROPERTY = "<http://www.w3.org/2002/07/owl#topObjectProperty>"
OWL_BOTTOM_OBJECT_PROPERTY = "<http://www.w3.org/2002/07/owl#bottomObjectProperty>"
OWL_TOP_DATA_PROPERTY = "<http://www.w3.org/2002/07/owl#topDataProperty>"
OWL_BOTTOM_DATA_PROPERTY = "<http://www.w3.org/2002/07/owl#bottomDataProperty>"
OWL_NEGATIVE_PROPERTY_ASSERTION = "<http://www.w3.org/2002/07/owl#NegativePropertyAssertion>"
OWL_SOURCE_INDIVIDUAL = "<http://www.w3.org/2002/07/owl#sourceIndividual>"
OWL_ASSERTION_PROPERTY = "<http://www.w3.org/2002/07/owl#assertionProperty>"
OWL_TARGET_INDIVIDUAL = "<http://www.w3.org/2002/07/owl#targetIndividual>"
OWL_TARGET_VALUE = "<http://www.w3.org/2002/07/owl#targetValue>"
OWL_NAMED_INDIVIDUAL = "<http://www.w3.org/2002/07/owl#NamedIndividual>"
OWL_ONTOLOGY = "<http://www.w3.org/2002/07/owl#Ontology>"
OWL_IMPORTS = "<http://www.w3.org/2002/07/owl#imports>"
OWL_VERSION_IRI = "<http://www.w3.org/2002/07/owl#versionIRI>"
OWL_VERSION_INFO = "<http://www.w3.org/2002/07/owl#versionInfo>"
OWL_PRIOR_VERSION = "<http://www.w3.org/2002/07/owl#priorVersion>"
OWL_BACKWARD_COMPATIBLE_WITH = "<http://www.w3.org/2002/07/owl#backwardCompatibleWith>"
OWL_INCOMPATIBLE_WITH = "<http://www.w3.org/2002/07/owl#incompatibleWith>"
OWL_DEPRECATED_CLASS = "<http://www.w3.org/2002/07/owl#DeprecatedClass>"
OWL_DEPRECATED_PROPERTY = "<http://www.w3.org/2002/07/owl#DeprecatedProperty>"
OWL_DEPRECATED = "<http://www.w3.org/2002/07/owl#deprecated>"
OWL_AXIOM = "<http://www.w3.org/2002/07/owl#Axiom>"
OWL_ANNOTATION = "<http://www.w3.org/2002/07/owl#Annotation>"
OWL_ANNOTATED_SOURCE = "<http://www.w3.org/2002/07/owl#annotatedSource>"
OWL_ANNOTATED_PROPERTY = "<http://www.w3.org/2002/07/owl#annotatedProperty>"
OWL_ANNOTATED_TARGET = "<http://www.w3.org/2002/07/owl#annotatedTarget>"
OWL_DATA_RANGE = "<http://www.w3.org/2002/07/owl#DataRange>"
OWL_ON_DATATYPE = "<http://www.w3.org/2002/07/owl#onDatatype>"
OWL_WITH_RESTRICTIONS = "<http://www.w3.org/2002/07/owl#withRestrictions>"
OWL_DATATYPE_COMPLEMENT_OF = "<http://www.w3.org/2002/07/owl#datatypeComplementOf>"
OWL_REAL = "<http://www.w3.org/2002/07/owl#real>"
OWL_RATIONAL = "<http://www.w3.org/2002/07/owl#rational>"

# XML Schema datatypes
XSD = "http://www.w3.org/2001/XMLSchema#"
"""The namespace xsd:, as bare IRI text."""

XSD_STRING = "<http://www.w3.org/2001/XMLSchema#string>"
XSD_BOOLEAN = "<http://www.w3.org/2001/XMLSchema#boolean>"
XSD_INTEGER = "<http://www.w3.org/2001/XMLSchema#integer>"
XSD_DECIMAL = "<http://www.w3.org/2001/XMLSchema#decimal>"
XSD_DOUBLE = "<http://www.w3.org/2001/XMLSchema#double>"
XSD_FLOAT = "<http://www.w3.org/2001/XMLSchema#float>"
XSD_NON_NEGATIVE_INTEGER = "<http://www.w3.org/2001/XMLSchema#nonNegativeInteger>"
XSD_POSITIVE_INTEGER = "<http://www.w3.org/2001/XMLSchema#positiveInteger>"
XSD_NON_POSITIVE_INTEGER = "<http://www.w3.org/2001/XMLSchema#nonPositiveInteger>"
XSD_NEGATIVE_INTEGER = "<http://www.w3.org/2001/XMLSchema#negativeInteger>"
XSD_LONG = "<http://www.w3.org/2001/XMLSchema#long>"
XSD_INT = "<http://www.w3.org/2001/XMLSchema#int>"
XSD_SHORT = "<http://www.w3.org/2001/XMLSchema#short>"
XSD_BYTE = "<http://www.w3.org/2001/XMLSchema#byte>"
XSD_UNSIGNED_LONG = "<http://www.w3.org/2001/XMLSchema#unsignedLong>"
XSD_UNSIGNED_INT = "<http://www.w3.org/2001/XMLSchema#unsignedInt>"
XSD_UNSIGNED_SHORT = "<http://www.w3.org/2001/XMLSchema#unsignedShort>"
XSD_UNSIGNED_BYTE = "<http://www.w3.org/2001/XMLSchema#unsignedByte>"
XSD_DATE_TIME = "<http://www.w3.org/2001/XMLSchema#dateTime>"
XSD_DATE_TIME_STAMP = "<http://www.w3.org/2001/XMLSchema#dateTimeStamp>"
XSD_DATE = "<http://www.w3.org/2001/XMLSchema#date>"
XSD_TIME = "<http://www.w3.org/2001/XMLSchema#time>"
XSD_G_YEAR = "<http://www.w3.org/2001/XMLSchema#gYear>"
XSD_G_YEAR_MONTH = "<http://www.w3.org/2001/XMLSchema#gYearMonth>"
XSD_G_MONTH = "<http://www.w3.org/2001/XMLSchema#gMonth>"
XSD_G_MONTH_DAY = "<http://www.w3.org/2001/XMLSchema#gMonthDay>"
XSD_G_DAY = "<http://www.w3.org/2001/XMLSchema#gDay>"
XSD_DURATION = "<http://www.w3.org/2001/XMLSchema#duration>"
XSD_DAY_TIME_DURATION = "<http://www.w3.org/2001/XMLSchema#dayTimeDuration>"
XSD_YEAR_MONTH_DURATION = "<http://www.w3.org/2001/XMLSchema#yearMonthDuration>"
XSD_NORMALIZED_STRING = "<http://www.w3.org/2001/XMLSchema#normalizedString>"
XSD_TOKEN = "<http://www.w3.org/2001/XMLSchema#token>"
XSD_LANGUAGE = "<http://www.w3.org/2001/XMLSchema#language>"
XSD_NAME = "<http://www.w3.org/2001/XMLSchema#Name>"
XSD_NCNAME = "<http://www.w3.org/2001/XMLSchema#NCName>"
XSD_NMTOKEN = "<http://www.w3.org/2001/XMLSchema#NMTOKEN>"
XSD_ANY_URI = "<http://www.w3.org/2001/XMLSchema#anyURI>"
XSD_HEX_BINARY = "<http://www.w3.org/2001/XMLSchema#hexBinary>"
XSD_BASE64_BINARY = "<http://www.w3.org/2001/XMLSchema#base64Binary>"

# SWRL (W3C Member Submission of 21 May 2004, section 6: the concrete syntax in RDF)
SWRL = "http://www.w3.org/2003/11/swrl#"
"""The namespace swrl:, as bare IRI text."""

SWRL_IMP = "<http://www.w3.org/2003/11/swrl#Imp>"
SWRL_BODY = "<http://www.w3.org/2003/11/swrl#body>"
SWRL_HEAD = "<http://www.w3.org/2003/11/swrl#head>"
SWRL_VARIABLE = "<http://www.w3.org/2003/11/swrl#Variable>"
SWRL_CLASS_ATOM = "<http://www.w3.org/2003/11/swrl#ClassAtom>"
SWRL_INDIVIDUAL_PROPERTY_ATOM = "<http://www.w3.org/2003/11/swrl#IndividualPropertyAtom>"
SWRL_DATAVALUED_PROPERTY_ATOM = "<http://www.w3.org/2003/11/swrl#DatavaluedPropertyAtom>"
SWRL_SAME_INDIVIDUAL_ATOM = "<http://www.w3.org/2003/11/swrl#SameIndividualAtom>"
SWRL_DIFFERENT_INDIVIDUALS_ATOM = "<http://www.w3.org/2003/11/swrl#DifferentIndividualsAtom>"
SWRL_BUILTIN_ATOM = "<http://www.w3.org/2003/11/swrl#BuiltinAtom>"
SWRL_DATA_RANGE_ATOM = "<http://www.w3.org/2003/11/swrl#DataRangeAtom>"
SWRL_CLASS_PREDICATE = "<http://www.w3.org/2003/11/swrl#classPredicate>"
SWRL_PROPERTY_PREDICATE = "<http://www.w3.org/2003/11/swrl#propertyPredicate>"
SWRL_ARGUMENT1 = "<http://www.w3.org/2003/11/swrl#argument1>"
SWRL_ARGUMENT2 = "<http://www.w3.org/2003/11/swrl#argument2>"
SWRL_BUILTIN = "<http://www.w3.org/2003/11/swrl#builtin>"
SWRL_ARGUMENTS = "<http://www.w3.org/2003/11/swrl#arguments>"
SWRLB = "http://www.w3.org/2003/11/swrlb#"
"""The namespace of SWRL's built-ins, as bare IRI text."""

VOCABULARY: tuple[str, ...] = (
    RDF_TYPE,
    RDF_FIRST,
    RDF_REST,
    RDF_NIL,
    RDF_LIST,
    RDF_PROPERTY,
    RDF_STATEMENT,
    RDF_SUBJECT,
    RDF_PREDICATE,
    RDF_OBJECT,
    RDF_VALUE,
    RDF_BAG,
    RDF_SEQ,
    RDF_ALT,
    RDF_REIFIES,
    RDF_LANG_STRING,
    RDF_DIR_LANG_STRING,
    RDF_XML_LITERAL,
    RDF_HTML,
    RDF_JSON,
    RDF_PLAIN_LITERAL,
    RDFS_SUB_CLASS_OF,
    RDFS_SUB_PROPERTY_OF,
    RDFS_DOMAIN,
    RDFS_RANGE,
    RDFS_RESOURCE,
    RDFS_CLASS,
    RDFS_DATATYPE,
    RDFS_LITERAL,
    RDFS_CONTAINER,
    RDFS_CONTAINER_MEMBERSHIP_PROPERTY,
    RDFS_MEMBER,
    RDFS_PROPOSITION,
    RDFS_LABEL,
    RDFS_COMMENT,
    RDFS_SEE_ALSO,
    RDFS_IS_DEFINED_BY,
    OWL_SAME_AS,
    OWL_DIFFERENT_FROM,
    OWL_THING,
    OWL_NOTHING,
    OWL_CLASS,
    OWL_RESTRICTION,
    OWL_EQUIVALENT_CLASS,
    OWL_DISJOINT_WITH,
    OWL_COMPLEMENT_OF,
    OWL_INTERSECTION_OF,
    OWL_UNION_OF,
    OWL_DISJOINT_UNION_OF,
    OWL_ONE_OF,
    OWL_ON_PROPERTY,
    OWL_ON_PROPERTIES,
    OWL_ON_CLASS,
    OWL_ON_DATA_RANGE,
    OWL_SOME_VALUES_FROM,
    OWL_ALL_VALUES_FROM,
    OWL_HAS_VALUE,
    OWL_HAS_SELF,
    OWL_MIN_CARDINALITY,
    OWL_MAX_CARDINALITY,
    OWL_CARDINALITY,
    OWL_MIN_QUALIFIED_CARDINALITY,
    OWL_MAX_QUALIFIED_CARDINALITY,
    OWL_QUALIFIED_CARDINALITY,
    OWL_HAS_KEY,
    OWL_ALL_DISJOINT_CLASSES,
    OWL_ALL_DISJOINT_PROPERTIES,
    OWL_ALL_DIFFERENT,
    OWL_MEMBERS,
    OWL_DISTINCT_MEMBERS,
    OWL_OBJECT_PROPERTY,
    OWL_DATATYPE_PROPERTY,
    OWL_ANNOTATION_PROPERTY,
    OWL_ONTOLOGY_PROPERTY,
    OWL_FUNCTIONAL_PROPERTY,
    OWL_INVERSE_FUNCTIONAL_PROPERTY,
    OWL_TRANSITIVE_PROPERTY,
    OWL_SYMMETRIC_PROPERTY,
    OWL_ASYMMETRIC_PROPERTY,
    OWL_REFLEXIVE_PROPERTY,
    OWL_IRREFLEXIVE_PROPERTY,
    OWL_EQUIVALENT_PROPERTY,
    OWL_INVERSE_OF,
    OWL_PROPERTY_DISJOINT_WITH,
    OWL_PROPERTY_CHAIN_AXIOM,
    OWL_TOP_OBJECT_PROPERTY,
    OWL_BOTTOM_OBJECT_PROPERTY,
    OWL_TOP_DATA_PROPERTY,
    OWL_BOTTOM_DATA_PROPERTY,
    OWL_NEGATIVE_PROPERTY_ASSERTION,
    OWL_SOURCE_INDIVIDUAL,
    OWL_ASSERTION_PROPERTY,
    OWL_TARGET_INDIVIDUAL,
    OWL_TARGET_VALUE,
    OWL_NAMED_INDIVIDUAL,
    OWL_ONTOLOGY,
    OWL_IMPORTS,
    OWL_VERSION_IRI,
    OWL_VERSION_INFO,
    OWL_PRIOR_VERSION,
    OWL_BACKWARD_COMPATIBLE_WITH,
    OWL_INCOMPATIBLE_WITH,
    OWL_DEPRECATED_CLASS,
    OWL_DEPRECATED_PROPERTY,
    OWL_DEPRECATED,
    OWL_AXIOM,
    OWL_ANNOTATION,
    OWL_ANNOTATED_SOURCE,
    OWL_ANNOTATED_PROPERTY,
    OWL_ANNOTATED_TARGET,
    OWL_DATA_RANGE,
    OWL_ON_DATATYPE,
    OWL_WITH_RESTRICTIONS,
    OWL_DATATYPE_COMPLEMENT_OF,
    OWL_REAL,
    OWL_RATIONAL,
    XSD_STRING,
    XSD_BOOLEAN,
    XSD_INTEGER,
    XSD_DECIMAL,
    XSD_DOUBLE,
    XSD_FLOAT,
    XSD_NON_NEGATIVE_INTEGER,
    XSD_POSITIVE_INTEGER,
    XSD_NON_POSITIVE_INTEGER,
    XSD_NEGATIVE_INTEGER,
    XSD_LONG,
    XSD_INT,
    XSD_SHORT,
    XSD_BYTE,
    XSD_UNSIGNED_LONG,
    XSD_UNSIGNED_INT,
    XSD_UNSIGNED_SHORT,
    XSD_UNSIGNED_BYTE,
    XSD_DATE_TIME,
    XSD_DATE_TIME_STAMP,
    XSD_DATE,
    XSD_TIME,
    XSD_G_YEAR,
    XSD_G_YEAR_MONTH,
    XSD_G_MONTH,
    XSD_G_MONTH_DAY,
    XSD_G_DAY,
    XSD_DURATION,
    XSD_DAY_TIME_DURATION,
    XSD_YEAR_MONTH_DURATION,
    XSD_NORMALIZED_STRING,
    XSD_TOKEN,
    XSD_LANGUAGE,
    XSD_NAME,
    XSD_NCNAME,
    XSD_NMTOKEN,
    XSD_ANY_URI,
    XSD_HEX_BINARY,
    XSD_BASE64_BINARY,
    SWRL_IMP,
    SWRL_BODY,
    SWRL_HEAD,
    SWRL_VARIABLE,
    SWRL_CLASS_ATOM,
    SWRL_INDIVIDUAL_PROPERTY_ATOM,
    SWRL_DATAVALUED_PROPERTY_ATOM,
    SWRL_SAME_INDIVIDUAL_ATOM,
    SWRL_DIFFERENT_INDIVIDUALS_ATOM,
    SWRL_BUILTIN_ATOM,
    SWRL_DATA_RANGE_ATOM,
    SWRL_CLASS_PREDICATE,
    SWRL_PROPERTY_PREDICATE,
    SWRL_ARGUMENT1,
    SWRL_ARGUMENT2,
    SWRL_BUILTIN,
    SWRL_ARGUMENTS,
)
"""Every term above, in the order of its id; append-only."""

BUILT_IN = (OWL, RDF, RDFS, XSD)
"""The namespaces of names that have their meaning from OWL and RDF."""
_BUILT_IN_IRIS = tuple(f"<{namespace}" for namespace in BUILT_IN)


def is_own_iri(term: str) -> bool:
    """Whether a term, as N-Triples text, is an IRI that OWL and RDF do not define.

    >>> is_own_iri("<http://e/Cat>"), is_own_iri(OWL_THING), is_own_iri("_:b")
    (True, False, False)
    """
    return term.startswith("<") and not term.startswith(_BUILT_IN_IRIS)
