"""Files that survive: `whole`, written as a whole or not at all, and `sync`, `sync_folder`, which have it on disk.

With `whole` the new text goes to a file beside the old one, is had on disk, and takes its place in one step. So a
reader never sees half of a file, and whatever stops the writer (an error, a full disk, Ctrl-C) leaves the old file as
it was.

A pipe or a device has nothing to be replaced: it is written to as it comes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO


@contextmanager
def whole(path: Path) -> Iterator[BinaryIO]:
    """A binary file that takes the place of `path` when the block ends, and leaves nothing behind where it fails.

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
    """Have a file's contents on disk."""
    file.flush()
    os.fsync(file.fileno())


def sync_folder(path: Path) -> None:
    """Have a folder's entries on disk, where the system can do that."""
    if hasattr(os, "O_DIRECTORY"):
        handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
