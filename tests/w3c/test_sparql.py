"""The SPARQL 1.1 entailment tests of the W3C, in the regimes RDFS and OWL 2 RDF-Based with profile RL.

Queries are asked of the materialized graph. A case that is meant for both regimes is asked under each, as two cases;
what a query asks for decides which axiomatic triples have to be there, and all of them are.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, cast

import pyoxigraph
import pytest
from pyoxigraph import RdfFormat

from kgreason import KnowledgeGraph
from tests.w3c.gaps import Named, check_gaps, parameters
from tests.w3c.shared import IS_THERE, MF, SD, archive, entries, graph, name, node, several

_ARCHIVE = "sparql11.tar.gz"
_FOLDER = "sparql/sparql11/entailment/"
_BASE = "http://www.w3.org/2009/sparql/docs/tests/data-sparql11/entailment/"
_QUERY = "http://www.w3.org/2001/sw/DataAccess/tests/test-query#"
_RULES = {
    "RDFS": "rdfs+property+resource+reflexive+container+datatype+axiomatic",
    "OWL-RDF-Based": "owl2rl+eq-ref+thing+scm-reflexive",
}


class Case(NamedTuple):
    """A case: the rules of its regime, and its documents."""

    rules: str
    query: str
    data: str
    result: str


def _cases() -> Iterator[tuple[Named, Case]]:
    if not IS_THERE:
        return
    manifest = graph(archive(_ARCHIVE)[f"{_FOLDER}manifest.ttl"], RdfFormat.TURTLE, f"{_BASE}manifest.ttl")
    for entry in entries(manifest):
        action = manifest.value(entry, node(f"{MF}action"))
        for regime in _regimes(manifest, action):
            files = [manifest.value(action, node(f"{_QUERY}{each}")) for each in ("query", "data")]
            query, data, result = (
                str(each).removeprefix(_BASE) for each in (*files, manifest.value(entry, node(f"{MF}result")))
            )
            yield Named("SPARQL 1.1", name(entry), regime), Case(_RULES[regime], query, data, result)


def _regimes(manifest: Any, action: Any) -> Iterator[str]:
    regimes = set(map(name, several(manifest, action, f"{SD}entailmentRegime")))
    profiles = set(map(name, several(manifest, action, f"{SD}EntailmentProfile")))
    if "RDFS" in regimes:
        yield "RDFS"
    if "OWL-RDF-Based" in regimes and "RL" in profiles:
        yield "OWL-RDF-Based"


_CASES = list(_cases())


def _text(path: str) -> bytes:
    return archive(_ARCHIVE)[_FOLDER + path]


def _solutions(results: Any) -> tuple[int, pyoxigraph.Dataset]:
    """How many solutions there are, and a graph that says them whatever blank nodes are called: a node for each."""
    found = cast(pyoxigraph.QuerySolutions, results)
    names, rows = found.variables, list(found)
    dataset = pyoxigraph.Dataset(
        pyoxigraph.Quad(node, pyoxigraph.NamedNode(f"urn:{each.value}"), row[each])
        for node, row in ((pyoxigraph.BlankNode(), row) for row in rows)
        for each in names
        if row[each] is not None
    )
    dataset.canonicalize(pyoxigraph.CanonicalizationAlgorithm.UNSTABLE)
    return len(rows), dataset


@pytest.mark.parametrize(("named", "case"), parameters(_CASES))
def test_sparql(named: Named, case: Case, tmp_path: Path) -> None:
    data = tmp_path / Path(case.data).name
    data.write_bytes(_text(case.data))
    with KnowledgeGraph.open(rules=[case.rules]) as opened:
        opened.load(data)
        ours = opened.query(f"BASE <{_BASE}>\n" + _text(case.query).decode())
        theirs = pyoxigraph.parse_query_results(_text(case.result), pyoxigraph.QueryResultsFormat.XML)
        if isinstance(ours, pyoxigraph.QueryBoolean):
            assert bool(ours) == bool(theirs)
        else:
            assert _solutions(ours) == _solutions(theirs)


def test_gaps() -> None:
    check_gaps(["SPARQL 1.1"], _CASES)
