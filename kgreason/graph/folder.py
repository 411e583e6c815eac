"""`Folder`: a store on disk. Who may use it, what was committed last, and how far Oxigraph is.

    STORE/kgreason.json     the manifest: selection, last commit, the commit that Oxigraph has seen, statistics
    STORE/lock              held shared by readers, exclusively by a writer
    STORE/snapshot-N/       the state after commit N (`snapshot`)
    STORE/oxigraph/         what queries see

The manifest is replaced as a whole; that is the moment of a commit. Invariant: the snapshot that it names is complete
and on disk before it is named, so that a kill at any point leaves the last commit; where Oxigraph is behind, it is
filled again from the snapshot at the next opening. Cost of opening: one small file.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any, Self

import portalocker

from kgreason.errors import StoreError, StoreLockedError, StoreVersionError
from kgreason.graph.modes import SchemaMode

FORMAT = 1
_MANIFEST = "kgreason.json"
_FLAGS = {
    True: portalocker.LockFlags.EXCLUSIVE | portalocker.LockFlags.NON_BLOCKING,
    False: portalocker.LockFlags.SHARED | portalocker.LockFlags.NON_BLOCKING,
}


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a store says of itself; `stored` is the commit that Oxigraph has seen, -1 while it is being filled."""

    rules: list[str]
    schema: SchemaMode = "axioms"
    commit: int = 0
    stored: int = 0
    stats: dict[str, Any] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    format: int = FORMAT


class Folder:
    """A store's folder, locked for reading or writing until `close`."""

    def __init__(self, path: Path, *, write: bool) -> None:
        self.path = path
        if write:
            self._make()
        self._lock = self._take_lock(write)
        try:
            self.manifest = self._read_manifest()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the lock."""
        self._lock.close()

    @property
    def is_behind(self) -> bool:
        """Whether Oxigraph has not seen the last commit."""
        return self.manifest is not None and self.manifest.stored != self.manifest.commit

    @property
    def oxigraph(self) -> Path:
        """Where Oxigraph's files are."""
        return self.path / "oxigraph"

    def snapshot(self, commit: int) -> Path:
        """Where the state after a commit is."""
        return self.path / f"snapshot-{commit}"

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

    def tidy(self) -> None:
        """Remove snapshots that the manifest does not name."""
        kept = self.snapshot(self.manifest.commit if self.manifest else 0)
        for path in self.path.glob("snapshot-*"):
            if path != kept:
                shutil.rmtree(path, ignore_errors=True)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Turn what the operating system raises into one clear line."""
        try:
            yield
        except OSError as error:
            raise StoreError(f"{self.path}: the store cannot be written: {error.strerror or error}") from error

    def _make(self) -> None:
        if self.path.is_dir() and any(self.path.iterdir()) and not (self.path / "lock").exists():
            raise StoreError(f"{self.path}: not a store, but a folder of other files")
        with self.writing():
            self.path.mkdir(parents=True, exist_ok=True)
            (self.path / "lock").touch()

    def _take_lock(self, write: bool) -> IO[bytes]:
        try:
            lock = (self.path / "lock").open("r+b" if write else "rb")
        except FileNotFoundError as error:
            raise StoreError(f"{self.path}: there is no store") from error
        except OSError as error:
            raise StoreError(f"{self.path}: the store cannot be opened: {error.strerror}") from error
        try:
            portalocker.lock(lock, _FLAGS[write])
        except portalocker.LockException as error:
            lock.close()
            raise StoreLockedError(f"{self.path}: another process has the store open") from error
        return lock

    def _read_manifest(self) -> Manifest | None:
        """The manifest, or None in a store that nothing was committed to."""
        path = self.path / _MANIFEST
        if not path.exists():
            return None
        try:
            found = json.loads(path.read_text())
            version = found["format"]
            if version == FORMAT:
                return Manifest(**found)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise StoreError(f"{path}: the manifest cannot be read: {error}") from error
        raise StoreVersionError(f"{self.path}: written in store format {version}; this kgreason reads {FORMAT}")


def sync(file: IO[Any]) -> None:
    """Have a file's contents on disk."""
    file.flush()
    os.fsync(file.fileno())


def sync_folder(path: Path) -> None:
    """Have a folder's entries on disk, where the system can do that."""
    if hasattr(os, "O_DIRECTORY"):
        handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
