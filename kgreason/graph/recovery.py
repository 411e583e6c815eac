"""Recovery: reads the state of a snapshot, and applies the commits of the journal to it.

Law: the state of the snapshot and the edits of the records after it give the state of the last commit: the same facts,
stamps, supports and representatives, in every process (docs/architecture/store.md, What a kill leaves). This holds
because a record says how its commit was evaluated, and has all terms that the commit added. The ids of terms may
differ, and nothing depends on them.

Cost: reading a snapshot evaluates nothing, unless the snapshot has an older format. A record costs what its commit did.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from pathlib import Path
from typing import TypeAlias

import numpy as np

from kgreason.engine.changes import Strategy
from kgreason.functions.registry import Registry
from kgreason.graph.input.quads import quads_of_canonical_lines
from kgreason.graph.user_rules import rules_after
from kgreason.materialize.edit import NO_FACTS, Change, Edit, Facts
from kgreason.materialize.materializer import Materializer
from kgreason.materialize.relations.changes import edit_of as facts_of
from kgreason.materialize.selection import Selection, reselect, select
from kgreason.materialize.state import SavedState
from kgreason.options import NO_LIMITS
from kgreason.rules.program import Finder
from kgreason.store import snapshot
from kgreason.store.folder import FORMAT, WITH_FACTS, Manifest
from kgreason.store.journal.facts import read_fact
from kgreason.store.journal.record import Record
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.columns import Int32

_LOGGER = logging.getLogger("kgreason")
_Rows: TypeAlias = defaultdict[tuple[str, int], list[tuple[str, ...]]]


def restore(
    manifest: Manifest,
    path: Path | None,
    registry: Registry | None = None,
    find: Finder | None = None,
    threads: int | None = None,
) -> tuple[Materializer, SavedState | None]:
    """Return a materializer with the state of the snapshot at `path`, or an empty one if `path` is None.

    The second value is the state that was read. It is None if `path` is None, or if the closure is computed again.

    `manifest` has the options of the store. `registry` has the Python functions that rules may call. `find` finds the
    documents that rule files import; rule files are read only if `path` is None. `threads`: how many threads may
    compute; see `kgreason.threads`. Raises StoreError.

    Cost: for a snapshot of an older format the closure of its asserted facts is computed again.
    """
    if path is None:
        selection = select(manifest.effective_rules, manifest.schema, manifest.same_as, manifest.aliases, None, find)
        return Materializer(selection, registry=registry, threads=threads), None
    own = snapshot.read_own_rules(path)
    selection = reselect(manifest.effective_rules, own, manifest.schema, manifest.same_as, manifest.aliases)
    if manifest.is_older:
        if _LOGGER.hasHandlers():
            _LOGGER.warning(
                "%s: the store has format %d, which is older than %d: computing the closure again from the asserted"
                " facts",
                path.parent,
                manifest.format,
                FORMAT,
            )
        return _rebuild_closure(selection, path, registry, threads, has_facts=manifest.format >= WITH_FACTS), None
    materializer = Materializer(selection, snapshot.read_dictionary(path), registry=registry, threads=threads)
    saved = snapshot.read_state(path, is_written=True)
    materializer.restore(saved)
    return materializer, saved


def _rebuild_closure(
    selection: Selection, path: Path, registry: Registry | None, threads: int | None, *, has_facts: bool
) -> Materializer:
    """Compute the closure of the asserted facts in a snapshot of an older format.

    The closure in the snapshot is not used, because the older version may have computed another one. `has_facts` says
    whether the snapshot may have asserted facts of relations.
    """
    materializer = Materializer(selection, registry=registry, threads=threads)
    quads = snapshot.read_asserted(path, materializer.dictionary)
    asserted = snapshot.read_facts(path, materializer.dictionary) if has_facts else {}
    facts = facts_of({}, asserted, materializer.dictionary)
    materializer.change(Edit(added=quads, facts=facts), strategy="bootstrap", limits=NO_LIMITS)
    materializer.accept()
    return materializer


def replay(record: Record, materializer: Materializer, strategy: Strategy = "auto") -> Change:
    """Evaluate the commit of a record again, by the strategies that the record names. The returned change is pending.

    A record of an older version may name no strategy; then `strategy` decides.
    """
    return materializer.change(edit_of(record, materializer), strategy=record.strategies or strategy, limits=NO_LIMITS)


def edit_of(record: Record, materializer: Materializer) -> Edit:
    """Return the edit of a record. This interns the terms of the edit; blank nodes keep their labels."""
    removed, added = (
        quads_of_canonical_lines(lines, materializer.dictionary) for lines in (record.removed, record.added)
    )
    own = rules_after(materializer.own, record) if record.rules else None
    facts = _facts(record, materializer.dictionary) if record.facts else NO_FACTS
    return Edit(removed, added, own, facts=facts)


def _facts(record: Record, dictionary: Dictionary) -> Facts:
    """Return the facts of relations that a record adds and removes, as rows of ids. Their terms are interned."""
    parts: tuple[_Rows, _Rows] = defaultdict(list), defaultdict(list)
    for sign, text in record.facts:
        name, terms = read_fact(text)
        parts[sign > 0][name, len(terms)].append(terms)
    removed, added = ({relation: _ids(terms, dictionary) for relation, terms in part.items()} for part in parts)
    return facts_of(removed, added, dictionary)


def _ids(rows: list[tuple[str, ...]], dictionary: Dictionary) -> Int32:
    texts = [text for row in rows for text in row]
    return np.array(dictionary.intern(texts) if texts else (), dtype=np.int32).reshape(len(rows), -1 if texts else 0)
