"""The parts of a literal, for pages that show them apart."""

from __future__ import annotations

from typing import NamedTuple

from kgreason.terms.quoting import unescape


class Literal(NamedTuple):
    """The three parts of a literal: value, language and datatype; an absent part is ""."""

    value: str
    language: str
    datatype: str


def literal_of(text: str) -> Literal:
    r"""Split a literal, given as N-Triples text, into its parts.

    >>> literal_of('"a\\"b"@en'), literal_of('"7"^^<http://e/d>').datatype
    (Literal(value='a"b', language='en', datatype=''), 'http://e/d')
    """
    end = text.rindex('"')
    rest = text[end + 1 :]
    try:
        value = unescape(text[1:end])
    except ValueError:
        value = text[1:end]
    return Literal(value, rest[1:] if rest.startswith("@") else "", rest[3:-1] if rest.startswith("^^") else "")
