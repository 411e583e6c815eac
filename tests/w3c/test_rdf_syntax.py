"""The RDF 1.1 and 1.2 syntax tests of the W3C for Turtle, TriG, N-Triples, N-Quads, RDF/XML: every file.

A test of a suite and a kind reads all files of this kind. The files that fail are those of known_gaps.tsv.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import pyoxigraph
import pytest
from pyoxigraph import NamedNode, RdfFormat

from kgreason.errors import RdfSyntaxError
from tests.rdf.reading import isomorphic, lines_read
from tests.w3c.gaps import Named, known_gaps
from tests.w3c.shared import IS_THERE, MF, MISSING, archive, name

_ARCHIVE = "rdf-syntax.tar.gz"
_RDFT = "http://www.w3.org/ns/rdftest#Test"
_PUBLISHED = "https://w3c.github.io/rdf-tests/rdf/"
_TYPE = NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
_FORMATS = {"rdf-turtle": "ttl", "rdf-trig": "trig", "rdf-n-triples": "nt", "rdf-n-quads": "nq", "rdf-xml": "rdf"}
_KINDS = ("PositiveSyntax", "NegativeSyntax", "Eval", "PositiveC14N")


class Case(NamedTuple):
    """A case: the paths of its documents in the archive, and the base IRI of the first one."""

    case: str
    action: str
    result: str | None
    base: str


def _manifests() -> Iterator[tuple[str, str]]:
    """The suites, each with the path of its manifest."""
    for path in sorted(archive(_ARCHIVE)) if IS_THERE else ():
        folders = path.split("/")
        if folders[-1] == "manifest.ttl" and folders[2] in _FORMATS:
            part = f" {folders[3]}" if len(folders) > 4 else ""
            yield f"RDF {folders[1][3]}.{folders[1][4]} {folders[2].removeprefix('rdf-')}{part}", path


def _cases(path: str) -> dict[str, list[Case]]:
    """The cases of a manifest by kind."""
    found: dict[str, list[Case]] = {}
    quads = list(pyoxigraph.parse(archive(_ARCHIVE)[path], RdfFormat.TURTLE, base_iri=f"file:///{path}"))
    values = {(quad.subject, quad.predicate.value): quad.object for quad in quads}
    for quad in quads:
        if quad.predicate == _TYPE and isinstance(quad.object, NamedNode) and quad.object.value.startswith(_RDFT):
            action, result = (values.get((quad.subject, f"{MF}{each}")) for each in ("action", "result"))
            assert isinstance(action, NamedNode)
            file = action.value.removeprefix("file:///")
            expected = result.value.removeprefix("file:///") if isinstance(result, NamedNode) else None
            kind = next(each for each in _KINDS if quad.object.value.endswith(each))
            case = Case(name(quad.subject.value), file, expected, _PUBLISHED + file.partition("/")[2])
            found.setdefault(kind, []).append(case)
    return found


_ALL = [(suite, kind, cases) for suite, path in _manifests() for kind, cases in _cases(path).items()]


def _passes(case: Case, syntax: str, kind: str) -> bool:
    files = archive(_ARCHIVE)
    try:
        found = lines_read(files[case.action], syntax, base=case.base)
    except RdfSyntaxError as error:
        return kind == "NegativeSyntax" and error.line is not None
    if kind == "NegativeSyntax":
        return False
    if case.result is None:
        return True
    if kind == "PositiveC14N":
        found = _with_small_tags(found)  # canonical N-Triples has them so; a reader keeps them as written
    return isomorphic(found, lines_read(files[case.result], "nq"))


def _with_small_tags(lines: bytes) -> bytes:
    return pyoxigraph.serialize(pyoxigraph.parse(lines, RdfFormat.N_QUADS), format=RdfFormat.N_QUADS) or b""


@pytest.mark.skipif(not IS_THERE, reason=MISSING)
@pytest.mark.parametrize(("suite", "kind", "cases"), _ALL, ids=[f"{suite} {kind}" for suite, kind, _ in _ALL])
def test_rdf_syntax(suite: str, kind: str, cases: list[Case]) -> None:
    syntax = _FORMATS[f"rdf-{suite.split()[2]}"]
    failed = {case.case for case in cases if not _passes(case, syntax, kind)}
    gaps = {gap.case for gap in known_gaps() if gap.suite == suite and gap.kind == kind}
    assert failed == gaps


@pytest.mark.skipif(not IS_THERE, reason=MISSING)
def test_gaps() -> None:
    """Every gap of these suites is the gap of a case that there is."""
    cases = {Named(suite, case.case, kind) for suite, kind, cases in _ALL for case in cases}
    assert len(cases) == sum(len(cases) for _, _, cases in _ALL) > 1_000
    suites = {suite for suite, _, _ in _ALL}
    assert {gap for gap in known_gaps() if gap.suite in suites} <= cases


@pytest.mark.skipif(not IS_THERE, reason=MISSING)
def test_all_files_of_the_rdf_xml_suites_are_cases() -> None:
    documents = {path for path in archive(_ARCHIVE) if "/rdf-xml/" in path and path.endswith(".rdf")}
    named = {case.action for suite, _, cases in _ALL for case in cases if " xml" in suite}
    assert len(named) >= 190
    assert len(documents - named) < 10  # a few files are there without a test
