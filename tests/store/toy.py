"""The smallest facade over a home: its engine is a set of asserted lines, each of which entails its converse.

It does what the real one must: it restores the snapshot, replays the journal, and tells the home both deltas.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Self

from kgreason.store.folder import Folder, Manifest
from kgreason.store.homes.disk import Disk
from kgreason.store.homes.home import RowDelta
from kgreason.store.homes.memory import Memory
from kgreason.store.homes.reader import Reader
from kgreason.store.journal.record import Record
from kgreason.store.oxigraph.store import OxigraphStore

Rows = frozenset[bytes]


def row(name: str) -> bytes:
    return f"<http://e/{name}> <http://e/p> _:{name} .\n".encode()


def rows(names: str) -> Rows:
    """A row for each word."""
    return frozenset(map(row, names.split()))


def closure(asserted: Iterable[bytes]) -> Rows:
    """The rows and what they entail."""
    return frozenset(asserted) | {b"%b <http://e/q> %b .\n" % (o, s) for s, _, o, _ in map(bytes.split, asserted)}


def text(lines: Iterable[bytes]) -> bytes:
    return b"".join(sorted(lines))


class Toy:
    """A graph in a folder, or in memory without one."""

    def __init__(self, path: Path | None, *, read_only: bool = False) -> None:
        folder = Folder(path, write=not read_only) if path else None
        if folder and read_only and folder.is_behind:
            folder.close()
            folder, read_only = Folder(folder.path, write=True), False
        wanted = Manifest(["none"])
        self.home: Any = (Reader if read_only else Disk)(folder, wanted) if folder else Memory(wanted)
        self.engine: Rows | None = None
        self.replayed: list[RowDelta] = []
        if self.home.is_writable and self.home.position.is_behind:
            self.start()
            self._settle()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._settle()
        self.home.close()

    def _settle(self) -> None:
        if isinstance(self.home, Disk):
            self.home.settle(self.manifest())

    def start(self) -> Rows:
        """The asserted rows, from the snapshot and the journal."""
        if self.engine is None:
            self.home.start_engine(self._begin)
            assert self.engine is not None
        return self.engine

    def _begin(self, since: int) -> Self:
        engine = self._saved()
        self.replayed.clear()
        for record in self.home.records_since_snapshot():
            before, engine = engine, _after(engine, record)
            if record.commit > since:
                self.replayed.append(RowDelta(record.commit, *_delta(before, engine)))
        self.engine = engine
        return self

    def _saved(self) -> Rows:
        path = self.home.snapshot
        return frozenset((path / "rows").read_bytes().splitlines(keepends=True)) if path else frozenset()

    def manifest(self) -> Manifest:
        stats = self.home.manifest.stats if self.engine is None else {"rows": len(self.engine)}
        return Manifest(["none"], stats=stats)

    def fill(self, store: OxigraphStore) -> None:
        store.load([text(closure(self.start()))])

    def load(self, names: str) -> None:
        """Add rows as a load."""
        before, last = self.start(), self.home.last
        try:
            self.engine = before | rows(names)
            self.home.stage().load([_delta(before, self.engine)[1]])
            self.home.commit_stage(self.manifest(), self.write)
        except BaseException:
            if self.home.last == last:
                self.engine = before
            raise
        finally:
            self.home.drop_stage()

    def commit(self, removed: str = "", added: str = "") -> None:
        """Remove rows and add others as a commit."""
        before = self.start()
        record = Record(self.home.last + 1, text(rows(removed)), text(rows(added)))
        self.engine = _after(before, record)
        try:
            self.home.commit(record, *_delta(before, self.engine))
        except BaseException:
            if self.home.last != record.commit:
                self.engine = before
                self.home.refill(self)
            raise

    def checkpoint(self) -> None:
        self.start()
        if isinstance(self.home, Disk):
            self.home.checkpoint(self.manifest(), self.write)

    def write(self, path: Path) -> None:
        self._write(path)

    def _write(self, path: Path) -> None:
        path.mkdir()
        (path / "rows").write_bytes(text(self.start()))

    def agrees(self) -> bool:
        """Whether store and engine are of one mind."""
        return self.seen() == closure(self.start())

    def seen(self) -> Rows:
        """The rows of the store."""
        return frozenset(b"".join(self.home.store.lines()).splitlines(keepends=True))


def _after(before: Rows, record: Record) -> Rows:
    removed, added = (frozenset(lines.splitlines(keepends=True)) for lines in (record.removed, record.added))
    return (before - removed) | added


def _delta(before: Rows, after: Rows) -> tuple[bytes, bytes]:
    return text(closure(before) - closure(after)), text(closure(after) - closure(before))
