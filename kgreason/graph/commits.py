"""`Committer`: makes the commits of a graph: it brings a change from the engine (`Running`) to the graph's home.

    change (pending) -> history -> journal -> Oxigraph -> accept

Invariant: engine and journal hold the same commits. If an error comes before the home has made the commit, the change
is rolled back; then neither journal nor Oxigraph has it. Otherwise the change is accepted. The first load,
and a delta that is too large for one transaction of Oxigraph, become a snapshot and a bulk load instead.

Cost: a commit costs what it changes. Opening reads the snapshot and replays the commits of the journal after it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import replace
from functools import partial
from itertools import filterfalse, repeat
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from kgreason.errors import ContradictionError, DiskFullError, KgreasonError, StoreError, ViolationError
from kgreason.graph.changes.delta import Delta
from kgreason.graph.changes.log import CommitLog, is_heard
from kgreason.graph.changes.relations import asserted_facts
from kgreason.graph.consistency import Consistency
from kgreason.graph.history.deltas import entry_of
from kgreason.graph.opening.options import EngineOptions
from kgreason.graph.recovery import replay
from kgreason.graph.shapes.refusal import ALLOWED, results_that_refuse
from kgreason.graph.state.running import Running
from kgreason.graph.user_rules import journal_text
from kgreason.interrupts import finish, let_out, result
from kgreason.materialize.edit import Change, Edit
from kgreason.materialize.schema.rows import has_header
from kgreason.progress import SILENT, Progress, cancellable
from kgreason.rules.expressions import function_names
from kgreason.rules.model import Relation, Rule, Triple
from kgreason.spans import peak_bytes, span, span_seconds
from kgreason.store.folder import Manifest
from kgreason.store.homes.disk import Disk
from kgreason.store.homes.home import Home, RowDelta, Writable
from kgreason.store.journal.record import Record, Signed, now
from kgreason.store.oxigraph.store import OxigraphStore
from kgreason.store.rows import SMALL, line_chunks, without_shared_rows, write_rows
from kgreason.terms.prefixes import prefixes_to_remember
from kgreason.zset.columns import ABSENT, INFERRED, IS_ASSERTED, Int32

if TYPE_CHECKING:
    from kgreason.proofs.contradiction import Contradiction
    from kgreason.proofs.reasons import Reason

_FILE = attrgetter("file")
_LOGGER = logging.getLogger("kgreason")
Result = TypeVar("Result")


class Committer:
    """Makes the commits of the graph at `home`. The rows of replayed commits after `since` are kept in `replayed`."""

    def __init__(self, home: Home, options: EngineOptions, since: int) -> None:
        self._home = home
        self.strategy, self.budget, self._limits = options.strategy, options.budget, options.limits
        """How each commit is evaluated."""
        self.author = ""
        """Who makes the commits, unless a transaction names its own author."""
        self.state = Running(home, options)
        """The graph as its readers see it."""
        self.materializer = self.state.materializer
        self.check: Callable[[Delta], object] | None = None
        """A function that is called with each commit before the commit is kept. Its error rolls the commit back."""
        self.unheard: list[Delta] = []
        """The commits that subscribers have not heard of."""
        self.replayed: list[RowDelta] = []
        """The rows of the commits after `since` that were replayed."""
        self._log = CommitLog()
        self._refuses = home.manifest.on_contradiction == "refuse"
        self._consistency = Consistency(self.materializer)
        self._allows = ALLOWED[home.manifest.on_violation]
        self._declared: tuple[tuple[Rule, ...], dict[str, Relation]] = (), {}
        """The rules for which `_delta` last read the declarations of relations, and these declarations."""
        for record in home.records_since_snapshot():
            self._replay(record, since)
        self.state.begin(home)

    def _replay(self, record: Record, since: int) -> None:
        let_out()
        change = replay(record, self.materializer, self.strategy)
        if has_header(change.added_quads) or has_header(change.removed_quads):
            self.state.imports.forget()
        delta = Delta(record.commit, change, self.materializer.dictionary)
        if record.commit > since:
            self.replayed.append(RowDelta(record.commit, *delta.lines(*self._oxigraph_rows(delta))))
        self.materializer.accept()
        self.state.note_commit(delta, record.headers, record.prefixes)

    def commit(
        self,
        edit: Edit,
        known: int,
        progress: Progress = SILENT,
        *,
        home: Writable,
        headers: Mapping[str, str],
        author: str = "",
    ) -> Delta:
        """Make an edit the next commit of `home`, and return its delta.

        If the edit changes nothing and has no headers, there is no commit: the delta is empty and its `commit` is 0.
        `known` is the size of the dictionary before the terms of the edit were interned; after an error the dictionary
        gets this size again. `headers` are stored with the commit. The header `stream` names a stream, and `streams`
        keeps the headers of the last commit of each stream. The time and the `author` are stored as well.

        Raises LimitError, StoreError, ValueError for an invalid name of a header, ContradictionError if the graph
        refuses contradictions, and ViolationError if it refuses validation results. After an error or Ctrl-C nothing
        has changed, unless the journal had the commit already.
        """
        if is_heard():
            self._log.begin(self.state.warnings)
        number, own, before, delta = home.last + 1, self.materializer.own, self.state.noted, None
        try:
            if self._refuses:
                self._consistency.contradictions() if number > 1 else self._consistency.note_empty()
            change = self._evaluate(edit, progress, is_first=number == 1)
            if self._refuses and (raised := self._consistency.raised_reader(change.refuted)()):
                raise ContradictionError(raised)
            delta = self._delta(number, change, edit.own)
            if delta or edit.own is not None or headers:
                rules = () if edit.own is None else self._rule_changes(own, edit.own)
                delta = replace(delta, rules=rules, time=now(), author=author or self.author)
                if self._allows is not None and (results := results_that_refuse(delta, self._allows)):
                    raise ViolationError(results)
                if self.check is not None:
                    self.check(delta)
                prefixes = prefixes_to_remember(before.prefixes, edit.prefixes) if edit.prefixes else {}
                self.state.note_commit(delta, headers, prefixes)
                if prefixes:
                    delta = replace(delta, prefixes=self.state.noted.prefixes)
                if home.history is not None:
                    with span("journal"):
                        home.history.append(entry_of(delta, headers))
                self._write_commit(home, delta, headers, prefixes, progress)
            return delta if home.last == number else replace(delta, commit=0)
        finally:
            try:
                home.drop_stage()
            finally:
                if delta is not None and home.last == number:
                    self._accept(delta)
                    self.state.noted.stats.update(seconds_by_part=span_seconds(), peak_bytes=peak_bytes())
                else:
                    self.state.noted = before
                    self.state.withdraw(known)
                    finish(lambda: home.refill(self))

    def try_out(self, edit: Edit, known: int, progress: Progress = SILENT, *, reasons: int = 0) -> Delta:
        """Return the delta that an edit would have as a commit, with the new and ended contradictions. Nothing changes.

        `known` is the size of the dictionary before the terms of the edit were interned. The delta has reasons for at
        most `reasons` inferred triples that appear, and for at most `reasons` inferred triples that disappear.
        """
        if self._refuses:
            self._consistency.contradictions()
        try:
            change = self._evaluate(edit, progress)
            let_out()
            delta = self._delta(0, change, edit.own).with_own_dictionary()
            let_out()
            raised, ended = (
                self._consistency.raised_reader(change.refuted),
                self._consistency.ended_reader(change.refuted),
            )
            why = self._reasons(delta.inferred(appeared=True, most=reasons)) if reasons else {}
        finally:
            self.state.withdraw(known)
        if reasons:
            why |= self._reasons(delta.inferred(appeared=False, most=reasons))
        return replace(delta, contradictions=raised(), ended=ended(), reasons=why)

    def read_tentatively(
        self, edit: Edit, known: int, read: Callable[[tuple[Contradiction, ...], bool], Result]
    ) -> Result:
        """Return what `read` finds while an edit is pending. Nothing changes.

        `read` is called with the contradictions that the edit raises, and whether the graph has others without it. It
        may read the materializer. `known` is the size of the dictionary before the terms of the edit were interned.
        """
        try:
            before = self._consistency.contradictions()
            change = self._evaluate(edit, SILENT)
            let_out()
            return read(self._consistency.raised_reader(change.refuted)(), bool(before))
        finally:
            self.state.withdraw(known)

    def _reasons(self, triples: Sequence[Triple]) -> dict[Triple, Reason]:
        from kgreason.proofs.reasons import reasons

        return reasons(self.materializer, triples)

    def _delta(self, number: int, change: Change, own: tuple[Rule, ...] | None) -> Delta:
        """Make the delta of commit `number` from a pending change.

        `own` are the user's rules after the change, which declare relations; None means that they have not changed.
        """
        rules = self.materializer.own if own is None else own
        if rules is not self._declared[0]:
            self._declared = rules, {rule.declares.name: rule.declares for rule in rules if rule.declares}
        declared, prefixes = self._declared[1], self.state.noted.prefixes
        return Delta(number, change, self.materializer.dictionary, declared=declared, prefixes=prefixes)

    def apply_tentatively(self, edit: Edit) -> tuple[bytes, bytes]:
        """Carry out a step of a SPARQL Update in the engine, without a commit.

        Returns what all steps so far change in the store: the rows to remove and the rows to add, as lines. The steps
        stay in the engine until `abandon`, which the caller must call in the end. Raises the errors of `commit`.
        """
        delta = Delta(0, self._evaluate(edit, SILENT), self.materializer.dictionary)
        removed, added = delta.lines(*self._oxigraph_rows(delta))
        return removed, added

    def abandon(self) -> None:
        """Roll back every `apply_tentatively`. Ctrl-C cannot interrupt this."""
        finish(self.materializer.rollback)

    def _evaluate(self, edit: Edit, progress: Progress, *, is_first: bool = False) -> Change:
        """Evaluate an edit, together with the documents that it imports. Returns the change, which is pending.

        While the first commit is evaluated, another thread loads its asserted rows into a stage.
        """
        if is_first or has_header(edit.added) or has_header(edit.removed):
            edit = self.state.imports.with_imports(edit, progress)
        how: dict[str, Any] = {"strategy": self.strategy, "budget": self.budget, "limits": self._limits}
        if not is_first:
            return self.materializer.change(edit, **how, progress=progress)
        rows, store = edit.added[:, :3], self._home.stage()
        if store.is_late:
            store.postpone(lambda filled: filled.load(line_chunks(self.materializer.dictionary, rows)))
            return self.materializer.change(edit, **how, progress=progress)
        with ThreadPoolExecutor(1) as worker, cancellable() as report:
            stored = worker.submit(store.load, line_chunks(self.materializer.dictionary, rows, report))
            change = self.materializer.change(edit, **how, progress=progress)
            with span("store"):
                result(stored)
        return change

    def _write_commit(
        self,
        home: Writable,
        delta: Delta,
        headers: Mapping[str, str],
        prefixes: Mapping[str, str],
        progress: Progress,
    ) -> None:
        """Write a pending commit to the journal and the store, in one of three ways.

        - The first commit and a commit of many rows on disk become a snapshot, and their rows are loaded into a stage.
        - If a graph in memory loses many triples, and more than it keeps, the state after the commit is loaded into an
          empty stage.
        - Every other commit becomes a record of the journal and a transaction of Oxigraph. For a graph in memory this
          costs no more than loading its rows, however many there are.
        """
        change, number = delta.change, delta.commit
        size = max(len(change.rows), len(change.added_quads) + len(change.removed_quads), len(change.facts.rows))
        ran, is_first, is_in_memory = self.materializer.strategies, number == 1, home.path is None
        if not is_first and is_in_memory and self._is_mostly_gone(len(delta.disappeared_rows)):
            with progress("storing", None), span("store"):
                self.fill(home.stage(is_empty=True))
            home.commit_stage(self.manifest(), self.write)
        elif not is_first and ran and (size <= SMALL or is_in_memory):
            quads = (change.removed_quads,), (change.added_quads,)
            withdrawn, asserted, removed, added = delta.lines(*quads, *self._oxigraph_rows(delta))
            facts = asserted_facts(change.facts, delta.dictionary) if len(change.facts.rows) else ()
            signature = delta.time, delta.author
            record = Record(number, withdrawn, asserted, delta.rules, facts, headers, ran, *signature, prefixes)
            home.commit(record, removed, added)
        else:
            self._commit_stage(home, delta, progress)

    def _is_mostly_gone(self, gone: int) -> bool:
        """Whether a change that removes `gone` triples is large, and removes more triples than it keeps."""
        return gone > SMALL and gone > len(
            self.materializer.save(is_borrowed=True).triples(self.materializer.dictionary)
        )

    def _commit_stage(self, home: Writable, delta: Delta, progress: Progress) -> None:
        """Make a commit of many rows: apply the delta to a stage in another thread, and write the snapshot meanwhile.

        For the first commit the stage has the asserted rows already.
        """
        kinds = (INFERRED, IS_ASSERTED) if delta.commit > 1 else (INFERRED,)
        triples = self._rows_to_remove(delta.disappeared_rows), delta.rows_of_kinds(before=(ABSENT,), after=kinds)
        quads = (
            self._rows_to_remove(delta.quads_in_named_graphs(delta.removed_quads)),
            delta.quads_in_named_graphs(delta.added_quads),
        )
        with span("store"):
            store = home.stage()
        if store.is_late:
            for rows in (triples, quads):
                store.postpone(partial(write_rows, dictionary=delta.dictionary, removed=rows[0], added=rows[1]))
            home.commit_stage(self.manifest(), self.write)
            return

        def fill() -> None:
            write_rows(store, delta.dictionary, *triples, tell)
            write_rows(store, delta.dictionary, *quads, tell)

        def tell(done: int) -> None:
            stop(done)
            report(done)

        def wait() -> None:
            result(filled)
            shown.close()
            let_out()  # Ctrl-C still finds a commit that is not made

        with ThreadPoolExecutor(1) as worker, cancellable() as stop, ExitStack() as shown:
            report = shown.enter_context(progress("storing", sum(map(len, (*triples, *quads)))))
            filled = worker.submit(fill)
            home.commit_stage(self.manifest(), self.write, wait)
        if 2 * len(delta.appeared_rows) >= len(self.materializer.engine):  # compacting costs less than such a commit
            with span("store"), suppress(KgreasonError):  # the commit stands, also if compacting fails
                store.compact()

    def _oxigraph_rows(self, delta: Delta) -> tuple[tuple[Int32, Int32], tuple[Int32, Int32]]:
        """Return the rows that Oxigraph must remove, and those that it must add, each as (triples, quads)."""
        gone, lost = delta.disappeared_rows, delta.quads_in_named_graphs(delta.removed_quads)
        come = delta.appeared_rows, delta.quads_in_named_graphs(delta.added_quads)
        left = (self._rows_to_remove(gone), self._rows_to_remove(lost)) if len(gone) or len(lost) else (gone, lost)
        return left, come

    def _rows_to_remove(self, rows: Int32) -> Int32:
        """Return those of `rows` that Oxigraph must remove. `rows` are triples or quads that leave the graph.

        Oxigraph keeps a row if the graph still has the same row with another spelling of its object.
        """
        if not len(rows):
            return rows
        holds = self.materializer.are_shown if rows.shape[1] == 3 else self.materializer.quads.holds
        return without_shared_rows(self.state.spellings, rows, holds)

    def _accept(self, delta: Delta) -> None:
        """Make a pending change final. The journal has the commit already."""
        try:
            self.state.accept()
        finally:
            self.unheard.append(delta)
            if any(delta.change.refuted):
                self._consistency.accept(delta.change.refuted)
        if is_heard():
            self._log.end(delta, self.state.warnings)

    def fill(self, store: OxigraphStore) -> None:
        """Load the state of the last commit into an empty Oxigraph store."""
        self.state.fill(store)

    def write(self, path: Path) -> None:
        """Write a snapshot of the last commit to the folder `path`."""
        self.state.write(path)

    def checkpoint(self, *, is_forced: bool = True) -> None:
        """Replace snapshot and journal by a new snapshot; unless `is_forced`, only if that is due. Raises StoreError.

        Free rows are closed up first, so that the next opening can work in the files. In memory there is no journal.
        """
        if isinstance(self._home, Disk) and (is_forced or self._home.is_checkpoint_due):
            self.materializer.engine.close_gaps()
            self._home.checkpoint(self.manifest(), self.write)

    def checkpoint_if_due(self) -> None:
        """Make a checkpoint if one is due. If that fails, the commits stay in the journal, and `settle` tries again."""
        with suppress(StoreError):
            self.checkpoint(is_forced=False)

    def settle(self) -> None:
        """Load the last commit into Oxigraph's files, and write the manifest. Make a checkpoint if one is due.

        A checkpoint is also made if the next opening of the store would replay commits, and rules of the user call
        Python functions. On a full disk this is left to the next opening: the journal has all commits.
        """
        home = self._home
        if not (isinstance(home, Disk) and home.is_writable and home.last):
            return
        try:
            self.checkpoint(is_forced=home.position.is_ahead and bool(function_names(self.materializer.own)))
            home.settle(self.manifest())
        except DiskFullError as error:
            _LOGGER.warning("%s; all commits are in the journal, and the next opening replays them", error)

    def manifest(self) -> Manifest:
        """Return the manifest of the store for the present state. In memory nobody opens it, so nothing is counted."""
        stats = {} if self._home.path is None else self.state.stats()
        warnings, functions = self.state.warnings(), self._function_signatures()
        return replace(
            self._home.manifest,
            stats=stats,
            warnings=warnings,
            streams=self.state.streams(),
            prefixes=dict(self.state.prefixes()),
            functions=functions,
            small_tags=self.state.has_small_tags(),
        )

    def _rule_changes(self, before: tuple[Rule, ...], after: tuple[Rule, ...]) -> Signed:
        """Return the user's rules that a commit removed (-1) and added (1), each as (sign, text).

        `before` and `after` are the user's rules before and after the commit. The same rule in two files counts as two
        rules.
        """
        had, has = [dict.fromkeys(zip(rules, map(_FILE, rules), strict=True)) for rules in (before, after)]
        gone, come = filterfalse(has.__contains__, had), filterfalse(had.__contains__, has)
        find = self.materializer.operators.registry.find
        signed = (*zip(repeat(-1), gone, strict=False), *zip(repeat(1), come, strict=False))
        return tuple([(sign, journal_text(rule, find)) for sign, (rule, _) in signed])

    def _function_signatures(self) -> dict[str, str]:
        kept, find = self._home.manifest.functions, self.materializer.operators.registry.find
        names = function_names(self.materializer.own)
        return {name: str(find(name) or kept.get(name, name)) for name in names}
