"""Turn canonical N-Quads text into id columns.

The text comes from pyoxigraph's serializer: one quad on each line, one space between terms and before the full stop, no
other space outside literals, every line feed and quotation mark in a literal escaped. So the first byte of a term shows
how to find its end. Nothing is checked here, because pyoxigraph has parsed the text already.

Cost: one pass over the text at memory speed, and a hash look-up for each term. A subject that equals the subject of the
previous line needs no look-up.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from kgreason.compiled import inline, kernel
from kgreason.terms.dictionary import LONGEST, Dictionary, Ids, check_length
from kgreason.terms.interning import Bytes, Table, intern_one, is_text_of

_Quads = np.ndarray[tuple[int, int], np.dtype[np.int32]]
_SPACE, _QUOTE, _STOP, _LESS, _GREATER, _BACKSLASH = 32, 34, 46, 60, 62, 92


def encode(text: bytes, dictionary: Dictionary) -> Ids:
    """Intern the terms of canonical N-Quads text. Returns the quads, int32[4, n]; graph 0 is the default graph.

    Raises LimitError if there is no id left, LongTermError for a term of more than `LONGEST` bytes.
    """
    if len(text) > LONGEST:
        for line in filter(lambda line: len(line) > LONGEST, text.split(b"\n")):
            for part in line.removesuffix(b" .").split(b" ", 2):  # subject, predicate, object with its graph
                check_length(part)
    quads = np.zeros((4, text.count(b"\n")), np.int32)
    view = np.frombuffer(text, np.uint8)
    at = row = column = 0
    while True:
        at, end, row, column, count = _encode(dictionary.table(), len(dictionary), view, at, row, column, quads)
        dictionary.set_count(count)
        if at == end:
            return quads
        dictionary.make_room(end - at)


@inline
def skip_iri(text: npt.NDArray[np.uint8], at: int) -> int:
    """Return the position after the IRI that starts at position `at`."""
    while text[at] != _GREATER:
        at += 1
    return at + 1


@inline
def skip_string(text: npt.NDArray[np.uint8], at: int) -> int:
    """Return the position after the quoted string that starts at `at`. A language tag or datatype comes after it."""
    at += 1
    while text[at] != _QUOTE:
        at += 2 if text[at] == _BACKSLASH else 1
    return at + 1


@inline
def skip_word(text: npt.NDArray[np.uint8], at: int) -> int:
    """Return the position of the next space, from `at` on."""
    while text[at] != _SPACE:
        at += 1
    return at


@inline
def _skip_triple(text: npt.NDArray[np.uint8], at: int) -> int:
    """Return the position after the triple term `<<( ... )>>` that starts at `at`."""
    depth = 0
    while True:
        if text[at] == _LESS and text[at + 1] == _LESS:
            depth += 1
            at += 3
        elif text[at] == _LESS:
            at = skip_iri(text, at)
        elif text[at] == _QUOTE:
            at = skip_string(text, at)
        elif text[at] == _GREATER:
            depth -= 1
            at += 2
            if depth == 0:
                return at
        else:
            at += 1


@inline
def _skip_term(text: npt.NDArray[np.uint8], at: int) -> int:
    """Return the position after the term that starts at `at`."""
    if text[at] == _LESS:
        return _skip_triple(text, at) if text[at + 1] == _LESS else skip_iri(text, at)
    if text[at] == _QUOTE:
        at = skip_string(text, at)
    return skip_word(text, at)


@kernel
def _encode(
    table: Table, count: int, text: Bytes, at: int, row: int, column: int, quads: _Quads
) -> tuple[int, int, int, int, int]:
    """Intern the terms of text[at:], and write their ids to `quads`. The first id goes to `quads[column, row]`.

    `count` is the number of terms in the table. The kernel stops at the end of the text, or at a term for which the
    table has no room. Returns the start and the end of this term, the row and the column for its id, and the new
    `count`. At the end of the text, start and end are equal.
    """
    while at < text.size:
        if text[at] == _STOP:
            at, row, column = at + 2, row + 1, 0
            continue
        end = _skip_term(text, at)
        found = np.int64(quads[0, row - 1] if column == 0 and row > 0 else 0)
        if found == 0 or not is_text_of(table, found, text, at, end):
            found = intern_one(table, count, text, at, end)
            if found == 0:
                return at, end, row, column, count
            count = max(count, int(found))
        quads[column, row] = found
        at, column = end + 1, column + 1
    return at, at, row, column, count
