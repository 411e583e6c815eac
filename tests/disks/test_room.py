"""`Room`: whether the disk takes writes, asked by several threads while commits go on."""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest

from kgreason.errors import DiskFullError, StoreError
from kgreason.store.homes import room
from kgreason.store.homes.room import LEAST, Room
from kgreason.store.oxigraph.links import unshared_bytes


class Disk:
    """A disk whose syncs wait for `go`. It is full if `is_full`, and `taken` is what files had at their syncs."""

    def __init__(self) -> None:
        self.go, self.has_begun = threading.Event(), threading.Event()
        self.is_full = False
        self.sizes: list[int] = []
        self.taken: list[int] = []

    def allocate(self, file: IO[bytes], size: int) -> None:
        self.sizes.append(size)
        file.write(bytes(size))
        file.flush()
        file.seek(0)

    def sync(self, file: IO[bytes]) -> None:
        file.flush()
        self.taken.append(os.fstat(file.fileno()).st_size)
        self.has_begun.set()
        self.go.wait(60)
        if self.is_full:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[Disk]:
    found = Disk()
    monkeypatch.setattr(room, "allocate", found.allocate)
    monkeypatch.setattr(room, "sync", found.sync)
    yield found
    found.go.set()


def test_nobody_is_told_that_there_is_room_before_anybody_has_looked(tmp_path: Path, disk: Disk) -> None:
    disk.is_full = True
    place, told = Room(tmp_path), list[str]()

    def ask() -> None:
        try:
            place.check(LEAST)
        except DiskFullError:
            told.append("full")
        else:
            told.append("there is room")

    first, second = (threading.Thread(target=ask) for _ in range(2))
    first.start()
    assert disk.has_begun.wait(60)
    second.start()
    second.join(0.05)
    disk.go.set()
    first.join()
    second.join()
    assert told == ["full"] * 2
    assert disk.sizes == [LEAST], "the second thread has the answer of the first one"


def test_a_disk_that_never_answers_is_a_problem_for_everybody(
    tmp_path: Path, disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "_PATIENCE", 0.01)
    place = Room(tmp_path)
    first = threading.Thread(target=place.check, args=[LEAST])
    first.start()
    assert disk.has_begun.wait(60)
    with pytest.raises(StoreError, match="has not answered"):
        place.check(LEAST)
    disk.go.set()
    first.join()
    place.check(LEAST)
    monkeypatch.setattr(room, "_FRESH", 0)
    disk.go.clear()
    disk.has_begun.clear()
    again = threading.Thread(target=place.check, args=[LEAST])
    again.start()
    assert disk.has_begun.wait(60)
    place.check(LEAST)  # the last answer is not old yet
    monkeypatch.setattr(room, "_OLD", 0)
    with pytest.raises(StoreError, match="has not answered"):
        place.check(LEAST)
    disk.go.set()
    again.join()


def test_an_answer_for_a_small_commit_is_none_for_the_copy_of_a_store(tmp_path: Path, disk: Disk) -> None:
    disk.go.set()
    place = Room(tmp_path)
    for size in (LEAST, LEAST, 3 * LEAST):
        place.check(size)
    assert disk.sizes == [LEAST, 3 * LEAST]
    disk.is_full = True
    with pytest.raises(DiskFullError):
        place.check(LEAST)


def test_a_check_takes_no_room_from_a_commit_while_the_disk_syncs(tmp_path: Path, disk: Disk) -> None:
    disk.go.set()
    Room(tmp_path).check(LEAST)
    assert disk.taken == [1]


def test_a_store_that_is_replaced_meanwhile_has_no_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert unshared_bytes(tmp_path / "gone") == 0
    (tmp_path / "1.log").write_bytes(bytes(7))
    (tmp_path / "2.log").write_bytes(bytes(9))
    look = Path.is_file

    def removing(path: Path) -> bool:
        is_there = look(path)
        if path.name == "2.log":
            path.unlink()
        return is_there

    monkeypatch.setattr(Path, "is_file", removing)
    assert unshared_bytes(tmp_path) == 7
