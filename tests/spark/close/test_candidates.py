"""The condition for patterns: each fact that fits a pattern meets it."""

from kgreason.spark.close.candidates import asked, candidates, derived
from kgreason.spark.close.plans import Form


def test_columns_with_an_id_in_every_pattern_are_compared() -> None:
    patterns = [(0, {1: 7, 2: 9}), (0, {1: 8}), (2, {0: 5})]
    assert candidates(patterns) == "(tbl = 0 AND c1 IN (7, 8)) OR (tbl = 2 AND c0 IN (5))"


def test_a_pattern_without_ids_takes_its_whole_table() -> None:
    assert candidates([(0, {1: 7}), (0, {})]) == "(tbl = 0)"


def test_no_pattern_takes_no_fact() -> None:
    assert candidates([]) == "false"


def test_a_column_with_very_many_ids_is_not_compared() -> None:
    assert candidates((0, {1: number, 2: 3}) for number in range(1, 5000)) == "(tbl = 0 AND c2 IN (3))"


def test_rows_of_forms_and_of_heads() -> None:
    forms = [Form(0, (1,), ()), Form(1, (), ())]
    assert asked(forms, [(0, 4, 0), (0, 6, 0)]) == "(tbl = 0 AND c1 IN (4, 6))"
    assert asked(forms, [(0, 4, 0), (1, 0, 0)]) == "(tbl = 0 AND c1 IN (4)) OR (tbl = 1)"
    assert derived([(0, -1, 4, 5), (0, -1, 6, -2)]) == "(tbl = 0 AND c1 IN (4, 6))"
