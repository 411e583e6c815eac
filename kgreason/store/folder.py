"""`Folder`: the folder of a store on disk: its lock, its manifest, and the places of its files.

    STORE/kgreason.json     the manifest: options, snapshot, the commit that Oxigraph has on disk, statistics
    STORE/lock              held by the writer; readers take no lock
    STORE/snapshot-N/       the state after commit N (`snapshot`)
    STORE/journal           the commits after N (`journal`)
    STORE/history/          what every commit changed, if the history is kept (`history.log`)
    STORE/oxigraph-M.K/     the rows that queries read, written by the load that was commit M (`oxigraph` in old stores)

The manifest names the snapshot, and is always replaced as a whole. Invariants: the snapshot that the manifest names is
complete and on disk. Snapshot and journal together give the last commit, even after a kill at any moment. If Oxigraph
is behind, the next opening for writing brings it up to date.

Readers in other processes use the same files. The writer never changes a file except the journal, which grows. So
readers can go on reading the files that they have open. If an Oxigraph store has many tables, a reader makes links of
its own in STORE/reader-PID.N/ (`links`). If the writer removes a folder before a reader has opened it, the manifest
names another folder by then, and the reader looks again (`has_moved`). Cost of opening: one small file, and the part of
the journal since Oxigraph was flushed.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import IO, Any, Literal, Self

from kgreason.errors import StoreError, StoreLockedError, StoreVersionError
from kgreason.files import store_error, sync, sync_folder
from kgreason.interrupts import let_out
from kgreason.options import (
    ALIASES,
    SPELLINGS,
    HistoryMode,
    OnContradiction,
    OnViolation,
    SameAsMode,
    SchemaMode,
)
from kgreason.store.history.log import history_path
from kgreason.store.journal.journal import Journal
from kgreason.store.oxigraph.links import folders_of_dead_readers

FORMAT = 9
"""The number of the format in which stores are written.

Increase it if the new code would misread an existing snapshot. This happens with a change of the files of a store, of
the vocabulary (snapshots hold its ids), or of the rules that are made from a schema or from an expression (snapshots
hold their facts). In format 5, rules lacked facts if an expression and a call of a Python function waited for each
other. Up to format 6, snapshots did not count spare derivations. Up to format 7, lists of axioms gave other rules.
Up to format 8, every axiom of a large ontology gave rules.
"""
WITH_FACTS = 5
"""Snapshots of this format and newer ones may have asserted facts of relations."""
OLDEST = 3
"""Opening for writing brings stores of this format and newer ones to the present format."""
MANIFEST = "kgreason.json"
_PAUSE = 0.05
"""Seconds between two attempts to take the lock."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """The options of a store, and up to which commits its files go.

    - `rules`, `schema`, `same_as`, `aliases`, `on_contradiction`, `on_violation`: the options that the store was made
      with.
    - `commit`: the commit of the snapshot, 0 if there is none.
    - `stored`: the last commit that Oxigraph has on disk (-1 if an older version was stopped while it filled Oxigraph).
    - `journal`: the number of bytes of the journal up to the commit `stored`.
    - `oxigraph`: the name of the folder with Oxigraph's files.
    - `stats`, `warnings`: the statistics and the warnings of the graph after the commit `stored`.
    - `streams`: the headers of the last commit of each stream, up to the commit `stored`.
    - `prefixes`: the prefixes of loaded files, from prefix to namespace, up to the commit `stored`.
    - `format`: the format of the snapshot.
    - `history`: which commits the history keeps (`history.log`).
    - `functions`: the signatures of the Python functions that rules call after the commit `stored`, by name.
    - `small_tags`: True if no literal has had a capital letter in its language tag, up to the commit `stored`.
    - `spellings`: "one" if users see one spelling of a value under OWL 2 RL. In older stores they see "all".
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
    prefixes: dict[str, str] = field(default_factory=dict)
    format: int = FORMAT
    on_contradiction: OnContradiction = "keep"
    on_violation: OnViolation = "report"
    functions: dict[str, str] = field(default_factory=dict)
    history: HistoryMode = "none"
    spellings: Literal["one", "all"] = "all"
    small_tags: bool = False

    @property
    def effective_rules(self) -> list[str]:
        """The names of the rules, with the group eq-spellings for a store in which users see all spellings."""
        if self.spellings == "one":
            return self.rules
        return [f"{name}+{SPELLINGS}" if name.split("+")[0] == "owl2rl" else name for name in self.rules]

    @property
    def is_older(self) -> bool:
        """Whether the snapshot has an older format, so that only its asserted quads and rules can be used."""
        return bool(self.commit) and self.format < FORMAT


class Folder:
    """The folder of a store. A writer has the lock until `close`. A reader sees the folder as of one moment.

    `wait` is how many seconds a writer waits for another writer; None waits without a limit. Raises StoreLockedError,
    StoreVersionError, StoreError.
    """

    def __init__(self, path: Path, *, write: bool, wait: float | None = 0) -> None:
        self.path = path
        self._maker, self._was_there = 0, path.exists()
        self._lock: IO[bytes] | None = None
        if write:
            self._make_folder()
            self._lock = self._take_lock(math.inf if wait is None else time.monotonic() + wait)
        elif not is_store(path):
            raise no_store_error(path)
        self.path = path.absolute()
        try:
            self.manifest, self.journal = self._open() if write else self._open_at_one_moment()
        except BaseException:
            if self._lock is not None:
                self._lock.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self, *, is_failed: bool = False) -> None:
        """Close the journal and release the lock.

        With `is_failed` the store is removed as well, if this process made the store and it has no commit.
        """
        if self._lock is None:
            self.journal.close()
        elif not self._lock.closed:
            self.journal.close()
            if is_failed and self._is_needless(self._lock):
                self._remove()
            self._lock.close()

    def _is_needless(self, lock: IO[bytes]) -> bool:
        """Whether the store can be removed: this process made it, and it has no commit."""
        if self._maker != os.getpid() or self.journal.last or not self._has_lock(lock):
            return False
        manifest = read_manifest(self.path)
        return manifest is None or not manifest.commit

    def _remove(self) -> None:
        """Remove the files of a store without a commit; the lock is removed last. The folders above the store stay."""
        with suppress(OSError):  # another program's file is in the folder, or a file may not be removed
            for path in (*self._folders(), history_path(self.path)):
                shutil.rmtree(path, ignore_errors=True)
            for name in (MANIFEST, f"{MANIFEST}.new", "journal", "lock"):
                (self.path / name).unlink(missing_ok=True)
            if not self._was_there:
                self.path.rmdir()

    @property
    def is_behind(self) -> bool:
        """Whether Oxigraph may lack the last commit."""
        return self.manifest is not None and self.manifest.stored != self.journal.last

    @property
    def is_older(self) -> bool:
        """Whether the store has an older format. A writer must then bring the store to the present format."""
        return self.manifest is not None and self.manifest.is_older

    def read_on(self) -> None:
        """Bring `self.journal` up to the last record in its file. A writer may have appended records meanwhile.

        Raises StoreError if a writer has replaced the snapshot or Oxigraph's folder.
        """
        for _ in self.journal.new_records():
            pass
        if self.has_moved():
            raise StoreError(f"{self.path}: a writer keeps replacing the store's files; try again")

    def oxigraph_path(self, manifest: Manifest) -> Path:
        """Return the path of the folder with Oxigraph's files that `manifest` names."""
        return self.path / manifest.oxigraph

    def snapshot_path(self, commit: int) -> Path:
        """Return the path of the snapshot after a commit."""
        return snapshot_path(self.path, commit)

    def write_manifest(self, manifest: Manifest) -> None:
        """Replace the manifest; when this returns, the new manifest is on disk."""
        new = self.path / f"{MANIFEST}.new"
        with self.writing_errors():
            with new.open("w") as file:
                json.dump(asdict(manifest), file, indent=1)
                sync(file)
            new.replace(self.path / MANIFEST)
            sync_folder(self.path)
        self.manifest = manifest

    def tidy(self, stage: str = "") -> None:
        """Remove the snapshots and Oxigraph folders that are not used any more. The folder with the name `stage` stays.

        A folder is used if the manifest of this object or the manifest on disk names it. These two differ after a
        failed `write_manifest`. Folders of readers whose process has ended are removed as well.
        """
        known = [each for each in (self.manifest, read_manifest(self.path)) if each]
        kept = {self.snapshot_path(each.commit) for each in known} | {self.oxigraph_path(each) for each in known}
        for path in self._folders():
            if path not in kept and path.name != stage:
                shutil.rmtree(path, ignore_errors=True)
        for path in folders_of_dead_readers(self.path):
            shutil.rmtree(path, ignore_errors=True)

    def _folders(self) -> Iterator[Path]:
        for kind in ("snapshot-", "oxigraph"):
            yield from self.path.glob(f"{kind}*")

    @contextmanager
    def writing_errors(self) -> Iterator[None]:
        """Within the block, an OSError becomes a StoreError with one clear line."""
        try:
            yield
        except OSError as error:
            raise store_error(f"{self.path}: the store cannot be written", error) from error

    def _make_folder(self) -> None:
        if self.path.is_file():
            raise no_store_error(self.path)
        if self.path.is_dir() and any(self.path.iterdir()) and not is_store(self.path):
            raise StoreError(f"{self.path}: not a store, but a folder with other files")
        with self.writing_errors():
            self._maker = 0 if is_store(self.path) else os.getpid()
            self.path.mkdir(parents=True, exist_ok=True)
            (self.path / "lock").touch()

    def _take_lock(self, until: float) -> IO[bytes]:
        while True:
            try:
                return self._try_lock()
            except StoreLockedError:
                if time.monotonic() >= until:
                    raise
                let_out()
                time.sleep(_PAUSE)

    def _try_lock(self) -> IO[bytes]:
        try:
            lock = (self.path / "lock").open("r+b")
        except FileNotFoundError as error:
            raise no_store_error(self.path) from error
        except OSError as error:
            raise StoreError(f"{self.path}: the store cannot be opened: {error.strerror}") from error
        try:
            _lock(lock)
        except OSError as error:
            lock.close()
            raise StoreLockedError(
                f"{self.path}: another process, or another graph of this process, has the store open for writing; close"
                " it there, or pass wait=SECONDS to wait longer"
            ) from error
        if not self._has_lock(lock):
            lock.close()
            raise StoreError(f"{self.path}: the store was removed just now")
        return lock

    def _has_lock(self, lock: IO[bytes]) -> bool:
        """Whether the file `lock`, which this process has locked, is still the lock of this folder.

        The result is False if somebody has removed the folder and made it again.
        """
        try:
            return os.path.samestat(os.fstat(lock.fileno()), (self.path / "lock").stat())
        except OSError:
            return False

    def _open(self) -> tuple[Manifest | None, Journal]:
        """Open the manifest and the journal for a writer.

        A kill during a checkpoint may leave a journal whose commits are all in the snapshot. Such a journal is emptied.
        """
        manifest = read_manifest(self.path)
        if manifest is None and any(self.path.glob("snapshot-*")):  # the manifest is always written first
            raise self._no_manifest_error()
        known = manifest or Manifest([])
        journal = self._journal(known, write=True)
        if journal.size and journal.last == known.commit:
            journal.reset(known.commit)
        return manifest, journal

    def _open_at_one_moment(self) -> tuple[Manifest | None, Journal]:
        """Open the manifest and the journal for a reader, so that both are of the same moment.

        If a writer replaces one of them meanwhile, both are opened again.
        """
        while True:
            manifest = read_manifest(self.path)
            try:
                if manifest is None and any(self.path.glob("snapshot-*")):
                    raise self._no_manifest_error()
                journal = self._journal(manifest or Manifest([]), write=False)
            except StoreError:
                if read_manifest(self.path) == manifest:
                    raise
            else:
                if read_manifest(self.path) == manifest:
                    return manifest, journal
                journal.close()

    def _no_manifest_error(self) -> StoreError:
        return StoreError(f"{self.path / MANIFEST}: the file is missing, and the store cannot be read without it")

    def _journal(self, known: Manifest, *, write: bool) -> Journal:
        last = known.stored if known.journal else known.commit
        return Journal(journal_path(self.path), write=write, size=known.journal, last=last)

    def has_moved(self) -> bool:
        """Whether a writer has replaced the snapshot or Oxigraph's folder since this object read the manifest.

        Raises StoreError.
        """
        now, seen = (each or Manifest([]) for each in (read_manifest(self.path), self.manifest))
        return (now.commit, now.oxigraph) != (seen.commit, seen.oxigraph)


def older_format_error(path: Path, version: int, reason: Exception | None = None) -> StoreVersionError:
    """Make the error for a reader of a store that has the older format `version`.

    A reader cannot convert the store; only a writer can. `reason` is why an attempt to convert it has failed.
    """
    because = f" ({reason})" if reason else ""
    return StoreVersionError(
        f"{path}: written in store format {version}, which is older than {FORMAT}:"
        f" open the store for writing once to bring it to the present format{because}"
    )


def no_store_error(path: Path) -> StoreError:
    """Return the error for a path at which there is no store."""
    if path.is_file():
        return StoreError(f"{path}: is a file, and a store is a folder; to load the file, call load({str(path)!r})")
    if path.is_dir() and any(path.iterdir()):
        return StoreError(f"{path}: there is no store here; the folder has other files")
    return StoreError(f"{path}: there is no store here; to make one: KnowledgeGraph.open({str(path)!r})")


def is_store(path: Path) -> bool:
    """Whether there is a store at a path, with or without a commit."""
    return (path / "lock").is_file()


def snapshot_path(path: Path, commit: int) -> Path:
    """Return the path of the snapshot after the commit `commit` in the store at `path`."""
    return path / f"snapshot-{commit}"


def journal_path(path: Path) -> Path:
    """Return the path of a store's journal."""
    return path / "journal"


def read_manifest(path: Path) -> Manifest | None:
    """Return the manifest of a store, or None if the file is missing. The format may be an older one.

    Raises StoreError, and StoreVersionError for a format that this version does not know.
    """
    file = path / MANIFEST
    if not file.exists():
        return None
    try:
        found = json.loads(file.read_text())
        version = int(found["format"])
        unknown = sorted(found.keys() - {each.name for each in fields(Manifest)})
        if OLDEST <= version <= FORMAT and not unknown:
            return Manifest(**found)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StoreError(f"{file}: the manifest cannot be read: {error}") from error
    if OLDEST <= version <= FORMAT:
        raise StoreVersionError(f"{file}: a newer version wrote the manifest, which has {', '.join(unknown)}: use it")
    which = "a newer version" if version > FORMAT else "the version that wrote it"
    raise StoreVersionError(
        f"{path}: written in store format {version}; this kgreason reads formats {OLDEST} to {FORMAT}: use {which}"
    )


def _lock(file: IO[bytes]) -> None:
    """Lock an open file for this process, without waiting. Raises OSError if another process or graph has locked it."""
    if sys.platform != "win32":
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    else:
        import portalocker

        try:
            portalocker.lock(file, portalocker.LockFlags.EXCLUSIVE | portalocker.LockFlags.NON_BLOCKING)
        except portalocker.LockException as error:
            raise OSError(str(error)) from error
