"""W3C's SPARQL-RL suite: syntax, well-formedness, stratification and evaluation, by `tests.srl.suite`."""

from __future__ import annotations

import pytest

from tests.srl.suite import Case, cases, passes
from tests.w3c.gaps import Named, check_gaps, parameters


@pytest.mark.parametrize(("named", "case"), parameters(cases()))
def test_kgreason_does_what_the_suite_expects(named: Named, case: Case) -> None:
    if not case.is_there:
        pytest.skip("a file of this test is not stored")
    assert passes(case), named


def test_every_gap_is_a_test_of_the_suite() -> None:
    check_gaps(["SPARQL-RL"], cases())
