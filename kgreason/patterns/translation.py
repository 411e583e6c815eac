r"""Translate regular expressions of XSD into regular expressions of RE2.

    a|b            \x{61}|\x{62}
    ^$             \^\$            no anchors: a pattern matches the whole string
    [a-z-[aeiou]]  [b-df-hj-np-tv-z], as code points
    \i \c \w \p{L} classes written out, from the tables of XML names and of Unicode
    a{2000}        a{1000}a{1000}   RE2 repeats at most a thousand times

A class becomes the ranges of its characters. So union, complement and subtraction (XSD 1.1 Part 2, appendix G) are
computed here. Blocks (`\p{IsGreek}`) are not supported: Python has no table of them.

XPath adds to this syntax (XPath and XQuery Functions and Operators 3.1, section 5.6.1). With `is_part`, a pattern is
one of XPath: it matches parts of a string, and `^`, `$`, `(?:a)` and `a*?` mean what they mean in Python. References
back to a group (`\1`) do not exist. The flags are those of XPath (5.6.2):

    s    `.` matches line ends, too          i    small and capital letters are the same
    m    `^` and `$` match at line ends      x    white space in the pattern, outside of classes, says nothing
    q    each character stands for itself

Cost: some microseconds for each character of a pattern.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple, NoReturn

from kgreason.patterns.characters import (
    NAME_CHARACTER,
    NAME_START,
    SPACE,
    Characters,
    characters_of_category,
    complement,
    difference,
    re2_class,
    single_character,
    union,
)

_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"} | {character: character for character in r"\|.?*+(){}-[]^$"}
_QUANTIFIER = re.compile(r"[?*+]|\{([0-9]+)(?:(,)([0-9]*))?\}")
_PROPERTY = re.compile(r"\{([A-Z][a-z]?)\}")
_CLASS_ESCAPES = frozenset(f"\\{letter}" for letter in "sSdDiIcCwWpP")
_SPECIAL = frozenset(".\\?*+{}()|[]")
_DOT = complement(union(map(single_character, "\n\r")))
_ANY = complement(())
_FLAGS = frozenset("smixq")
_REPEATED = 1_000
"""RE2 repeats at most so many times, in all the quantifiers that stand one within the other."""
_LONGEST = 1 << 20
"""The largest number of characters of a translated pattern."""
_DEEPEST = 100
"""How many brackets may be open at once. Each takes five calls of Python."""


def translate(pattern: str, *, is_part: bool = False, flags: str = "") -> str:
    """Translate a pattern; only a pattern of XPath (`is_part`) has `flags`.

    Raises ValueError, with the position, for an error in the pattern, and for an unknown flag.
    """
    if unknown := set(flags) - _FLAGS:
        raise ValueError(f"{min(unknown)!r} is not a flag of a pattern; the flags are s, m, i, x and q")
    if "q" in flags:
        text = "".join(f"\\x{{{ord(character):X}}}" for character in pattern)
    else:
        text = _Translation(pattern, is_part, flags).translate_all()
    return f"(?i:{text})" if "i" in flags else text


class _Piece(NamedTuple):
    """A translated piece, and how often RE2 may repeat something in it."""

    text: str
    repeated: int = 1


class _Translation:
    """Translates one pattern from left to right. `_at` is the position of the next unread character."""

    def __init__(self, pattern: str, is_part: bool, flags: str) -> None:
        self._pattern, self._is_part, self._at, self._depth = pattern, is_part, 0, 0
        if "x" in flags:
            self._pattern = "".join(_without_space(pattern))
        self._dot = re2_class(_ANY if "s" in flags else _DOT)
        self._anchors = {"^": "(?m:^)", "$": "(?m:$)"} if "m" in flags else {"^": r"\A", "$": r"\z"}

    def translate_all(self) -> str:
        translated = self._alternatives()
        if self._at < len(self._pattern):
            self._fail()
        return translated.text

    def _alternatives(self) -> _Piece:
        branches = [self._branch()]
        while self._take_if("|"):
            branches.append(self._branch())
        return _Piece("|".join(each.text for each in branches), max(each.repeated for each in branches))

    def _branch(self) -> _Piece:
        pieces, size = [_Piece("")], 0
        while self._peek() not in ("", "|", ")"):
            pieces.append(self._with_quantifier(self._atom()))
            size += len(pieces[-1].text)
            self._check_size(size)
        return _Piece("".join(each.text for each in pieces), max(each.repeated for each in pieces))

    def _with_quantifier(self, atom: _Piece) -> _Piece:
        """Translate the quantifier that follows an atom, if there is one."""
        if not (quantifier := _QUANTIFIER.match(self._pattern, self._at)):
            return atom
        self._at = quantifier.end()
        lazy = "?" if self._is_part and self._take_if("?") else ""
        if not quantifier[1]:
            return atom._replace(text=atom.text + quantifier[0] + lazy)
        least = int(quantifier[1][:10])
        most = least if not quantifier[2] else int(quantifier[3][:10]) if quantifier[3] else None
        if most is not None and most < least:
            self._fail()
        if max(most or 0, least) * atom.repeated <= _REPEATED:
            return _Piece(atom.text + quantifier[0] + lazy, max(most or 0, least, 1) * atom.repeated)
        return self._copies(atom, least, most, lazy)

    def _copies(self, atom: _Piece, least: int, most: int | None, lazy: str) -> _Piece:
        """Repeat an atom more often than RE2 does it, by copies."""
        share = max(_REPEATED // atom.repeated, 1)
        self._check_size(max(most or 0, least) // share * len(atom.text))
        pieces = [f"{atom.text}{{{each}}}" for each in _split_number(least, share)]
        if most is None:
            pieces.append(f"{atom.text}*{lazy}")
        else:
            pieces += [f"{atom.text}{{0,{each}}}{lazy}" for each in _split_number(most - least, share)]
        return _Piece("".join(pieces), share * atom.repeated)

    def _check_size(self, size: int) -> None:
        if size > _LONGEST:
            raise ValueError(f"{_beginning(self._pattern)} is not a valid pattern: it would take too much memory")

    def _atom(self) -> _Piece:
        if self._take_if("("):
            return self._group()
        if self._is_part and self._peek() in ("^", "$"):
            return _Piece(self._anchors[self._read()])
        if self._take_if("["):
            return _Piece(re2_class(self._class()))
        if self._take_if("."):
            return _Piece(self._dot)
        if self._take_if("\\"):
            return _Piece(re2_class(self._escape()))
        if self._peek() in _SPECIAL:
            self._fail()
        return _Piece(f"\\x{{{ord(self._read()):X}}}")

    def _group(self) -> _Piece:
        """Translate the rest of a group, after its opening bracket."""
        if self._is_part and self._pattern.startswith("?:", self._at):
            self._at += 2
        self._depth += 1
        if self._depth > _DEEPEST:
            raise ValueError(
                f"{_beginning(self._pattern)} is not a valid pattern: more than {_DEEPEST} brackets are open"
            )
        inside = self._alternatives()
        self._depth -= 1
        self._expect(")")
        return inside._replace(text=f"(?:{inside.text})")

    def _class(self) -> Characters:
        """Read the rest of a character class, after its opening bracket."""
        self._depth += 1
        if self._depth > _DEEPEST:
            self._fail()
        negated = self._take_if("^")
        parts = []
        while self._peek() != "]" and not self._at_subtraction():
            parts.append(self._part())
        if not parts:
            self._fail()
        members = complement(union(parts)) if negated else union(parts)
        if self._at_subtraction():
            self._at += 2
            members = difference(members, self._class())
        self._expect("]")
        self._depth -= 1
        return members

    def _part(self) -> Characters:
        r"""Read a part of a character class: a character, a range, or an escape for a class (`\d`)."""
        if self._pattern[self._at : self._at + 2] in _CLASS_ESCAPES:
            self._at += 1
            return self._escape()
        first = self._member()
        follows = self._pattern[self._at + 1 : self._at + 2]
        if self._peek() != "-" or self._at_subtraction() or follows == "]":
            return single_character(first)
        self._at += 1
        last = self._member()
        if last < first:
            self._fail()
        return ((ord(first), ord(last)),)

    def _member(self) -> str:
        if self._take_if("\\"):
            return _ESCAPES.get(self._read()) or self._fail()
        if self._peek() in ("[", ""):
            self._fail()
        return self._read()

    def _escape(self) -> Characters:
        """Read the rest of an escape, after its backslash."""
        letter = self._read()
        if letter in _ESCAPES:
            return single_character(_ESCAPES[letter])
        members = self._property() if letter in "pP" else _class_of(letter.lower()) or self._fail()
        return members if letter.islower() else complement(members)

    def _property(self) -> Characters:
        name = _PROPERTY.match(self._pattern, self._at)
        members = characters_of_category(name[1]) if name else ()
        if not name or not members:
            self._fail()
        self._at = name.end()
        return members

    def _at_subtraction(self) -> bool:
        return self._pattern.startswith("-[", self._at)

    def _peek(self) -> str:
        return self._pattern[self._at : self._at + 1]

    def _read(self) -> str:
        character = self._peek()
        if not character:
            self._fail()
        self._at += 1
        return character

    def _take_if(self, character: str) -> bool:
        taken = self._peek() == character
        self._at += taken
        return taken

    def _expect(self, character: str) -> None:
        if not self._take_if(character):
            self._fail()

    def _fail(self) -> NoReturn:
        problem = f"unexpected text at character {self._at + 1}"
        raise ValueError(f"{_beginning(self._pattern)} is not a valid pattern: {problem}")


def _without_space(pattern: str) -> Iterator[str]:
    """Yield the characters of a pattern, without white space outside of character classes."""
    depth, is_escaped = 0, False
    for character in pattern:
        if not is_escaped:
            depth += (character == "[") - (character == "]")
        is_escaped = character == "\\" and not is_escaped
        if depth > 0 or character not in " \t\n\r":
            yield character


def _beginning(pattern: str) -> str:
    """Return a pattern for a message, or its beginning if it is long."""
    return repr(pattern if len(pattern) <= 200 else f"{pattern[:200]}...")


def _split_number(number: int, share: int) -> list[int]:
    """Divide a number into parts of at most `share`."""
    return [share] * (number // share) + [number % share] * (number % share > 0)


@cache
def _class_of(letter: str) -> Characters:
    r"""Return the characters of an escape such as `\d`; empty if there is no such escape."""
    match letter:
        case "s":
            return SPACE
        case "d":
            return characters_of_category("Nd")
        case "i":
            return NAME_START
        case "c":
            return NAME_CHARACTER
        case "w":
            return complement(union(map(characters_of_category, "PZC")))
        case _:
            return ()
