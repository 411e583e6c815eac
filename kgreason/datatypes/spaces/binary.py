"""Truth values and binary data.

`1` and `true` are one value. hexBinary and base64Binary are disjoint, although both hold octets (XSD 1.1 Part 2, 3.3.15
and 3.3.16; OWL 2 Structural Specification, 4.5). In base64, the unused bits of the last character before `=` must be 0,
and single spaces are allowed between characters.

Cost: one or two microseconds, and time in proportion to the octets.
"""

from __future__ import annotations

from base64 import b64decode

from kgreason.datatypes.value import BASE64, BOOLEAN, HEX, Value

_TRUTH = {"true": True, "1": True, "false": False, "0": False}
_LAST = {1: frozenset("AEIMQUYcgkosw048"), 2: frozenset("AQgw")}
"""By the number of `=`: the characters that may stand before them, whose unused bits are 0."""


def boolean(lexical: str) -> Value:
    """Return the value of a lexical form of xsd:boolean."""
    if lexical not in _TRUTH:
        raise ValueError("expected true, false, 1 or 0")
    return Value(BOOLEAN, _TRUTH[lexical])


def hexadecimal(lexical: str) -> Value:
    """Return the value of a lexical form of xsd:hexBinary."""
    if lexical and (len(lexical) % 2 or not lexical.isalnum()):  # `fromhex` would skip spaces
        raise ValueError("expected pairs of hexadecimal digits")
    try:
        return Value(HEX, bytes.fromhex(lexical))
    except ValueError:
        raise ValueError("expected pairs of hexadecimal digits") from None


def base64(lexical: str) -> Value:
    """Return the value of a lexical form of xsd:base64Binary."""
    packed = lexical.replace(" ", "")
    content = packed.rstrip("=")
    filled = len(packed) - len(content)
    is_spaced = lexical[:1] == " " or "  " in lexical or (filled and lexical[-1] == " ")
    try:
        if is_spaced or (filled and content[-1:] not in _LAST.get(filled, ())):
            raise ValueError
        return Value(BASE64, b64decode(packed, validate=True))
    except ValueError:
        raise ValueError("expected groups of four base64 characters, the last group filled with =") from None
