"""`Labels`: stable names for the blank nodes of one source. Reading the source again gives the same names.

Blank nodes of different sources are different nodes, so a label starts with a hash of the source's name. The rest of
the label has one of two forms. They are never equal: the first form starts with a letter, the second has digits only.

    written in the source        _:who                                 ->  _:b0f3e9a8c61xwho
    invented by the parser       _:e6c09528a7cdb0371226a1b8a833a0c4    ->  _:b0f3e9a8c6117

For `[]`, lists, reifiers and so on, the parser invents a label: a random hexadecimal number that starts with a letter.
`Labels` replaces each invented label by a number, in order of first appearance. A written label that looks invented (at
least twenty hexadecimal digits, the first one a letter) is replaced too. Its number depends on the order of the labels
in the file. In N-Triples and N-Quads the parser invents no label, so each label gets the first form. A name of the
second form is a hexadecimal number. Oxigraph stores such a name as a number, without its text.

Cost: one pass over the text of those chunks that contain a blank node.
"""

from __future__ import annotations

import hashlib
from functools import cached_property

import numpy as np
import numpy.typing as npt

from kgreason.compiled import inline, kernel
from kgreason.rdf.tokens import skip_iri, skip_string, skip_word
from kgreason.terms.dictionary import Dictionary
from kgreason.terms.interning import Bytes, Table, intern_one

_QUOTE, _LESS, _UNDERSCORE, _X = 34, 60, 95, 120
_SHORTEST = 20
_DIGITS = 10


class Labels:
    """Renames the blank nodes of one source. `invented` says whether the format allows blank nodes without a label."""

    def __init__(self, source: str, *, invented: bool) -> None:
        self._prefix = np.frombuffer(b"b" + hashlib.sha256(source.encode()).hexdigest()[:10].encode(), np.uint8)
        self._invented = invented

    @cached_property
    def _numbers(self) -> Dictionary:
        """The blank nodes without a label, numbered. Most texts have no blank node at all."""
        return Dictionary(())

    def rename(self, text: bytes) -> bytes:
        """Return the canonical N-Quads text `text` with new labels for all blank nodes."""
        nodes = text.count(b"_:")
        if nodes == 0:
            return text
        out = np.empty(len(text) + nodes * (self._prefix.size + _DIGITS), np.uint8)
        view, numbers = np.frombuffer(text, np.uint8), self._numbers
        at = used = 0
        while at < view.size:
            at, used, length, count = _rename(
                numbers.table(), len(numbers), view, at, out, used, self._prefix, self._invented
            )
            numbers.set_count(count)
            if at < view.size:
                numbers.make_room(length)
        return out[:used].tobytes()


@inline
def _looks_invented(text: npt.NDArray[np.uint8], start: int, end: int) -> bool:
    """Whether a label is a long hexadecimal number that starts with a letter."""
    if end - start < _SHORTEST or not 97 <= text[start] <= 102:
        return False
    while start < end and (48 <= text[start] <= 57 or 97 <= text[start] <= 102):
        start += 1
    return start == end


@inline
def _copy(text: npt.NDArray[np.uint8], start: int, end: int, out: npt.NDArray[np.uint8], used: int) -> int:
    for i in range(end - start):
        out[used + i] = text[start + i]
    return used + end - start


@inline
def _write_number(number: int, out: npt.NDArray[np.uint8], used: int) -> int:
    power = 1
    while power * 10 <= number:
        power *= 10
    while power > 0:
        out[used] = 48 + number // power % 10
        used, power = used + 1, power // 10
    return used


@inline
def _skip_other(text: npt.NDArray[np.uint8], at: int) -> int:
    """Return the position after the IRI, string or single byte at position `at`, where no blank node begins."""
    if text[at] == _QUOTE:
        return skip_string(text, at)
    if text[at] == _LESS and text[at + 1] != _LESS:
        return skip_iri(text, at)
    return at + 2 if text[at] == _LESS else at + 1


@kernel
def _rename(
    table: Table,
    count: int,
    text: Bytes,
    at: int,
    out: npt.NDArray[np.uint8],
    used: int,
    prefix: Bytes,
    invented: bool,
) -> tuple[int, int, int, int]:
    """Copy text[at:] to out[used:], with blank nodes renamed.

    `table` has the invented labels with their numbers, and `count` is how many it has. `prefix` begins every new label.
    `invented` is as for `Labels`. The copy stops at the end of the text, or at a label for which the table has no room.
    Returns the position of the stop, the used length of `out`, the length of the label that has no room (0 at the end),
    and the new `count`.
    """
    while at < text.size:
        if text[at] != _UNDERSCORE:
            end = _skip_other(text, at)
            used = _copy(text, at, end, out, used)
        else:
            end, number = skip_word(text, at), np.int64(0)
            if invented and _looks_invented(text, at + 2, end):
                number = intern_one(table, count, text, at + 2, end)
                if number == 0:
                    return at, used, end - at, count
                count = max(count, int(number))
            used = _copy(prefix, 0, prefix.size, out, _copy(text, at, at + 2, out, used))
            if number > 0:
                used = _write_number(int(number), out, used)
            else:
                out[used] = _X
                used = _copy(text, at + 2, end, out, used + 1)
        at = end
    return at, used, 0, count
