"""`Room`: asks whether the disk of a store takes writes, without a commit.

The check writes a nameless file of the size that it asks for, syncs it, and drops it. Law: the files of the store stay
as they are. Threads: any thread may ask. One thread at a time looks; meanwhile, and for a second after that, all get
the last answer. So nobody can keep the disk busy by asking, and a disk that hangs holds up one thread. Cost: a sync.
"""

from __future__ import annotations

import time
from pathlib import Path
from tempfile import TemporaryFile
from threading import Lock

from kgreason.errors import StoreError
from kgreason.files import allocate, store_error, sync

LEAST = 1 << 20
"""A small commit surely has room in so many bytes."""
_FRESH = 1.0
"""The seconds for which an answer holds."""


class Room:
    """The room on the disk of a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._looking = Lock()
        self._until = 0.0
        self._problem: tuple[type[StoreError], str] | None = None

    def check(self, size: int) -> None:
        """Raise StoreError if the disk takes no file of `size` bytes; DiskFullError if it is full."""
        if time.monotonic() >= self._until and self._looking.acquire(blocking=False):
            try:
                self._problem = self._look(size)
                self._until = time.monotonic() + _FRESH
            finally:
                self._looking.release()
        if (problem := self._problem) is not None:
            kind, message = problem
            raise kind(message)

    def _look(self, size: int) -> tuple[type[StoreError], str] | None:
        try:
            with TemporaryFile(prefix=".room-", dir=self._folder) as file:
                allocate(file, size)
                file.write(b"\0")
                sync(file)
        except OSError as error:
            found = store_error(f"{self._folder}: the store cannot be written", error)
            return type(found), str(found)
        return None
