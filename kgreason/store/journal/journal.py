"""`Journal`: the commits since a snapshot; each commit is synced to disk before anything else happens.

    H frame "<length> <checksum> <checksum of this row>" .       a row of fixed width
    H commit "7" .  ...                                          the record, an RDF Patch (`record`)

So the file is a log of RDF Patches. Invariant: when `append` returns, the record is on disk. If `append` fails or is
interrupted, the file is as it was.

A kill or a power loss during an append leaves a *torn* record: the beginning of a record, or blocks of zeros, which no
record contains. The next opening for writing cuts it off, because nobody was told of that commit. Any other damage is
an error that names the byte. The row in front of a record has a checksum of its own. Otherwise a damaged length could
make this record and all later ones look like one torn record.

Cost: an append is one write, one fdatasync, and 10 microseconds. Opening reads only the bytes after the first `size`,
which the caller passes; `records` reads the whole file. Writing zeros ahead, so that the file does not grow at each
append, was tried and saves nothing, because Oxigraph's log grows at each commit as well.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple, Self
from zlib import crc32

from kgreason.errors import StoreError
from kgreason.files import store_error, sync_folder
from kgreason.store.journal.record import Record, check_headers

_FRAME = re.compile(rb'(H frame "([0-9a-f]{12}) ([0-9a-f]{8})) ([0-9a-f]{8})" \.\n')
_WIDTH = 43
_NEXT = b'H frame "'  # only at the beginning of a record: inside a string the quotation mark is escaped
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
_sync = getattr(os, "fdatasync", os.fsync)


class _End(NamedTuple):
    """The end of the journal: the offset of the next record, and the number of the last commit."""

    size: int
    commit: int


class Journal:
    """Reads and writes the journal at a path.

    The caller knows that the first `size` bytes hold the commits up to `last`, so opening does not read these bytes.
    With `write` the file is made if it is missing, and a torn record is cut off. Raises StoreError if a record is
    damaged or missing, or the file cannot be used.
    """

    def __init__(self, path: Path, *, write: bool, size: int = 0, last: int = 0) -> None:
        self._path = path
        self._end = self._before = _End(size, last)
        """The end of the journal, and the end before the last `append`."""
        self._read_last = 0, b""
        """Where the last record begins that `new_records` has read, and its first row."""
        self._file: int | None = None
        try:
            with self._errors("opened"):
                if write:
                    self._file = _open_file(path)
                self._find_end()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    @property
    def size(self) -> int:
        """The number of bytes of all records."""
        return self._end.size

    @property
    def last(self) -> int:
        """The number of the commit of the last record.

        If there is no record, this is the number `last` that the caller passed to the constructor.
        """
        return self._end.commit

    def append(self, record: Record) -> None:
        """Write a record to disk. Raises StoreError, and ValueError as `check_headers` does.

        After an error or an interrupt the journal is as before. Only if an interrupt comes after the sync, the record
        stays, and `last` is its commit. `take_back` removes the record again.
        """
        if record.commit != self.last + 1:
            raise self._error(f"ends with commit {self.last}, so commit {record.commit} cannot be the next one")
        check_headers(record.headers)
        data = _frame(record.patch())
        file = self._file_to_write()
        with self._errors("written"):
            _truncate(file, self.size)  # the rest of an append that failed, if it could not be cut off then
            try:
                _write(file, data)
                _sync(file)
                self._before, self._end = self._end, _End(self.size + len(data), record.commit)
            except BaseException:
                with suppress(OSError):
                    _truncate(file, self.size)
                raise

    def take_back(self) -> None:
        """Remove the record of the last `append`, because the rest of its commit failed.

        If the file cannot be cut now, the next append cuts it. Until then the next opening would find the record.
        """
        self._end = self._before
        with suppress(OSError):
            _truncate(self._file_to_write(), self.size)

    def records(self, after: int) -> Iterator[Record]:
        """Yield the records of the commits after commit `after`, in order.

        Raises StoreError if one of them is damaged or missing.
        """
        if self.last <= after:
            return
        for record, _, _ in self._read(0, after):
            if record.commit > after:
                yield record
            if record.commit == self.last:
                return
        raise self._error(f"is damaged: it ends before commit {self.last}")

    def new_records(self) -> Iterator[Record]:
        """Yield the records that another process has appended since the last call.

        A torn record is left for a later call. Raises StoreError if the file no longer begins with the records that
        were read before: then the file was emptied, or is damaged.
        """
        with self._errors("read"):
            there = self._path.stat().st_size if self._path.exists() else 0
        if there < self.size or not self._is_continued():
            raise self._error(
                f"has {there} bytes now; it had {self.size} bytes, up to commit {self.last}, when it was read"
            )
        if there > self.size:
            for record, frame, end in self._read(self.size, self.last):
                is_new = record.commit > self.last
                self._read_last = self.size, frame
                self._end = _End(end, max(record.commit, self.last))
                if is_new:
                    yield record

    def _is_continued(self) -> bool:
        """Whether the last record that was read is still at its place in the file.

        If the commit of this record failed, another record may be there now.
        """
        start, frame = self._read_last
        if not frame:
            return True
        with self._path.open("rb") as file:
            file.seek(start)
            return file.read(_WIDTH) == frame

    def reset(self, last: int) -> None:
        """Empty the journal, because a snapshot holds the commits up to `last`.

        If the file cannot be cut now, the next append cuts it. Until then nobody reads its records.
        """
        self._end = self._before = _End(0, last)
        with suppress(OSError):
            _truncate(self._file_to_write(), 0)

    def _file_to_write(self) -> int:
        if self._file is None:
            raise self._error("is not open for writing")
        return self._file

    def _error(self, problem: str) -> StoreError:
        return StoreError(f"{self._path}: the journal {problem}")

    @contextmanager
    def _errors(self, what: str) -> Iterator[None]:
        """Within the block, an OSError becomes a StoreError."""
        try:
            yield
        except OSError as error:
            raise store_error(f"{self._path}: the journal cannot be {what}", error) from error

    def _find_end(self) -> None:
        """Read to the end of the last whole record.

        If bytes follow the part that was known before, and this journal is open for writing, a torn record at the end
        is cut off and the file is synced.
        """
        known = self.size
        for _ in self.new_records():
            pass
        if self._file is not None and os.fstat(self._file).st_size > known:
            _truncate(self._file, self.size)
            _sync(self._file)  # a kill may have been between the write and its sync

    def _read(self, offset: int, last: int) -> Iterator[tuple[Record, bytes, int]]:
        """Read the file from `offset` on.

        Yields (record, its first row, the offset after it), and stops at a torn record. Raises StoreError if a commit
        is missing: the first record must have commit `last + 1` or an earlier one, each later record the next commit.
        """
        first = True
        with self._errors("read"), self._path.open("rb") as file:
            file.seek(offset)
            while (found := self._next_record(file, offset)) is not None:
                record, frame = found
                if record.commit > last + 1 or not (first or record.commit == last + 1):
                    raise self._error(
                        f"lacks commit {last + 1} at byte {offset}: the record there is of commit {record.commit}"
                    )
                first, last, offset = False, record.commit, file.tell()
                yield record, frame, offset

    def _next_record(self, file: BinaryIO, offset: int) -> tuple[Record, bytes] | None:
        """Read the next record of the file, which begins at `offset`. Returns the record and its first row.

        Returns None at the end of the file, and at a torn record. Raises StoreError for any other damage.
        """
        try:
            frame = file.read(_WIDTH)
            return (Record.parse(_text_of(frame, file)), frame) if frame else None
        except ValueError as error:
            file.seek(offset)
            if _is_torn(file.read()):
                return None
            raise self._error(f"is damaged at byte {offset}: {error}") from error


def _open_file(path: Path) -> int:
    is_new = not path.exists()
    file = os.open(path, _FLAGS, 0o666)
    if is_new:
        sync_folder(path.parent)
    return file


def _frame(patch: bytes) -> bytes:
    row = b'H frame "%012x %08x' % (len(patch), crc32(patch))
    return b'%b %08x" .\n%b' % (row, crc32(row), patch)


def _parse_header(frame: bytes) -> tuple[int, int] | None:
    """Read the first row of a record. Returns the length and the checksum of the record; None if the row is damaged."""
    found = _FRAME.match(frame)
    if found is None or int(found[4], 16) != crc32(found[1]):
        return None
    return int(found[2], 16), int(found[3], 16)


def _text_of(frame: bytes, file: BinaryIO) -> bytes:
    """Read the text of a record, given its first row `frame`. Raises ValueError if the record is damaged."""
    announced = _parse_header(frame)
    if announced is None:
        raise ValueError("no record begins here")
    length, checksum = announced
    patch = file.read(length)
    if len(patch) < length or crc32(patch) != checksum:
        raise ValueError("the record differs from what was written")
    return patch


def _is_torn(rest: bytes) -> bool:
    """Whether `rest`, the end of a file, is a torn record that an append left, and not other damage.

    `rest` must not begin with a whole record.
    """
    announced = _parse_header(rest)
    length = _WIDTH + (announced[0] if announced else 0)
    if len(rest) < length:
        return True
    return b"\0" in rest[:length] and rest.find(_NEXT, 1) < 0


def _write(file: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(file, rest) :]


def _truncate(file: int, size: int) -> None:
    if os.fstat(file).st_size != size:
        os.ftruncate(file, size)
        os.fsync(file)
