"""Containment, disjointness and order of datatypes agree with membership of values."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgreason.datatypes.datatype_map import DATATYPES, is_member
from kgreason.datatypes.hierarchy import are_disjoint, is_subtype, supertypes
from kgreason.datatypes.order import compare
from kgreason.datatypes.value import REAL, Value
from tests.datatypes.spellings import BY_LOCAL_NAME, VALUES, sampled
from tests.tables import table

datatypes = st.sampled_from(DATATYPES)
UNKNOWN = "<http://e/t>"
IRRATIONAL = (BY_LOCAL_NAME["rational"], BY_LOCAL_NAME["real"])
"""These two differ in numbers that have no literals."""


@table("datatype", DATATYPES)
def test_containment_is_that_of_members(datatype: str) -> None:
    for other in DATATYPES:
        contained = all(is_member(each, other) for each in VALUES if is_member(each, datatype))
        expected = contained and (datatype, other) != IRRATIONAL[::-1]
        assert is_subtype(datatype, other) == expected, other


@table("datatype", DATATYPES)
def test_disjoint_datatypes_share_no_member(datatype: str) -> None:
    for other in DATATYPES:
        shared = any(is_member(each, other) for each in VALUES if is_member(each, datatype))
        assert are_disjoint(datatype, other) == are_disjoint(other, datatype) == (not shared), other


@given(datatypes, datatypes, datatypes)
def test_containment_is_an_order(first: str, second: str, third: str) -> None:
    assert is_subtype(first, first)
    assert not (is_subtype(first, second) and is_subtype(second, third)) or is_subtype(first, third)
    assert not (is_subtype(first, second) and is_subtype(second, first)) or first == second
    assert (first in supertypes(second)) == (first != second and is_subtype(second, first))


def test_examples() -> None:
    names = BY_LOCAL_NAME
    assert is_subtype(names["language"], names["NCName"])
    assert is_subtype(names["unsignedByte"], names["short"])
    assert not is_subtype(names["byte"], names["unsignedShort"])
    assert are_disjoint(names["positiveInteger"], names["nonPositiveInteger"])
    assert not are_disjoint(names["nonNegativeInteger"], names["nonPositiveInteger"])
    assert are_disjoint(names["float"], names["real"])
    assert are_disjoint(names["string"], names["anyURI"])
    assert are_disjoint(names["string"], names["langString"])


def test_of_an_unknown_datatype_nothing_is_known() -> None:
    assert is_subtype(UNKNOWN, UNKNOWN)
    assert not is_subtype(UNKNOWN, BY_LOCAL_NAME["Literal"])
    assert not are_disjoint(UNKNOWN, BY_LOCAL_NAME["byte"])
    assert supertypes(UNKNOWN) == ()
    with pytest.raises(KeyError):
        is_member(VALUES[0], UNKNOWN)


@given(sampled, sampled, sampled)
def test_values_are_ordered(first: Value, second: Value, third: Value) -> None:
    sign = compare(first, second)
    assert compare(second, first) == (None if sign is None else -sign)
    assert compare(first, first) == (None if first.data == "nan" else 0)
    if sign == 0 and compare(second, third) == 0:
        assert compare(first, third) == 0
    if sign == -1 and compare(second, third) == -1:
        assert compare(first, third) == -1


def test_only_values_of_one_ordered_space_are_ordered() -> None:
    spaces = {first.space for first, second in product(VALUES, VALUES) if compare(first, second) == -1}
    times = {"dateTime", "date", "time", "duration", "gYear", "gMonth", "gMonthDay", "gDay"}
    assert spaces == {REAL, "float", "double"} | times
    assert all(first.space == second.space for first, second in product(VALUES, VALUES) if compare(first, second) == 0)
