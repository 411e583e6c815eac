"""`ShallowJson`: a JSON text whose brackets are not nested too deeply.

The parser of pyoxigraph recurses for each bracket inside brackets, and a stack overflow ends the process.

Cost: a search for strings in each piece of `PIECE` bytes, and a sum over its brackets.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import IO

import numpy as np

from kgreason.errors import RdfSyntaxError

DEEPEST = 500
"""How many brackets may be open at once. The parser needs some 1.5 KiB of stack for each; a thread may have 1 MiB."""
PIECE = 1 << 20
_STRING = re.compile(rb'(")(?:[^"\\]|\\.)*+("?)', re.DOTALL)
_BRACKET = re.compile(rb'"(?:[^"\\]|\\.)*+"?|([\[\]{}])', re.DOTALL)
_NO_BRACKETS = bytes({*range(256)} - {*b"[]{}"})
_STEPS = np.zeros(256, dtype=np.int32)
_STEPS[[*b"[{"]], _STEPS[[*b"]}"]] = 1, -1


class ShallowJson:
    """A binary stream with the text of a JSON document. `file` is the name of the document in messages."""

    def __init__(self, text: IO[bytes], file: str) -> None:
        self._text, self._file = text, file
        self._line, self._depth = 1, 0
        self._begun = b""
        """The begin of a string that was open at the end of the last piece: a quotation mark, perhaps a backslash."""
        self.length = 0
        """How many bytes were read."""

    def read(self, size: int = -1) -> bytes:
        """Read up to `size` bytes. Raises RdfSyntaxError if they are nested too deeply."""
        found = self._text.read(size)
        for at in range(0, len(found), PIECE):
            self._check(found[at : at + PIECE])
        self.length += len(found)
        return found

    def _check(self, piece: bytes) -> None:
        text = self._begun + piece
        outside = _STRING.sub(rb"\1\2", text)
        is_open = outside.count(b'"') % 2 == 1
        self._begun = outside[outside.rindex(b'"') :] if is_open else b""
        brackets = np.frombuffer(outside.translate(None, _NO_BRACKETS), dtype=np.uint8)
        depths = self._depth + np.cumsum(_STEPS[brackets], dtype=np.int64)
        if len(depths) and depths.max() > DEEPEST:
            line = self._line + text.count(b"\n", 0, _bracket_place(text, int(np.argmax(depths > DEEPEST))))
            raise RdfSyntaxError(self._file, line, None, f"brackets are nested deeper than {DEEPEST:,}")
        self._depth = int(depths[-1]) if len(depths) else self._depth
        self._line += piece.count(b"\n")


def _bracket_place(text: bytes, number: int) -> int:
    """Return where the bracket with a number, counted from 0, is in a text."""
    brackets = (token.start() for token in _BRACKET.finditer(text) if token[1])
    return next(islice(brackets, number, None))
