"""`History`: the entries of all commits after a certain commit, the *base*; on disk or in memory.

    STORE/history/1         the entries of commits 1 to 1,000, one after the other (`entry`)
    STORE/history/1001      the entries of the commits from 1,001 on

The name of a file is the number of its first commit. The base is the commit before that of the first file, which may be
empty. So a reader finds an entry by the names of the files, and by the heads in one file.

An entry is written and synced *before* the journal gets its commit. So the history has every commit. There may be one
entry more: that of a commit that failed or was killed. Nobody reads this entry, because a reader knows the last commit
from the journal; the next opening for writing, or the next commit, cuts it off.

Threads: only the writer, with the graph's lock, calls `append`. Everybody may read, in other processes too. Cost: an
append is one write and one sync.
"""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO, NamedTuple, Protocol

from kgreason.errors import HistoryError, StoreError
from kgreason.files import store_error, sync_folder
from kgreason.store.history.entry import Entry, Head, Place, entry_place
from kgreason.store.history.retention import Retention

_LOGGER = logging.getLogger("kgreason")
ALL = Retention()
_MOST, _LARGEST = 1_000, 8 << 20
"""A file gets no more than this many entries, and no entry once it has this many bytes."""
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)


class History(Protocol):
    """The entries of the commits after `base`."""

    @property
    def base(self) -> int:
        """The number of the commit after which the history begins. The history has all later commits."""

    def append(self, entry: Entry) -> None:
        """Write the entry of the next commit. Raises StoreError."""

    def heads(self, after: int, to: int) -> Iterator[Head]:
        """Return the heads of the commits from `after` + 1 to `to`. Raises HistoryError."""

    def entries(self, after: int, to: int) -> Iterator[Entry]:
        """Return the entries of the commits from `after` + 1 to `to`. Raises HistoryError."""


def missing_commit_error(number: int, base: int) -> HistoryError:
    """Make the error that commit `number` is missing, because the history begins only after commit `base`."""
    return HistoryError(f"the history has the commits after {base}, and commit {number} is older")


class MemoryHistory:
    """The history of a graph in memory. It keeps at least the commits that `kept` says."""

    def __init__(self, kept: Retention = ALL) -> None:
        self._kept = kept
        self._frames: list[bytes] = []
        self._base = 0

    @property
    def base(self) -> int:
        """The number of the commit after which the history begins. The history has all later commits."""
        return self._base

    def append(self, entry: Entry) -> None:
        """Add the entry of the next commit. Remove the entry of a commit that failed, if there is one."""
        frame = entry.frame()
        del self._frames[entry.head.commit - 1 - self._base :]
        self._frames.append(frame)
        while self._kept != ALL and len(self._frames) > 1:
            behind = next(self.heads(self._base + 1, self._base + 2))
            if not self._kept.is_needless(behind, entry.head):
                return
            del self._frames[0]
            self._base += 1

    def heads(self, after: int, to: int) -> Iterator[Head]:
        """Yield the heads of the commits from `after` + 1 to `to`. Raises HistoryError."""
        return (each.read_head() for each, _ in self._places(after, to))

    def entries(self, after: int, to: int) -> Iterator[Entry]:
        """Yield the entries of the commits from `after` + 1 to `to`. Raises HistoryError."""
        return (each.read_entry(file) for each, file in self._places(after, to))

    def _places(self, after: int, to: int) -> Iterator[tuple[Place, BinaryIO]]:
        base, frames = self._base, self._frames
        if after < base:
            raise missing_commit_error(after, base)
        for frame in frames[after - base : max(to - base, 0)]:
            file = BytesIO(frame)
            found = entry_place(file, 0)
            assert found is not None
            yield found, file


class _End(NamedTuple):
    """The end of the history, which is the end of the last file.

    `first` is the first commit of this file, `size` the file's size, and `entries` the number of its entries. `before`
    is its size without the last entry.
    """

    first: int
    size: int
    entries: int
    before: int

    @property
    def last(self) -> int:
        """The number of the last commit that has an entry."""
        return self.first + self.entries - 1


class FileHistory:
    """The history in a folder. For writing, call `begin` before anything else.

    The history keeps at least the commits that `kept` says, and often some more.
    """

    def __init__(self, folder: Path, kept: Retention = ALL) -> None:
        self._folder, self._kept = folder, kept
        self._end: _End | None = None

    def begin(self, last: int) -> None:
        """Prepare for writing. `last` is the graph's last commit. Entries of later commits are cut off.

        If the folder is new, the history begins after commit `last`. If the last file is lost or damaged, so that the
        history does not reach commit `last`, the old history is removed, and a new one begins after `last`, with a
        warning. Damage in an older file is found when its entries are read. Raises StoreError.
        """
        with self._errors():
            is_new = not self._first_commits()
            self._end = None if is_new else self._cut_after(last)
            if self._end is None:
                if not is_new:
                    _LOGGER.warning(
                        "%s: the history lacks commit %d or is damaged; a new history begins after this commit",
                        self._folder,
                        last,
                    )
                shutil.rmtree(self._folder, ignore_errors=True)
                self._folder.mkdir(exist_ok=True)
                self._make_file(last + 1)

    @property
    def base(self) -> int:
        """The number of the commit after which the history begins. The history has all later commits.

        Raises HistoryError if there is no history.
        """
        firsts = self._first_commits()
        if not firsts:
            raise HistoryError(f"{self._folder}: there is no history")
        return firsts[0] - 1

    def append(self, entry: Entry) -> None:
        """Write the entry of the next commit to disk. Remove the entry of a commit that failed, if there is one.

        After an error or an interrupt the history is as before, or has an entry that nobody reads. Raises StoreError.
        """
        assert self._end is not None
        number, frame = entry.head.commit, entry.frame()
        with self._errors():
            if number == self._end.last:
                self._end = self._end._replace(size=self._end.before, entries=self._end.entries - 1)
            assert number == self._end.last + 1
            if self._is_full(self._end, entry.head):
                self._new_file(entry.head)
            first, size, entries, _ = self._end
            self._write(first, size, frame)
            self._end = _End(first, size + len(frame), entries + 1, size)

    def _is_full(self, end: _End, head: Head) -> bool:
        if end.entries >= self._kept.most_entries(_MOST) or end.size > _LARGEST:
            return True
        return self._kept.age is not None and self._kept.is_file_full(self._first_head(end.first), head)

    def _first_head(self, first: int) -> Head | None:
        """Return the head of the first entry of the file that begins with commit `first`.

        Returns None if the file has no entry, or is damaged.
        """
        with suppress(HistoryError, StoreError):
            return next((found.read_head() for _, found, _ in self._places_in_file(first, first)), None)
        return None

    def _write(self, first: int, size: int, frame: bytes) -> None:
        file = os.open(self._path(first), _FLAGS, 0o666)
        try:
            os.ftruncate(file, size)
            try:
                rest = memoryview(frame)
                while rest:
                    rest = rest[os.write(file, rest) :]
                os.fsync(file)
            except BaseException:
                with suppress(OSError):
                    os.ftruncate(file, size)
                raise
        finally:
            os.close(file)

    def heads(self, after: int, to: int) -> Iterator[Head]:
        """Yield the heads of the commits from `after` + 1 to `to`.

        Raises HistoryError if the history begins later, and StoreError if it is damaged.
        """
        return (each.read_head() for each, _ in self._places(after, to))

    def entries(self, after: int, to: int) -> Iterator[Entry]:
        """Yield the entries of the commits from `after` + 1 to `to`.

        Raises HistoryError if the history begins later, and StoreError if it is damaged.
        """
        for each, file in self._places(after, to):
            try:
                yield each.read_entry(file)
            except ValueError as error:
                raise StoreError(f"{file.name}: the history is damaged at byte {each.body}: {error}") from error

    def _places(self, after: int, to: int) -> Iterator[tuple[Place, BinaryIO]]:
        firsts = self._first_commits()
        if not firsts or after < firsts[0] - 1:
            raise missing_commit_error(after, self.base)
        number = after
        for first, behind in zip(firsts, [*firsts[1:], to + 1], strict=True):
            if behind > after + 1:
                for number, found, file in self._places_in_file(first, min(behind - 1, to)):
                    if number > after:
                        yield found, file
        if number < to:
            raise StoreError(f"{self._folder}: the history lacks commit {number + 1}")

    def _places_in_file(self, first: int, to: int) -> Iterator[tuple[int, Place, BinaryIO]]:
        """Yield the entries of the file that begins with commit `first`, up to commit `to`.

        Each entry comes as (number of the commit, its place, the open file). Raises StoreError, HistoryError.
        """
        number, offset = first, 0
        try:
            with self._path(first).open("rb") as file:
                while number <= to and (found := entry_place(file, offset)) is not None:
                    yield number, found, file
                    number, offset = number + 1, found.end
        except FileNotFoundError as error:
            raise missing_commit_error(first, self.base) from error
        except OSError as error:
            raise StoreError(f"{self._path(first)}: the history cannot be read: {error.strerror or error}") from error
        except ValueError as error:
            raise StoreError(f"{self._path(first)}: the history is damaged at byte {offset}: {error}") from error

    def _cut_after(self, last: int) -> _End | None:
        """Cut off the entries after commit `last`. Returns the new end of the history.

        Returns None if the entries that are left do not reach commit `last`.
        """
        firsts = self._first_commits()
        for first in [each for each in firsts if each > last + 1]:
            self._path(first).unlink()
        kept = [each for each in firsts if each <= last + 1]
        if not kept:
            return None
        first, size, before, number = kept[-1], 0, 0, kept[-1] - 1
        with suppress(StoreError):
            for number, found, _ in self._places_in_file(first, last):  # noqa: B007  # the last one counts
                before, size = size, found.end
        if number != last or self._path(first).stat().st_size < size:
            return None
        with self._path(first).open("r+b") as file:
            file.truncate(size)
            os.fsync(file.fileno())
        return _End(first, size, last - first + 1, before)

    def _new_file(self, head: Head) -> None:
        """Make a new file for the entry of `head`, and remove the files that need not be kept any more."""
        self._make_file(head.commit)
        for old, behind in pairwise(self._first_commits()) if self._kept != ALL else ():
            begun = head if behind == head.commit else self._first_head(behind)
            if begun is None:
                continue
            if not self._kept.is_needless(begun, head):
                return  # later files are needed as well
            self._path(old).unlink()

    def _make_file(self, first: int) -> None:
        self._path(first).touch()
        sync_folder(self._folder)
        self._end = _End(first, 0, 0, 0)

    def _first_commits(self) -> list[int]:
        if not self._folder.is_dir():
            return []
        return sorted(int(path.name) for path in self._folder.iterdir() if path.name.isdecimal())

    def _path(self, first: int) -> Path:
        return self._folder / str(first)

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Within the block, an OSError becomes a StoreError with one clear line."""
        try:
            yield
        except OSError as error:
            raise store_error(f"{self._folder}: the history cannot be written", error) from error


def history_path(path: Path) -> Path:
    """Return the folder of a store's history."""
    return path / "history"
