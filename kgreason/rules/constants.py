r"""Constants: from the way rule text writes them to canonical N-Triples text, the key of the dictionary.

    :a                     <http://e/a>
    "it\u0027s"@EN         "it's"@en
    1.5                    "1.5"^^<http://www.w3.org/2001/XMLSchema#decimal>
    "x"^^xsd:string        "x"

Canonical means the text that Oxigraph prints: language tags in lower case, no xsd:string, strings with the escapes of
`_ESCAPES` and no others. Lexical forms are kept as written (`01` stays `"01"`).
Functions raise `ValueError` with a sentence for people; the parser adds file, line and column.

Cost: a regular expression or two for a constant; the parser remembers those it has seen.
"""

from __future__ import annotations

import re

from kgreason.terms.vocabulary import (
    RDF_DIR_LANG_STRING,
    RDF_LANG_STRING,
    XSD_DECIMAL,
    XSD_DOUBLE,
    XSD_INTEGER,
    XSD_STRING,
)

_ESCAPED = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.?))", re.DOTALL)
_SHORT = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f", '"': '"', "'": "'", "\\": "\\"}
_ABSOLUTE = re.compile(r"<[A-Za-z][0-9A-Za-z+.\-]*:")
_FORBIDDEN = re.compile(r"[\x00-\x20<>\"{}|^`\\\x7f-\x9f\ufdd0-\ufdef\ufff0-\uffff]")
_LOCAL_ESCAPE = re.compile(r"\\(.)")

_CONTROLS = [*range(0x20), 0x7F, 0xFFFE, 0xFFFF]
_ESCAPES = {code: f"\\u{code:04X}" for code in _CONTROLS} | {
    ord(character): f"\\{letter}" for letter, character in _SHORT.items() if character != "'"
}


def quote(text: str) -> str:
    """`text` as an N-Triples string, quotation marks included."""
    return f'"{text.translate(_ESCAPES)}"'


def unquote(token: str) -> str:
    """The text that a quoted string (either mark, single or threefold) stands for."""
    marks = 3 if token[:3] in ('"""', "'''") else 1
    return unescape(token[marks:-marks])


def unescape(text: str) -> str:
    """`text` with its backslash escapes replaced."""
    return _ESCAPED.sub(_unescaped, text) if "\\" in text else text


def _unescaped(match: re.Match[str]) -> str:
    digits = match[1] or match[2]
    if digits is None:
        if match[3] not in _SHORT:
            raise ValueError(f"unknown escape {match[0]} in a string")
        return _SHORT[match[3]]
    code = int(digits, 16)
    if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
        raise ValueError(f"{match[0]} is not a character")
    return chr(code)


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
