"""`LiveGraph`: a graph with its engine and its repository (its *home*). It makes commits.

    change (pending) -> history -> journal -> Oxigraph -> accept

Invariant: engine and journal hold the same commits. If an error comes before the journal has the commit, the change is
rolled back. Once the journal has the commit, the change is accepted, even if Oxigraph fails afterwards. The first load,
and a delta that is too large for one transaction of Oxigraph, become a snapshot and a bulk load instead.

Cost: a commit costs what it changes. Opening reads the snapshot and replays the commits of the journal after it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from kgreason.engine.costs import Cost
from kgreason.engine.engine import Strategy
from kgreason.errors import ContradictionError
from kgreason.functions.registry import Registry
from kgreason.graph.changes.delta import Delta
from kgreason.graph.changes.log import CommitLog, is_heard
from kgreason.graph.changes.relations import asserted_facts
from kgreason.graph.consistency import Consistency
from kgreason.graph.history.deltas import entry_of
from kgreason.graph.lock import surely
from kgreason.graph.recovery import replayed, restored
from kgreason.graph.rule_costs import RuleCosts
from kgreason.graph.statistics import COUNTS, changed, statistics
from kgreason.graph.user_rules import journalled
from kgreason.interrupts import let_out, result, shielded
from kgreason.materialize.edit import Change, Edit, Work
from kgreason.materialize.imports import Imports
from kgreason.materialize.literals.long_numbers import LongNumbers
from kgreason.materialize.options import DEFAULT_LIMITS, NO_LIMITS, Limits
from kgreason.materialize.schema_rows import have_header
from kgreason.progress import SILENT, Progress, cancellable
from kgreason.proofs.contradiction import Contradiction
from kgreason.proofs.contradictions import contradictions
from kgreason.rdf.catalogue import Catalogue
from kgreason.rules.expressions import function_names
from kgreason.rules.model import Relation, Rule, Triple
from kgreason.spans import peak_bytes, span, spent
from kgreason.sparql.query.numeric import warning
from kgreason.store import snapshot
from kgreason.store.folder import Manifest
from kgreason.store.journal.record import Record, Signed
from kgreason.store.oxigraph.store import OxigraphStore
from kgreason.store.repository import Repository
from kgreason.store.rows import SMALL, chunks, put, put_all, without_shared
from kgreason.store.spellings import Spellings
from kgreason.zset.columns import ABSENT, INFERRED, IS_ASSERTED, Int32

if TYPE_CHECKING:
    from kgreason.proofs.reasons import Reason


class LiveGraph:
    """A graph that can be edited. `home` is its repository.

    Every commit uses `strategy`, `budget` and `limits`. `catalogue` has the documents that owl:imports names.
    `registry` has the Python functions that rules may call.
    `threads`: how many threads may compute; see `kgreason.threads`.
    """

    def __init__(
        self,
        home: Repository,
        strategy: Strategy = "auto",
        budget: int | None = None,
        *,
        catalogue: Catalogue | None = None,
        registry: Registry | None = None,
        limits: Limits = DEFAULT_LIMITS,
        threads: int | None = None,
    ) -> None:
        self._home = home
        self.strategy, self.budget, self._limits = strategy, budget, limits
        find = catalogue.find if catalogue else None
        kept = home.manifest
        self.materializer, saved = restored(kept, home.snapshot, registry, find, threads)
        self._imports = Imports(self.materializer, catalogue, saved.axioms if saved else None)
        self.streams = dict(home.manifest.streams)
        """The headers of the last commit of each stream."""
        self.unheard: list[Delta] = []
        """The commits that subscribers have not heard of."""
        self._log = CommitLog()
        self._refuses = home.manifest.on_contradiction == "refuse"
        self._consistency = Consistency(self.materializer)
        self._costs = RuleCosts(self.materializer, home.snapshot)
        self._spellings: Spellings | None = None
        self._declared: tuple[tuple[Rule, ...], dict[str, Relation]] = (), {}
        """The rules for which `_delta` last read the declarations of relations, and these declarations."""
        others = kept.stats if not home.is_ahead else {}
        self._stats = {name: others[name] for name in others if name not in COUNTS}
        self._stats |= saved.counts if saved else {}
        self._replay()
        self._long = LongNumbers(self.materializer.dictionary)
        self.long_number = self._long.first()
        """A number of the graph that is too long for Oxigraph; None if there is none. Any thread may read this."""
        if kept.stored == home.last:  # a replay runs the strategy that ran in the end, without an Update before it
            self._stats |= {name: kept.stats[name] for name in Work._fields if name in kept.stats}

    def _replay(self) -> None:
        """Apply the journal's commits after the snapshot to the engine, and to Oxigraph if it lacks them."""
        live = self.materializer
        for record in self._home.pending():
            let_out()
            change = replayed(record, live, self.strategy)
            if have_header(change.added_quads) or have_header(change.removed_quads):
                self._imports.forget()
            delta = Delta(record.commit, change, live.dictionary)
            self._home.replay(record, *delta.lines(*self._rows(delta)))
            live.accept()
            self._note(delta, record.headers)

    def commit(
        self, edit: Edit, known: int, progress: Progress = SILENT, headers: Mapping[str, str] | None = None
    ) -> Delta:
        """Make an edit the next commit, and return its delta.

        If the edit changes nothing and has no headers, there is no commit: the delta is empty and its `commit` is 0.
        `known` is the size of the dictionary before the terms of the edit were interned; after an error the dictionary
        gets this size again. `headers` are stored with the commit. The header `stream` names a stream, and `streams`
        keeps the headers of the last commit of each stream.

        Raises LimitError, StoreError, ValueError for an invalid name of a header, and ContradictionError if the graph
        refuses contradictions. After an error or Ctrl-C nothing has changed, unless the journal had the commit already.
        """
        if is_heard():
            self._log.begin(lambda: self.warnings)
        number, own = self._home.last + 1, self.materializer.own
        before, delta = (self._stats, self.streams), None
        try:
            if self._refuses:
                self._consistency.known() if number > 1 else self._consistency.start()
            change = self._change(edit, progress) if number > 1 else self._first_change(edit, progress)
            self._check(change)
            delta = self._delta(number, change, edit.own)
            if delta or edit.own is not None or headers:
                delta = replace(delta, rules=self._rule_changes(own, edit.own))
                self._note(delta, headers or {})
                if self._home.history is not None:
                    with span("journal"):
                        self._home.history.append(entry_of(delta, headers or {}))
                self._keep(delta, headers or {}, progress)
            return delta if self._home.last == number else replace(delta, commit=0)
        finally:
            try:
                self._home.unstage()
            finally:
                if delta is not None and self._home.last == number:
                    self._accept(delta)
                    self._stats |= {"seconds_by_part": spent(), "peak_bytes": peak_bytes()}
                else:
                    self._stats, self.streams = before
                    self._withdraw(known)

    def try_out(self, edit: Edit, known: int, progress: Progress = SILENT, *, reasons: int = 0) -> Delta:
        """Return the delta that an edit would have as a commit, with the new and ended contradictions. Nothing changes.

        `known` is the size of the dictionary before the terms of the edit were interned. The delta has reasons for at
        most `reasons` inferred triples that appear, and for at most `reasons` inferred triples that disappear.
        """
        if self._refuses:
            self._consistency.known()
        try:
            change = self._change(edit, progress)
            delta = self._delta(0, change, edit.own).detached()
            raised, ended = self._consistency.pending(change.refuted), self._consistency.ending(change.refuted)
            why = self._reasons(delta.appeared(asserted=False)[:reasons]) if reasons else {}
        finally:
            self._withdraw(known)
        if reasons:
            why |= self._reasons(delta.disappeared(asserted=False)[:reasons])
        return replace(delta, contradictions=raised(), ended=ended(), reasons=why)

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
        return Delta(number, change, self.materializer.dictionary, declared=self._declared[1])

    def _check(self, change: Change) -> None:
        """Raise ContradictionError if the graph refuses contradictions and the pending change raises one."""
        if self._refuses and (raised := self._consistency.pending(change.refuted)()):
            raise ContradictionError(raised)

    def attempt(self, edit: Edit) -> tuple[bytes, bytes]:
        """Carry out a step of a SPARQL Update in the engine, without a commit.

        Returns what all steps so far change in the store: the rows to remove and the rows to add, as lines. The steps
        stay in the engine until `abandon`, which the caller must call in the end. Raises the errors of `commit`.
        """
        delta = Delta(0, self._change(edit, SILENT), self.materializer.dictionary)
        removed, added = delta.lines(*self._rows(delta))
        return removed, added

    def abandon(self) -> None:
        """Roll back every `attempt`. Ctrl-C cannot interrupt this."""
        with shielded():
            surely(self.materializer.rollback)

    def _change(self, edit: Edit, progress: Progress) -> Change:
        """Evaluate an edit, together with the documents that it imports. Returns the change, which is pending."""
        if have_header(edit.added) or have_header(edit.removed):
            edit = self._imports.completed(edit, progress)
        return self._evaluated(edit, progress)

    def _evaluated(self, edit: Edit, progress: Progress) -> Change:
        how: dict[str, Any] = {"strategy": self.strategy, "budget": self.budget, "limits": self._limits}
        return self.materializer.change(edit, **how, progress=progress)

    def _first_change(self, edit: Edit, progress: Progress) -> Change:
        """Evaluate the first commit, while another thread loads the asserted rows into a stage.

        Returns the change, pending.
        """
        edit = self._imports.completed(edit, progress)
        rows, store = edit.added[:, :3], self._home.stage()
        with ThreadPoolExecutor(1) as worker, cancellable() as report:
            stored = worker.submit(store.load, chunks(self.materializer.dictionary, rows, report))
            change = self._evaluated(edit, progress)
            with span("store"):
                result(stored)
        return change

    def _keep(self, delta: Delta, headers: Mapping[str, str], progress: Progress) -> None:
        """Write a pending commit to the journal and the store, in one of three ways.

        - The first commit, a commit of many rows on disk, and a commit that was evaluated elsewhere, such as on Spark,
          become a snapshot, and their rows are loaded into a stage. (A commit from Spark cannot be a record, because a
          record names the strategies of the engine that evaluated it.)
        - If a graph in memory loses many triples, and more than it keeps, the state after the commit is loaded into an
          empty stage.
        - Every other commit becomes a record of the journal and a transaction of Oxigraph. For a graph in memory this
          costs no more than loading its rows, however many there are.
        """
        change, number = delta.change, delta.commit
        size = max(len(change.rows), len(change.added_quads) + len(change.removed_quads), len(change.facts.rows))
        ran, is_first, is_on_disk = self.materializer.strategies, number == 1, self._home.is_on_disk
        if not is_first and not is_on_disk and self._is_mostly_gone(len(delta.disappeared_rows)):
            with progress("storing", None), span("store"):
                self.fill(self._home.stage(is_empty=True))
            self._home.load(self.manifest(), self.write)
        elif not is_first and ran and (size <= SMALL or not is_on_disk):
            quads = (change.removed_quads,), (change.added_quads,)
            withdrawn, asserted, removed, added = delta.lines(*quads, *self._rows(delta))
            facts = asserted_facts(change.facts, delta.dictionary) if len(change.facts.rows) else ()
            self._home.commit(Record(number, withdrawn, asserted, delta.rules, facts, headers, ran), removed, added)
        else:
            self._load(delta, progress)

    def _is_mostly_gone(self, gone: int) -> bool:
        """Whether a change that removes `gone` triples is large, and removes more triples than it keeps."""
        return gone > SMALL and gone > len(
            self.materializer.save(is_borrowed=True).triples(self.materializer.dictionary)
        )

    def _load(self, delta: Delta, progress: Progress) -> None:
        """Make a commit of many rows: apply the delta to a stage in another thread, and write the snapshot meanwhile.

        For the first commit the stage has the asserted rows already.
        """
        kinds = (INFERRED, IS_ASSERTED) if delta.commit > 1 else (INFERRED,)
        triples = self._unshared(delta.disappeared_rows), delta.rows_that(before=(ABSENT,), after=kinds)
        quads = self._unshared(delta.named(delta.removed_quads)), delta.named(delta.added_quads)
        with span("store"):
            store = self._home.stage()

        def fill() -> None:
            put(store, delta.dictionary, *triples, tell)
            put(store, delta.dictionary, *quads, tell)

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
            self._home.load(self.manifest(), self.write, wait)

    def _rows(self, delta: Delta) -> tuple[tuple[Int32, Int32], tuple[Int32, Int32]]:
        """Return the rows that Oxigraph must remove, and those that it must add, each as (triples, quads)."""
        gone = self._unshared(delta.disappeared_rows), self._unshared(delta.named(delta.removed_quads))
        return gone, (delta.appeared_rows, delta.named(delta.added_quads))

    def _unshared(self, rows: Int32) -> Int32:
        """Return those of `rows` that Oxigraph must remove. `rows` are triples or quads that leave the graph.

        Oxigraph keeps a row if the graph still has the same row with another spelling of its object.
        """
        live = self.materializer
        if not len(rows):
            return rows
        return without_shared(self.spellings, rows, live.shows if rows.shape[1] == 3 else live.quads.holds)

    @property
    def spellings(self) -> Spellings:
        """The spellings of the terms of the dictionary. This index is made at the first call."""
        if self._spellings is None:
            self._spellings = Spellings(self.materializer.dictionary)
        return self._spellings

    def _accept(self, delta: Delta) -> None:
        """Make a pending change final. The journal has the commit already. Ctrl-C cannot interrupt this."""
        try:
            with shielded():
                surely(self.materializer.accept)
        finally:
            self.unheard.append(delta)
            if any(delta.change.refuted):
                self._consistency.accept(delta.change.refuted)
        self.long_number = self._long.first()
        if is_heard():
            self._log.end(delta, lambda: self.warnings)

    def _withdraw(self, known: int) -> None:
        """Roll back a pending change, and drop the terms with ids above `known`. Ctrl-C cannot interrupt this."""
        with shielded():
            surely(partial(self._undo, known))

    def _undo(self, known: int) -> None:
        self.materializer.rollback()
        self._imports.rollback()
        self.materializer.dictionary.truncate(known)
        self._home.refill(self.fill, self.manifest)

    def fill(self, store: OxigraphStore) -> None:
        """Load the state of the last commit into an empty Oxigraph store."""
        put_all(store, self.materializer.save(is_borrowed=True), self.materializer.dictionary)

    def as_written(self, triple: Triple) -> Triple | None:
        """Return a triple of the graph that Oxigraph shows as `triple`, or None if the graph has no such triple.

        If the graph has `triple` itself, the result is `triple`.
        """
        if self.materializer.has(triple):
            return triple
        subject, predicate, object_ = triple
        forms = self.materializer.dictionary.decode(self.spellings.of_forms([object_])[0])
        return next(filter(self.materializer.has, ((subject, predicate, form) for form in forms)), None)

    def write(self, path: Any) -> None:
        """Write a snapshot of the state to the folder `path`."""
        live = self.materializer
        stats, saved = self.stats(), live.save(is_borrowed=True)
        snapshot.write(
            path,
            saved._replace(snapshot=live.engine.snapshot(saved.records), counts={name: stats[name] for name in COUNTS}),
            live.dictionary,
            live.rules,
            live.own,
            self._costs.costs(),
            live.strata(),
        )

    def described_costs(self, *, alone: bool, anew: bool) -> list[dict[str, Any]]:
        """Return the rules in force as dicts, each with its costs.

        With `alone` a dict also has the number of facts that only this rule supports. With `anew` the costs are those
        of a Bootstrap that is computed now and then rolled back.
        """
        rules = self.materializer.rules
        costs = self._anew() if anew else self._costs.costs()
        return snapshot.described(rules, self.materializer.strata(), costs, self._costs.alone() if alone else None)

    def _anew(self) -> dict[Rule, Cost]:
        known = len(self.materializer.dictionary)
        try:
            self.materializer.change(Edit(), strategy="bootstrap", budget=self.budget, limits=NO_LIMITS)
            return self._costs.counted()
        finally:
            self._withdraw(known)

    def checkpoint(self) -> None:
        """Replace snapshot and journal by a new snapshot. Raises StoreError.

        Free rows are closed up first, so that the next opening can work in the files.
        """
        self.materializer.engine.close_up()
        self._home.checkpoint(self.manifest(), self.write)

    def manifest(self) -> Manifest:
        """Return the manifest of the store for the present state."""
        kept, functions = self._home.manifest, self._functions()
        stats, warnings = self.stats(), self.warnings
        return replace(kept, stats=stats, warnings=warnings, streams=self.streams, functions=functions)

    @property
    def is_calling(self) -> bool:
        """Whether the next opening of the store would replay commits, and rules of the user call Python functions."""
        return self._home.is_ahead and bool(function_names(self.materializer.own))

    def _rule_changes(self, before: tuple[Rule, ...], after: tuple[Rule, ...] | None) -> Signed:
        """Return the user's rules that a commit removed (-1) and added (1), each as (sign, text).

        `before` and `after` are the user's rules before and after the commit. The same rule in two files counts as two
        rules. If `after` is None, the rules have not changed.
        """
        if after is None:
            return ()
        old, new = ({(rule, rule.file): rule for rule in rules} for rules in (before, after))
        gone = ((-1, rule) for key, rule in old.items() if key not in new)
        come = ((1, rule) for key, rule in new.items() if key not in old)
        find = self.materializer.operators.registry.find
        return tuple((sign, journalled(rule, find)) for sign, rule in (*gone, *come))

    def _functions(self) -> dict[str, str]:
        """Return the signatures of the Python functions that the user's rules call, by the name of the function."""
        kept, find = self._home.manifest.functions, self.materializer.operators.registry.find
        names = function_names(self.materializer.own)
        return {name: str(find(name) or kept.get(name, name)) for name in names}

    @property
    def warnings(self) -> list[str]:
        """The warnings of the materializer, of owl:imports whose document was not found, and of a very long number."""
        long = [] if self.long_number is None else [warning(self.long_number)]
        return [*self.materializer.warnings, *self._imports.warnings(), *long]

    def stats(self) -> dict[str, Any]:
        """Return counts of the present state by name, and the `Work` of the last commit. The counts come first.

        Cost: one pass over the facts for the first call after a commit that was not plain (`Change.is_plain`).
        """
        live = self.materializer
        if "facts" not in self._stats:
            self._stats = statistics(live.save(is_borrowed=True), live.dictionary, live.false_rules) | {
                "rules": live.program.size,
                **self._stats,
            }
        if "engine_bytes" not in self._stats:
            self._stats |= {
                "engine_bytes": live.engine.nbytes,
                "dictionary_bytes": live.dictionary.nbytes,
            }
        return {name: self._stats[name] for name in (*COUNTS, *self._stats)}

    def contradictions(self) -> list[Contradiction]:
        """Return the contradictions of the last commit, in order.

        Cost: one pass over the facts, or none if the number of contradictions in `stats` is 0.
        """
        if self._stats.get("contradictions") == 0:
            return []
        live = self.materializer
        return contradictions(live.save(is_borrowed=True), live.dictionary, live.false_rules)

    def _note(self, delta: Delta, headers: Mapping[str, str]) -> None:
        """Remember a commit's `Work` for `stats`, and its headers for `streams`."""
        self._stats = changed(self._stats, delta.change, self.materializer) | delta.work._asdict()
        if "stream" in headers:
            self.streams = self.streams | {headers["stream"]: dict(headers)}
