"""The smallest facade over a repository: its engine is a set of asserted lines, each of which entails its converse.

It does what the real one must: it restores the snapshot, replays the journal, and tells the repository both deltas.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Self

from kgreason.store.folder import Folder, Manifest
from kgreason.store.journal.record import Record
from kgreason.store.oxigraph.store import OxigraphStore
from kgreason.store.reader import Reader
from kgreason.store.repository import Repository

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
        self.home: Repository = (
            Reader(folder, Manifest(["none"])) if folder and read_only else Repository(folder, Manifest(["none"]))
        )
        self.engine: Rows | None = None
        if self.home.is_behind:
            if self.home.is_ahead:
                self.start()
            self.home.refill(self._fill, lambda: self.home.manifest)
            self.home.settle(self._manifest())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.home.settle(self._manifest())
        self.home.close()

    def start(self) -> Rows:
        """The asserted rows, from the snapshot and the journal."""
        if self.engine is None:
            self.engine = self._saved()
            for record in self.home.pending():
                before = self.engine
                self.engine = self._after(record)
                self.home.replay(record, *_delta(before, self.engine))
            self.home.cut()
        return self.engine

    def _saved(self) -> Rows:
        path = self.home.snapshot
        return frozenset((path / "rows").read_bytes().splitlines(keepends=True)) if path else frozenset()

    def _after(self, record: Record) -> Rows:
        removed, added = (frozenset(lines.splitlines(keepends=True)) for lines in (record.removed, record.added))
        return (self.start() - removed) | added

    def _manifest(self) -> Manifest:
        stats = self.home.manifest.stats if self.engine is None else {"rows": len(self.engine)}
        return Manifest(["none"], stats=stats)

    def _fill(self, store: OxigraphStore) -> None:
        store.load([text(closure(self.engine if self.engine is not None else self._saved()))])

    def load(self, names: str) -> None:
        """Add rows as a load."""
        before, last = self.start(), self.home.last
        try:
            self.engine = before | rows(names)
            self.home.stage().load([_delta(before, self.engine)[1]])
            self.home.load(self._manifest(), self._write)
        except BaseException:
            if self.home.last == last:
                self.engine = before
            raise
        finally:
            self.home.unstage()

    def commit(self, removed: str = "", added: str = "") -> None:
        """Remove rows and add others as a commit."""
        before = self.start()
        record = Record(self.home.last + 1, text(rows(removed)), text(rows(added)))
        self.engine = self._after(record)
        try:
            self.home.commit(record, *_delta(before, self.engine))
        except BaseException:
            if self.home.last != record.commit:
                self.engine = before
                self.home.refill(self._fill, lambda: self.home.manifest)
            raise

    def checkpoint(self) -> None:
        self.start()
        self.home.checkpoint(self._manifest(), self._write)

    def _write(self, path: Path) -> None:
        path.mkdir()
        (path / "rows").write_bytes(text(self.start()))

    def agrees(self) -> bool:
        """Whether store and engine are of one mind."""
        return self.seen() == closure(self.start())

    def seen(self) -> Rows:
        """The rows of the store."""
        return frozenset(b"".join(self.home.store.lines()).splitlines(keepends=True))


def _delta(before: Rows, after: Rows) -> tuple[bytes, bytes]:
    return text(closure(before) - closure(after)), text(closure(after) - closure(before))
