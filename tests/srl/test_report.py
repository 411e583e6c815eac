"""The page of the documentation and the EARL report say what the suite gives."""

from __future__ import annotations

import pytest

from tests.docs.page import DOCS
from tests.srl.suite import Case, cases
from tests.w3c.shared import MISSING

earl = pytest.importorskip("tests.srl.earl")


@pytest.fixture(scope="module")
def outcomes() -> dict[Case, str]:
    if not cases():
        pytest.skip(MISSING)
    return {case: earl.outcome(case) for _, case in cases()}


def test_the_page_has_the_result(outcomes: dict[Case, str]) -> None:
    assert earl.table(outcomes) in (DOCS / "how-to" / "sparql-rl.md").read_text("utf-8")


def test_the_report_has_an_assertion_for_each_test(outcomes: dict[Case, str]) -> None:
    found = earl.report({case.iri: word for case, word in outcomes.items()})
    assert {str(test) for test in found.objects(None, earl.EARL.test)} == {case.iri for case in outcomes}
    assert len(list(found.subjects(earl.EARL.outcome, earl.EARL.failed))) == 2
