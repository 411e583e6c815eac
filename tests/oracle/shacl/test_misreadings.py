"""Each misreading of the specification makes another report of the pair that is kept for it."""

from __future__ import annotations

from collections import Counter

from tests.oracle.shacl.misreadings import MISREADINGS, Misreading
from tests.oracle.shacl.result import Result
from tests.oracle.shacl.turtle import graph
from tests.oracle.shacl.validator import Validator
from tests.tables import table


@table("misreading", MISREADINGS)
def test_a_misreading_makes_another_report(misreading: Misreading) -> None:
    assert report(misreading.validator, misreading) != report(Validator, misreading)


def report(validator: type[Validator], misreading: Misreading) -> Counter[Result]:
    data, shapes = misreading.pair.data_text, misreading.pair.shapes_text
    return Counter(validator(graph(data), graph(shapes)).report())
