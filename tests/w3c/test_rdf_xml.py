"""The W3C's tests of the syntax RDF/XML, of RDF 1.1 and 1.2: each file is read as its N-Triples say, or is an error."""

from __future__ import annotations

from typing import NamedTuple

import pyoxigraph
import pytest
from pyoxigraph import NamedNode, RdfFormat

from kgreason.errors import RdfSyntaxError
from tests.rdf.reading import isomorphic, lines_read
from tests.w3c.shared import IS_THERE, MF, MISSING, archive

pytestmark = pytest.mark.skipif(not IS_THERE, reason=MISSING)

_ARCHIVE = "rdf-syntax.tar.gz"
_FOLDERS = ("rdf11/rdf-xml", "rdf12/rdf-xml/eval", "rdf12/rdf-xml")
_PUBLISHED = "https://w3c.github.io/rdf-tests/rdf/"
_TYPE = NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")


class _Case(NamedTuple):
    """A test: the path of the document, and the path of what it says, or None if it is wrong."""

    suite: str
    kind: str
    path: str
    result: str | None

    def __str__(self) -> str:
        return self.path.split("rdf-xml/", 1)[1]


def _cases() -> list[_Case]:
    files = archive(_ARCHIVE) if IS_THERE else {}
    found = []
    for path in files:
        folder = path.rpartition("/")[0]
        if not path.endswith("/manifest.ttl") or not folder.endswith(_FOLDERS):
            continue
        quads = list(pyoxigraph.parse(files[path], RdfFormat.TURTLE, base_iri=f"file:///{path}"))
        objects = {
            (quad.subject, quad.predicate.value): quad.object.value for quad in quads if hasattr(quad.object, "value")
        }
        for test in (quad.subject for quad in quads if quad.predicate == _TYPE):
            action, result = objects.get((test, f"{MF}action")), objects.get((test, f"{MF}result"))
            if action:
                suite = "RDF 1.2" if "rdf12" in path else "RDF 1.1"
                kind = "RDF/XML" if result else "RDF/XML, wrong"
                found.append(_Case(suite, kind, _path(action), _path(result) if result else None))
    return sorted(set(found))


def _path(iri: str) -> str:
    return iri.removeprefix("file:///")


CASES = _cases()


def test_all_files_of_the_suite_are_cases() -> None:
    documents = {path for path in archive(_ARCHIVE) if "/rdf-xml/" in path and path.endswith(".rdf")}
    named = {case.path for case in CASES}
    assert len(named) >= 190
    assert len(documents - named) < 10  # a few files are there without a test


@pytest.mark.parametrize("named", CASES, ids=str)
def test_rdf_xml(named: _Case) -> None:
    files = archive(_ARCHIVE)
    base = _PUBLISHED + named.path.split("/", 1)[1]
    if named.result is None:
        with pytest.raises(RdfSyntaxError) as caught:
            lines_read(files[named.path], "rdf", base=base)
        assert caught.value.line
        return
    assert isomorphic(lines_read(files[named.path], "rdf", base=base), lines_read(files[named.result], "nt"))
