"""The commits of a store, done again: the state of a snapshot, and what each record of the journal asked for.

Law: the snapshot's state and the edits of the records after it give the state of the last commit, whoever replays them
(docs/architecture.md, What a kill leaves): facts, stamps and supports, and who represents whom. For a record says how
its commit was evaluated, and has all terms that the commit brought; ids may differ, and nothing depends on them.

Cost: reading a snapshot evaluates nothing, unless it is of an older format; an edit costs its own lines.
"""

from __future__ import annotations

import logging
from pathlib import Path

from kgreason.engine.engine import Strategy
from kgreason.graph.input.quads import of_canonical
from kgreason.graph.user_rules import after
from kgreason.materialize.edit import Change, Edit
from kgreason.materialize.materializer import Materializer
from kgreason.materialize.selection import Selection, reselect, select
from kgreason.store import snapshot
from kgreason.store.folder import FORMAT, Manifest
from kgreason.store.journal.record import Record

_LOGGER = logging.getLogger("kgreason")


def restored(manifest: Manifest, path: Path | None) -> Materializer:
    """The state in a snapshot, or the empty one under the manifest's rules without it. Raises StoreError.

    Cost: a snapshot of an older format is evaluated from what it asserts.
    """
    if path is None:
        return Materializer(select(manifest.rules, manifest.schema, manifest.same_as, manifest.aliases))
    own = snapshot.read_own(path)
    selection = reselect(manifest.rules, own, manifest.schema, manifest.same_as, manifest.aliases)
    if manifest.is_older:
        _LOGGER.warning(
            "%s: the store has format %d, which is older than %d: what is asserted in it is evaluated anew",
            path.parent,
            manifest.format,
            FORMAT,
        )
        return _anew(selection, path)
    live = Materializer(selection, snapshot.read_dictionary(path))
    live.restore(snapshot.read_state(path))
    return live


def _anew(selection: Selection, path: Path) -> Materializer:
    """What a snapshot of an older format asserts, evaluated anew: rules, ids and files may have changed since."""
    live = Materializer(selection)
    live.change(Edit(added=snapshot.read_asserted(path, live.dictionary)), strategy="bootstrap")
    live.accept()
    return live


def replayed(record: Record, live: Materializer, strategy: Strategy = "auto") -> Change:
    """Do a commit again, as it was evaluated then: its steps have the strategies that the record names.

    Where it names none (an older version wrote it), it is evaluated by `strategy`. `accept` must follow.
    """
    return live.change(edit_of(record, live), strategy=record.strategies or strategy)


def edit_of(record: Record, live: Materializer) -> Edit:
    """What a record asked for; terms are interned, blank nodes keep their labels."""
    removed, added = (of_canonical(lines, live.dictionary) for lines in (record.removed, record.added))
    if not record.rules:
        return Edit(removed, added)
    return Edit(removed, added, after(live.own, record))
