"""W3C's SPARQL-RL suite: its cases from the manifests, what each expects, and how kgreason is asked.

Some files of the suite are not stored. Cases whose files are missing are counted, and do not run. Some tests are named
by no manifest; the name of their file says what they expect.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pyoxigraph
from pyoxigraph import CanonicalizationAlgorithm, Dataset, RdfFormat

from kgreason import KnowledgeGraph
from kgreason.errors import RuleSyntaxError, StratificationError, UnsafeRuleError
from kgreason.rules.parser import load
from tests.w3c.gaps import Named
from tests.w3c.shared import FOLDER, MF, entries, graph, name, node

SUITE = FOLDER / "sparql-rl"
SRT = "http://www.w3.org/ns/sparql-rl-tests#"
BASE = "https://w3c.github.io/rdf-tests/sparql-rl/"
_MANIFESTS = (
    "syntax/manifest.ttl",
    "syntax/manifest-cb13cd1f.ttl",
    "wellformed/manifest.ttl",
    "stratification/manifest-1697c404.ttl",
    "eval/manifest.ttl",
    "eval2/manifest.ttl",
    "examples/manifest.ttl",
)
_UNNAMED = (
    ("syntax/syntax-ruleset-structure-bad-04.srl", "RulesNegativeSyntaxTest"),
    ("syntax/syntax-ruleset-structure-bad-06.srl", "RulesNegativeSyntaxTest"),
    ("stratification/stratification-bad-06.srl", "RulesNegativeStratificationTest"),
    ("stratification/stratification-bad-07.srl", "RulesNegativeStratificationTest"),
)


_MUST_NOT: dict[str, tuple[type[Exception], ...]] = {
    "RulesPositiveSyntaxTest": (RuleSyntaxError,),
    "RulesPositiveWellFormednessTest": (RuleSyntaxError, UnsafeRuleError),
    "RulesPositiveStratificationTest": (RuleSyntaxError, UnsafeRuleError, StratificationError),
}
"""The errors that a positive test excludes: one of syntax says nothing of what comes after syntax."""


class Case(NamedTuple):
    """A test: its IRI, its kind, and its files. `data` and `result` are None for tests that evaluate nothing."""

    iri: str
    kind: str
    rules: Path
    data: Path | None = None
    result: Path | None = None

    @property
    def is_there(self) -> bool:
        """Whether all files of the test are stored."""
        return all(path.is_file() for path in (self.rules, self.data, self.result) if path)


@cache
def cases() -> list[tuple[Named, Case]]:
    """Every test of the suite, also those whose files are missing."""
    if not SUITE.is_dir():
        return []
    found = dict[Path, tuple[Named, Case]]()
    for path in _MANIFESTS:
        for named, case in _of_manifest(path):
            found.setdefault(case.rules, (named, case))
    for path, kind in _UNNAMED:
        rules = SUITE / path
        found.setdefault(rules, (Named("SPARQL-RL", rules.stem, kind), Case(f"{BASE}{path}", kind, rules)))
    return list(found.values())


def _of_manifest(path: str) -> Iterator[tuple[Named, Case]]:
    folder = (SUITE / path).parent
    manifest = graph((SUITE / path).read_bytes(), RdfFormat.TURTLE, f"{BASE}{path}")

    def file(term: Any) -> Path | None:
        return folder / name(term) if term else None

    for entry in entries(manifest):
        kind = name(manifest.value(entry, node("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")))
        action = manifest.value(entry, node(f"{MF}action"))
        rules = file(manifest.value(action, node(f"{SRT}ruleset")) or action)
        data, result = (
            file(manifest.value(action, node(f"{SRT}data"))),
            file(manifest.value(entry, node(f"{MF}result"))),
        )
        assert rules
        yield Named("SPARQL-RL", rules.stem, kind), Case(str(entry), kind, rules, data, result)


def passes(case: Case) -> bool:
    """Whether kgreason does what the test expects."""
    if case.kind == "RulesEvalTest":
        assert case.result
        return bool(inferred(case) == canonical(pyoxigraph.parse(path=case.result, format=RdfFormat.TURTLE)))
    refused = refusal(case.rules)
    expected = {
        "RulesNegativeSyntaxTest": RuleSyntaxError,
        "RulesNegativeWellFormednessTest": UnsafeRuleError,
        "RulesNegativeStratificationTest": StratificationError,
    }
    if case.kind in expected:
        return isinstance(refused, expected[case.kind])
    return not isinstance(refused, _MUST_NOT[case.kind])


def refusal(rules: Path) -> Exception | None:
    """The error for a rule set, or None if a graph takes it."""
    try:
        load(rules)
        with KnowledgeGraph.open(rules=[]) as empty, empty.transaction() as tx:
            tx.load_rules(rules)
    except (RuleSyntaxError, UnsafeRuleError, StratificationError) as error:
        return error
    return None


def inferred(case: Case) -> Any:
    """The inference graph: what a graph with the data and the rules has, without the data."""
    assert case.data
    with KnowledgeGraph.open(rules=[]) as live:
        live.load(case.data)
        asserted = {str(triple) for triple in live.construct("CONSTRUCT WHERE { ?s ?p ?o }")}
        with live.transaction() as tx:
            tx.load_rules(case.rules)
        every = list(live.construct("CONSTRUCT WHERE { ?s ?p ?o }"))
    return canonical(triple for triple in every if str(triple) not in asserted)


def canonical(triples: Any) -> Any:
    """Triples as a set that is equal for isomorphic graphs."""
    default = pyoxigraph.DefaultGraph()
    quads = (pyoxigraph.Quad(each.subject, each.predicate, each.object, default) for each in triples)
    dataset = Dataset(quads)
    dataset.canonicalize(CanonicalizationAlgorithm.UNSTABLE)
    return {str(quad) for quad in dataset}
