"""Converts between deltas and entries of the history: `entry_of` makes an entry, `delta_of` makes one delta of entries.

Law: the delta of the entries from m + 1 to n is the state after n minus the state after m. If a fact changes several
times, the first change tells its kind before, and the last change its kind after. If both are the same, the fact is
left out.

Cost: linear in the lines of the entries.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from kgreason.engine.program.encoding import relation_text
from kgreason.graph.changes.delta import Delta
from kgreason.graph.changes.relations import texts_by_kind
from kgreason.graph.input.quads import quads_of_canonical_lines
from kgreason.interrupts import let_out
from kgreason.materialize.edit import NO_KINDS, Change, KindChanges, Work
from kgreason.rules.model import Relation
from kgreason.store.history.entry import Count, Entry, Head
from kgreason.store.journal.facts import read_fact
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.columns import ABSENT, INFERRED, IS_ASSERTED, Int32
from kgreason.zset.order import group_rows
from kgreason.zset.zset import ZSet

_KINDS = (ABSENT, INFERRED, IS_ASSERTED)
_TURNS = [(before, after) for before in _KINDS for after in _KINDS if before != after]


def entry_of(delta: Delta, headers: Mapping[str, str]) -> Entry:
    """Make the entry of the history for a commit from the commit's delta and headers."""
    sections: dict[str, bytes] = {}
    counts: dict[tuple[int, int], int] = {}
    for before, after in _TURNS:
        rows = delta.rows_of_kinds(before=(before,), after=(after,))
        counts[before, after] = len(rows)
        if len(rows):
            sections[f"triples {before} {after}"] = delta.lines([rows])[0]
        if len(delta.change.facts.rows) and (
            texts := texts_by_kind(delta.change.facts, delta.dictionary, before, after)
        ):
            sections[f"facts {before} {after}"] = "".join(f"{text}\n" for text in texts).encode()
    quads = {"removed": delta.removed_quads, "added": delta.added_quads}
    sections |= {name: delta.lines([rows])[0] for name, rows in quads.items() if len(rows)}
    head = Head(
        delta.commit,
        delta.time,
        Count(counts[ABSENT, IS_ASSERTED], counts[ABSENT, INFERRED]),
        Count(counts[IS_ASSERTED, ABSENT], counts[INFERRED, ABSENT]),
        delta.rules,
        len(delta.change.facts.rows),
        (len(delta.added_quads), len(delta.removed_quads)),
        headers,
        delta.work._asdict(),
        delta.author,
    )
    return Entry(head, sections)


def delta_of(entries: Iterable[Entry], commit: int, declared: Mapping[str, Relation], *, back: bool = False) -> Delta:
    """Add up the changes of successive entries. With `back` the delta leads from the last state back to the first.

    `commit` becomes the number of the delta, and `declared` its declarations of relations. The delta has a dictionary
    of its own. If it has the changes of one commit, it also has this commit's time and author.
    """
    sum_ = _Sum()
    for entry in entries:
        let_out()
        sum_.add(entry)
    return sum_.delta(commit, declared, back=back)


class _Sum:
    """Adds up entries of successive commits."""

    def __init__(self) -> None:
        self._dictionary = Dictionary()
        self._triples: list[tuple[Int32, int, int]] = []
        self._facts: list[tuple[Int32, int, int]] = []
        self._quads: list[tuple[Int32, int]] = []
        self._rules: dict[str, int] = {}
        self._heads: list[Head] = []

    def add(self, entry: Entry) -> None:
        """Add the next entry to the sum."""
        for name, lines in entry.sections.items():
            kind, *turn = name.split()
            if kind == "triples":
                rows = np.ascontiguousarray(quads_of_canonical_lines(lines, self._dictionary)[:, :3])
                self._triples.append((rows, int(turn[0]), int(turn[1])))
            elif kind == "facts":
                self._facts.append((self._fact_rows(lines.decode()), int(turn[0]), int(turn[1])))
            else:
                self._quads.append((quads_of_canonical_lines(lines, self._dictionary), 1 if kind == "added" else -1))
        for sign, text in entry.head.rules:
            self._rules[text] = self._rules.get(text, 0) + sign
        self._heads.append(entry.head)

    def _fact_rows(self, lines: str) -> Int32:
        """Read facts of relations, one on each line. Returns rows of ids, int32[n, w].

        A row has the id of the relation's name with its arity, and then the ids of the terms. A row with fewer terms
        than others ends in zeros.
        """
        facts = [read_fact(line) for line in lines.split("\n")[:-1]]
        rows = np.zeros((len(facts), 1 + max(len(terms) for _, terms in facts)), dtype=np.int32)
        for row, (name, terms) in zip(rows, facts, strict=True):
            row[: 1 + len(terms)] = self._dictionary.intern([relation_text(name, len(terms)), *terms])
        return rows

    def delta(self, commit: int, declared: Mapping[str, Relation], *, back: bool) -> Delta:
        """Return the sum of all entries as a delta. `commit` becomes its number, and `declared` its declarations.

        With `back` the delta leads from the last state back to the first.
        """
        rows, before, after = _net_kinds(self._triples, 3)
        facts = _net_kinds(self._facts, max((part.shape[1] for part, _, _ in self._facts), default=1))
        removed, added = self._net_quads()
        rules = tuple((sign, text) for wanted in (-1, 1) for text, sign in self._rules.items() if sign == wanted)
        if back:
            before, after, removed, added = after, before, added, removed
            facts, rules = (
                KindChanges(facts.rows, facts.after, facts.before),
                tuple((-sign, text) for sign, text in rules),
            )
        kinds = facts if len(facts.rows) else NO_KINDS
        change = Change(rows, before, after, removed, added, 0, self._total_work(), facts=kinds)
        signed = {each: getattr(self._heads[0], each) for each in ("time", "author")} if len(self._heads) == 1 else {}
        return Delta(commit, change, self._dictionary, declared=declared, rules=rules, **({} if back else signed))

    def _net_quads(self) -> tuple[Int32, Int32]:
        net = ZSet.empty(4)
        for rows, sign in self._quads:
            net = net + ZSet.of(rows, sign)
        net = net.consolidate()
        return net.columns[net.weights < 0], net.columns[net.weights > 0]

    def _total_work(self) -> Work:
        """Return the `Work` of the last commit, with the counts of all commits added up."""
        works = [Work(**head.work) for head in self._heads if head.work]
        if not works:
            return Work("update", switched=False, rewrites=0)
        sums = {
            name: sum(getattr(work, name) for work in works) for name in ("rewrites", "rules_added", "rules_removed")
        }
        return works[-1]._replace(**sums)


def _net_kinds(parts: list[tuple[Int32, int, int]], width: int) -> KindChanges:
    """Merge changes of rows: return each row with its kind before its first change and its kind after its last change.

    `parts` are changes in order, each as (rows, kind before, kind after): all rows of a part changed in the same way.
    `width` is the number of columns of the result. Narrower rows end in zeros. Rows with the same kind before and after
    are left out.
    """
    rows = np.zeros((sum(len(part) for part, _, _ in parts), width), dtype=np.int32)
    before, after = (np.empty(len(rows), dtype=np.int8) for _ in range(2))
    end = 0
    for part, old, new in parts:
        start, end = end, end + len(part)
        rows[start:end, : part.shape[1]] = part
        before[start:end], after[start:end] = old, new
    groups = group_rows(rows)
    first, last = groups.firsts(), groups.lasts()
    kept: NDArray[np.bool_] = before[first] != after[last]
    return KindChanges(np.ascontiguousarray(rows[first[kept]]), before[first[kept]], after[last[kept]])
