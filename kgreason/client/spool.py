"""`spooled`: a file for an answer or a request, in memory, or on disk if it is long.

Law: the file is closed when no variable holds it any more. This gives no warning, because dropping an answer before its
last row is allowed.
"""

from __future__ import annotations

from tempfile import SpooledTemporaryFile
from typing import IO, Any, Self, cast
from weakref import finalize

_IN_MEMORY = 1 << 24


class _Spool:
    """Wraps a temporary file, and closes the temporary file when no variable holds the wrapper any more."""

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
    """Return a new empty file. It is in memory up to 16 MB, and then on disk."""
    return cast(IO[bytes], _Spool())
