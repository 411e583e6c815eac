"""`link_own_files`: links to the files of an Oxigraph store, so that a reader still has files that a writer removes.

RocksDB opens 16 tables when it opens a store. It opens every other table by its path, when a query needs the table. A
writer that compacts the store, or replaces it, removes tables. Then a query of a reader would fail or never end. So the
reader of a store with more than 16 tables has a folder of its own:

    *.sst                            hard links: a table never changes
    CURRENT, MANIFEST-*, *.log ...   copies: these files grow

Law: the folder holds the store at one moment. If RocksDB changes its list of tables meanwhile, the folder is made
again. The folder is beside the folder of the Oxigraph store and is called `reader-PID.N`. By the PID a writer knows
whether the reader's process has ended. Cost: a link for each table, and a copy of RocksDB's log of at most some 64 MB;
nothing for a store of few tables.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path

_OPENED_AT_ONCE = 16
_ATTEMPTS = 20
_NUMBERS = count(1)
_PREFIX = "reader-"


def link_own_files(path: Path) -> Path | None:
    """Make a folder for one reader, with links to the files of the Oxigraph store at `path`, or copies of them.

    Returns the folder, which the caller must remove. Returns None if the reader shall use `path` itself: if the store
    has at most 16 tables of RocksDB, if `path` is such a folder already, or if no folder can be made beside the store.
    Raises FileNotFoundError if the store is gone.
    """
    if path.name.startswith(_PREFIX):
        return None
    for _ in range(_ATTEMPTS):
        if len(list(path.glob("*.sst"))) <= _OPENED_AT_ONCE:
            return None
        folder = path.parent / f"{_PREFIX}{os.getpid()}.{next(_NUMBERS)}"
        try:
            if try_fill(folder, path, os.link):
                return folder
        except OSError:  # nobody may write here, or the file system has no hard links
            shutil.rmtree(folder, ignore_errors=True)
            return None
        shutil.rmtree(folder, ignore_errors=True)
    return None


def link_or_copy(source: Path, target: Path) -> None:
    """Make `target` a hard link to the file `source`, or else a copy of this file.

    A link is not possible if the file system has no hard links, or if `target` is on another file system.
    """
    try:
        os.link(source, target)
    except FileNotFoundError:
        raise
    except OSError:
        shutil.copyfile(source, target)


def try_fill(folder: Path, path: Path, link: Callable[[Path, Path], None] = link_or_copy) -> bool:
    """Fill a new folder with the files of the store at `path`. Returns whether all files are of the same moment.

    `link(source, target)` makes a link, or a copy, of a file with a table.
    """
    before = _table_list(path)
    try:
        folder.mkdir()
        _fill(folder, path, link)
    except FileNotFoundError:  # a writer has removed a table
        return False
    return _table_list(path) == before


def copy(path: Path, folder: Path) -> None:
    """Make a new folder with the files of the store at `path`, by hard links where possible.

    Raises OSError; then there is no new folder.
    """
    for _ in range(_ATTEMPTS):
        try:
            if try_fill(folder, path):
                return
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        shutil.rmtree(folder, ignore_errors=True)
    raise OSError(f"{path}: the files of the store keep changing")


def unshared_bytes(path: Path) -> int:
    """Return how many bytes of the store at `path` a copy does not share: all files but the tables.

    Files that another thread removes meanwhile, or the whole store, do not count.
    """
    found = 0
    with suppress(FileNotFoundError):
        for file in path.iterdir():
            with suppress(FileNotFoundError):
                found += file.stat().st_size if file.suffix != ".sst" and file.is_file() else 0
    return found


def folders_of_dead_readers(store: Path) -> list[Path]:
    """Return the folders of `link_own_files` in the folder `store` that belong to readers whose process has ended.

    `store` is the folder in which the folder of the Oxigraph store is.
    """
    return [path for path in store.glob(f"{_PREFIX}*.*") if not _is_alive(path.name[len(_PREFIX) :].partition(".")[0])]


def _table_list(path: Path) -> tuple[str, int]:
    """Return the name and the size of the file that has RocksDB's list of tables.

    If the list changes, the name or the size changes.
    """
    name = (path / "CURRENT").read_text().strip()
    return name, (path / name).stat().st_size


def _fill(folder: Path, path: Path, link: Callable[[Path, Path], None]) -> None:
    for file in path.iterdir():
        if file.suffix == ".sst":
            link(file, folder / file.name)
        elif file.name != "LOCK" and file.is_file():
            shutil.copyfile(file, folder / file.name)


def _is_alive(pid: str) -> bool:
    if os.name == "nt":  # there the call would end the process
        return True
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except (OSError, ValueError):
        return True
    return True
