"""`Follower`: reads the commits of a store while another process writes to it, and says what each commit changed.

The writer has the store's lock. The follower takes no lock, and reads the same files. It takes the state from the
snapshot, and then applies each record of the journal to an engine of its own.

    manifest -> snapshot -> journal -> deltas          after a new manifest: again, from the new snapshot

A checkpoint or a load replaces snapshot and journal by a new snapshot. If the follower has read the commit of the new
snapshot already, the follower reads on in the new journal. Otherwise the follower takes over the new state, and yields
the difference to its old state as one record. A record that the writer has not completed yet comes with a later read.

Law: all records that `read` has yielded, added up, are the graph of the last of their commits. Cost: the memory of a
graph without its store. A commit costs what it changes. A new state costs decoding every term and sorting all rows.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from kgreason.errors import StoreError
from kgreason.functions.registry import Registry
from kgreason.graph.changes.delta import Delta
from kgreason.graph.changes.relations import fact_lines, signed_facts
from kgreason.graph.recovery import replay, restore
from kgreason.materialize.materializer import Materializer
from kgreason.rules.expressions import RESERVED
from kgreason.store.folder import (
    Manifest,
    is_store,
    journal_path,
    no_store_error,
    older_format_error,
    read_manifest,
    snapshot_path,
)
from kgreason.store.journal.journal import Journal
from kgreason.store.journal.record import Record
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.columns import Int32
from kgreason.zset.zset import ZSet


class _StoreContents(NamedTuple):
    """What a follower has just read of a store.

    `commit` is the commit of the snapshot, `materializer` has its state, and `records` are those of the `journal`.
    """

    commit: int
    materializer: Materializer | None
    journal: Journal
    records: list[Record]


class FollowedCommit(NamedTuple):
    """A commit that a follower has read: its record, and its rows by kind.

    `lines_by_kind` is that of `Delta`. Call it before the next commit is read.
    """

    record: Record
    lines_by_kind: Callable[[], Iterator[tuple[int, bool, bytes]]]


class Follower:
    """Reads the commits of a store that come after commit `after`.

    If `after` is None, it begins after the commit that is now the last one. If `after` is 0, its first record is the
    whole graph as of the store's snapshot. `functions` are the Python functions that the store's rules call; the
    follower calls these functions too.

    Raises StoreError if there is no store, or if its journal no longer has the commits after `after`.
    """

    def __init__(self, path: Path, after: int | None = None, functions: Iterable[Callable[..., Any]] = ()) -> None:
        self._path, self._registry = path, Registry(functions, RESERVED)
        self._materializer: Materializer | None = None
        self._journal: Journal | None = None
        self._base = self._commit = 0
        self._waiting: list[Record] = []
        if after != 0:
            seen = self._read_store()
            self._begin_at(seen, seen.journal.last if after is None else after)

    @property
    def commit(self) -> int:
        """The number of the last commit that `read` yielded; before the first `read`, the commit to begin after."""
        return self._commit

    def read(self) -> Iterator[Record]:
        """Yield a record for each commit since the last `read`. It has the rows of `Delta.removed` and `Delta.added`.

        Raises StoreError, and the errors of a commit. After an error the follower cannot be used any more.
        """
        return (each.record for each in self.commits())

    def commits(self) -> Iterator[FollowedCommit]:
        """Yield what `read` yields, and for each commit also its rows by kind. Errors are those of `read`."""
        yield from self._waiting_records()
        is_same = yield from self._apply_news()
        if not is_same:
            yield from self._resume(self._read_store())
            yield from self._waiting_records()

    def _apply_news(self) -> Generator[FollowedCommit, None, bool]:
        """Apply the new records of the journal, and yield each as `_apply` returns it.

        The generator returns whether the store still has the same snapshot. It also returns False if the journal cannot
        be read on. After False the caller must read the store again with `_read_store`.
        """
        if self._journal is None:
            return False
        try:
            for record in self._journal.new_records():
                yield self._apply(record)
        except StoreError:  # the journal was emptied, or is damaged: then `_read_store` raises the error
            return False
        return _manifest(self._path).commit == self._base

    def _read_store(self) -> _StoreContents:
        """Read the store as it is now. If a writer replaces the files meanwhile, read them again."""
        while True:
            manifest = _manifest(self._path)
            try:
                seen = self._read_contents(manifest)
            except StoreError:
                if _manifest(self._path).commit == manifest.commit:
                    raise
            else:
                if _manifest(self._path).commit == manifest.commit:
                    return seen

    def _read_contents(self, manifest: Manifest) -> _StoreContents:
        commit, materializer = manifest.commit, self._materializer
        if commit != self._commit:
            materializer = restore(manifest, snapshot_path(self._path, commit), self._registry)[0] if commit else None
        journal = Journal(journal_path(self._path), write=False, last=commit)
        return _StoreContents(commit, materializer, journal, list(journal.records(commit)))

    def _begin_at(self, seen: _StoreContents, after: int) -> None:
        if after > seen.journal.last:
            raise StoreError(f"{self._path}: there is no commit {after}; the last commit is {seen.journal.last}")
        if after < seen.commit:
            raise StoreError(
                f"{self._path}: the commits after {after} are not in the journal any more; it has those after"
                f" {seen.commit} (begin after 0 for the whole graph)"
            )
        self._take_over(seen, after)

    def _resume(self, seen: _StoreContents) -> Iterator[FollowedCommit]:
        """Go on with `seen`, which was read after the store got a new snapshot.

        If the new snapshot is of a commit that the follower has not read, take over its state, and yield the difference
        to the follower's old state as a record.
        """
        if seen.materializer is self._materializer:
            self._base, self._journal, self._waiting = seen.commit, seen.journal, seen.records
            return
        before, commit = _AllRows.of_materializer(self._materializer), self._commit
        facts = _fact_texts(self._materializer)
        self._take_over(seen, commit)
        state = _AllRows.of_materializer(self._materializer)
        removed, added = before.difference(state)
        after = _fact_texts(self._materializer)
        signed = (*((-1, text) for text in sorted(facts - after)), *((1, text) for text in sorted(after - facts)))
        if removed or added or signed or self._commit != commit:
            yield FollowedCommit(
                Record(self._commit, removed, added, facts=signed), partial(before.lines_by_kind, state)
            )

    def _take_over(self, seen: _StoreContents, after: int) -> None:
        """Replace the follower's state by the snapshot in `seen`. Then apply its records up to commit `after`.

        The records after `after` are kept for `_waiting_records`.
        """
        self._base, self._materializer, self._journal, records = seen
        self._commit = seen.commit
        self._waiting = []
        for record in records:
            if record.commit <= after:
                self._apply(record)
            else:
                self._waiting.append(record)

    def _waiting_records(self) -> Iterator[FollowedCommit]:
        """Apply the records that `_take_over` kept, and yield them as `_apply` returns them."""
        while self._waiting:
            yield self._apply(self._waiting.pop(0))

    def _apply(self, record: Record) -> FollowedCommit:
        """Apply a record to the engine. Returns a record of all changed rows, asserted and inferred."""
        materializer = self._materializer
        assert materializer is not None  # the first commit of a store is a snapshot
        delta = Delta(record.commit, replay(record, materializer), materializer.dictionary)
        materializer.accept()
        self._commit = record.commit
        declared = {rule.declares.name: rule.declares for rule in materializer.own if rule.declares}
        facts = signed_facts(delta.change.facts, materializer.dictionary, declared)
        told = replace(record, removed=delta.removed, added=delta.added, facts=facts, strategies=())
        return FollowedCommit(told, delta.lines_by_kind)


def _manifest(path: Path) -> Manifest:
    if not is_store(path):
        raise no_store_error(path)
    found = read_manifest(path) or Manifest([])
    if found.is_older:
        raise older_format_error(path, found.format)
    return found


def _fact_texts(materializer: Materializer | None) -> set[str]:
    """Return all facts of the user's relations in the state `materializer`, as rule text."""
    return (
        set(fact_lines((materializer.save(), materializer.dictionary), materializer.own, None))
        if materializer
        else set()
    )


class _AllRows(NamedTuple):
    """All rows of a store as quads of ids, int32[n, 4]: the triples of the closure, and the quads of named graphs.

    The triples of the closure have the graph 0. `inferred` is how many rows at the beginning are inferred triples.
    """

    rows: Int32
    inferred: int
    dictionary: Dictionary

    @classmethod
    def of_materializer(cls, materializer: Materializer | None) -> _AllRows:
        if materializer is None:
            return cls(np.empty((0, 4), dtype=np.int32), 0, Dictionary())
        saved, dictionary = materializer.save(), materializer.dictionary
        tables = [saved.triples(dictionary, asserted=asserted) for asserted in (False, True)]
        inferred, asserted = (rows[dictionary.are_rdf(rows)] for rows in tables)
        rows = np.pad(np.concatenate([inferred, asserted]), ((0, 0), (0, 1)))
        return cls(np.concatenate([rows, saved.named_quads(dictionary)]), len(inferred), dictionary)

    def difference(self, after: _AllRows) -> tuple[bytes, bytes]:
        """Return two texts of lines: the rows that only this state has, and the rows that only `after` has.

        The terms of `after` are interned in the dictionary of this state.
        """
        return self._difference(self.rows, self._in_own_ids(after))

    def lines_by_kind(self, after: _AllRows) -> Iterator[tuple[int, bool, bytes]]:
        """Yield the difference to `after` by kind, as `Delta.lines_by_kind` does."""
        rows = self._in_own_ids(after)
        kinds = {
            False: self._difference(self.rows[: self.inferred], rows[: after.inferred]),
            True: self._difference(self.rows[self.inferred :], rows[after.inferred :]),
        }
        yield from ((-1, asserted, gone) for asserted, (gone, _) in kinds.items())
        yield from ((1, asserted, come) for asserted, (_, come) in kinds.items())

    def _in_own_ids(self, after: _AllRows) -> Int32:
        """Return the rows of `after` with the ids of this state."""
        terms = after.dictionary.decode(np.arange(len(after.dictionary) + 1))
        ids = np.append(np.int32(0), self.dictionary.intern(terms[1:]))
        translated: Int32 = ids[after.rows]
        return translated

    def _difference(self, before: Int32, after: Int32) -> tuple[bytes, bytes]:
        change = (ZSet.of(after) - ZSet.of(before)).consolidate()
        gone, come = (change.columns[change.weights == sign] for sign in (-1, 1))
        return self.dictionary.lines(*gone.T), self.dictionary.lines(*come.T)
