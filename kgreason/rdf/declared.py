"""`declared`: under which IRIs a document is known, by what it says of itself.

An ontology document declares its ontology's IRI (`<iri> a owl:Ontology`) and maybe the IRI of its version
(`owl:versionIRI`), and others may import it by either (OWL 2 Structural Specification, 3.1 and 3.2). An ontology that
it only refers to, as one that it imports or that came before it, is not its own. It has the address of its file as
well, which is what relative IRIs lead to.

Cost: a file without the word Ontology is only scanned; any other is parsed as a whole, once for each state of the file
that this process sees.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from pyoxigraph import NamedNode, Quad

from kgreason.errors import InputError
from kgreason.rdf.reader import mentions, parsed
from kgreason.terms.vocabulary import (
    OWL_BACKWARD_COMPATIBLE_WITH,
    OWL_IMPORTS,
    OWL_INCOMPATIBLE_WITH,
    OWL_ONTOLOGY,
    OWL_PRIOR_VERSION,
    OWL_VERSION_IRI,
    RDF_TYPE,
)

_WORD = b"Ontology"
"""Every syntax spells it where an ontology is declared."""
_TYPE, _ONTOLOGY, _VERSION = (NamedNode(term[1:-1]) for term in (RDF_TYPE, OWL_ONTOLOGY, OWL_VERSION_IRI))
_OTHERS = frozenset(
    NamedNode(term[1:-1])
    for term in (OWL_IMPORTS, OWL_PRIOR_VERSION, OWL_BACKWARD_COMPATIBLE_WITH, OWL_INCOMPATIBLE_WITH)
)


class Declared(NamedTuple):
    """The IRIs (constants) that a document is known by, and why it could not be read to its end, if it could not."""

    iris: frozenset[str]
    problem: str = ""


def declared(path: Path) -> Declared:
    """What a file declares; of one that does not parse, what it declares ahead of the error."""
    try:
        state = path.stat()
    except OSError as error:
        return Declared(frozenset(), f"{path}: {error.strerror}")
    return _declared(path, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=100_000)
def _declared(path: Path, _modified: int, _size: int) -> Declared:
    header, problem = _Header(), ""
    try:
        if mentions(path, _WORD):
            header.read(parsed(path))
    except InputError as error:
        problem = str(error)
    return Declared(header.iris() | {f"<{path.resolve().as_uri()}>"}, problem)


class _Header:
    """What a document says of ontologies."""

    def __init__(self) -> None:
        self._ontologies: set[NamedNode] = set()
        self._others: set[NamedNode] = set()
        self._versions: dict[NamedNode, set[NamedNode]] = {}

    def read(self, quads: Iterable[Quad]) -> None:
        """Take note of the quads, up to an error."""
        for quad in quads:
            subject, predicate, object_ = quad.triple
            if not isinstance(subject, NamedNode) or not isinstance(object_, NamedNode):
                continue
            if predicate == _TYPE and object_ == _ONTOLOGY:
                self._ontologies.add(subject)
            elif predicate == _VERSION:
                self._versions.setdefault(subject, set()).add(object_)
            elif predicate in _OTHERS and subject != object_:
                self._others.add(object_)

    def iris(self) -> frozenset[str]:
        """The IRIs of the document's own ontology, and of its version."""
        own = self._ontologies - self._others or self._ontologies
        return frozenset(map(str, own.union(*(self._versions.get(each, ()) for each in own))))
