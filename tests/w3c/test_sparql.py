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


def _rows(results: Any) -> list[tuple[Any, ...]]:
    """Solutions as rows of terms, by variable."""
    found = cast(pyoxigraph.QuerySolutions, results)
    names = sorted(found.variables, key=str)
    return [tuple(solution[each] for each in names) for solution in found]


def _are_equal(ours: list[tuple[Any, ...]], theirs: list[tuple[Any, ...]]) -> bool:
    """Whether rows are the same but for the names of blank nodes."""
    if len(ours) != len(theirs):
        return False
    if not ours:
        return True
    first, *rest = theirs
    return any(
        _are_equal([_renamed(row, names) for row in ours[:number] + ours[number + 1 :]], rest)
        for number, row in enumerate(ours)
        if (names := _match(row, first)) is not None
    )


def _match(ours: tuple[Any, ...], theirs: tuple[Any, ...]) -> dict[Any, Any] | None:
    """The names of our blank nodes under which a row is theirs."""
    names: dict[Any, Any] = {}
    for one, other in zip(ours, theirs, strict=True):
        if isinstance(one, pyoxigraph.BlankNode) and isinstance(other, pyoxigraph.BlankNode):
            if names.setdefault(one, other) != other:
                return None
        elif one != other:
            return None
    return names


def _renamed(row: tuple[Any, ...], names: dict[Any, Any]) -> tuple[Any, ...]:
    return tuple(names.get(term, term) for term in row)


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
            assert _are_equal(_rows(ours), _rows(theirs))


def test_gaps() -> None:
    check_gaps(["SPARQL 1.1"], _CASES)
