"""Snapshot, journal and store are the last commit, whatever failed; most is tried with a toy in the engine's place."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from pyoxigraph import QueryBoolean

from kgreason.errors import StoreError
from kgreason.store import folder
from kgreason.store.folder import Folder, Manifest
from kgreason.store.homes import disk
from kgreason.store.homes.memory import Memory
from kgreason.store.journal.journal import Journal
from kgreason.store.journal.record import Record
from kgreason.store.oxigraph.store import OxigraphStore
from tests.store.toy import Toy, closure, row, rows


class InjectedError(BaseException):
    """What no handler of errors catches, as an interrupt."""


FULL = OSError(errno.ENOSPC, "No space left on device")
BROKEN = StoreError("the store is broken")


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Makes a method raise an error at some of its calls; `after` it has done its work, or instead.

    With `on_disk` only the calls for a store with a path count.
    """

    def fail(
        owner: Any,
        name: str,
        error: BaseException,
        *,
        after: bool = False,
        calls: range = range(1),
        on_disk: bool = False,
    ) -> None:
        function, numbers = getattr(owner, name), count()

        def call(*args: Any, **kwargs: Any) -> Any:
            failed = (not on_disk or args[0].path is not None) and next(numbers) in calls
            result = function(*args, **kwargs) if after or not failed else None
            if failed:
                raise error
            return result

        monkeypatch.setattr(owner, name, call)

    yield fail
    monkeypatch.undo()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a snapshot and two commits after it."""
    path = tmp_path_factory.mktemp("made") / "store"
    with Toy(path) as toy:
        toy.load("a b c")
        toy.commit("a", "d")
        toy.commit(added="e f")
    return path


@pytest.fixture
def path(made: Path, tmp_path: Path) -> Path:
    """A copy of that store."""
    return shutil.copytree(made, tmp_path / "store")


LAST = rows("b c d e f")


def manifest_of(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((path / "kgreason.json").read_text())
    return found


def edit_manifest(path: Path, **fields: Any) -> None:
    (path / "kgreason.json").write_text(json.dumps(manifest_of(path) | fields))


def abandon(toy: Toy) -> None:
    """Let go of the locks, as a kill would."""
    toy.home.close()


def test_commits_follow_a_load(path: Path) -> None:
    assert manifest_of(path)["commit"] == 1
    assert manifest_of(path)["stored"] == 3
    assert manifest_of(path)["journal"] == (path / "journal").stat().st_size
    assert manifest_of(path)["stats"] == {"rows": 5}
    with Toy(path) as toy:
        assert (toy.home.last, toy.home.position.is_ahead, toy.home.position.is_behind) == (3, True, False)
        assert [record.commit for record in toy.home.records_since_snapshot()] == [2, 3]
        assert toy.home.records_since_snapshot()[0] == Record(2, row("a"), row("d"))
        assert toy.start() == LAST
        assert toy.agrees()
        toy.commit("b")
        assert toy.seen() == closure(LAST - rows("b"))


@pytest.mark.parametrize("read_only", [True, False])
def test_a_store_that_was_closed_is_queried_without_an_engine(path: Path, read_only: bool) -> None:
    before = manifest_of(path)
    with Toy(path, read_only=read_only) as toy:
        assert toy.seen() == closure(LAST)
        assert toy.engine is None
    assert manifest_of(path) == before


@pytest.mark.parametrize("read_only", [True, False])
def test_commits_that_were_not_settled_are_replayed(path: Path, read_only: bool) -> None:
    toy = Toy(path)
    toy.commit("e", "g")
    abandon(toy)
    assert manifest_of(path)["stored"] == 3
    with Toy(path, read_only=read_only) as toy:
        assert toy.seen() == closure(LAST - rows("e") | rows("g"))
        assert toy.agrees()
    assert manifest_of(path)["stored"] == 4
    assert manifest_of(path)["stats"] == {"rows": 5}
    with Toy(path, read_only=True) as one, Toy(path, read_only=True) as other:
        assert one.seen() == other.seen()


def test_a_power_loss_takes_the_store_back_to_any_commit_since_it_was_flushed(path: Path, tmp_path: Path) -> None:
    """The same row goes and comes, so that deltas which the store has already are seen to do no harm."""
    states: list[Path] = []
    toy = Toy(path)
    for removed, added in (("", "g"), ("g", "h"), ("h b", "g"), ("", "h"), ("g", "")):
        toy.commit(removed, added)
        states.append(tmp_path / str(len(states)))
        toy.home.store._store.backup(str(states[-1]))
    last = toy.start()
    abandon(toy)
    kept = tmp_path / "kept"
    shutil.copytree(path, kept)
    for state in states:
        shutil.rmtree(path)
        shutil.copytree(kept, path)
        oxigraph = path / manifest_of(path)["oxigraph"]
        shutil.rmtree(oxigraph)
        shutil.copytree(state, oxigraph)
        with Toy(path) as toy:
            assert toy.start() == last
            assert toy.agrees()


def test_a_kill_while_the_store_is_filled(path: Path) -> None:
    toy = Toy(path)
    toy.home.store.apply(row("b"), row("half-way"))
    abandon(toy)
    edit_manifest(path, stored=-1, journal=0)  # as versions did that filled the store where it was
    for read_only in (True, False):
        with Toy(path, read_only=read_only) as toy:
            assert toy.seen() == closure(LAST)
    assert manifest_of(path)["stored"] == 3


@pytest.mark.parametrize("owner", [OxigraphStore, Folder, Journal])
def test_a_commit_that_the_journal_did_not_get(path: Path, failing: Callable[..., None], owner: Any) -> None:
    """Before the store is touched; the manifest and the store's flush play no part in a commit."""
    with Toy(path) as toy:
        toy.start()
        names = {OxigraphStore: "flush", Folder: "write_manifest", Journal: "append"}
        failing(owner, names[owner], BROKEN)
        if owner is Journal:
            with pytest.raises(StoreError, match="broken"):
                toy.commit("b", "g")
            assert (toy.home.last, toy.seen()) == (3, closure(LAST))
        toy.commit("b", "h")
        assert (toy.home.last, toy.seen()) == (4, closure(LAST - rows("b") | rows("h")))
        if owner is not Journal:
            with pytest.raises(StoreError, match="broken"):
                toy.home.settle(Manifest([]))


@pytest.mark.parametrize("error", [FULL, KeyboardInterrupt()], ids=["full", "interrupt"])
def test_a_full_disk_refuses_commits(path: Path, failing: Callable[..., None], error: BaseException) -> None:
    with Toy(path) as toy:
        toy.start()
        failing(os, "write", error)
        with pytest.raises(type(error) if error is not FULL else StoreError):
            toy.commit("b", "g")
        assert toy.start() == LAST
        assert toy.agrees()
        toy.commit("c", "h")
        assert toy.agrees()
    with Toy(path) as toy:
        assert toy.start() == LAST - rows("c") | rows("h")
        assert toy.agrees()


@pytest.mark.parametrize(
    ("error", "times", "after", "is_made"),
    [
        (BROKEN, 1, False, True),
        (BROKEN, 1, True, True),
        (BROKEN, 2, False, False),
        (BROKEN, 2, True, True),
        (InjectedError(), 1, False, False),
        (InjectedError(), 1, True, True),
    ],
)
def test_a_commit_is_made_if_the_store_has_its_rows(
    path: Path, failing: Callable[..., None], error: BaseException, times: int, after: bool, is_made: bool
) -> None:
    """The store gets a second attempt after an error. If it has no rows then, the journal loses the record again."""
    expected = LAST - rows("b") | rows("g") if is_made else LAST
    with Toy(path) as toy:
        toy.start()
        size = (path / "journal").stat().st_size
        failing(OxigraphStore, "apply", error, after=after, calls=range(times), on_disk=True)
        with nullcontext() if is_made and error is BROKEN else pytest.raises(type(error)):
            toy.commit("b", "g")
        assert toy.home.last == 3 + is_made
        assert ((path / "journal").stat().st_size > size) == is_made
        assert not toy.home.position.is_behind
        assert toy.seen() == closure(expected)
        toy.commit("c", "h")
        assert toy.seen() == closure(expected - rows("c") | rows("h"))
    with Toy(path) as toy:
        assert toy.start() == expected - rows("c") | rows("h")
        assert toy.agrees()


def test_a_store_that_keeps_failing_takes_no_commit(path: Path, failing: Callable[..., None]) -> None:
    toy = Toy(path)
    toy.start()
    failing(OxigraphStore, "apply", BROKEN, calls=range(6), on_disk=True)
    for _ in range(3):
        with pytest.raises(StoreError, match="broken"):
            toy.commit("c", "h")
        assert toy.seen() == closure(LAST)
    abandon(toy)
    with Toy(path) as toy:
        assert toy.start() == LAST
        assert toy.agrees()


def test_a_store_that_is_broken_is_replaced_by_a_copy(path: Path) -> None:
    """Queries go on with the old store. The copy is there for other processes as well."""
    with Toy(path) as toy:
        toy.start()
        old, name = toy.home.store, manifest_of(path)["oxigraph"]
        old.is_broken = True
        toy.commit("b", "g")
        assert toy.home.store is not old
        assert not toy.home.store.is_broken
        assert len(old) == len(closure(LAST))
        assert manifest_of(path)["oxigraph"] != name
        assert not (path / name).exists()
        assert toy.agrees()
    with Toy(path, read_only=True) as other:
        assert other.seen() == closure(LAST - rows("b") | rows("g"))


def test_a_load_after_commits(path: Path) -> None:
    with Toy(path) as toy:
        toy.load("x y")
        assert (toy.home.last, toy.home.position.is_ahead, (path / "journal").stat().st_size) == (4, False, 0)
        assert toy.agrees()
        toy.commit("x")
    assert [each.name for each in path.glob("snapshot-*")] == ["snapshot-4"]
    with Toy(path) as toy:
        assert toy.start() == LAST | rows("y")
        assert toy.agrees()


LOADING = (
    (Toy, "_write", False),
    (Toy, "_write", True),
    (Folder, "write_manifest", False),
    (Folder, "write_manifest", True),
    (OxigraphStore, "load", False),
    (OxigraphStore, "flush", True),
)


@pytest.mark.parametrize(("owner", "name", "after"), LOADING)
@pytest.mark.parametrize("is_first", [True, False])
def test_a_load_that_fails(
    path: Path, tmp_path: Path, failing: Callable[..., None], owner: Any, name: str, after: bool, is_first: bool
) -> None:
    where = tmp_path / "new" if is_first else path
    with Toy(where) as toy:
        before = toy.start()
        failing(owner, name, InjectedError(), after=after)
        with pytest.raises(InjectedError):
            toy.load("x y")
        assert toy.start() == before
        assert toy.agrees()
        assert [each.name for each in where.glob("snapshot-*")] == ([] if is_first else ["snapshot-1"])
        toy.load("z")
        toy.commit("z", "w")
    with Toy(where) as toy:
        assert toy.start() == before | rows("w")
        assert toy.agrees()


@pytest.mark.parametrize("is_there", [True, False])
def test_a_load_whose_manifest_is_there_but_not_for_sure(
    path: Path, failing: Callable[..., None], is_there: bool
) -> None:
    """The folder could not be synced behind the new manifest; then either the old one is put back, or nothing is."""
    toy = Toy(path)
    toy.start()
    failing(folder, "sync_folder", FULL, calls=range(1))
    failing(folder, "sync", FULL, calls=range(1, 2) if is_there else range(0))
    with pytest.raises(StoreError, match="the disk is full"):
        toy.load("x y")
    abandon(toy)
    with Toy(path) as toy:
        assert toy.start() == (LAST | rows("x y") if is_there else LAST)
        assert toy.agrees()


def test_a_checkpoint(path: Path) -> None:
    with Toy(path) as toy:
        toy.commit("b")
        toy.checkpoint()
        assert (toy.home.last, toy.home.position.is_ahead, toy.home.records_since_snapshot()) == (4, False, [])
        assert (path / "journal").stat().st_size == 0
        assert [each.name for each in path.glob("snapshot-*")] == ["snapshot-4"]
        toy.checkpoint()
        toy.commit("c")
        abandon(toy)
        with Toy(path) as again:
            assert again.start() == rows("d e f")
            assert again.agrees()
        toy.home = again.home


@pytest.mark.parametrize(
    ("owner", "name", "after", "is_done"),
    [
        (Toy, "_write", False, False),
        (Toy, "_write", True, False),
        (OxigraphStore, "flush", False, False),
        (Folder, "write_manifest", False, False),
        (Folder, "write_manifest", True, False),
        (Journal, "reset", False, True),
        (Journal, "reset", True, True),
    ],
)
def test_a_checkpoint_that_is_killed(
    path: Path, failing: Callable[..., None], owner: Any, name: str, after: bool, is_done: bool
) -> None:
    toy = Toy(path)
    failing(owner, name, InjectedError(), after=after)
    with pytest.raises(InjectedError):
        toy.checkpoint()
    abandon(toy)
    assert manifest_of(path)["commit"] == (3 if is_done else 1)
    with Toy(path, read_only=True) as toy:
        assert (toy.home.last, toy.home.position.is_ahead) == (3, not is_done)
        assert toy.agrees()
    with Toy(path) as toy:
        assert toy.start() == LAST
        toy.commit("b")
        assert toy.agrees()
    with Toy(path) as toy:
        assert toy.start() == LAST - rows("b")
        assert toy.agrees()


def test_a_checkpoint_on_a_full_disk_leaves_the_commits(path: Path, failing: Callable[..., None]) -> None:
    with Toy(path) as toy:
        failing(Toy, "_write", FULL)
        with pytest.raises(StoreError, match="the disk is full"):
            toy.checkpoint()
        toy.commit("b")
        assert toy.agrees()
        toy.checkpoint()
        assert not toy.home.position.is_ahead


def test_when_a_checkpoint_is_due(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk, "_SMALLEST", 500)
    with Toy(path) as toy:
        assert not toy.home.is_checkpoint_due
        (path / "snapshot-1" / "more").write_bytes(bytes(20_000))
    with Toy(path) as toy:
        due: list[bool] = []
        while not due or not due[-1]:
            toy.commit(added=f"more{len(due)}")
            due.append(toy.home.is_checkpoint_due)
        assert 5000 < (path / "journal").stat().st_size < 5300
        toy.checkpoint()
        assert not toy.home.is_checkpoint_due
        toy.commit(added=" ".join(f"many{i}" for i in range(50)))
        assert toy.home.is_checkpoint_due


def test_damage_is_said(path: Path) -> None:
    journal = path / "journal"
    whole = journal.read_bytes()
    journal.write_bytes(whole[:-1])
    with pytest.raises(StoreError, match=r"the journal has [0-9]+ bytes now"):
        Toy(path)
    journal.write_bytes(whole[:60] + b"x" + whole[61:])
    with Toy(path, read_only=True) as toy:
        assert toy.seen() == closure(LAST)
        with pytest.raises(StoreError, match="damaged at byte 0"):
            toy.start()
    journal.write_bytes(whole)
    with Toy(path) as toy:
        assert toy.start() == LAST


def test_a_journal_follows_a_snapshot(tmp_path: Path) -> None:
    with Toy(tmp_path / "store") as toy:
        with pytest.raises(StoreError, match="no snapshot yet"):
            toy.commit(added="a")
        assert toy.start() == frozenset()
        assert not toy.home.is_checkpoint_due


@pytest.mark.parametrize("after", [True, False])
def test_a_graph_in_memory(failing: Callable[..., None], after: bool) -> None:
    with Toy(None) as toy:
        toy.load("a b")
        toy.commit("a", "c")
        assert (toy.home.last, toy.home.position.is_ahead, toy.home.records_since_snapshot()) == (2, False, [])
        assert toy.agrees()
        failing(OxigraphStore, "apply", BROKEN, after=after)
        with pytest.raises(StoreError, match="broken"):
            toy.commit("b", "d")
        assert (toy.home.last, toy.start()) == (2, rows("b c"))
        assert toy.agrees()
        toy.commit("b", "d")
        toy.checkpoint()
        assert toy.agrees()
        assert toy.home.last == 3


def test_a_store_that_is_closed_or_opened_for_reading_takes_no_commit(path: Path) -> None:
    with Toy(path, read_only=True) as toy, pytest.raises(StoreError, match="for reading only"):
        toy.home.writable()
    home = Memory(Manifest([]))
    home.close()
    with pytest.raises(StoreError, match="is closed"):
        home.commit(Record(1), b"", b"")


def test_a_commit_is_seen_by_queries(path: Path) -> None:
    with Toy(path) as toy:
        toy.commit(added="g")
        answer = toy.home.store.query("ASK { ?o <http://e/q> <http://e/g> }")
        assert isinstance(answer, QueryBoolean)
        assert bool(answer)
