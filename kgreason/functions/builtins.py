"""The built-ins that SPARQL has no function for: those of SWRL, and those of SHACL (`shacl`). Every registry has them.

Law: a function has no result for arguments outside of its domain. Cost: that of Python.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import cache
from typing import Any

from kgreason.functions.function import PythonFunction, python_function
from kgreason.patterns.matching import tokens

PREFIX = "swrlb_"
"""The beginning of the names of the functions of SWRL."""
PREFIXES = (PREFIX, "shacl_")
"""The beginnings of the names of all built-ins."""
_MOST_BITS = 4_096
"""The largest integer that `pow` gives exactly."""


def swrlb_pow(base: Decimal | float, exponent: Decimal | float) -> int | float | None:
    """The base to the power of the exponent: an integer for integers, else a double."""
    try:
        is_exact = isinstance(base, int) and isinstance(exponent, int) and exponent >= 0
        if is_exact and int(base).bit_length() * exponent <= _MOST_BITS:
            return int(int(base) ** int(exponent))
        return math.pow(base, exponent)
    except (ValueError, OverflowError):
        return None


def swrlb_sin(angle: float) -> float | None:
    """The sine of an angle in radians."""
    return math.sin(angle) if math.isfinite(angle) else None


def swrlb_cos(angle: float) -> float | None:
    """The cosine of an angle in radians."""
    return math.cos(angle) if math.isfinite(angle) else None


def swrlb_tan(angle: float) -> float | None:
    """The tangent of an angle in radians."""
    return math.tan(angle) if math.isfinite(angle) else None


def swrlb_translate(text: str, characters: str, others: str) -> str:
    """The text, with each character of `characters` replaced by the character at the same place of `others`.

    A character that has no counterpart in `others` is left out.
    """
    table: dict[int, str | None] = {}
    for place, character in enumerate(characters):
        table.setdefault(ord(character), others[place] if place < len(others) else None)
    return text.translate(table)


def swrlb_tokenize(text: str, pattern: str) -> list[str]:
    """The parts of a text between the matches of a regular expression, in the syntax of XPath."""
    try:
        return tokens(text, pattern)
    except ValueError:
        return []


@cache
def builtins() -> Mapping[str, PythonFunction]:
    """Return the functions of this module and of `shacl`, by name."""
    from kgreason.functions import shacl

    found: tuple[Callable[..., Any], ...] = (
        swrlb_pow,
        swrlb_sin,
        swrlb_cos,
        swrlb_tan,
        swrlb_translate,
        swrlb_tokenize,
    )
    return {**{function.__name__: python_function(function) for function in found}, **shacl.FUNCTIONS}
