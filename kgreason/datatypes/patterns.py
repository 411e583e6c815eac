r"""Translate regular expressions of XSD into regular expressions of Python.

    a|b            a|b             unchanged
    ^$             \^\$            no anchors: a pattern matches the whole string
    [a-z-[aeiou]]  (?:(?![aeiou])[a-z])
    \i \c \w \p{L} classes written out, from the tables of XML names and of Unicode

A class becomes an expression that matches exactly its characters. So union, complement and subtraction become
alternatives and lookaheads (XSD 1.1 Part 2, appendix G). Blocks (`\p{IsGreek}`) are not supported: Python has no table
of them.

Cost: some microseconds for each character of a pattern, once for each pattern; a fifth of a second for the tables of
Unicode at the first `\w` or `\p`. Matching backtracks, like all matching in Python.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from functools import cache
from typing import NoReturn
from unicodedata import category

from kgreason.datatypes.spaces.textual import NAME_CHARACTER, NAME_START

_ANY = r"[\s\S]"
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"} | {character: character for character in r"\|.?*+(){}-[]^$"}
_CLASSES = {"s": r"[ \t\n\r]", "d": r"\d", "i": f"[{NAME_START}]", "c": f"[{NAME_CHARACTER}]"}
_QUANTIFIER = re.compile(r"[?*+]|\{[0-9]+(?:,[0-9]*)?\}")
_PROPERTY = re.compile(r"\{([A-Z][a-z]?)\}")
_CLASS_ESCAPES = frozenset(f"\\{letter}" for letter in "sSdDiIcCwWpP")
_SPECIAL = frozenset(".\\?*+{}()|[]")


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Translate and compile a pattern, for use with `fullmatch`.

    Raises ValueError, with the position, for an error in the pattern.
    """
    try:
        return re.compile(_Translation(pattern).whole())
    except (re.error, RecursionError, OverflowError) as error:
        raise ValueError(f"{pattern!r} is not a valid pattern: {error}") from error


class _Translation:
    """Translates one pattern from left to right. `_at` is the position of the next unread character."""

    def __init__(self, pattern: str) -> None:
        self._pattern, self._at = pattern, 0

    def whole(self) -> str:
        translated = self._alternatives()
        if self._at < len(self._pattern):
            self._fail()
        return translated

    def _alternatives(self) -> str:
        branches = [self._branch()]
        while self._take("|"):
            branches.append(self._branch())
        return "|".join(branches)

    def _branch(self) -> str:
        pieces = []
        while self._next() not in ("", "|", ")"):
            pieces.append(self._atom())
            if quantifier := _QUANTIFIER.match(self._pattern, self._at):
                self._at = quantifier.end()
                pieces.append(quantifier[0])
        return "".join(pieces)

    def _atom(self) -> str:
        if self._take("("):
            inside = self._alternatives()
            self._expect(")")
            return f"(?:{inside})"
        if self._take("["):
            return self._class()
        if self._take("."):
            return r"[^\n\r]"
        if self._take("\\"):
            return self._escape()
        if self._next() in _SPECIAL:
            self._fail()
        return re.escape(self._read())

    def _class(self) -> str:
        """Translate the rest of a character class, after its opening bracket."""
        negated = self._take("^")
        parts = []
        while self._next() != "]" and not self._at_subtraction():
            parts.append(self._part())
        if not parts:
            self._fail()
        union = f"(?:{'|'.join(parts)})"
        members = _complement(union) if negated else union
        if self._at_subtraction():
            self._at += 2
            members = f"(?:(?!{self._class()}){members})"
        self._expect("]")
        return members

    def _part(self) -> str:
        r"""Translate a part of a character class: a character, a range, or an escape for a class (`\d`)."""
        if self._pattern[self._at : self._at + 2] in _CLASS_ESCAPES:
            self._at += 1
            return self._escape()
        first = self._member()
        follows = self._pattern[self._at + 1 : self._at + 2]
        if self._next() != "-" or self._at_subtraction() or follows == "]":
            return re.escape(first)
        self._at += 1
        return f"[{re.escape(first)}-{re.escape(self._member())}]"

    def _member(self) -> str:
        if self._take("\\"):
            return _ESCAPES.get(self._read()) or self._fail()
        if self._next() in ("[", ""):
            self._fail()
        return self._read()

    def _escape(self) -> str:
        """Translate the rest of an escape, after its backslash."""
        letter = self._read()
        if letter in _ESCAPES:
            return re.escape(_ESCAPES[letter])
        if letter in "pP":
            members = self._property()
        elif letter in "wW":
            members = _complement(f"[{_unicode('P')}{_unicode('Z')}{_unicode('C')}]")
        else:
            members = _CLASSES.get(letter.lower()) or self._fail()
        return members if letter.islower() else _complement(members)

    def _property(self) -> str:
        name = _PROPERTY.match(self._pattern, self._at)
        members = _unicode(name[1]) if name else ""
        if not name or not members:
            self._fail()
        self._at = name.end()
        return f"[{members}]"

    def _at_subtraction(self) -> bool:
        return self._pattern.startswith("-[", self._at)

    def _next(self) -> str:
        return self._pattern[self._at : self._at + 1]

    def _read(self) -> str:
        character = self._next()
        if not character:
            self._fail()
        self._at += 1
        return character

    def _take(self, character: str) -> bool:
        taken = self._next() == character
        self._at += taken
        return taken

    def _expect(self, character: str) -> None:
        if not self._take(character):
            self._fail()

    def _fail(self) -> NoReturn:
        raise ValueError(f"{self._pattern!r} is not a valid pattern: unexpected text at character {self._at + 1}")


def _complement(members: str) -> str:
    return f"(?:(?!{members}){_ANY})"


def _unicode(name: str) -> str:
    """Return the characters of a Unicode category (`Lu`), or of a group of categories (`L`).

    The result is a text of ranges such as `A-Z`, in escaped form, for use in a character class. Returns "" if the name
    is unknown.
    """
    return "".join(ranges for short, ranges in _categories().items() if short.startswith(name))


@cache
def _categories() -> dict[str, str]:
    starts: dict[str, list[str]] = defaultdict(list)
    first, kind = 0, category(chr(0))
    for code in range(1, sys.maxunicode + 2):
        following = category(chr(code)) if code <= sys.maxunicode else ""
        if following != kind:
            starts[kind].append(f"\\U{first:08X}-\\U{code - 1:08X}")
            first, kind = code, following
    return {short: "".join(ranges) for short, ranges in starts.items()}
