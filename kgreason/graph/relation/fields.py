r"""Fields of CSV files: a field stands for a term.

    <http://e/a>   _:b   "x"@en   "1"^^<...>     a term in N-Triples syntax
    5                                            "5"^^xsd:integer
    anything else                                a string: ann, "" (the empty field)

In a column of a declared type a field is the lexical form of a literal of this type: `2.50` in a column of xsd:decimal,
`5` for a string in a column of xsd:string or rdfs:Literal. A literal in N-Triples syntax stands for itself. In a column
of rdfs:Resource a field is an IRI, with or without angle brackets, or a blank node.

Law: `term_of_field(field_of_term(term, type), type) == term` if the term is in canonical N-Triples syntax and fits the
type.
"""

from __future__ import annotations

import re

from kgreason.terms import vocabulary as v
from kgreason.terms.quoting import quote, unescape

_TERM = re.compile(
    r'<[^\x00-\x20<>"{}|^`]*>|_:[^\s<>"]+|"(?:[^"\\\r\n]|\\.)*"(?:\^\^<[^\x00-\x20<>"{}|^`]*>|@[A-Za-z0-9-]+)?'
    r"|<<\(.*\)>>",
    re.DOTALL,
)


_INTEGER = re.compile(r"[+-]?[0-9]+")
_OF_STRINGS = (v.XSD_STRING, v.RDFS_LITERAL)
"""The types of columns in which a text is a string."""


def term_of_field(field: str, type_: str | None = None) -> str:
    """Return the term that a field stands for in a column of the datatype `type_`, None for a column without a type.

    The term may be in another form than the canonical one. In a column of rdfs:Resource the field is returned as it is,
    so it must be a term in N-Triples syntax.
    """
    if type_ == v.RDFS_RESOURCE or (_TERM.fullmatch(field) and (type_ is None or field.startswith('"'))):
        return field
    if type_ is None:
        return f'"{field}"^^{v.XSD_INTEGER}' if _INTEGER.fullmatch(field) else quote(field)
    return quote(field) if type_ in _OF_STRINGS else f"{quote(field)}^^{type_}"


def field_of_term(term: str, type_: str | None = None) -> str:
    """Return the field that stands for a term in a column. The term must be in canonical N-Triples syntax.

    `type_` is the datatype of the column, None for a column without a type.
    """
    if not term.startswith('"'):
        return term
    text = unescape(term[1 : term.rindex('"')])
    return text if term_of_field(text, type_) == term else term
