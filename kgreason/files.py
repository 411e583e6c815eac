"""Files that survive a crash: `whole_file` writes a file completely or not at all; `sync`, `sync_folder`: to disk.

`whole_file` writes the new text to a file beside the old file, syncs the new file, and renames it over the old file in
one step. So a reader never sees half of a file. If something stops the writer (an error, a full disk, Ctrl-C), the old
file stays as it was.

A pipe or a device cannot be replaced, so `whole_file` writes to it directly.

`allocate` gives a file room on the disk. `store_error` makes the error for a write that failed.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO
from uuid import uuid4

from kgreason.errors import DiskFullError, StoreError

_FULL = {"ENOSPC": "the disk is full", "EDQUOT": "the disk quota is used up"}
"""What the errors of a full disk mean, by the names of their numbers. Some systems know only one of them."""
_PIECE = 1 << 20


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Yield a binary file that replaces `path` when the block ends. If the block fails, `path` stays as it was.

    Raises OSError, which names `path`.
    """
    target = path.resolve()
    try:
        with _new_file(target) if target.is_file() or not target.exists() else target.open("wb") as file:
            yield file
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error


@contextmanager
def _new_file(target: Path) -> Iterator[BinaryIO]:
    new = target.with_name(f".{target.name}.{uuid4().hex[:16]}.new")
    try:
        with new.open("wb") as file:
            yield file
            sync(file)
        new.replace(target)
    except BaseException:
        new.unlink(missing_ok=True)
        raise


def sync(file: IO[Any]) -> None:
    """Force the contents of a file to disk."""
    file.flush()
    os.fsync(file.fileno())


def sync_folder(path: Path) -> None:
    """Force the entries of a folder to disk, if the system can do that."""
    if hasattr(os, "O_DIRECTORY"):
        handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def allocate(file: IO[bytes], size: int) -> None:
    """Give a file that ends at its present position `size` more bytes, which are 0 and have their place on the disk.

    A file that only gets longer has a *hole* in place of these bytes. On some file systems (tmpfs) a hole that is
    mapped into memory needs room when it is first read or written; if the disk is full then, the process ends by
    SIGBUS. Raises OSError.
    """
    file.flush()
    end = file.tell()
    if size and not _are_allocated(file, end, size):
        file.seek(end)
        for left in range(size, 0, -_PIECE):
            file.write(bytes(min(left, _PIECE)))
        file.flush()
        file.seek(end)


def _are_allocated(file: IO[bytes], start: int, size: int) -> bool:
    """Allocate a part of a file, if the system and the file system can. Raises OSError for a full disk."""
    if not hasattr(os, "posix_fallocate"):
        return False
    try:
        os.posix_fallocate(file.fileno(), start, size)
    except OSError as error:
        if error.errno in (errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP):
            return False
        raise
    return True


def fullness(error: BaseException) -> str:
    """Return which kind of a full disk an error names, and an empty text for other errors.

    Libraries that are not written in Python, and those that copy many files, tell the error in their message alone.
    """
    for name, meaning in _FULL.items():
        number = getattr(errno, name, None)
        if number and (getattr(error, "errno", None) == number or os.strerror(number) in str(error)):
            return meaning
    return ""


def reason(error: OSError) -> str:
    """Return why a file cannot be read or written, in a few words."""
    return fullness(error) or error.strerror or str(error)


def store_error(problem: str, error: OSError) -> StoreError:
    """Make the StoreError for an OSError. `problem` says what cannot be done, such as "F: the file cannot be written".

    For a full disk it is a DiskFullError.
    """
    return (DiskFullError if fullness(error) else StoreError)(f"{problem}: {reason(error)}")
