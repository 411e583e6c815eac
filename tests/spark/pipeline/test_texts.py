"""Columns of texts say what the dictionary says of the same texts one by one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgreason.terms.dictionary import Dictionary

pa = pytest.importorskip("pyarrow")


@given(st.lists(st.text(min_size=1, max_size=9), max_size=30), st.data())
def test_cells_are_interned_as_their_texts_are(column: list[str], data: st.DataObject) -> None:
    from kgreason.spark.input.terms import intern_cell, pack_texts

    before, *starts = sorted(data.draw(st.lists(st.integers(0, len(column)), min_size=1, max_size=3)))
    dictionary, other = Dictionary(("<a:b>",)), Dictionary(("<a:b>",))
    cells = pack_texts(pa.array(column, pa.string())[before:], [0, *(start - before for start in starts)])
    ids = [number for cell in cells for number in intern_cell(cell, dictionary).tolist()]
    assert ids == other.intern(column[before:]).tolist()
    assert len(dictionary) == len(other)


@given(st.lists(st.text(min_size=1, max_size=9), unique=True), st.integers(0, 5))
def test_the_texts_of_a_dictionary_stand_at_their_ids(column: list[str], first: int) -> None:
    from kgreason.spark.input.terms import texts

    dictionary = Dictionary(())
    dictionary.intern(column)
    assert texts(dictionary, min(first, len(column) + 1)).to_pylist() == ["", *column][first:]
