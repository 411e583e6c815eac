r"""The parts of a literal: lexical form, datatype, language tag.

Three literals and their parts:

    "a\tb"                 a	b   <...XMLSchema#string>
    "x"@en                 x     <...22-rdf-syntax-ns#langString>   en
    "1"^^<http://e/t>      1     <http://e/t>

Invariant: the argument of `parts_of_literal` is a literal from `Dictionary.decode`. Its last quotation mark ends the
lexical form, because a language tag or an IRI has no quotation mark. Cost: a search from the right, and a regular
expression if there is a backslash.
"""

from __future__ import annotations

from typing import NamedTuple

from kgreason.terms import vocabulary as v
from kgreason.terms.quoting import unescape


class Literal(NamedTuple):
    """The parts of a literal: lexical form without escapes, datatype, and language tag in lower case.

    `language` ends with the direction if the literal has one: `ar--rtl`. It is "" if the literal has no language tag.
    """

    lexical: str
    datatype: str
    language: str = ""


def parts_of_literal(text: str) -> Literal:
    """Split a literal, given as N-Triples text, into its parts. Raises ValueError if `text` is not a literal."""
    end = text.rfind('"')
    if end < 1 or text[0] != '"':
        raise ValueError(f"{text} is not a literal in N-Triples syntax")
    lexical, mark = unescape(text[1:end]), text[end + 1 :]
    if not mark:
        return Literal(lexical, v.XSD_STRING)
    if mark[0] == "@":
        return Literal(lexical, v.RDF_DIR_LANG_STRING if "--" in mark else v.RDF_LANG_STRING, mark[1:].lower())
    return Literal(lexical, mark[2:])
