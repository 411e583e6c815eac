"""Strings are written as Oxigraph writes them, and read whatever their escapes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import Literal

from kgreason.terms.quoting import quote, unescape

texts = st.text(st.characters(exclude_categories=["Cs"])) | st.text("\\\"'tnu\t\n\x00\x7f\ufffe\uffff")


@given(texts)
def test_quoted_as_oxigraph_does(text: str) -> None:
    assert quote(text) == str(Literal(text))


@given(texts)
def test_unescape_takes_back_what_quote_did(text: str) -> None:
    assert unescape(quote(text)[1:-1]) == text


@given(texts)
def test_any_escape_is_read(text: str) -> None:
    assert unescape("".join(f"\\U{ord(character):08x}" for character in text)) == text
    assert unescape(r"\u0041\'\t") == "A'\t"


@pytest.mark.parametrize("text", ["\\", r"\q", r"\u12", r"\U00110000", r"\uD800"])
def test_a_wrong_escape_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"escape|character"):
        unescape(text)
