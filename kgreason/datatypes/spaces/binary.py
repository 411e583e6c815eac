"""Truth values and binary data.

`1` and `true` are one value. hexBinary and base64Binary are disjoint, although both hold octets (XSD 1.1 Part 2, 3.3.15
and 3.3.16; OWL 2 Structural Specification, 4.5). In base64, the unused bits of the last character before `=` must be 0,
and single spaces are allowed between characters.

Cost: one or two microseconds, and time in proportion to the octets.
"""

from __future__ import annotations

import re
from base64 import b64decode

from kgreason.datatypes.value import BASE64, BOOLEAN, HEX, Value

_TRUTH = {"true": True, "1": True, "false": False, "0": False}
_HEX = re.compile(r"(?:[0-9A-Fa-f]{2})*")
_BASE64 = re.compile(
    r"(?:(?:[A-Za-z0-9+/] ?){4})*"
    r"(?:(?:[A-Za-z0-9+/] ?){3}[A-Za-z0-9+/]"
    r"|(?:[A-Za-z0-9+/] ?){2}[AEIMQUYcgkosw048] ?="
    r"|[A-Za-z0-9+/] ?[AQgw] ?= ?=)?"
)


def boolean(lexical: str) -> Value:
    """Return the value of a lexical form of xsd:boolean."""
    if lexical not in _TRUTH:
        raise ValueError("expected true, false, 1 or 0")
    return Value(BOOLEAN, _TRUTH[lexical])


def hexadecimal(lexical: str) -> Value:
    """Return the value of a lexical form of xsd:hexBinary."""
    if not _HEX.fullmatch(lexical):
        raise ValueError("expected pairs of hexadecimal digits")
    return Value(HEX, bytes.fromhex(lexical))


def base64(lexical: str) -> Value:
    """Return the value of a lexical form of xsd:base64Binary."""
    if not _BASE64.fullmatch(lexical):
        raise ValueError("expected groups of four base64 characters, the last group filled with =")
    return Value(BASE64, b64decode(lexical))
