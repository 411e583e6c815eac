"""`open_home`: the home of a graph in a store, or in memory, as the options of `KnowledgeGraph.open` say.

Cost: reading the manifest. If readers cannot use the store as it is, it is opened for writing once.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from os import fspath
from pathlib import Path
from shutil import rmtree
from typing import Any, NamedTuple

from kgreason.errors import StoreError, StoreLockedError
from kgreason.functions.registry import HOW_TO_PASS
from kgreason.graph.opening.options import (
    DEFAULT_RULES,
    MADE_WITH,
    EngineOptions,
    File,
    check_options_unchanged,
    manifest_of,
    with_absolute_files,
)
from kgreason.options import HistoryMode
from kgreason.rules.model import Rule
from kgreason.rules.program import Finder
from kgreason.store.folder import Folder, Manifest, older_format_error, read_manifest
from kgreason.store.history.log import history_path
from kgreason.store.homes.disk import Disk
from kgreason.store.homes.home import Home
from kgreason.store.homes.memory import Memory
from kgreason.store.homes.reader import Reader

_LOGGER = logging.getLogger("kgreason")


class OpenHome(NamedTuple):
    """A home that is open. `lacking` has a line for each Python function that its rules call and that is missing."""

    home: Home
    lacking: list[str]


def open_home(
    path: File | None,
    wanted: dict[str, Any],
    options: EngineOptions,
    write_once: Callable[[], object],
    *,
    read_only: bool,
    wait: float | None,
) -> OpenHome:
    """Open a store, make one, or make a graph in memory.

    `wanted` are the options that a store keeps and that were given. `write_once` opens the store for writing and closes
    it, which brings it up to date for readers. Raises the errors of `KnowledgeGraph.open`.
    """
    manifest = manifest_of(None if path is None else read_manifest(Path(path)), wanted)
    if manifest.rules != [*DEFAULT_RULES] and not (manifest.commit or read_only):
        _check_rules(manifest, options)
    if path is None:
        return OpenHome(Memory(manifest, is_late=options.late), [])
    wanted |= {"rules": with_absolute_files(wanted["rules"])} if "rules" in wanted else {}
    folder = Folder(Path(path), write=not read_only, wait=wait)
    if read_only and (folder.is_behind or folder.is_older):
        folder.close()
        _update_for_readers(Path(path), folder.manifest, write_once)
        folder = Folder(Path(path), write=False)
    try:
        lacking = options.registry.problems(_function_signatures(folder))
        if lacking and not read_only:
            folder = _folder_to_read(folder, lacking)
        if folder.manifest is not None and folder.manifest.commit:
            made = {name: getattr(folder.manifest, name) for name in MADE_WITH}
            check_options_unchanged(folder.path, made, {name: wanted.get(name) for name in MADE_WITH})
        manifest = manifest_of(folder.manifest, wanted)
        if read_only or lacking:
            return OpenHome(Reader(folder, manifest, _read_only_warning(path, lacking)), lacking)
        if "history" in wanted:
            _set_history(folder, wanted["history"])
        return OpenHome(Disk(folder, manifest_of(folder.manifest, wanted)), lacking)
    except BaseException:
        folder.close(is_failed=True)
        raise


def check_rule_files_not_removed(
    path: Path, asked: Sequence[str], own_rules: Callable[[], tuple[Rule, ...]], find: Finder | None
) -> None:
    """Raise StoreError if the rules of a rule file in `asked` were removed from the store.

    `asked` is the option `rules`; its rule sets are not checked. `path` names the store in the message. `own_rules`
    returns the user's rules, and `find` finds imported documents.

    Cost: parsing the user's rules, if there is a rule file.
    """
    from kgreason.graph.user_rules import files_of, has_rules_of_file, how_to_add

    if not (files := files_of(asked)):
        return
    own = own_rules()
    if gone := [file for file in files if not has_rules_of_file(file, own, find)]:
        raise StoreError(
            f"{path}: the rules of {' and '.join(gone)} were removed from the store; leave rules= out{how_to_add(gone)}"
        )


def _update_for_readers(path: Path, manifest: Manifest | None, write_once: Callable[[], object]) -> None:
    """Bring a store up to date for readers, by `write_once`. `manifest` is the store's manifest, None if none."""
    try:
        write_once()
    except (StoreError, OSError) as error:
        if manifest is not None and manifest.is_older:
            raise older_format_error(path, manifest.format, error) from error
        if not isinstance(error, StoreLockedError):  # a writer has the lock, and has brought the store up to date
            raise


def _set_history(folder: Folder, history: HistoryMode) -> None:
    """Store the option `history` in a store that has commits already.

    If the store had no history, its history begins with the next commit. Raises StoreError if the store keeps its
    history already and `history` is "none".
    """
    made = folder.manifest
    if made is None or not made.commit or made.history == history:
        return
    if history == "none":
        raise StoreError(f"{folder.path}: the store keeps its history; leave history= out")
    if made.history == "none":
        rmtree(history_path(folder.path), ignore_errors=True)  # left by a store that was not made in the end
    folder.write_manifest(replace(made, history=history))


def _folder_to_read(folder: Folder, lacking: Sequence[str]) -> Folder:
    """Open for reading a folder that was opened for writing, because Python functions that its rules call are missing.

    `lacking` has a text for messages for each function that is missing or has other types than before. Raises
    StoreError if the store is not up to date, because only a writer can bring it up to date.
    """
    folder.close()
    _LOGGER.warning("%s", _read_only_warning(folder.path, lacking))
    if folder.is_behind or folder.is_older:
        raise StoreError(
            f"{fspath(folder.path)}: {' and '.join(lacking)}, so the store cannot be opened: it was not closed properly"
            f" or has an older format, and kgreason calls the functions to bring it up to date; {HOW_TO_PASS}"
        )
    return Folder(folder.path, write=False)


def _function_signatures(folder: Folder) -> Mapping[str, str]:
    """Return the signatures of the Python functions that rules of a store call, by the name of the function."""
    if folder.manifest is None or not folder.is_behind:
        return folder.manifest.functions if folder.manifest else {}
    from kgreason.graph.user_rules import function_signatures

    return folder.manifest.functions | function_signatures(folder.journal.records(folder.manifest.commit))


def _read_only_warning(path: File, lacking: Sequence[str]) -> str:
    """Make the warning that a store is open for reading only because of `lacking`; the empty text if that is empty."""
    if not lacking:
        return ""
    return f"{fspath(path)}: {' and '.join(lacking)}, so the store is open for reading only: {HOW_TO_PASS}"


def _check_rules(wanted: Manifest, options: EngineOptions) -> None:
    """Raise RuleError or InputError if the rules of a new store cannot be used. Call this before the first commit.

    `wanted` is the manifest, which names the rules. `options` have the Python functions that rules may call.
    """
    from kgreason.materialize.selection import select

    find = options.registry.find, options.find
    select(wanted.effective_rules, wanted.schema, wanted.same_as, wanted.aliases, *find)
