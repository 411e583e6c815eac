"""Facts about literals: what tasks read and say of literals, in one piece and in pieces."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("pyspark", reason="PySpark is not installed: pip install 'kgreason[spark]'")

from kgreason.materialize.literals.datatypes_in_use import NAMES
from kgreason.spark.close.literals import _facts_of, _read

XSD = "http://www.w3.org/2001/XMLSchema#"
ASKED = sorted(number for number, name in NAMES.items() if name in (f"<{XSD}integer>", f"<{XSD}string>"))
TEXTS = [
    *(f'"{text}"^^<{XSD}{name}>' for text in ("1", "01", "1.0", "x") for name in ("integer", "decimal", "token")),
    *('"1"', '"x"', '"x"@en', '"x"@EN', '"x"^^<http://e/own>', '"1"^^<http://e/own>'),
]


def read(texts: Iterable[tuple[int, str]]) -> list[pa.RecordBatch]:
    """What a task reads of literals, given as ids and texts."""
    ids, words = [*zip(*texts, strict=True)] or ([], [])
    batch = pa.record_batch([pa.array(ids, pa.int32()), pa.array(words, pa.string())], names=["id", "text"])
    return list(_read(ASKED, [batch]))


def facts(rows: list[pa.RecordBatch], since: int = 0) -> set[tuple[str, int, int]]:
    return {tuple(row.values()) for batch in _facts_of(since, rows) for row in batch.to_pylist()}


@given(st.lists(st.sampled_from(TEXTS), unique=True), st.integers(0, len(TEXTS)))
def test_literals_that_come_later_give_the_facts_that_all_at_once_give(texts: list[str], early: int) -> None:
    numbered = [*enumerate(texts, 10)]
    first, rest = read(numbered[:early]), read(numbered[early:])
    since = 9 + early
    assert facts(first) | facts([*first, *rest], since) == facts(read(numbered))


def test_literals_of_unknown_datatypes_have_no_row() -> None:
    """They say nothing, and one task would get all of them."""
    (rows,) = read(enumerate(TEXTS))
    assert not [text for number, text in enumerate(TEXTS) if "own" in text and number in rows["id"].to_pylist()]
    assert len(rows) == len(TEXTS) - 2
