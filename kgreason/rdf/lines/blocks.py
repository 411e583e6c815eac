"""`Blocks`: cuts N-Triples and N-Quads text at line ends, so that threads can read the blocks at the same time.

Invariant: a block has whole lines, and the blocks together are the text without its VERSION directives. While blocks
are in work, `rest` still has the text from the first block that is not `note_done`.

Cost: some blocks of `BLOCK` bytes are in memory.
"""

from __future__ import annotations

import io
import re
from collections import deque
from collections.abc import Iterator
from typing import IO, NamedTuple, cast

from kgreason.rdf.counted import BUFFER
from kgreason.rdf.lines.plain import UnparsedError

BLOCK = 1 << 21
"""The number of bytes in a block, up to the end of a line."""


_VERSION = re.compile(rb"""^[ \t]*VERSION[ \t]*(?:"[^"'\r\n\\]*"|'[^"'\r\n\\]*')[ \t]*(?=\r?$|\#)""", re.MULTILINE)
"""The directive of N-Triples 1.2 and N-Quads 1.2, which pyoxigraph does not know. It says what the text may have."""


class Rest(NamedTuple):
    """The rest of a text, and the number of lines before it."""

    text: IO[bytes]
    before: int


class Blocks:
    """The text of a stream in blocks. One thread at a time may use it."""

    def __init__(self, text: io.BufferedReader) -> None:
        self._text, self._lines = text, 0
        self._given: deque[bytes] = deque()

    def __iter__(self) -> Iterator[bytes]:
        """Yield the blocks. Raises UnparsedError at a line that may be longer than the parser allows."""
        while block := self._text.read(BLOCK):
            block += b"" if block.endswith(b"\n") else self._text.readline(BUFFER - len(block))
            if b"VERSION" in block:
                block = _VERSION.sub(b"", block)
            self._given.append(block)
            if len(block) == BUFFER:
                raise UnparsedError
            yield block

    def note_done(self) -> int:
        """Note that the quads of the first block not yet done have been taken. Returns how many lines are before it."""
        before = self._lines
        self._lines += self._given.popleft().count(b"\n")
        return before

    def rest(self) -> Rest:
        """Return the text from the first block on that is not done."""
        return Rest(cast(IO[bytes], _Joined(io.BytesIO(b"".join(self._given)), self._text)), self._lines)


class _Joined:
    """Two streams, one after the other."""

    def __init__(self, first: IO[bytes], second: IO[bytes]) -> None:
        self._first, self._second = first, second

    def read(self, size: int = -1) -> bytes:
        """Read up to `size` bytes."""
        return self._first.read(size) or self._second.read(size)
