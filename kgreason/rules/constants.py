r"""Constants: from the way rule text writes them to canonical N-Triples text, the key of the dictionary.

    :a                     <http://e/a>
    "it\u0027s"@EN         "it's"@en
    1.5                    "1.5"^^<http://www.w3.org/2001/XMLSchema#decimal>
    "x"^^xsd:string        "x"

Canonical means the text that Oxigraph prints: language tags in lower case, no xsd:string, strings as
`terms.quoting` writes them. Lexical forms are kept as written (`01` stays `"01"`).
Functions raise `ValueError` with a sentence for people; the parser adds file, line and column.

Cost: a regular expression or two for a constant; the parser remembers those it has seen.
"""

from __future__ import annotations

import re

from kgreason.terms.quoting import quote, unescape
from kgreason.terms.vocabulary import (
    RDF_DIR_LANG_STRING,
    RDF_LANG_STRING,
    XSD_DECIMAL,
    XSD_DOUBLE,
    XSD_INTEGER,
    XSD_STRING,
)

_ABSOLUTE = re.compile(r"<[A-Za-z][0-9A-Za-z+.\-]*:")
_FORBIDDEN = re.compile(r"[\x00-\x20<>\"{}|^`\\\x7f-\x9f\ufdd0-\ufdef\ufff0-\uffff]")
_LOCAL_ESCAPE = re.compile(r"\\(.)")


def unquote(token: str) -> str:
    """The text that a quoted string (either mark, single or threefold) stands for."""
    marks = 3 if token[:3] in ('"""', "'''") else 1
    return unescape(token[marks:-marks])


def iri(token: str) -> str:
    """The constant for `<...>`; relative IRIs are refused, as rule text has no base."""
    text = f"<{unescape(token[1:-1])}>"
    if not _ABSOLUTE.match(text):
        raise ValueError(f"{token} is a relative IRI; rule text has no base, so write it in full")
    if _FORBIDDEN.search(text, 1, len(text) - 1):
        raise ValueError(f"{token} has a character that an IRI may not have")
    return text


def local_name(token: str) -> str:
    r"""The part after the colon of a prefixed name, its escapes (`\,`) replaced."""
    return _LOCAL_ESCAPE.sub(r"\1", token) if "\\" in token else token


def number(token: str) -> str:
    """The constant for an integer, decimal or double in short form."""
    datatype = XSD_DOUBLE if "e" in token.lower() else XSD_DECIMAL if "." in token else XSD_INTEGER
    return f'"{token}"^^{datatype}'


def tagged(token: str, language: str) -> str:
    """The constant for a quoted string with its language tag (`@en`, `@ar--rtl`)."""
    return quote(unquote(token)) + language.lower()


def typed(token: str, datatype: str | None) -> str:
    """The constant for a quoted string, with a datatype (a constant) where it has one."""
    if datatype in (RDF_LANG_STRING, RDF_DIR_LANG_STRING):
        raise ValueError(f'a string of datatype {datatype} is written with a language tag, as "text"@en')
    return quote(unquote(token)) + (f"^^{datatype}" if datatype not in (None, XSD_STRING) else "")
