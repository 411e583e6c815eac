"""Files that survive a crash: `whole` writes a file completely or not at all; `sync`, `sync_folder` force it to disk.

`whole` writes the new text to a file beside the old file, syncs the new file, and renames it over the old file in one
step. So a reader never sees half of a file. If something stops the writer (an error, a full disk, Ctrl-C), the old file
stays as it was.

A pipe or a device cannot be replaced, so `whole` writes to it directly.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO


@contextmanager
def whole(path: Path) -> Iterator[BinaryIO]:
    """Yield a binary file that replaces `path` when the block ends. If the block fails, `path` stays as it was.

    Raises OSError, which names `path`.
    """
    target = path.resolve()
    try:
        with _written(target) if target.is_file() or not target.exists() else target.open("wb") as file:
            yield file
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error


@contextmanager
def _written(target: Path) -> Iterator[BinaryIO]:
    new = target.with_name(f".{target.name}.{os.getpid()}.new")
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
