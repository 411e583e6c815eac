"""`copy_store`: a copy of a store on disk, made while others read the store and one process may write to it.

    manifest -> Oxigraph -> snapshot -> journal -> history -> is the manifest still about the same files?

The order makes the copy right: its Oxigraph has at least the commits up to the one that the manifest names, its journal
has at least the commits that its Oxigraph has, and its history has at least the commits that its journal has. The store
of a killed writer is in the same condition. In both cases, the next opening for writing brings Oxigraph and the history
to the last commit of the journal. If the writer replaces the snapshot meanwhile, the copy begins again.

Files that never change become hard links if the file system has hard links. Cost: a copy of each file that grows; if
the copy is on another file system, a copy of every file. The writer does not wait.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from kgreason.errors import StoreError
from kgreason.files import store_error, sync, sync_folder
from kgreason.store.folder import MANIFEST, Folder, journal_path
from kgreason.store.history.log import history_path
from kgreason.store.oxigraph.links import link_or_copy, try_fill

_ATTEMPTS = 20


def copy_store(path: Path, copy: Path) -> None:
    """Copy the store at `path` to `copy`, which does not exist yet or is an empty folder.

    Afterwards the caller should open the copy for writing once. This brings its Oxigraph and its history to the last
    commit of its journal. Raises StoreError. An error or Ctrl-C leaves no part of a copy.
    """
    check_free(copy)
    new = copy.with_name(f".{copy.name}.{os.getpid()}.new")
    try:
        copy.parent.mkdir(parents=True, exist_ok=True)
        for attempts in range(_ATTEMPTS, 0, -1):
            shutil.rmtree(new, ignore_errors=True)
            if _try_copy(path, new):
                break
            if attempts == 1:
                raise StoreError(f"{path}: a writer keeps replacing the store's files; try again")
        new.replace(copy)
        sync_folder(copy.parent)
    except OSError as error:
        raise store_error(f"{copy}: the copy cannot be written", error) from error
    finally:
        shutil.rmtree(new, ignore_errors=True)


def check_free(path: Path) -> None:
    """Raise StoreError if there is something at a path, except for an empty folder."""
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise StoreError(f"{path}: there is something at this path already; give a new path for the copy")


def _try_copy(path: Path, new: Path) -> bool:
    """Copy the files of a store to the new folder `new`. Returns whether the copy can be used.

    It cannot be used if a writer has replaced files meanwhile.
    """
    new.mkdir()
    with Folder(path, write=False) as folder:
        try:
            if not _copy(folder, new) or folder.has_moved():
                return False
        except FileNotFoundError:
            if folder.has_moved():
                return False
            raise
    return True


def _copy(folder: Folder, new: Path) -> bool:
    manifest = folder.manifest
    if manifest is not None:
        if folder.oxigraph_path(manifest).exists() and not try_fill(
            new / manifest.oxigraph, folder.oxigraph_path(manifest)
        ):
            return False
        if manifest.commit:
            snapshot = folder.snapshot_path(manifest.commit)
            shutil.copytree(snapshot, new / snapshot.name, copy_function=_copy_function(link_or_copy))
    for place in (journal_path, history_path):
        source, target = place(folder.path), place(new)
        if source.is_dir():
            shutil.copytree(source, target)
        elif source.exists():
            shutil.copyfile(source, target)
    (new / "lock").touch()
    if manifest is not None:
        (new / MANIFEST).write_text(json.dumps(asdict(manifest), indent=1))
    sync_all(new)
    return True


def _copy_function(copy: Callable[[Path, Path], None]) -> Callable[[str, str], object]:
    return lambda source, target: copy(Path(source), Path(target))


def sync_all(folder: Path) -> None:
    """Wait until all files below a folder are on the disk."""
    for path in folder.rglob("*"):
        if path.is_dir():
            sync_folder(path)
        else:
            with path.open("rb") as file:
                sync(file)
    sync_folder(folder)
