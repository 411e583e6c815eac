"""`Folder`: a store on disk. Who may use it, what was committed last, and how far Oxigraph is.

    STORE/kgreason.json     the manifest: selection, snapshot, the commit that Oxigraph has for good, statistics
    STORE/lock              held by the writer; readers take no lock
    STORE/snapshot-N/       the state after commit N (`snapshot`)
    STORE/journal           the commits after N (`journal`)
    STORE/oxigraph-M/       what queries see, since the load that was commit M (`oxigraph` in older stores)

The manifest is replaced as a whole, and names the snapshot. Invariants: the snapshot that it names is complete and on
disk before it is named; snapshot and journal together are the last commit, whatever was killed when; where Oxigraph is
behind that, it is brought up to it at the next opening.

Readers of other processes read beside the writer. What they have opened they can go on reading, as the writer never
changes a file but the journal, which grows; where it removes a folder before a reader has opened it, the manifest names
another one by then, and the reader looks again (`has_moved`). Cost of opening: one small file, and what the journal has
got since Oxigraph was flushed.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any, Self

import portalocker

from kgreason.errors import StoreError, StoreLockedError, StoreVersionError
from kgreason.files import sync, sync_folder
from kgreason.materialize.options import ALIASES, SameAsMode, SchemaMode
from kgreason.store.journal.journal import Journal

FORMAT = 4
"""The format that stores are written in.

It has to grow whenever a present snapshot would be read otherwise than it was meant: when the files of a store change,
the vocabulary (whose ids are in snapshots), or the rules that follow from a schema (whose facts are in snapshots).
"""
OLDEST = 3
"""A store of an older format, from this one on, is brought forward when it is opened for writing."""
_MANIFEST = "kgreason.json"
_LOCK = portalocker.LockFlags.EXCLUSIVE | portalocker.LockFlags.NON_BLOCKING
_PAUSE = 0.05
"""Seconds between two attempts to take the lock."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a store says of itself.

    `commit` is that of the snapshot, `stored` the last one that Oxigraph has for good (-1 while an older version was
    filling it), `journal` the bytes of the journal up to that one, `oxigraph` the folder of Oxigraph's files, `format`
    that of the snapshot. `stats`, `warnings` and `streams` are of the last commit if `stored` is; `streams` are the
    headers of the last commit of each stream.
    """

    rules: list[str]
    schema: SchemaMode = "axioms"
    same_as: SameAsMode = "aliases"
    aliases: int = ALIASES
    commit: int = 0
    stored: int = 0
    journal: int = 0
    oxigraph: str = "oxigraph"
    stats: dict[str, Any] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    streams: dict[str, dict[str, str]] = field(default_factory=dict)
    format: int = FORMAT

    @property
    def is_older(self) -> bool:
        """Whether an older version wrote the snapshot, so that only what is asserted can be taken from it."""
        return bool(self.commit) and self.format < FORMAT


class Folder:
    """A store's folder: locked until `close` for the one who writes, as of one moment for those who read.

    `wait` is how many seconds a writer waits for another one. Raises StoreLockedError, StoreVersionError, StoreError.
    """

    def __init__(self, path: Path, *, write: bool, wait: float | None = 0) -> None:
        self.path = path
        self._maker, self._was_there = 0, path.exists()
        self._lock: IO[bytes] | None = None
        if write:
            self._make()
            self._lock = self._take_lock(math.inf if wait is None else time.monotonic() + wait)
        elif not is_store(path):
            raise no_store(path)
        self.path = path.absolute()
        try:
            self.manifest, self.journal = self._opened() if write else self._seen()
        except BaseException:
            if self._lock is not None:
                self._lock.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self, *, is_failed: bool = False) -> None:
        """Let go of the journal and of the lock.

        Where what it was opened for has failed, a store that this process made, and that has no commit, goes.
        """
        if self._lock is None:
            self.journal.close()
        elif not self._lock.closed:
            self.journal.close()
            if is_failed and self._is_needless(self._lock):
                self._remove()
            self._lock.close()

    def _is_needless(self, lock: IO[bytes]) -> bool:
        """Whether this process made the store, and nobody has committed to it."""
        if self._maker != os.getpid() or self.journal.last or not self._has_lock(lock):
            return False
        manifest = read_manifest(self.path)
        return manifest is None or not manifest.commit

    def _remove(self) -> None:
        """Remove what a store without a commit has, the lock last; the folders above it stay."""
        with suppress(OSError):  # a file that somebody else put there, or may not be removed
            for path in self._made():
                shutil.rmtree(path, ignore_errors=True)
            for name in (_MANIFEST, f"{_MANIFEST}.new", "journal", "lock"):
                (self.path / name).unlink(missing_ok=True)
            if not self._was_there:
                self.path.rmdir()

    @property
    def is_behind(self) -> bool:
        """Whether Oxigraph may lack the last commit."""
        return self.manifest is not None and self.manifest.stored != self.journal.last

    @property
    def is_older(self) -> bool:
        """Whether the store is of an older format, which has to be brought forward."""
        return self.manifest is not None and self.manifest.is_older

    def look_on(self) -> None:
        """Have a reader see the commits that came behind those it knows. Raises StoreError where it has moved."""
        for _ in self.journal.news():
            pass
        if self.has_moved():
            raise StoreError(f"{self.path}: a writer replaces the store's files all the time")

    def oxigraph(self, manifest: Manifest) -> Path:
        """Where Oxigraph's files are, as a manifest says."""
        return self.path / manifest.oxigraph

    def snapshot(self, commit: int) -> Path:
        """Where the state after a commit is."""
        return snapshot_path(self.path, commit)

    def put(self, manifest: Manifest) -> None:
        """Replace the manifest, for good once this returns."""
        new = self.path / f"{_MANIFEST}.new"
        with self.writing():
            with new.open("w") as file:
                json.dump(asdict(manifest), file, indent=1)
                sync(file)
            new.replace(self.path / _MANIFEST)
            sync_folder(self.path)
        self.manifest = manifest

    def tidy(self, stage: str = "") -> None:
        """Remove the folders, but `stage`, that neither this manifest names nor that on disk.

        The two differ where replacing the manifest ended in an error.
        """
        known = [each for each in (self.manifest, read_manifest(self.path)) if each]
        kept = {self.snapshot(each.commit) for each in known} | {self.oxigraph(each) for each in known}
        for path in self._made():
            if path not in kept and path.name != stage:
                shutil.rmtree(path, ignore_errors=True)

    def _made(self) -> Iterator[Path]:
        """The folders of snapshots and of Oxigraph."""
        for kind in ("snapshot-", "oxigraph"):
            yield from self.path.glob(f"{kind}*")

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Turn what the operating system raises into one clear line."""
        try:
            yield
        except OSError as error:
            raise StoreError(f"{self.path}: the store cannot be written: {error.strerror or error}") from error

    def _make(self) -> None:
        if self.path.is_file():
            raise no_store(self.path)
        if self.path.is_dir() and any(self.path.iterdir()) and not is_store(self.path):
            raise StoreError(f"{self.path}: not a store, but a folder of other files")
        with self.writing():
            self._maker = 0 if is_store(self.path) else os.getpid()
            self.path.mkdir(parents=True, exist_ok=True)
            (self.path / "lock").touch()

    def _take_lock(self, until: float) -> IO[bytes]:
        while True:
            try:
                return self._lock_taken()
            except StoreLockedError:
                if time.monotonic() >= until:
                    raise
                time.sleep(_PAUSE)

    def _lock_taken(self) -> IO[bytes]:
        try:
            lock = (self.path / "lock").open("r+b")
        except FileNotFoundError as error:
            raise StoreError(f"{self.path}: there is no store") from error
        except OSError as error:
            raise StoreError(f"{self.path}: the store cannot be opened: {error.strerror}") from error
        try:
            portalocker.lock(lock, _LOCK)
        except portalocker.LockException as error:
            lock.close()
            raise StoreLockedError(
                f"{self.path}: another process, or another graph of this one, writes to the store; wait for it with"
                " --wait SECONDS (in Python: wait=)"
            ) from error
        if not self._has_lock(lock):
            lock.close()
            raise StoreError(f"{self.path}: the store was removed just now")
        return lock

    def _has_lock(self, lock: IO[bytes]) -> bool:
        """Whether a lock is that of this folder, which may have been removed, and made anew, meanwhile."""
        try:
            return os.path.samestat(os.fstat(lock.fileno()), (self.path / "lock").stat())
        except OSError:
            return False

    def _opened(self) -> tuple[Manifest | None, Journal]:
        """Manifest and journal for a writer. A kill may have left a journal of before the checkpoint: it is emptied."""
        manifest = read_manifest(self.path)
        if manifest is None and any(self.path.glob("snapshot-*")):  # a manifest comes before all else
            raise StoreError(f"{self.path / _MANIFEST}: is missing, without which the store cannot be read")
        known = manifest or Manifest([])
        journal = self._journal(known, write=True)
        if journal.size and journal.last == known.commit:
            journal.reset(known.commit)
        return manifest, journal

    def _seen(self) -> tuple[Manifest | None, Journal]:
        """What a reader finds: manifest and journal of one moment, though a writer may replace them."""
        while True:
            manifest = read_manifest(self.path)
            try:
                if manifest is None and any(self.path.glob("snapshot-*")):
                    raise StoreError(f"{self.path / _MANIFEST}: is missing, without which the store cannot be read")
                journal = self._journal(manifest or Manifest([]), write=False)
            except StoreError:
                if read_manifest(self.path) == manifest:
                    raise
            else:
                if read_manifest(self.path) == manifest:
                    return manifest, journal
                journal.close()

    def _journal(self, known: Manifest, *, write: bool) -> Journal:
        last = known.stored if known.journal else known.commit
        return Journal(journal_path(self.path), write=write, size=known.journal, last=last)

    def has_moved(self) -> bool:
        """Whether the writer has put other folders in the place of those that the manifest names. Raises StoreError."""
        now, seen = (each or Manifest([]) for each in (read_manifest(self.path), self.manifest))
        return (now.commit, now.oxigraph) != (seen.commit, seen.oxigraph)


def older(path: Path, version: int, reason: Exception | None = None) -> StoreVersionError:
    """What is raised where a store of an older format is to be read, and cannot be brought forward."""
    because = f" ({reason})" if reason else ""
    return StoreVersionError(
        f"{path}: written in store format {version}, which is older than {FORMAT}:"
        f" open the store for writing once, which brings it forward{because}"
    )


def no_store(path: Path) -> StoreError:
    """The error for a path where there is no store."""
    if path.is_file():
        return StoreError(f"{path}: is a file, and a store is a folder; a file to load is named after -f")
    return StoreError(f"{path}: there is no store")


def is_store(path: Path) -> bool:
    """Whether there is a store at a path, be it one that nothing was committed to."""
    return (path / "lock").is_file()


def snapshot_path(path: Path, commit: int) -> Path:
    """Where a store has the state after a commit."""
    return path / f"snapshot-{commit}"


def journal_path(path: Path) -> Path:
    """Where a store has the commits since its snapshot."""
    return path / "journal"


def read_manifest(path: Path) -> Manifest | None:
    """The manifest of a store, or None where nothing was committed to it; it may be of an older format.

    Raises StoreError, StoreVersionError.
    """
    file = path / _MANIFEST
    if not file.exists():
        return None
    try:
        found = json.loads(file.read_text())
        version = int(found["format"])
        if OLDEST <= version <= FORMAT:
            return Manifest(**found)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StoreError(f"{file}: the manifest cannot be read: {error}") from error
    which = "a newer version" if version > FORMAT else "the version that wrote it"
    raise StoreVersionError(
        f"{path}: written in store format {version}; this kgreason reads formats {OLDEST} to {FORMAT}: use {which}"
    )
