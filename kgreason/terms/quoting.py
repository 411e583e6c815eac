r"""Write strings as N-Triples text, with quotation marks and escapes, and read them back.

    it's "so"              "it's \"so\""

The result is canonical: it has the escapes that Oxigraph prints (`_ESCAPES`) and no others. `unescape` reads all
escapes of N-Triples.

Law: `unescape(quote(text)[1:-1]) == text`.
Cost: a regular expression for a string with a backslash; almost nothing for other strings.
"""

from __future__ import annotations

import re

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
    return _ESCAPED.sub(_unescaped, text) if "\\" in text else text


def _unescaped(match: re.Match[str]) -> str:
    digits = match[1] or match[2]
    if digits is None:
        if match[3] not in _SHORT:
            raise ValueError(f"unknown escape {match[0]} in a string")
        return _SHORT[match[3]]
    code = int(digits, 16)
    if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
        raise ValueError(f"the escape {match[0]} does not stand for a Unicode character")
    return chr(code)
