"""The W3C's suite for SHACL: its manifests as cases."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from rdflib.graph import Graph
from rdflib.namespace import Namespace
from rdflib.term import Node

from tests.oracle.shacl import paths, report
from tests.oracle.shacl.turtle import graph

ARCHIVE = Path(__file__).parents[4] / "shared" / "data" / "w3c" / "shacl.tar.gz"

_MF = Namespace("http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#")
_SHT = Namespace("http://www.w3.org/ns/shacl-test#")
_BASE = "http://shacl.example/"


class Case(NamedTuple):
    """A case of the suite: its name (core/node/and-001), its graphs, and what is expected, a node of its manifest."""

    name: str
    data: Graph
    shapes: Graph
    manifest: Graph
    expected: Node

    @property
    def fails(self) -> bool:
        """Whether a failure is expected."""
        return self.expected == _SHT.Failure

    def is_passed_by(self, results_graph: Graph) -> bool:
        """Whether a report is the expected one. A case that expects a failure is passed by no report."""
        return not self.fails and report.is_as_expected(results_graph, self.manifest, self.expected)


def cases(part: str) -> Iterator[Case]:
    """Yield the cases of a part of the suite, core or sparql, in the order of its manifests."""
    if ARCHIVE.is_file():
        with tarfile.open(ARCHIVE) as packed:
            opened = ((member.name, packed.extractfile(member)) for member in packed if member.isfile())
            files = {f"{_BASE}{name}": file.read() for name, file in opened if file}
        yield from _cases(files, f"{_BASE}shacl/{part}/manifest.ttl")


def _cases(files: dict[str, bytes], iri: str) -> Iterator[Case]:
    manifest = graph(files[iri], iri)
    for included in sorted(map(str, manifest.objects(None, _MF.include))):
        yield from _cases(files, included)
    for entries in manifest.objects(None, _MF.entries):
        for entry in paths.members(manifest, entries):
            action, expected = manifest.value(entry, _MF.action), manifest.value(entry, _MF.result)
            assert expected is not None
            data, shapes = (
                manifest if str(file) == iri else graph(files[str(file)], str(file))
                for name in (_SHT.dataGraph, _SHT.shapesGraph)
                for file in manifest.objects(action, name)
            )
            yield Case(str(entry).removeprefix(f"{_BASE}shacl/"), data, shapes, manifest, expected)
