"""The result of W3C's suite for SHACL as an EARL report, and as the table of the documentation.

scripts/earl --shacl                print the table
scripts/earl --shacl report.ttl     also write the report (Turtle)
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.oracle.shacl.suite import cases
from tests.srl.earl import EARL, report
from tests.w3c.test_shacl import passes

__all__ = ["EARL", "PARTS", "outcomes", "report", "table"]
PARTS = {"core": "SHACL Core", "sparql": "SHACL-SPARQL"}


def outcomes(part: str) -> dict[str, str]:
    """The outcomes of a part of the suite, by the IRIs that implementation reports of SHACL use."""
    return {f"urn:x-shacl-test:/{case.name}": "passed" if passes(case) else "failed" for case in cases(part)}


def table(found: dict[str, dict[str, str]]) -> str:
    """The outcomes by part, as a table in Markdown."""
    counts = {PARTS[part]: list(each.values()) for part, each in found.items()}
    counts["all"] = [word for words in counts.values() for word in words]
    lines = [f"| {name} | {words.count('passed')} | {words.count('failed')} |" for name, words in counts.items()]
    return "\n".join(["| tests | passed | failed |", "|---|---|---|", *lines])


if __name__ == "__main__":
    by_part = {part: outcomes(part) for part in PARTS}
    sys.stdout.write(f"{table(by_part)}\n")
    for path in sys.argv[1:2]:
        every = {iri: word for found in by_part.values() for iri, word in found.items()}
        report(every).serialize(Path(path), format="turtle")
