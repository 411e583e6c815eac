"""The table of the documentation is the result of W3C's suite for SHACL, and the EARL report has every case."""

from __future__ import annotations

import pytest

from tests.docs.page import DOCS
from tests.oracle.shacl.test_suite import needs_suite

earl = pytest.importorskip("tests.w3c.shacl_earl")


@needs_suite
def test_the_page_and_the_report_have_the_result_of_the_suite() -> None:
    found = {part: earl.outcomes(part) for part in earl.PARTS}
    assert earl.table(found) in (DOCS / "how-to" / "shapes.md").read_text("utf-8")
    report = earl.report(found["sparql"])
    assert {str(test) for test in report.objects(None, earl.EARL.test)} == set(found["sparql"])
