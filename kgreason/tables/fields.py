r"""Converts the fields of tables to constants of rules, and back.

    5        "5"^^xsd:integer      rule text: 5
    2.50     "2.50"^^xsd:decimal   rule text: 2.50
    1e3      "1e3"^^xsd:double     rule text: 1e3
    "5"      "5"                   rule text: "5"
    a "b"    "a \"b\""             rule text: "a \"b\""

A field that reads as a number in rule text is this number. Any other field is a symbol (a plain string). The field of a
symbol that reads as a number has quotation marks, so that the number 5 and the text 5 are two fields: a field of a
number in one or more pairs of quotation marks is the symbol with one pair less. Types are not declared.
Constants are compared as terms, here as everywhere: `05` and `5` are two different constants. Other constants (IRIs,
blank nodes, numbers of other datatypes) can only come from rule text. In a field they are written as in N-Triples.

Invariants: `field_of_constant(constant_of_field(f)) == f` for every field f, so that rules which only
copy a field do not change its text.
Two numbers or symbols never have the same field.
Cost: about two microseconds for each distinct field, and one hash look-up for each field (`Fields`).
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kgreason.terms.dictionary import Dictionary, Ids
from kgreason.terms.interning import intern_all
from kgreason.terms.quoting import number, quote, unescape

_NUMBER = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?[eE][+-]?[0-9]+|\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+(?:\.[0-9]+)?)"
"""NUMBER of the rule language."""
_IS_NUMBER = re.compile(_NUMBER)
_LITERAL = re.compile(rf'"({_NUMBER})"\^\^<[^>]*>')
_FIRST = frozenset("+-.0123456789")
BREAKS = re.compile(r"[\t\n\r]")
"""What ends a field or a line of a table."""
_QUOTED = re.compile(rf'"*{_NUMBER}"*')
_SHORT = 18  # digits that fit into 64 bits; Python's `int` refuses very long texts


def constant_of_field(text: str) -> str:
    """Return the constant that a field stands for."""
    if is_number(text):
        return number(text)
    if _is_quoted(text):
        text = text[1:-1]
    is_plain = text.isprintable() and '"' not in text and "\\" not in text
    return f'"{text}"' if is_plain else quote(text)


def field_of_constant(text: str) -> str:
    """Return the text of the field for a constant."""
    if text.endswith('"'):
        symbol = unescape(text[1:-1])
        return f'"{symbol}"' if is_number(symbol) or _is_quoted(symbol) else symbol
    literal = _LITERAL.fullmatch(text) if text.endswith(">") else None
    return literal[1] if literal and number(literal[1]) == text else text


def is_number(text: str) -> bool:
    """Whether a field reads as an integer, a decimal or a double."""
    return text[:1] in _FIRST and _IS_NUMBER.fullmatch(text) is not None


def number_of_field(text: str) -> int | Decimal | float:
    """Return the value of a field that reads as a number; a double that is too large is infinite."""
    if "e" in text or "E" in text:
        return float(text)
    return int(text) if len(text) <= _SHORT and text.lstrip("+-").isdecimal() else Decimal(text)


def _is_quoted(text: str) -> bool:
    """Whether a text is a number in one or more pairs of quotation marks."""
    if not text.startswith('"') or not _QUOTED.fullmatch(text):
        return False
    inner = text.strip('"')
    return len(text) - len(text.lstrip('"')) == len(text) - len(text.rstrip('"')) and is_number(inner)


class SortedFields(NamedTuple):
    """All fields in the order of tables: numbers by value, then the others by text.

    `ranks`, int32[number of ids + 1], maps the id of a constant to the rank of its field, counted from 0. `texts[r]` is
    the field of rank r.
    """

    ranks: Ids
    texts: list[str]


class Fields:
    """Turns many fields into ids of a dictionary; each distinct field is turned into a constant once."""

    def __init__(self, dictionary: Dictionary) -> None:
        self._dictionary = dictionary
        self._seen = Dictionary(())  # fields as they stand in files, each with the tab that follows
        self._ids = np.zeros(1, dtype=np.int32)  # the constant's id by the number of its field

    def intern(self, text: npt.NDArray[np.uint8], bounds: npt.NDArray[np.int64]) -> Ids:
        """Return the ids of the constants of n fields: int32[n].

        `text[bounds[i]:bounds[i + 1]]` is field i and one byte after it, a tab.
        """
        numbers = self._field_numbers(text, bounds)
        fresh = self._seen.decode(np.arange(len(self._ids), len(self._seen) + 1))
        ids = self._dictionary.intern(constant_of_field(field[:-1]) for field in fresh)
        self._ids = np.concatenate([self._ids, ids])
        return self._ids[numbers]

    def _field_numbers(self, text: npt.NDArray[np.uint8], bounds: npt.NDArray[np.int64]) -> Ids:
        seen, numbers = self._seen, np.empty(bounds.size - 1, dtype=np.int32)
        done = 0
        while done < numbers.size:
            done, count = intern_all(seen.table(), len(seen), text, bounds, done, numbers)
            seen.set_count(count)
            if done < numbers.size:
                seen.make_room(int(bounds[done + 1] - bounds[done]))
        return numbers

    def sort(self) -> SortedFields:
        """Return all constants in the order of tables: first numbers by value, then all others by text."""
        count = len(self._dictionary)
        fields = [field_of_constant(text) for text in self._dictionary.decode(np.arange(count + 1))]
        are_numbers = [is_number(text) for text in fields]
        numbers = sorted((i for i in range(count + 1) if are_numbers[i]), key=fields.__getitem__)
        numbers.sort(key=lambda i: number_of_field(fields[i]))
        others = sorted((i for i in range(count + 1) if not are_numbers[i]), key=fields.__getitem__)
        ordered = numbers + others
        ranks = np.empty(count + 1, dtype=np.int32)
        ranks[ordered] = np.arange(count + 1, dtype=np.int32)
        return SortedFields(ranks, [fields[i] for i in ordered])
