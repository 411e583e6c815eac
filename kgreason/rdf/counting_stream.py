"""`CountingStream`: a stream that counts lines, so an error message can name the line of a long token or of a word.

pyoxigraph's parser keeps a token in a buffer of 16 MiB. It raises MemoryError for a longer token, however much memory
is free. `long_tokens` tells this error from a real lack of memory, and raises an error with the limit and the line.

Invariant: `line` returns the number of a line. The 16 MiB that the parser has read last begin in this line. When the
parser fails, these 16 MiB are its full buffer, which begins with the long token. Cost: a call and a count of line feeds
for each piece that the parser reads.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import IO

from kgreason.errors import LimitError

BUFFER = 1 << 24
"""The largest number of bytes that a token may have for the parser."""
_PIECE = 1 << 16


class CountingStream:
    """A binary stream that counts the lines which are read from it. `before` is the number of lines before it."""

    def __init__(self, stream: IO[bytes], before: int = 0) -> None:
        self._stream = stream
        self._recent: deque[bytes] = deque()
        self._size, self._before, self._is_cut = 0, before, False
        self.total = 0
        """The number of bytes that were read."""

    def read(self, size: int = -1) -> bytes:
        """Read up to `size` bytes of the stream."""
        piece = self._stream.read(size)
        self._recent.append(piece)
        self._size += len(piece)
        self.total += len(piece)
        while self._size - len(self._recent[0]) >= BUFFER:
            old = self._recent.popleft()
            self._size -= len(old)
            self._before += old.count(b"\n")
            self._is_cut = True
        return piece

    def line(self) -> int:
        """Return the number, from 1, of the line where the most recently read `BUFFER` bytes begin."""
        return 1 + self._before + self._recent[0][: max(self._size - BUFFER, 0)].count(b"\n")

    def line_of(self, word: bytes) -> int | None:
        """Return the number of the first line with `word`, among the most recently read `BUFFER` bytes. None if none.

        The word has no line feed.
        """
        before, found, _ = b"".join(self._recent).partition(word)
        return 1 + self._before + before.count(b"\n") if found else None

    def text_of(self, line: int) -> bytes | None:
        """Return the text of a line, by its number from 1. None if its beginning is not among the recent bytes."""
        lines = b"".join(self._recent).split(b"\n")
        place = line - 1 - self._before
        is_whole = 0 < place < len(lines) or (place == 0 and not self._is_cut)
        return lines[place] if is_whole else None


class LineStream:
    """A binary stream that gives one line at a time, or a part of a long line.

    So `line` is the line in which a parser is that finds an error, also if the error does not say so.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream, self._rest, self._ended = stream, BytesIO(), 0
        self.line = 1
        """The number, from 1, of the line that was read last."""

    def read(self, size: int = -1) -> bytes:
        """Read up to `size` bytes, at most to the end of a line."""
        line = self._rest.readline(size)
        if not line:
            self._rest = BytesIO(self._stream.read(_PIECE))
            line = self._rest.readline(size)
        if line:
            self.line, self._ended = 1 + self._ended, self._ended + line.endswith(b"\n")
        return line


@contextmanager
def long_tokens(text: CountingStream, file: str) -> Iterator[None]:
    """Within the block, the parser's MemoryError for a long token becomes a LimitError with file and line."""
    try:
        yield
    except MemoryError as error:
        if not is_full(error):
            raise
        problem = f"a literal, or another token, has more than {BUFFER:,} bytes, which is the limit"
        advice = "store the text in a file of its own, and only the IRI of this file in the graph"
        raise LimitError(f"{file}:{text.line()}: {problem}; {advice}") from error


def is_full(error: MemoryError) -> bool:
    """Whether an error means that the parser's buffer is full, and not that memory is lacking."""
    return "buffer maximal size" in str(error)
