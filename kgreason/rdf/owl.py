"""Translate OWL/XML and OWL functional syntax to RDF/XML, with the library horned-owl (the extra `owl`).

The translation of the library has one error. horned-owl 2.0 writes `DisjointClasses(A B C)` as: A disjoint with B, A
disjoint with C; B disjoint with C is lost. So such an axiom is first split into all its pairs. The pairs mean the same
in RDF; their number grows with the square of the number of classes.

Cost: the document is read as a whole. These formats are for ontologies; use other formats for data.
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
    """Translate a document in the format `name` (`owx` or `ofn`) to RDF/XML. `source` is its name in messages.

    Raises RdfSyntaxError, or InputError if the library is not installed.
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
