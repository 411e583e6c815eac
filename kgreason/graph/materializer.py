"""`Materializer`: files in, the closure out. The in-process pipeline without a store.

    files -> id columns -> schema triples -> closed schema -> rules -> engine -> rows that appeared and disappeared

Invariants: the facts are the least model of the program over the asserted triples of all graphs; the program is that of
the closed schema (`program`). `load` is atomic: on any error the dictionary, the facts and the rules are as before.

Cost: a first load is one Bootstrap; a later one is an Update, or a Bootstrap where the new schema takes rules away.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from os import PathLike
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kgreason.engine.encode import encode
from kgreason.engine.engine import Changes, Check, Engine
from kgreason.engine.layout import Int32
from kgreason.engine.planner import EncodedRule
from kgreason.graph.facts import SAME_AS, decoded, exceeds, is_schema, links
from kgreason.graph.program import Program, build
from kgreason.graph.progress import SILENT, Progress
from kgreason.graph.quads import Quads
from kgreason.graph.selection import Selection
from kgreason.graph.snapshot import Saved
from kgreason.graph.stratum import SchemaStratum
from kgreason.rdf.generalised import is_rdf
from kgreason.rdf.reader import read
from kgreason.rules.model import Rule
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.zset import ZSet

File = str | PathLike[str]
_NO_ROWS = np.empty((0, 3), dtype=np.int32)


class Rulebook(NamedTuple):
    """The program in force, and what it was built from beside the selection."""

    program: Program
    closure: Int32
    same_as: bool
    exceeded: bool


class Materializer:
    """Asserted triples under a selection of rules, kept closed."""

    def __init__(self, selection: Selection, dictionary: Dictionary | None = None) -> None:
        self.selection = selection
        self.dictionary = Dictionary() if dictionary is None else dictionary
        self.engine = Engine(quiet=SAME_AS)
        self.triples = self.engine.table(True, 3)
        self.quads = Quads()
        self.rulebook = Rulebook(Program({}, ()), _NO_ROWS, same_as=False, exceeded=False)
        self._stratum: SchemaStratum | None = None

    def load(self, paths: Sequence[File], *, syntax: str | None = None, progress: Progress = SILENT) -> list[Changes]:
        """Read files and assert what they hold; what changed.

        Raises what `rdf.read` raises; then, and on Ctrl-C, nothing has changed.
        """
        known = len(self.dictionary)
        try:
            return self.add(self.read(paths, syntax=syntax, progress=progress), progress=progress)
        except BaseException:
            self.dictionary.truncate(known)
            raise

    def read(self, paths: Sequence[File], *, syntax: str | None = None, progress: Progress = SILENT) -> Int32:
        """The quads of files, int32[n, 4]; their terms are interned. Graph 0 is the default graph."""
        parts = [np.empty((0, 4), dtype=np.int32)]
        with progress("reading") as report:
            for path in paths:
                for batch in read(path, self.dictionary, syntax=syntax):
                    parts.append(np.stack(batch, axis=1))
                    report(len(batch.subjects))
        return np.concatenate(parts)

    def add(self, quads: Int32, *, progress: Progress = SILENT) -> list[Changes]:
        """Assert quads int32[n, 4]; what changed, in the order in which it did."""
        rows = np.ascontiguousarray(quads[:, :3])
        merged = self.quads.with_more(quads, self._asserted)
        before = self.rulebook
        with progress("reasoning") as report:
            try:
                changes = self._commit(rows, lambda: report(0))
            except BaseException:
                self.rulebook, self._stratum = before, None  # the stratum is built again when it is needed
                raise
        self.quads = merged
        return changes

    def _commit(self, rows: Int32, check: Check) -> list[Changes]:
        """Assert rows under the program that they ask for; again while what was derived asks for more rules."""
        before, fresh = self.rulebook, self._fresh(rows)
        schema = rows[is_schema(rows)]
        changed = bool(len(schema)) or not before.program.reasons
        closure = self._close(schema, check) if changed else before.closure
        linked = links(rows, closure) or (changed and not before.same_as and links(self.save().triples(), closure))
        book = self._rulebook(closure, linked, False, changed)
        changes = [self._apply(rows, book, check)]
        try:
            while (more := self._after(changes[-1].appeared)) is not None:
                changes.append(self._apply(_NO_ROWS, more, check))
        except BaseException:
            kept = (ZSet.of(self._asserted()) - ZSet.of(fresh).distinct()).positive().columns
            self.engine.bootstrap({self.triples: kept}, self._encoded(before.program.reasons))
            raise
        return changes

    def _asserted(self) -> Int32:
        """The asserted triples: int32[n, 3]."""
        return self.save().triples(asserted=True)

    def _fresh(self, rows: Int32) -> Int32:
        """Those of rows int32[n, 3] that are not asserted yet."""
        facts = self.engine.circuit.facts
        found = facts.find(rows)
        return rows[(found < 0) | ~facts.is_asserted(found)]

    def _after(self, appeared: Int32) -> Rulebook | None:
        """The rulebook that facts which appeared ask for, or None: the one in force will do."""
        book = self.rulebook
        same_as = book.same_as or links(appeared[:, :3], book.closure)
        exceeded = book.exceeded or (self.selection.schema == "axioms" and exceeds(appeared[:, :3], book.closure))
        if (same_as, exceeded) == (book.same_as, book.exceeded):
            return None
        return self._rulebook(book.closure, same_as, exceeded, True)

    def _close(self, schema: Int32, check: Check) -> Int32:
        """The closure of the asserted schema and these triples: int32[n, 3]."""
        if self._stratum is None:
            self._stratum = SchemaStratum(self.dictionary, self.selection.generic.closing)
            asserted = self._asserted()
            schema = np.concatenate([asserted[is_schema(asserted)], schema])
        self._stratum.add(schema, check)
        return self._stratum.closure()

    def _rulebook(self, closure: Int32, same_as: bool, exceeded: bool, changed: bool) -> Rulebook:
        """The rulebook for a closed schema; what the data once called for stays."""
        before = self.rulebook
        same_as, exceeded = same_as or before.same_as, exceeded or before.exceeded
        if not changed and same_as == before.same_as:
            return before
        program = build(self.selection, decoded(self.dictionary, closure), same_as=same_as, exceeded=exceeded)
        return Rulebook(program, closure, same_as, exceeded)

    def _apply(self, rows: Int32, book: Rulebook, check: Check) -> Changes:
        """Assert rows and move to a rulebook, by Update, or by Bootstrap where rules go or there is nothing yet."""
        old, new = self.rulebook.program.reasons, book.program.reasons
        added = [rule for rule in new if rule not in old]
        if len(self.engine) and all(rule in new for rule in old):
            changes = self.engine.assert_facts({self.triples: rows}, self._encoded(added), check)
        else:
            together = np.concatenate([self._asserted(), rows])
            changes = self.engine.bootstrap({self.triples: together}, self._encoded(new), check)
        self.rulebook = book
        return changes

    def _encoded(self, rules: Iterable[Rule]) -> list[EncodedRule]:
        return [encode(rule, self.engine.planner, self.dictionary.intern) for rule in rules]

    def net(self, changes: Iterable[Changes]) -> tuple[Int32, Int32]:
        """The RDF triples that disappeared and appeared over several changes: int32[n, 3] each."""
        total = ZSet.empty(3)
        for change in changes:
            total = total + ZSet.of(self._rdf(change.appeared, change.appeared_tables))
            total = total - ZSet.of(self._rdf(change.disappeared, change.disappeared_tables))
        total = total.consolidate()
        return total.negative().columns, total.positive().columns

    def holds(self, rows: Int32) -> NDArray[np.bool_]:
        """Whether each of rows int32[n, 3] is a present triple: bool[n]."""
        found: NDArray[np.bool_] = self.engine.circuit.facts.find(rows) >= 0
        return found

    def _rdf(self, changed: Int32, tables: Int32) -> Int32:
        rows = np.ascontiguousarray(changed[tables == self.triples, :3])
        return rows[is_rdf(self.dictionary, *rows.T)]

    def save(self) -> Saved:
        """The state, for `restore`."""
        facts = self.engine.circuit.facts
        planner = self.engine.planner
        records = facts.records(facts.present())
        book = self.rulebook
        return Saved(records, planner.tables(), self.quads.columns, book.same_as, book.exceeded)

    def restore(self, saved: Saved) -> None:
        """Take over a saved state; the schema is closed and translated again, no data is evaluated."""
        self._stratum = None
        for is_triple, width in saved.tables:
            self.engine.table(is_triple, width)
        self.engine.restore(saved.records, [])
        self.quads = Quads(saved.quads)
        self.rulebook = self.rulebook._replace(same_as=saved.same_as, exceeded=saved.exceeded)
        closure = self._close(_NO_ROWS, lambda: None)
        self.rulebook = self._rulebook(closure, saved.same_as, saved.exceeded, True)
        self.engine.restore(saved.records, self._encoded(self.rulebook.program.reasons))
