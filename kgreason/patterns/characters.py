"""Sets of characters, as sorted ranges of code points that neither touch nor overlap.

    {a, b, c, x}   ->   ((97, 99), (120, 120))

Union, complement and difference are computed, because RE2 has no difference of character classes. The surrogates
belong to no set: no text has them.

Cost: that of the ranges; a fifth of a second for the categories of Unicode, once.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from itertools import pairwise
from typing import TypeAlias
from unicodedata import category

Characters: TypeAlias = tuple[tuple[int, int], ...]

_SURROGATES = (0xD800, 0xDFFF)


def single_character(character: str) -> Characters:
    """Return the set of one character."""
    return ((ord(character), ord(character)),)


def union(sets: Iterable[Characters]) -> Characters:
    """Return the characters that are in at least one of the sets."""
    found: list[tuple[int, int]] = []
    for low, high in sorted(each for ranges in sets for each in ranges):
        if found and low <= found[-1][1] + 1:
            found[-1] = found[-1][0], max(found[-1][1], high)
        else:
            found.append((low, high))
    return tuple(found)


def complement(ranges: Characters) -> Characters:
    """Return all characters that are not in a set."""
    bounds = [(-1, -1), *union([ranges, (_SURROGATES,)]), (sys.maxunicode + 1, sys.maxunicode + 1)]
    return tuple((before[1] + 1, after[0] - 1) for before, after in pairwise(bounds) if before[1] + 1 < after[0])


def difference(ranges: Characters, others: Characters) -> Characters:
    """Return the characters of the first set that are not in the second set."""
    return complement(union([complement(ranges), others]))


def characters_of_category(name: str) -> Characters:
    """Return the characters of a Unicode category (`Lu`), or of a group of categories (`L`).

    The result is empty if the name is unknown.
    """
    return union(ranges for short, ranges in _categories().items() if short.startswith(name))


@cache
def _categories() -> dict[str, Characters]:
    found: dict[str, list[tuple[int, int]]] = defaultdict(list)
    first, kind = 0, category(chr(0))
    for code in range(1, sys.maxunicode + 2):
        following = category(chr(code)) if code <= sys.maxunicode else ""
        if following != kind:
            found[kind].append((first, code - 1))
            first, kind = code, following
    del found["Cs"]  # the surrogates
    return {short: tuple(ranges) for short, ranges in found.items()}


def python_class(ranges: Characters) -> str:
    """Return a set as a character class of Python's `re`."""
    return "[" + "".join(f"\\U{low:08X}-\\U{high:08X}" for low, high in ranges) + "]"


def re2_class(ranges: Characters) -> str:
    """Return a set as a character class of RE2. RE2 has no empty class, but the complement of all characters."""
    if not ranges:
        return r"[^\x{0}-\x{10FFFF}]"
    return "[" + "".join(f"\\x{{{low:X}}}-\\x{{{high:X}}}" for low, high in ranges) + "]"


def _pairs(bounds: str) -> Characters:
    return union([tuple((ord(bounds[at]), ord(bounds[at + 1])) for at in range(0, len(bounds), 2))])


NAME_START = _pairs(
    "::AZ__az\xc0\xd6\xd8\xf6\xf8\u02ff\u0370\u037d\u037f\u1fff\u200c\u200d\u2070\u218f\u2c00\u2fef"
    "\u3001\ud7ff\uf900\ufdcf\ufdf0\ufffd\U00010000\U000effff"
)
"""The characters with which an XML 1.1 name may start (NameStartChar)."""
NAME_CHARACTER = union([NAME_START, _pairs("--..09\xb7\xb7\u0300\u036f\u203f\u2040")])
"""The characters that an XML 1.1 name may have (NameChar)."""
SPACE = _pairs("\t\n\r\r  ")
"""The white space of XML."""
