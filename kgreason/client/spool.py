"""`spool_file`: a file for an answer or a request, in memory, or on disk if it is long.

Law: the file is closed as soon as nothing refers to it. Python then gives no warning of an unclosed file: a user may
drop an answer before its last row.
"""

from __future__ import annotations

from tempfile import SpooledTemporaryFile
from typing import IO, Any, Self, cast
from weakref import finalize

_IN_MEMORY = 1 << 24


class _Spool:
    """A wrapper of a temporary file. It closes the temporary file as soon as nothing refers to the wrapper."""

    def __init__(self) -> None:
        self._file = file = cast(IO[bytes], SpooledTemporaryFile(_IN_MEMORY))  # noqa: SIM115
        self._end = finalize(self, file.close)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()


def spool_file() -> IO[bytes]:
    """Return a new empty file. It is in memory while it has at most 16 MB, and on disk if it becomes larger."""
    return cast(IO[bytes], _Spool())
