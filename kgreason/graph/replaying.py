"""The commits of a store, done again: the state of a snapshot, and what each record of the journal asked for.

Law: the snapshot's state and the edits of the records after it give the state of the last commit, whoever replays them
(DESIGN.md 5). Cost: reading a snapshot evaluates nothing; an edit costs its own lines.
"""

from __future__ import annotations

from pathlib import Path

from kgreason.graph import snapshot
from kgreason.graph.folder import Manifest
from kgreason.graph.materializer import Edit, Materializer
from kgreason.graph.own import after
from kgreason.graph.selection import reselect, select
from kgreason.graph.terms import of_canonical
from kgreason.store.record import Record


def restored(manifest: Manifest, path: Path | None) -> Materializer:
    """The state in a snapshot, or the empty one under the manifest's rules without it. Raises StoreError."""
    if path is None:
        return Materializer(select(manifest.rules, manifest.schema, manifest.same_as, manifest.aliases))
    own = snapshot.read_own(path)
    selection = reselect(manifest.rules, own, manifest.schema, manifest.same_as, manifest.aliases)
    live = Materializer(selection, snapshot.read_dictionary(path))
    live.restore(snapshot.read_state(path))
    return live


def edit_of(record: Record, live: Materializer) -> Edit:
    """What a record asked for; terms are interned, blank nodes keep their labels."""
    removed, added = (of_canonical(lines, live.dictionary) for lines in (record.removed, record.added))
    if not record.rules:
        return Edit(removed, added)
    return Edit(removed, added, after(live.own, record))
