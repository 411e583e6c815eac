"""The result of W3C's SPARQL-RL suite as an EARL report, and as the table of the documentation.

    scripts/earl                      print the table
    scripts/earl report.ttl           also write the report (Turtle)

A test whose files are not stored is `earl:untested`. A test that is a known gap fails in the report as well.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any

import rdflib
from rdflib.namespace import DOAP, RDF, XSD

from kgreason import __version__
from tests.srl.suite import Case, cases, passes

EARL = rdflib.Namespace("http://www.w3.org/ns/earl#")
SUBJECT = rdflib.URIRef("urn:kgreason")
_KINDS = {
    "SyntaxTest": "syntax",
    "WellFormednessTest": "well-formedness",
    "StratificationTest": "stratification",
    "EvalTest": "evaluation",
}


def outcome(case: Case) -> str:
    """`passed`, `failed` or `untested`."""
    if not case.is_there:
        return "untested"
    return "passed" if passes(case) else "failed"


def report(outcomes: dict[str, str]) -> Any:
    """The outcomes of tests, by their IRIs, as an RDF graph in EARL."""
    found = rdflib.Graph()
    found.bind("earl", EARL)
    found.bind("doap", DOAP)
    found.add((SUBJECT, RDF.type, DOAP.Project))
    found.add((SUBJECT, RDF.type, EARL.Software))
    found.add((SUBJECT, RDF.type, EARL.TestSubject))
    found.add((SUBJECT, DOAP.name, rdflib.Literal("kgreason")))
    release = rdflib.BNode()
    found.add((SUBJECT, DOAP.release, release))
    found.add((release, DOAP.revision, rdflib.Literal(__version__, datatype=XSD.string)))
    for iri, word in outcomes.items():
        assertion, result = rdflib.BNode(), rdflib.BNode()
        found.add((assertion, RDF.type, EARL.Assertion))
        found.add((assertion, EARL.assertedBy, SUBJECT))
        found.add((assertion, EARL.subject, SUBJECT))
        found.add((assertion, EARL.test, rdflib.URIRef(iri)))
        found.add((assertion, EARL.mode, EARL.automatic))
        found.add((assertion, EARL.result, result))
        found.add((result, RDF.type, EARL.TestResult))
        found.add((result, EARL.outcome, EARL[word]))
    return found


def table(outcomes: dict[Case, str]) -> str:
    """The outcomes by kind of test, as a table in Markdown."""
    counts = Counter((_kind(case), word) for case, word in outcomes.items())
    lines = ["| tests | passed | failed | files missing |", "|---|---|---|---|"]
    for kind in (*_KINDS.values(), "all"):
        words = ("passed", "failed", "untested")
        numbers = (sum(n for (of, word), n in counts.items() if word == each and kind in (of, "all")) for each in words)
        lines.append(f"| {kind} | {' | '.join(map(str, numbers))} |")
    return "\n".join(lines)


def _kind(case: Case) -> str:
    return next(words for ending, words in _KINDS.items() if case.kind.endswith(ending))


if __name__ == "__main__":
    found = {case: outcome(case) for _, case in cases()}
    sys.stdout.write(f"{table(found)}\n")
    for path in sys.argv[1:2]:
        report({case.iri: word for case, word in found.items()}).serialize(Path(path), format="turtle")
