"""`Counted`: a text that knows where a token began which is too long for the parser.

pyoxigraph's parser keeps a token in a buffer of 16 MiB, and raises MemoryError for a longer one, whatever memory there
is. `long_tokens` tells that error from a machine without memory, and says which limit was reached in which line.

Invariant: the line is the one where the last 16 MiB begin that the parser was given. They are its full buffer, which
begins with the token. Cost: a call and a count of line feeds for each piece that the parser reads.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from kgreason.errors import LimitError

BUFFER = 1 << 24
"""The bytes of a token that the parser takes."""


class Counted:
    """A binary file to read from, which counts lines."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._recent: deque[bytes] = deque()
        self._size = self._before = 0

    def read(self, size: int = -1) -> bytes:
        """Up to so many bytes of the stream."""
        piece = self._stream.read(size)
        self._recent.append(piece)
        self._size += len(piece)
        while self._size - len(self._recent[0]) >= BUFFER:
            old = self._recent.popleft()
            self._size -= len(old)
            self._before += old.count(b"\n")
        return piece

    def line(self) -> int:
        """The line in which the last `BUFFER` bytes begin, from 1."""
        return 1 + self._before + self._recent[0][: max(self._size - BUFFER, 0)].count(b"\n")


@contextmanager
def long_tokens(text: Counted, file: str) -> Iterator[None]:
    """Raises LimitError, with file and line, where a parser of the text gives up a token."""
    try:
        yield
    except MemoryError as error:
        if not is_full(error):
            raise
        problem = f"a literal, or another token, has more than {BUFFER:,} bytes, which is the limit"
        raise LimitError(f"{file}:{text.line()}: {problem}; keep its text in a file that the graph names") from error


def is_full(error: MemoryError) -> bool:
    """Whether it is the parser's buffer that is too small, and not the memory."""
    return "buffer maximal size" in str(error)
