"""The kernels that write rows of ids as N-Triples or N-Quads lines.

Invariant: the bytes are those of `Dictionary.lines`. Cost: one pass over the offsets of the terms, and one over their
text; no Python object, and the GIL is released.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from kgreason.compiled import kernel, primitive

_Offsets: TypeAlias = npt.NDArray[np.int64]
_Rows: TypeAlias = np.ndarray[tuple[int, int], np.dtype[np.int32]]
_Text: TypeAlias = npt.NDArray[np.uint8]

_copy: Callable[..., None] = primitive("copy")
_SPACE, _STOP, _LINE_FEED = ord(" "), ord("."), ord("\n")


def lines_of(arena: _Text, offsets: _Offsets, rows: _Rows) -> bytes:
    """Return rows of ids, int32[n, w], as lines. `arena` and `offsets`: see `Table`. Id 0 is left out."""
    text = np.empty(length_of_lines(offsets, rows), np.uint8)
    write_lines(arena, offsets, rows, text)
    return text.tobytes()


@kernel
def length_of_lines(offsets: _Offsets, rows: _Rows) -> np.int64:
    """Return how many bytes the lines of `rows` have."""
    length = np.int64(2) * rows.shape[0]
    for i in range(rows.shape[0]):
        for c in range(rows.shape[1]):
            term = np.int64(rows[i, c])
            if term != 0:
                length += offsets[term + 1] - offsets[term] + 1
    return length


@kernel
def write_lines(arena: _Text, offsets: _Offsets, rows: _Rows, text: _Text) -> None:
    """Write the lines of `rows` to `text`, which has exactly their length."""
    at = np.int64(0)
    for i in range(rows.shape[0]):
        for c in range(rows.shape[1]):
            term = np.int64(rows[i, c])
            if term != 0:
                start, end = offsets[term], offsets[term + 1]
                _copy(arena, start, end, text, at)
                at += end - start
                text[at] = _SPACE
                at += 1
        text[at], text[at + 1] = _STOP, _LINE_FEED
        at += 2
