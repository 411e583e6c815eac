"""Translate OWL/XML and OWL functional syntax to RDF/XML, with the library horned-owl (the extra `owl`).

horned-owl 2.0 makes one error: it writes `DisjointClasses(A B C)` as "A disjoint with B" and "A disjoint with C", and
leaves out "B disjoint with C". So kgreason first replaces such an axiom by one axiom for each pair of its classes. The
pairs mean the same as the axiom. The number of pairs grows with the square of the number of classes.

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
