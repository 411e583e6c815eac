"""Which cases are known to fail, and why: known_gaps.tsv, a line each. One that passes nevertheless fails the run."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from kgreason.errors import RdfSyntaxError
from tests.w3c.shared import IS_THERE, MISSING

_FILE = Path(__file__).parent / "known_gaps.tsv"


class Named(NamedTuple):
    """A case by its suite, its identifier and its kind; the way the gaps name it."""

    suite: str
    case: str
    kind: str


@cache
def known_gaps() -> dict[Named, str]:
    """Why each of these cases fails."""
    with _FILE.open(newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    gaps = {Named(row["suite"], row["case"], row["kind"]): row["reason"] for row in rows}
    assert len(gaps) == len(rows), "a case stands in known_gaps.tsv twice"
    assert all(gaps.values()), "a case stands in known_gaps.tsv without its reason"
    return gaps


def parameters(cases: Iterable[tuple[Named, Any]]) -> list[Any]:
    """The cases as parameters of a test."""
    found = []
    for named, case in cases:
        reason = known_gaps().get(named)
        raised = (AssertionError, RdfSyntaxError)
        marks = [pytest.mark.xfail(reason=reason, raises=raised, strict=True)] if reason else []
        found.append(pytest.param(named, case, id=f"{named.case}-{named.kind}".replace(" ", "_"), marks=marks))
    return found or [pytest.param(None, None, marks=pytest.mark.skip(MISSING), id="none")]


def check_gaps(suites: Iterable[str], cases: Iterable[tuple[Named, Any]]) -> None:
    """Every gap of these suites is the gap of a case that there is."""
    if not IS_THERE:
        pytest.skip(MISSING)
    wanted = set(suites)
    unknown = {gap for gap in known_gaps() if gap.suite in wanted} - {named for named, _ in cases}
    assert not unknown
