"""The naive validator passes the W3C's suite: reports are isomorphic to the expected ones, failures are failures."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from tests.conftest import NO_SHARED_DATA
from tests.oracle.shacl import report
from tests.oracle.shacl.result import Failure
from tests.oracle.shacl.suite import ARCHIVE, Case, cases
from tests.oracle.shacl.turtle import graph
from tests.oracle.shacl.validator import Validator

_KNOWN_GAPS = Path(__file__).parent / "known_gaps.tsv"
_SIZES = {"core": 98, "sparql": 22}

needs_suite = pytest.mark.skipif(not ARCHIVE.is_file(), reason=f"{NO_SHARED_DATA}: {ARCHIVE} is missing")


def is_passed(case: Case) -> bool:
    try:
        results = Validator(case.data, case.shapes).report()
    except Failure:
        return case.fails
    return case.is_passed_by(report.graph(results))


@needs_suite
@pytest.mark.parametrize("part", _SIZES)
def test_the_naive_validator_passes_the_suite(part: str) -> None:
    with _KNOWN_GAPS.open(newline="") as file:
        gaps = {row["case"]: row["reason"] for row in csv.DictReader(file, delimiter="\t")}
    assert all(gaps.values())
    passed = {case.name: is_passed(case) for case in cases(part)}
    assert len(passed) == _SIZES[part]
    assert {name for name, passes in passed.items() if not passes} == {name for name in gaps if name.startswith(part)}


@needs_suite
def test_the_comparison_of_the_suite_sees_a_wrong_report() -> None:
    """It tells a missing, a doubled and a changed result from the right ones."""
    (case,) = (case for case in cases("core") if case.name == "core/validation-reports/shared")
    results = Validator(case.data, case.shapes).report()
    assert case.is_passed_by(report.graph(results))
    for wrong in ([], results[1:], [*results, results[0]], [results[0]._replace(severity=case.expected), results[1]]):
        assert not case.is_passed_by(report.graph(wrong))


def test_a_report_is_read_as_it_was_written() -> None:
    shapes = """
        @prefix sh: <http://www.w3.org/ns/shacl#> . @prefix : <http://e/> .
        :s sh:targetNode :a ; sh:severity sh:Info ; sh:nodeKind sh:Literal ; sh:property :p , :q .
        :p sh:path ( :p [ sh:zeroOrOnePath [ sh:inversePath :q ] ] ) ; sh:minCount 2 ; sh:message "two"@en .
        :q sh:path [ sh:alternativePath ( :p [ sh:oneOrMorePath :q ] ) ] ; sh:hasValue :b .
    """
    results = Validator(graph("<http://e/a> <http://e/p> 1 ."), graph(shapes)).report()
    assert len(results) == 3
    assert report.read(report.graph(results)) == dict.fromkeys(results, 1)
