"""`Counted`: a text that counts its lines, to name the line of a token that is too long for the parser.

pyoxigraph's parser keeps a token in a buffer of 16 MiB. It raises MemoryError for a longer token, however much memory
is free. `long_tokens` tells this error from a real lack of memory, and raises an error with the limit and the line.

Invariant: `line` is the line where the last 16 MiB begin that the parser has read. They are its full buffer, which
begins with the token. Cost: a call and a count of line feeds for each piece that the parser reads.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from kgreason.errors import LimitError

BUFFER = 1 << 24
"""The largest number of bytes of a token for the parser."""


class Counted:
    """A readable binary file that counts lines."""

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
    """Inside this context, raise LimitError with file and line for a token that is too long for the parser."""
    try:
        yield
    except MemoryError as error:
        if not is_full(error):
            raise
        problem = f"a literal, or another token, has more than {BUFFER:,} bytes, which is the limit"
        raise LimitError(f"{file}:{text.line()}: {problem}; keep its text in a file that the graph names") from error


def is_full(error: MemoryError) -> bool:
    """Whether the parser's buffer was too small; False if the memory was."""
    return "buffer maximal size" in str(error)
