"""What was appended is read back, whatever was torn is cut off, and whatever is damaged is said."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.errors import StoreError
from kgreason.store.journal import journal as journal_module
from kgreason.store.journal.journal import Journal
from kgreason.store.journal.record import Record, patch_of_changes
from kgreason.terms.vocabulary import XSD_INTEGER
from tests.terms.unusual_terms import lines_of, quads
from tests.volume import many

_lines = st.lists(quads, max_size=3).map(lines_of)
_texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20) | st.sampled_from(
    ["[?x, <http://e/p>,\n  ?x] .", "TX .\n", 'H frame "', '"', '"""', "\\u0041", "\x00", "\x85\u2028\ufffe", ""]
)
_signed = st.lists(st.tuples(st.sampled_from([1, -1]), _texts), max_size=3).map(tuple)
_names = st.from_regex(r"\A[a-zA-Z][a-zA-Z0-9_-]{0,5}\Z").filter(lambda name: name not in ("commit", "frame"))
_headers = st.dictionaries(_names, _texts, max_size=2)
_strategies = st.lists(st.sampled_from(["update", "bootstrap"]), max_size=3).map(tuple)
_records = st.builds(Record, st.just(0), _lines, _lines, _signed, _signed, _headers, _strategies)

ROW = b"<http://e/s> <http://e/p> _:o .\n"
RECORDS = (
    Record(1, b"", ROW),
    Record(2, ROW, ROW * 2, ((1, "[?x, <http://e/p>,\n?x] ."),), ((-1, "edge(<http://e/a>) ."),), {"batch": "7"}),
    Record(3, ROW, b"", headers={"stream": "s", "batch": "8"}, strategies=("bootstrap", "update")),
)


def numbered(records: list[Record], first: int = 1) -> list[Record]:
    return [
        Record(number, *(getattr(each, name) for name in Record.__slots__[1:]))  # dataclasses.replace checks no types
        for number, each in enumerate(records, first)
    ]


def written(path: Path, records: tuple[Record, ...] = RECORDS) -> list[int]:
    """The offsets at which the records of a new journal end."""
    ends = []
    with Journal(path, write=True) as journal:
        for record in records:
            journal.append(record)
            ends.append(journal.size)
    return ends


def read(path: Path, *, write: bool = False) -> list[Record]:
    with Journal(path, write=write) as journal:
        return list(journal.records(0))


@given(_records)
def test_a_record_is_what_was_written(record: Record) -> None:
    assert Record.parse(record.patch()) == record


def test_a_record_is_an_rdf_patch() -> None:
    assert RECORDS[1].patch().decode() == (
        f'H commit "2" .\nH version "2"^^{XSD_INTEGER} .\nH batch "7" .\nH add-rule "[?x, <http://e/p>,\\n?x] ." .\n'
        'H delete-fact "edge(<http://e/a>) ." .\nTX .\n'
        "D <http://e/s> <http://e/p> _:o .\nA <http://e/s> <http://e/p> _:o .\nA <http://e/s> <http://e/p> _:o .\n"
        "TC .\n"
    )
    assert patch_of_changes(b"", b"") == b"TX .\nTC .\n"
    assert b'H commit "3" .\nH strategy "bootstrap update" .\nH stream "s" .\n' in RECORDS[2].patch()


def test_a_header_that_an_older_version_let_its_caller_name_strategy() -> None:
    record = Record.parse(b'H commit "2" .\nH strategy "buy and hold" .\nTX .\nTC .\n')
    assert record.headers == {"strategy": "buy and hold"}
    assert record.strategies == ()


_NO_NAMES = ["commit", "strategy", "frame", "add-rule", "delete-fact", "two words", "", "ä", "a\n"]


@pytest.mark.parametrize("name", _NO_NAMES)
def test_a_header_of_a_name_that_cannot_be(tmp_path: Path, name: str) -> None:
    with Journal(tmp_path / "journal", write=True) as journal:
        with pytest.raises(ValueError, match="not a name"):
            journal.append(Record(1, headers={name: "x"}))
        assert journal.size == journal.last == 0


@pytest.mark.parametrize("patch", [b"", b"TX .\nTC .\n", b'H commit "1" .\nTX .\n', b"H commit 1 .\nTX .\nTC .\n"])
def test_text_that_is_no_record(patch: bytes) -> None:
    with pytest.raises(ValueError, match=r"has no rows|not a header|invalid literal"):
        Record.parse(patch)


@settings(max_examples=many(5))
@given(st.lists(_records, max_size=4), st.lists(_records, max_size=3))
def test_records_are_there_after_reopening(first: list[Record], second: list[Record]) -> None:
    records = numbered(first + second)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "journal"
        written(path, tuple(records[: len(first)]))
        with Journal(path, write=True) as journal:
            assert list(journal.records(0)) == records[: len(first)]
            for record in records[len(first) :]:
                journal.append(record)
            assert list(journal.records(0)) == records
            assert list(journal.records(2)) == records[2:]
            known, last = journal.size, journal.last
        assert (known, last) == (path.stat().st_size, len(records))
        assert read(path) == records
        with Journal(path, write=False, size=known, last=last) as journal:
            assert list(journal.records(1)) == records[1:]


def test_a_record_torn_at_every_byte(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    *_, before, end = written(path)
    whole = path.read_bytes()
    for cut in range(before, end):
        path.write_bytes(whole[:cut])
        assert read(path) == list(RECORDS[:2])
        assert path.stat().st_size == cut
        with Journal(path, write=True) as journal:
            assert (journal.size, journal.last) == (before, 2)
            assert path.stat().st_size == before
            journal.append(RECORDS[2])
        assert path.read_bytes() == whole


@pytest.mark.parametrize("block", [1, 16, 100])
def test_blocks_that_did_not_reach_the_disk(tmp_path: Path, block: int) -> None:
    """A file system may know how long a file is before its blocks are written: they read as zeros."""
    path = tmp_path / "journal"
    *_, before, end = written(path)
    whole = path.read_bytes()
    for first in range(before, end, block):
        hole = whole[:first] + bytes(len(whole[first : first + block])) + whole[first + block :]
        path.write_bytes(hole)
        assert read(path, write=True) == list(RECORDS[:2])
        assert path.read_bytes() == whole[:before]
    path.write_bytes(whole + bytes(1000))
    assert read(path, write=True) == list(RECORDS)
    assert path.read_bytes() == whole


def test_every_byte_that_changes_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    starts = [0, *written(path)]
    whole = path.read_bytes()
    for at, byte in enumerate(whole):
        for other in (byte ^ 1, 0):
            path.write_bytes(whole[:at] + bytes([other]) + whole[at + 1 :])
            damaged = max(start for start in starts if start <= at)
            if other == 0 and damaged == starts[-2]:
                continue  # as after a power loss
            with pytest.raises(StoreError, match=rf"journal: the journal is damaged at byte {damaged}: "):
                Journal(path, write=True)
            assert len(path.read_bytes()) == len(whole)


def test_known_records_are_read_on_demand_alone(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    first, second, end = written(path)
    whole = path.read_bytes()
    path.write_bytes(b"x" * first + whole[first:])
    with Journal(path, write=False, size=second, last=2) as journal:
        assert (journal.size, journal.last) == (end, 3)
        with pytest.raises(StoreError, match="damaged at byte 0"):
            list(journal.records(0))
        assert list(journal.records(3)) == []
    for size in (second, end):
        path.write_bytes(whole[: size - 1])
        with pytest.raises(StoreError, match=f"has {size - 1} bytes now; it had {size} bytes"):
            Journal(path, write=True, size=size, last=3)
    path.write_bytes(whole[:second] + bytes(end - second))
    with Journal(path, write=False, size=end, last=3) as journal, pytest.raises(StoreError, match="before commit 3"):
        list(journal.records(0))


def test_commits_that_are_missing(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    first, second, _ = written(path)
    whole = path.read_bytes()
    path.write_bytes(whole[:first] + whole[second:])
    with pytest.raises(StoreError, match=f"lacks commit 2 at byte {first}: the record there is of commit 3"):
        Journal(path, write=True)
    path.write_bytes(whole[first:])
    with pytest.raises(StoreError, match="lacks commit 1 at byte 0"):
        Journal(path, write=True)
    with Journal(path, write=True, last=1) as journal:
        assert list(journal.records(1)) == list(RECORDS[1:])
        with pytest.raises(StoreError, match="lacks commit 1"):
            list(journal.records(0))
        with pytest.raises(StoreError, match="commit 5 cannot be the next one"):
            journal.append(Record(5))


def test_records_that_a_snapshot_has_already(tmp_path: Path) -> None:
    written(tmp_path / "journal")
    with Journal(tmp_path / "journal", write=False, last=7) as journal:
        assert journal.last == 7
        assert list(journal.records(7)) == []
    with Journal(tmp_path / "journal", write=False, last=2) as journal:
        assert journal.last == 3
        assert list(journal.records(2)) == [RECORDS[2]]


def test_a_journal_begins_anew_behind_a_snapshot(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    written(path)
    with Journal(path, write=True) as journal:
        journal.reset(3)
        assert (journal.size, journal.last, path.stat().st_size) == (0, 3, 0)
        journal.append(Record(4, b"", ROW))
        assert list(journal.records(3)) == [Record(4, b"", ROW)]
    with Journal(path, write=True, last=3) as journal:
        assert list(journal.records(3)) == [Record(4, b"", ROW)]


def test_news_of_another_process(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    ends = written(tmp_path / "whole")
    whole = (tmp_path / "whole").read_bytes()
    with Journal(path, write=False) as reader:
        assert list(reader.new_records()) == []
        for size in range(len(whole) + 1):
            path.write_bytes(whole[:size])
            assert list(reader.new_records()) == [
                record for record, end in zip(RECORDS, ends, strict=True) if end == size
            ]
        assert (reader.size, reader.last) == (len(whole), 3)
        path.write_bytes(whole[: ends[1]])
        with pytest.raises(StoreError, match=f"has {ends[1]} bytes now; it had {ends[2]} bytes, up to commit 3"):
            list(reader.new_records())


def test_no_news_behind_a_snapshot_of_later_commits(tmp_path: Path) -> None:
    written(tmp_path / "journal")
    with Journal(tmp_path / "journal", write=False, last=3) as reader:
        assert list(reader.new_records()) == []
    with Journal(tmp_path / "journal", write=False, size=0, last=2) as reader:
        assert (reader.last, list(reader.records(2)), list(reader.new_records())) == (3, [RECORDS[2]], [])


def test_a_journal_that_is_not_there(tmp_path: Path) -> None:
    with Journal(tmp_path / "journal", write=False, last=3) as journal:
        assert (journal.size, journal.last, list(journal.records(3))) == (0, 3, [])
        with pytest.raises(StoreError, match="not open for writing"):
            journal.append(Record(4))
    assert not (tmp_path / "journal").exists()
    with pytest.raises(StoreError, match="has 0 bytes now; it had 9 bytes"):
        Journal(tmp_path / "journal", write=False, size=9, last=3)
    (tmp_path / "folder").mkdir()
    with pytest.raises(StoreError, match="folder: the journal cannot be opened"):
        Journal(tmp_path / "folder", write=True)


class Disk:
    """A disk that takes so many bytes, and then raises an error, at a write or when it is to be synced."""

    def __init__(self, room: int, error: BaseException, write: Callable[[int, memoryview], int]) -> None:
        self.room, self.error, self._write = room, error, write

    def write(self, file: int, data: memoryview) -> int:
        if not self.room:
            raise self.error
        done = self._write(file, data[: self.room])
        self.room -= done
        return done

    def sync(self, file: int) -> None:
        raise self.error


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[int, BaseException], None]]:
    """Makes the disk one that fails, until the test undoes it."""

    def failing(room: int, error: BaseException) -> None:
        disk = Disk(room, error, os.write)
        monkeypatch.setattr(os, "write", disk.write)
        monkeypatch.setattr(journal_module, "_sync", disk.sync)

    yield failing
    monkeypatch.undo()


ERRORS = (OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt(), MemoryError())


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("room", [0, 1, 50, 10_000])
def test_an_append_that_fails_changes_nothing(
    tmp_path: Path,
    disk: Callable[[int, BaseException], None],
    monkeypatch: pytest.MonkeyPatch,
    error: BaseException,
    room: int,
) -> None:
    path = tmp_path / "journal"
    written(path, RECORDS[:2])
    before = path.read_bytes()
    with Journal(path, write=True) as journal:
        disk(room, error)
        expected = StoreError if isinstance(error, OSError) else type(error)
        with pytest.raises(expected) as caught:
            journal.append(RECORDS[2])
        if isinstance(error, OSError):
            assert str(caught.value) == f"{path}: the journal cannot be written: the disk is full"
        assert (journal.last, journal.size, path.read_bytes()) == (2, len(before), before)
        monkeypatch.undo()
        journal.append(RECORDS[2])
    assert read(path) == list(RECORDS)


@pytest.mark.parametrize("can_be_cut", [True, False])
def test_a_record_that_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, can_be_cut: bool) -> None:
    path = tmp_path / "journal"
    written(path, RECORDS[:1])
    before = path.read_bytes()
    with Journal(path, write=True) as journal:
        journal.append(RECORDS[1])
        with monkeypatch.context() as patch:
            if not can_be_cut:
                patch.setattr(os, "ftruncate", fails)
            journal.take_back()
        assert (journal.last, journal.size, path.read_bytes() == before) == (1, len(before), can_be_cut)
        journal.take_back()  # does nothing
        assert (journal.last, journal.size) == (1, len(before))
        journal.append(RECORDS[1])
    assert read(path) == list(RECORDS[:2])


def fails(*_: object) -> None:
    raise OSError(errno.EIO, os.strerror(errno.EIO))


def test_a_journal_that_could_not_be_cut_is_cut_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "journal"
    written(path)

    def fail(file: int, size: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    with Journal(path, write=True) as journal:
        monkeypatch.setattr(os, "ftruncate", fail)
        journal.reset(3)
        with pytest.raises(StoreError, match="Input/output error"):
            journal.append(Record(4))
        assert (journal.size, journal.last) == (0, 3)
        assert path.stat().st_size > 0
        monkeypatch.undo()
        journal.append(Record(4))
        assert list(journal.records(3)) == [Record(4)]
