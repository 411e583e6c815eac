"""What the elements of OWL/XML contain (OWL 2 XML Serialization, section 3, as its schema has it).

Each kind of element has a letter, and the content of an element is a pattern of these letters:

    <ClassAssertion><Class .../><NamedIndividual .../></ClassAssertion>    has the content "CI", as `CI` demands

Annotations of an axiom, which come first, are not in its pattern. An expression such as ObjectUnionOf may have one part
only: the schema demands two, but files with one exist, and their meaning is clear.
"""

from __future__ import annotations

import re

_KINDS = {
    "C": (
        "a class expression",
        """Class ObjectIntersectionOf ObjectUnionOf ObjectComplementOf ObjectOneOf ObjectSomeValuesFrom
        ObjectAllValuesFrom ObjectHasValue ObjectHasSelf ObjectMinCardinality ObjectMaxCardinality
        ObjectExactCardinality DataSomeValuesFrom DataAllValuesFrom DataHasValue DataMinCardinality
        DataMaxCardinality DataExactCardinality""",
    ),
    "O": ("an object property", "ObjectProperty ObjectInverseOf"),
    "D": ("a data property", "DataProperty"),
    "P": ("an annotation property", "AnnotationProperty"),
    "R": (
        "a data range",
        "Datatype DataIntersectionOf DataUnionOf DataComplementOf DataOneOf DatatypeRestriction",
    ),
    "I": ("an individual", "NamedIndividual AnonymousIndividual"),
    "L": ("a literal", "Literal"),
    "S": ("an IRI", "IRI AbbreviatedIRI"),
    "A": ("an annotation", "Annotation"),
    "F": ("a facet", "FacetRestriction"),
    "H": ("a chain of properties", "ObjectPropertyChain"),
    "V": ("a variable", "Variable"),
    "B": ("a body", "Body"),
    "E": ("a head", "Head"),
    "T": (
        "an atom",
        """ClassAtom DataRangeAtom ObjectPropertyAtom DataPropertyAtom BuiltInAtom SameIndividualAtom
        DifferentIndividualsAtom""",
    ),
    "M": ("an import", "Import"),
    "N": ("a prefix", "Prefix"),
    "Z": ("an ontology", "Ontology"),
}
_AXIOMS = {
    "[CRODPI]": "Declaration",
    "CC": "SubClassOf",
    "CC+": "EquivalentClasses DisjointClasses",
    "CCC+": "DisjointUnion",
    "[OH]O": "SubObjectPropertyOf",
    "OO+": "EquivalentObjectProperties DisjointObjectProperties",
    "OO": "InverseObjectProperties",
    "OC": "ObjectPropertyDomain ObjectPropertyRange",
    "O": "FunctionalObjectProperty InverseFunctionalObjectProperty ReflexiveObjectProperty IrreflexiveObjectProperty "
    "SymmetricObjectProperty AsymmetricObjectProperty TransitiveObjectProperty",
    "DD": "SubDataPropertyOf",
    "DD+": "EquivalentDataProperties DisjointDataProperties",
    "DC": "DataPropertyDomain",
    "DR": "DataPropertyRange",
    "D": "FunctionalDataProperty",
    "RR": "DatatypeDefinition",
    "C[OD]+": "HasKey",
    "II+": "SameIndividual DifferentIndividuals",
    "CI": "ClassAssertion",
    "OII": "ObjectPropertyAssertion NegativeObjectPropertyAssertion",
    "DIL": "DataPropertyAssertion NegativeDataPropertyAssertion",
    "P[SI][SIL]": "AnnotationAssertion",
    "PP": "SubAnnotationPropertyOf",
    "PS": "AnnotationPropertyDomain AnnotationPropertyRange",
    "BE": "DLSafeRule",
}
_OTHERS = {
    "[NMAX]*": "Ontology",
    "P[SIL]": "Annotation",
    "C+": "ObjectIntersectionOf ObjectUnionOf",
    "C": "ObjectComplementOf",
    "I+": "ObjectOneOf",
    "OC": "ObjectSomeValuesFrom ObjectAllValuesFrom",
    "OI": "ObjectHasValue",
    "O": "ObjectHasSelf ObjectInverseOf",
    "OC?": "ObjectMinCardinality ObjectMaxCardinality ObjectExactCardinality",
    "DR": "DataSomeValuesFrom DataAllValuesFrom",
    "DL": "DataHasValue",
    "DR?": "DataMinCardinality DataMaxCardinality DataExactCardinality",
    "OO+": "ObjectPropertyChain",
    "R+": "DataIntersectionOf DataUnionOf",
    "R": "DataComplementOf",
    "L+": "DataOneOf",
    "RF+": "DatatypeRestriction",
    "L": "FacetRestriction",
    "T+": "Body Head",
    "C[VI]": "ClassAtom",
    "R[VL]": "DataRangeAtom",
    "O[VI][VI]": "ObjectPropertyAtom",
    "D[VI][VL]": "DataPropertyAtom",
    "[VL]+": "BuiltInAtom",
    "[VI][VI]": "SameIndividualAtom DifferentIndividualsAtom",
    "": "Class Datatype ObjectProperty DataProperty AnnotationProperty NamedIndividual AnonymousIndividual Variable "
    "Prefix Literal IRI AbbreviatedIRI Import",
}
AXIOM = "X"
"""The letter of an axiom."""
ENTITIES = ("Class", "Datatype", "ObjectProperty", "DataProperty", "AnnotationProperty", "NamedIndividual")
TEXTS = ("Literal", "IRI", "AbbreviatedIRI", "Import")
"""The elements that contain text."""
NEEDED = {
    **dict.fromkeys((*ENTITIES, "Variable", "BuiltInAtom", "Prefix"), "IRI"),
    **{f"{kind}{bound}Cardinality": "cardinality" for kind in ("Object", "Data") for bound in ("Min", "Max", "Exact")},
    "AnonymousIndividual": "nodeID",
    "FacetRestriction": "facet",
}
"""The attribute that an element must have."""

KINDS = {
    **{name: letter for letter, (_, names) in _KINDS.items() for name in names.split()},
    **{name: AXIOM for names in _AXIOMS.values() for name in names.split()},
}
"""The letter of each element."""
_CONTENTS = {
    name: pattern for table in (_AXIOMS, _OTHERS) for pattern, names in table.items() for name in names.split()
}
_WORDS = {**{letter: words for letter, (words, _) in _KINDS.items()}, AXIOM: "an axiom"}
_PART = re.compile(r"(\[[A-Z]+\]|[A-Z])([+*?]?)")
_MANY = {"": "", "+": ", or several", "*": ", or several, or none", "?": ", or none"}


def problem_of_content(name: str, content: str) -> str:
    """Say what is wrong with the content of an element, a letter for each child. "" if nothing is wrong.

    >>> problem_of_content("ClassAssertion", "C")
    'ClassAssertion must have a class expression and an individual; this one has a class expression'
    """
    pattern = _CONTENTS[name]
    own = content.lstrip("A") if KINDS.get(name) in (AXIOM, "A") else content
    if re.fullmatch(pattern, own):
        return ""
    needed = [
        " or ".join(_WORDS[letter] for letter in part.strip("[]")) + _MANY[many]
        for part, many in _PART.findall(pattern)
    ]
    found = " and ".join(_WORDS[letter] for letter in own) or "nothing"
    return f"{name} must have {' and '.join(needed) or 'nothing in it'}; this one has {found}"
