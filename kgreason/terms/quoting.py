r"""Write strings as N-Triples text, with quotation marks and escapes, and read them back.

    it's "so"              "it's \"so\""

The result is canonical: it has the escapes that Oxigraph prints (`_ESCAPES`) and no others. `unescape` reads all
escapes of N-Triples.

The other functions turn constants as they are written in rule text into such text, the key of the dictionary.

    :a                     <http://e/a>
    "it\u0027s"@EN         "it's"@EN
    1.5                    "1.5"^^<http://www.w3.org/2001/XMLSchema#decimal>
    "x"^^xsd:string        "x"

Canonical means the text that Oxigraph prints: no xsd:string. Lexical forms and language tags are kept (`01` stays
`"01"`). For a wrong constant, functions raise ValueError with a message for users; the parser adds file, line and
column.

Law: `unescape(quote(text)[1:-1]) == text`.
Cost: a regular expression for a string with a backslash; almost nothing for other strings.
"""

from __future__ import annotations

import re

from kgreason.terms import vocabulary as v

_ESCAPED = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.?))", re.DOTALL)
_SHORT = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f", '"': '"', "'": "'", "\\": "\\"}

_CONTROLS = [*range(0x20), 0x7F, 0xFFFE, 0xFFFF]
_ESCAPES = {code: f"\\u{code:04X}" for code in _CONTROLS} | {
    ord(character): f"\\{letter}" for letter, character in _SHORT.items() if character != "'"
}


def quote(text: str) -> str:
    """Return `text` as an N-Triples string, quotation marks included."""
    return f'"{text.translate(_ESCAPES)}"'


def unescape(text: str) -> str:
    """Return `text` with its backslash escapes replaced. Raises ValueError for an unknown escape."""
    return _ESCAPED.sub(_unescape_match, text) if "\\" in text else text


def _unescape_match(match: re.Match[str]) -> str:
    digits = match[1] or match[2]
    if digits is None:
        if match[3] not in _SHORT:
            raise ValueError(f"unknown escape {match[0]} in a string")
        return _SHORT[match[3]]
    code = int(digits, 16)
    if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
        raise ValueError(f"the escape {match[0]} does not stand for a Unicode character")
    return chr(code)


_ABSOLUTE = re.compile(r"<[A-Za-z][0-9A-Za-z+.\-]*:")
_FORBIDDEN = re.compile(r"[\x00-\x20<>\"{}|^`\\\x7f-\x9f\ufdd0-\ufdef\ufff0-\uffff]")
_LOCAL_ESCAPE = re.compile(r"\\(.)")


def unquote(token: str) -> str:
    """Return the text inside a quoted string, with its escapes replaced.

    The quotation marks are `"`, `'`, or three of one kind.
    """
    marks = 3 if token[:3] in ('"""', "'''") else 1
    return unescape(token[marks:-marks])


def iri(token: str) -> str:
    """Return the constant for an IRI `<...>`. Raises ValueError for a relative IRI, because rule text has no base."""
    text = f"<{unescape(token[1:-1])}>" if "\\" in token else token
    if not _ABSOLUTE.match(text):
        raise ValueError(f"{token} is a relative IRI; rule text has no base, so write the IRI in full")
    if _FORBIDDEN.search(text, 1, len(text) - 1):
        raise ValueError(f"{token} has a character that is not allowed in an IRI")
    return text


def local_name(token: str) -> str:
    r"""Return the part after the colon of a prefixed name, with its escapes (`\,`) replaced."""
    return _LOCAL_ESCAPE.sub(r"\1", token) if "\\" in token else token


def number(token: str) -> str:
    """Return the constant for an integer, decimal or double without quotation marks, such as `1.5`."""
    datatype = v.XSD_DOUBLE if "e" in token.lower() else v.XSD_DECIMAL if "." in token else v.XSD_INTEGER
    return f'"{token}"^^{datatype}'


def tagged_constant(token: str, language: str) -> str:
    """Return the constant for a quoted string with its language tag (`@en`, `@ar--rtl`)."""
    return quote(unquote(token)) + language


_PLAIN = re.compile(
    rf'(".*)@([A-Za-z]{{1,8}}(?:-[A-Za-z0-9]{{1,8}})*)?"\^\^{re.escape(v.RDF_PLAIN_LITERAL)}', re.DOTALL
)


def string_of_plain_literal(constant: str) -> str:
    """Return the string that a literal of rdf:PlainLiteral stands for. Any other constant is returned unchanged.

    Expressions cannot read this datatype. An ill-typed literal of this datatype is returned unchanged.

    >>> string_of_plain_literal('"x@EN"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#PlainLiteral>')
    '"x"@en'
    """
    match = _PLAIN.fullmatch(constant)
    return f'{match[1]}"' + (f"@{match[2].lower()}" if match[2] else "") if match else constant


def typed_constant(token: str, datatype: str | None) -> str:
    """Return the constant for a quoted string. `datatype` is the constant of its datatype, or None."""
    if datatype in (v.RDF_LANG_STRING, v.RDF_DIR_LANG_STRING):
        raise ValueError(f'a string of datatype {datatype} needs a language tag: write "text"@en')
    return quote(unquote(token)) + (f"^^{datatype}" if datatype not in (None, v.XSD_STRING) else "")
