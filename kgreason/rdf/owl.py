"""OWL/XML and OWL functional syntax -> RDF/XML, through the library horned-owl (the extra `owl`).

The translation to RDF triples is the library's, with one exception (horned-owl 2.0): it writes
`DisjointClasses(A B C)` as A disjoint with B and A disjoint with C, and B with C is lost. Such an axiom is taken
apart into pairs first, which says the same in RDF and grows with the square of its length.

Cost: the document is read as a whole. It is meant for ontologies; data comes in other formats.
"""

from __future__ import annotations

import re
from itertools import combinations
from typing import Any, Literal, cast

from kgreason.errors import InputError, RdfSyntaxError

_LINE = re.compile(r"line_col: Pos\(\((\d+), (\d+)\)\)")
_BYTE = re.compile(r"BytePosition\((\d+)\)")
_EXPECTED = re.compile(r"positives: \[([^\]]*)\]")


def to_rdf_xml(document: bytes, name: str, source: str) -> bytes:
    """A document in the format `owx` or `ofn` as RDF/XML.

    Raises RdfSyntaxError, or InputError where the library is not installed.
    """
    try:
        import pyhornedowl
    except ImportError as error:
        raise InputError(f"{source}: this format needs py-horned-owl: pip install 'kgreason[owl]'") from error
    try:
        ontology = pyhornedowl.open_ontology_from_string(document.decode(), cast(Literal["owx", "ofn"], name))
        _pair_disjoint_classes(ontology)
        return str(ontology.save_to_string("rdf")).encode()
    except ValueError as error:
        raise _syntax_error(document, source, str(error)) from error


def _pair_disjoint_classes(ontology: Any) -> None:
    from pyhornedowl.model import DisjointClasses

    for axiom in ontology.get_components():
        classes = axiom.component
        if isinstance(classes, DisjointClasses) and len(classes.first) > 2:
            ontology.remove_component(classes)
            for pair in combinations(classes.first, 2):
                ontology.add_component(DisjointClasses(list(pair)), axiom.ann)


def _syntax_error(document: bytes, source: str, message: str) -> RdfSyntaxError:
    if found := _EXPECTED.search(message):
        problem = f"expected {found[1]}"
    else:
        problem = message.removeprefix("Failed to open ontology: ")
    if place := _LINE.search(message):
        return RdfSyntaxError(source, int(place[1]), int(place[2]), problem)
    if place := _BYTE.search(message):
        return RdfSyntaxError(source, document.count(b"\n", 0, int(place[1])) + 1, None, problem)
    return RdfSyntaxError(source, None, None, problem)
