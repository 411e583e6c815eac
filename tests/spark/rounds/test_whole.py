"""NOT, DATA, expressions and aggregates in parts, beside one process: the same facts, whatever the number of parts."""

from __future__ import annotations

from itertools import islice

import pytest

from tests.spark.programs import drawn
from tests.spark.rounds.whole import Whole
from tests.volume import many


@pytest.mark.parametrize("parts", [1, 2, 5, 16])
def test_random_programs(parts: int) -> None:
    for case in islice(drawn(), many(10)):
        one, several = Whole(case.triples, case.rules).in_parts(parts)
        assert one == several
