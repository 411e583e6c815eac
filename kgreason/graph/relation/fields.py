r"""Fields of CSV files: a field stands for a term.

    <http://e/a>   _:b   "x"@en   "1"^^<...>     a term in N-Triples syntax
    5                                            "5"^^xsd:integer
    anything else                                a string: ann, "" (the empty field)

In a column of a declared type a field is the lexical form of a literal of this type: `2.50` in a column of xsd:decimal.
In a column of rdfs:Resource it is an IRI, with or without angle brackets, or a blank node.

Law: `of_field(field(term)) == term` in a column without a type, if the term is in canonical N-Triples syntax.
"""

from __future__ import annotations

import re

from kgreason.terms.quoting import quote, unescape
from kgreason.terms.vocabulary import XSD_INTEGER

_TERM = re.compile(
    r'<[^\x00-\x20<>"{}|^`]*>|_:[^\s<>"]+|"(?:[^"\\\r\n]|\\.)*"(?:\^\^<[^\x00-\x20<>"{}|^`]*>|@[A-Za-z0-9-]+)?'
    r"|<<\(.*\)>>",
    re.DOTALL,
)


_INTEGER = re.compile(r"[+-]?[0-9]+")


def of_field(field: str) -> str:
    """Return the term that a field stands for, in a column without a type. The term is not in canonical form."""
    if _INTEGER.fullmatch(field):
        return f'"{field}"^^{XSD_INTEGER}'
    return field if _TERM.fullmatch(field) else quote(field)


def field(term: str) -> str:
    """Return the field that stands for a term in canonical N-Triples syntax."""
    if not term.startswith('"'):
        return term
    if term.endswith('"'):
        text = unescape(term[1:-1])
        return term if _INTEGER.fullmatch(text) or _TERM.fullmatch(text) else text
    lexical, mark, datatype = term.rpartition("^^")
    if mark and datatype == XSD_INTEGER and _INTEGER.fullmatch(lexical[1:-1]):
        return lexical[1:-1]
    return term
