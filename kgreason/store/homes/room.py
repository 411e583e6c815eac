"""`Room`: asks whether the disk of a store takes writes, without a commit.

The check allocates a nameless file of the size that it asks for, empties the file, syncs it, and drops it. Laws: the
files of the store stay as they are. The room is given back before the sync, so a commit does not miss it for longer
than the allocation takes. An answer is one of a check of the same size. Threads: any thread may ask. One thread at a
time looks; meanwhile, and for a second after that, all get the last answer. So nobody can keep the disk busy by asking,
and a disk that hangs holds up one thread. Others wait a second at most, if there is no answer yet or only an old one.
Cost: a sync.
"""

from __future__ import annotations

import time
from pathlib import Path
from tempfile import TemporaryFile
from threading import Lock
from typing import NamedTuple

from kgreason.errors import StoreError
from kgreason.files import allocate, store_error, sync

LEAST = 1 << 20
"""A small commit surely has room in so many bytes."""
_FRESH, _OLD = 1.0, 30.0
"""The seconds for which an answer holds, and those for which it holds while a thread looks again."""
_PATIENCE = 1.0


class _Answer(NamedTuple):
    size: int
    time: float
    problem: tuple[type[StoreError], str] | None

    def is_valid_for(self, size: int, seconds: float) -> bool:
        """Whether this is an answer of the last `seconds` for a file of this size."""
        return self.size == size and time.monotonic() < self.time + seconds


class Room:
    """The room on the disk of a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._looking = Lock()
        self._answer: _Answer | None = None

    def check(self, size: int) -> None:
        """Raise StoreError if the disk takes no file of `size` bytes; DiskFullError if it is full."""
        answer = self._answer
        if answer is None or not answer.is_valid_for(size, _FRESH):
            is_usable = answer is not None and answer.is_valid_for(size, _OLD)
            answer = self._recent_answer(size, 0 if is_usable else _PATIENCE) or (answer if is_usable else None)
        if answer is None:
            raise StoreError(f"{self._folder}: the disk has not answered whether it takes writes")
        if answer.problem is not None:
            kind, message = answer.problem
            raise kind(message)

    def _recent_answer(self, size: int, patience: float) -> _Answer | None:
        """Return an answer of the last second; None if another thread looks for longer than `patience` seconds."""
        if not self._looking.acquire(timeout=patience):
            return None
        try:
            answer = self._answer
            if answer is None or not answer.is_valid_for(size, _FRESH):
                problem = self._problem_of(size)
                answer = self._answer = _Answer(size, time.monotonic(), problem)
            return answer
        finally:
            self._looking.release()

    def _problem_of(self, size: int) -> tuple[type[StoreError], str] | None:
        try:
            with TemporaryFile(prefix=".room-", dir=self._folder) as file:
                allocate(file, size)
                file.truncate(0)
                file.write(b"\0")
                sync(file)
        except OSError as error:
            found = store_error(f"{self._folder}: the store cannot be written", error)
            return type(found), str(found)
        return None
