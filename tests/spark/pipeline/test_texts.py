"""Columns of texts say what the dictionary says of the same texts one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgreason.terms.dictionary import Dictionary

pa = pytest.importorskip("pyarrow")

_texts = st.lists(st.none() | st.sampled_from(["", "<a:b>", "_:x"]) | st.text(max_size=9), max_size=30)


@given(_texts, st.data())
def test_a_column_is_interned_as_its_texts_are(column: list[str | None], data: st.DataObject) -> None:
    from kgreason.spark.input.terms import interned

    start = data.draw(st.integers(0, len(column)))
    dictionary, other = Dictionary(("<a:b>",)), Dictionary(("<a:b>",))
    ids = interned(pa.array(column, pa.string())[start:], dictionary)
    expected = np.zeros(len(column) - start, np.int32)
    for place, text in enumerate(column[start:]):
        if text:
            expected[place] = other.intern([text])[0]
    assert ids.tolist() == expected.tolist()
    assert len(dictionary) == len(other)


@given(st.lists(st.text(min_size=1, max_size=9), unique=True), st.integers(0, 5))
def test_the_texts_of_a_dictionary_stand_at_their_ids(column: list[str], first: int) -> None:
    from kgreason.spark.input.terms import texts

    dictionary = Dictionary(())
    dictionary.intern(column)
    assert texts(dictionary, min(first, len(column) + 1)).to_pylist() == ["", *column][first:]
