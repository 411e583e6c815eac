"""`spooled`: a file for an answer or a request, in memory, or on disk if it is long.

Law: the file is closed when nobody has it any more, without a warning: an iterator over it may be dropped at any row.
"""

from __future__ import annotations

from tempfile import SpooledTemporaryFile
from typing import IO, Any, Self, cast
from weakref import finalize

_IN_MEMORY = 1 << 24


class _Spool:
    """A file around a temporary file, which it closes in the end."""

    def __init__(self) -> None:
        self._file = file = cast(IO[bytes], SpooledTemporaryFile(_IN_MEMORY))  # noqa: SIM115
        self._end = finalize(self, file.close)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()


def spooled() -> IO[bytes]:
    """A new file."""
    return cast(IO[bytes], _Spool())
