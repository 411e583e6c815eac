"""`declared_iris`: the IRIs by which a document can be imported.

An ontology document declares the IRI of its ontology (`<iri> a owl:Ontology`) and maybe the IRI of its version
(`owl:versionIRI`). Other documents may import it by either IRI (OWL 2 Structural Specification, 3.1 and 3.2). An
ontology that the document only refers to, such as an import or an earlier version, does not count. The URI of the file
counts as well, because a relative IRI may name the file.

Cost: a file without the word Ontology is only scanned. Any other file is parsed as a whole, once in a process, and
again after the file has changed.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from pyoxigraph import NamedNode, Quad

from kgreason.errors import InputError
from kgreason.rdf.reader import contains_word, quads_of_file
from kgreason.terms import vocabulary as v

_WORD = b"Ontology"
"""The declaration of an ontology contains this word in every syntax."""
_TYPE, _ONTOLOGY, _VERSION = (NamedNode(term[1:-1]) for term in (v.RDF_TYPE, v.OWL_ONTOLOGY, v.OWL_VERSION_IRI))
_OTHERS = frozenset(
    NamedNode(term[1:-1])
    for term in (v.OWL_IMPORTS, v.OWL_PRIOR_VERSION, v.OWL_BACKWARD_COMPATIBLE_WITH, v.OWL_INCOMPATIBLE_WITH)
)


class Declared(NamedTuple):
    """The IRIs by which a document can be imported. `problem` is the error at which reading stopped, or ""."""

    iris: frozenset[str]
    problem: str = ""


def declared_iris(path: Path) -> Declared:
    """Return the IRIs that a file declares.

    If the file has a syntax error, only the IRIs before the error are found.
    """
    try:
        state = path.stat()
    except OSError as error:
        return Declared(frozenset(), f"{path}: {error.strerror}")
    return _header_of(path, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=100_000)
def _header_of(path: Path, _modified: int, _size: int) -> Declared:
    header, problem = _Header(), ""
    try:
        if contains_word(path, _WORD):
            header.read(quads_of_file(path))
    except InputError as error:
        problem = str(error)
    return Declared(header.iris() | {f"<{path.resolve().as_uri()}>"}, problem)


class _Header:
    """Collects what a document says about ontologies."""

    def __init__(self) -> None:
        self._ontologies: set[NamedNode] = set()
        self._others: set[NamedNode] = set()
        self._versions: dict[NamedNode, set[NamedNode]] = {}

    def read(self, quads: Iterable[Quad]) -> None:
        """Collect the statements about ontologies. After an error, the statements before the error are kept."""
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
        """Return the IRIs of the document's own ontology, and of its version."""
        own = self._ontologies - self._others or self._ontologies
        return frozenset(map(str, own.union(*(self._versions.get(each, ()) for each in own))))
