"""RDF terms as Python values and back; signatures from annotations."""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any, Optional, Union

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import BlankNode, Literal, NamedNode, Triple

from kgreason.functions.signature import Kinds, Term, signature_of
from kgreason.functions.values import NOTHING, text_of, value_of
from kgreason.terms.dictionary import Dictionary
from kgreason.terms.vocabulary import XSD
from tests.tables import table

VALUES: dict[str, st.SearchStrategy[Any]] = {
    "int": st.integers(),
    "float": st.floats(allow_nan=False),
    "Decimal": st.decimals(allow_nan=False, allow_infinity=False, places=6),
    "bool": st.booleans(),
    "str": st.text(st.characters(exclude_categories=["Cs"])),
    "date": st.dates(),
    "datetime": st.datetimes(),
}


@table("kind", VALUES)
def test_a_value_comes_back(kind: str) -> None:
    @given(VALUES[kind])
    def comes_back(value: Any) -> None:
        text = text_of(value, (kind,))
        assert value_of(text, (kind,)) == value
        dictionary = Dictionary()
        assert dictionary.decode(dictionary.intern([text])) == [text]

    comes_back()


@table(
    ("text", "kinds", "value"),
    [
        (f'"07"^^<{XSD}byte>', ("int",), 7),
        (f'"1_000"^^<{XSD}integer>', ("int",), NOTHING),
        (f'" 7"^^<{XSD}integer>', ("int",), NOTHING),
        (f'"7"^^<{XSD}integer>', ("float",), 7.0),
        (f'"7"^^<{XSD}integer>', ("Decimal", "float"), Decimal(7)),
        (f'"7"^^<{XSD}integer>', ("str",), NOTHING),
        (f'"7.0"^^<{XSD}decimal>', ("int",), NOTHING),
        (f'"INF"^^<{XSD}double>', ("float",), math.inf),
        (f'"1"^^<{XSD}boolean>', ("bool",), True),
        ('"chat"@fr', ("str",), "chat"),
        ('"a\\"@b"@en--ltr', ("str",), 'a"@b'),
        (f'"2020-02-30"^^<{XSD}date>', ("date",), NOTHING),
        (f'"2020-02-29Z"^^<{XSD}date>', ("date",), NOTHING),
        (f'"2020-02-29T01:02:03.5Z"^^<{XSD}dateTime>', ("datetime",), datetime(2020, 2, 29, 1, 2, 3, 500_000, UTC)),
        (f'"2020-02-29T24:00:00"^^<{XSD}dateTime>', ("datetime",), NOTHING),
        ("<http://e/a>", ("NamedNode",), NamedNode("http://e/a")),
        ("<http://e/a>", ("str",), NOTHING),
        ("_:b", ("BlankNode", "NamedNode"), BlankNode("b")),
        ('"x"@en', ("Literal",), Literal("x", language="en")),
        (f'"7"^^<{XSD}integer>', ("Literal", "int"), 7),
        (
            "<<( <http://e/a> <http://e/b> _:c )>>",
            ("Triple",),
            Triple(NamedNode("http://e/a"), NamedNode("http://e/b"), BlankNode("c")),
        ),
    ],
)
def test_a_term_has_a_value_or_none(text: str, kinds: Kinds, value: Any) -> None:
    found = value_of(text, kinds)
    assert found is value if value is NOTHING else found == value
    assert value is NOTHING or type(found) is type(value)


@table(
    ("value", "kinds", "text"),
    [
        (Decimal("2.50"), ("Decimal",), f'"2.5"^^<{XSD}decimal>'),
        (Decimal("1E+3"), ("Decimal",), f'"1000"^^<{XSD}decimal>'),
        (7, ("float",), f'"7"^^<{XSD}double>'),
        (7, ("Decimal",), f'"7"^^<{XSD}decimal>'),
        (datetime(2020, 2, 29, tzinfo=UTC), ("datetime",), f'"2020-02-29T00:00:00+00:00"^^<{XSD}dateTime>'),
        (NamedNode("http://e/a"), ("NamedNode",), "<http://e/a>"),
        (Literal("x", language="en"), ("Literal",), '"x"@en'),
    ],
)
def test_a_value_has_a_term(value: Any, kinds: Kinds, text: str) -> None:
    assert text_of(value, kinds) == text


@table(
    ("value", "kinds"),
    [
        (True, ("int",)),
        ("7", ("int",)),
        (7, ("str",)),
        (datetime(2020, 1, 1), ("date",)),
        (1.5, ("int",)),
        ([], ("str",)),
    ],
)
def test_a_value_of_another_type_is_refused(value: Any, kinds: Kinds) -> None:
    with pytest.raises(TypeError, match="instead of"):
        text_of(value, kinds)


@pytest.mark.parametrize(("value", "kind"), [(Decimal("NaN"), "Decimal"), ("\ud800", "str")])
def test_a_value_without_a_term_is_refused(value: Any, kind: str) -> None:
    with pytest.raises(ValueError, match=r"no value|surrogates"):
        text_of(value, (kind,))


def test_signatures() -> None:
    def one(a: int, b: Union[str, int], *, c: int = 5) -> Optional[float]:  # noqa: UP007, UP045
        return c * a or float(b)

    def many(a: Term) -> Iterable[int | str] | None:
        return [str(a)]

    def tuples(a: Decimal) -> tuple[date, ...]:
        return () if a else (date.today(),)

    assert str(signature_of(one)) == "one(int, int | str) -> float"
    assert str(signature_of(many)) == "many(BlankNode | Literal | NamedNode | Triple) -> list[int | str]"
    assert str(signature_of(tuples)) == "tuples(Decimal) -> list[date]"
