"""`LiveGraph`: the engine's side of a graph together with its home. Commits, and nothing else.

    change (pending) -> journal -> Oxigraph -> accept

Invariant: engine and journal hold the same commits. What fails before the journal has the commit is rolled back; what
the journal has is accepted, whatever fails afterwards. A delta that is too large for one transaction, and the first
load, take the way of a bulk load: a snapshot, then Oxigraph.

Cost: a commit costs what it changes; opening reads the snapshot and replays the journal's commits since.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, cast

from kgreason.engine.engine import Engine, Strategy
from kgreason.engine.memory.layout import ABSENT, INFERRED, IS_ASSERTED, Int32
from kgreason.graph.changes.delta import Delta
from kgreason.graph.changes.log import CommitLog
from kgreason.graph.recovery import replayed, restored
from kgreason.graph.statistics import COUNTS, statistics
from kgreason.materialize.edit import Change, Edit
from kgreason.materialize.imports import Imports
from kgreason.materialize.materializer import Materializer
from kgreason.materialize.quads.documents import named
from kgreason.materialize.schema_rows import SAME_AS
from kgreason.materialize.selection import select
from kgreason.progress import SILENT, Progress, cancellable
from kgreason.rdf.catalogue import Catalogue
from kgreason.rules.formatter import format_program
from kgreason.rules.model import Rule, Triple
from kgreason.rules.program import Program
from kgreason.store import snapshot
from kgreason.store.folder import Manifest
from kgreason.store.journal.record import Record, Signed
from kgreason.store.oxigraph.store import OxigraphStore
from kgreason.store.repository import Repository
from kgreason.store.rows import SMALL, chunks, put, put_all, without_shared
from kgreason.store.spellings import Spellings


class LiveGraph:
    """A graph that can be edited; `strategy` and `budget` hold for every commit.

    `catalogue` has the documents that owl:imports names. `reference`: the executable specification is run in place of
    the engine, in memory.
    """

    def __init__(
        self,
        home: Repository,
        strategy: Strategy = "auto",
        budget: int | None = None,
        *,
        catalogue: Catalogue | None = None,
        reference: bool = False,
    ) -> None:
        self._home = home
        self._strategy, self.budget = strategy, budget
        self.materializer = _by_definition(home) if reference else restored(home.manifest, home.snapshot)
        self._imports = Imports(self.materializer, catalogue)
        self.streams = dict(home.manifest.streams)
        """The headers of the last commit of each stream."""
        self.unheard: list[Delta] = []
        """The commits that nobody has been told of."""
        self._log = CommitLog()
        self._spellings: Spellings | None = None
        kept = home.manifest
        self._stats = {name: kept.stats[name] for name in kept.stats if not (kept.is_older and name in COUNTS)}
        self._replay()

    def _replay(self) -> None:
        """Apply the journal's commits since the snapshot; the store gets those that it may lack."""
        live = self.materializer
        for record in self._home.pending():
            change = replayed(record, live, self._strategy)
            delta = self._delta(change, record.commit)
            self._home.replay(record, *self._rows(delta))
            live.accept()
            self._note(delta, record.headers)

    def commit(
        self, edit: Edit, known: int, progress: Progress = SILENT, headers: Mapping[str, str] | None = None
    ) -> Delta:
        """Make an edit the next commit; its delta, which is empty, and no commit, where the edit changes nothing.

        `known` is the size of the dictionary before the edit's terms were interned. `headers` are kept with the commit;
        one named `stream` says whose last commit it is, so that `streams` tells how far that stream has come. Raises
        LimitError, StoreError, ValueError for the name of a header; then, and on Ctrl-C, nothing has changed, unless
        the journal had it already.
        """
        number, own = self._home.last + 1, self.materializer.own
        before, delta = (self._stats, self.streams), None
        try:
            delta = self._tried(edit, number, progress)
            if delta or edit.own is not None or headers:
                self._note(delta, headers or {})
                self._keep(delta, _rule_changes(own, edit.own), headers or {}, progress)
            return delta if self._home.last == number else replace(delta, commit=0)
        finally:
            try:
                self._home.unstage()
            finally:
                if delta is not None and self._home.last == number:
                    self._accept(delta)
                else:
                    self._stats, self.streams = before
                    self._withdraw(known)

    def try_out(self, edit: Edit, known: int, progress: Progress = SILENT) -> Delta:
        """The delta that an edit would make; nothing is changed."""
        try:
            return self._tried(edit, 0, progress).detached()
        finally:
            self._withdraw(known)

    def attempt(self, edit: Edit) -> tuple[bytes, bytes]:
        """Carry out a step of a commit to come; the rows that go from the store, and those that come, by all steps.

        What is asked of the materializer then is asked of the outcome. `abandon` must follow. Raises what `commit`
        raises.
        """
        change = self._change(self._imports.completed(edit, SILENT), SILENT)
        return self._rows(self._delta(change, 0))

    def abandon(self) -> None:
        """Take back every `attempt`, even if Ctrl-C comes meanwhile."""
        try:
            self.materializer.rollback()
        except BaseException:
            self.materializer.rollback()
            raise

    def _tried(self, edit: Edit, number: int, progress: Progress) -> Delta:
        """The delta of an edit that is neither accepted nor rolled back."""
        if number:
            self._log.begin(lambda: self.warnings)
        edit = self._imports.completed(edit, progress)
        if self._home.last or number == 0:
            return self._delta(self._change(edit, progress), number)
        rows, store = edit.added[:, :3], self._home.stage()
        with ThreadPoolExecutor(1) as worker, cancellable() as report:  # the store takes what is asserted meanwhile
            stored = worker.submit(store.load, chunks(self.materializer.dictionary, rows, report))
            change = self._change(edit, progress)
            stored.result()
        return self._delta(change, number)

    def _change(self, edit: Edit, progress: Progress) -> Change:
        return self.materializer.change(edit, strategy=self._strategy, budget=self.budget, progress=progress)

    def _delta(self, change: Change, number: int) -> Delta:
        return Delta(number, *change, self.materializer.dictionary)

    def _keep(self, delta: Delta, rules: Signed, headers: Mapping[str, str], progress: Progress) -> None:
        """Bring a pending commit into journal and store.

        The first one, and on disk one of many rows, is a snapshot: its rows are loaded into a stage. In memory a
        transaction of Oxigraph costs what a load costs; but where more rows go than stay, those that stay are loaded.
        What was evaluated elsewhere is a snapshot, too: no record can say how.
        """
        size = max(len(delta.rows), len(delta.added_quads) + len(delta.removed_quads))
        ran, is_on_disk = self.materializer.strategies, self._home.is_on_disk
        if self._home.last and not is_on_disk and self._is_mostly_gone(len(delta.disappeared_rows)):
            with progress("storing", None):
                self.fill(self._home.stage(is_empty=True))
            self._home.load(self.manifest(), self.write)
        elif self._home.last and ran and (size <= SMALL or not is_on_disk):
            record = Record(delta.commit, *delta.quad_lines, rules, (), headers, ran)
            self._home.commit(record, *self._rows(delta))
        else:
            self._put(self._home.stage(), delta, progress)
            self._home.load(self.manifest(), self.write)

    def _is_mostly_gone(self, gone: int) -> bool:
        """Whether many triples go, and fewer stay."""
        return gone > SMALL and gone > len(self.materializer.save().triples())

    def _put(self, store: OxigraphStore, delta: Delta, progress: Progress) -> None:
        """Bring the many rows of a delta into a stage, which has what the first commit asserts already."""
        kinds = (INFERRED, IS_ASSERTED) if self._home.last else (INFERRED,)
        triples = self._unshared(delta.disappeared_rows), delta.rows_that(before=(ABSENT,), after=kinds)
        gone, come = (named(delta.dictionary, quads) for quads in (delta.removed_quads, delta.added_quads))
        quads = self._unshared(gone), come
        with progress("storing", sum(map(len, (*triples, *quads)))) as report:
            put(store, delta.dictionary, *triples, report)
            put(store, delta.dictionary, *quads, report)

    def _rows(self, delta: Delta) -> tuple[bytes, bytes]:
        """The rows that go from the store and those that come, as lines."""
        gone = self._unshared(named(delta.dictionary, delta.removed_quads))
        removed, lines = self._unshared(delta.disappeared_rows), delta.dictionary.lines
        return lines(*removed.T) + lines(*gone.T), delta.added

    def _unshared(self, rows: Int32) -> Int32:
        """The removed triples or quads that take their row of the store with them: no other spelling is present."""
        live = self.materializer
        if not len(rows):
            return rows
        return without_shared(self.spellings, rows, live.shows if rows.shape[1] == 3 else live.quads.holds)

    @property
    def spellings(self) -> Spellings:
        """The spellings of the dictionary's terms, made when they are first asked for."""
        if self._spellings is None:
            self._spellings = Spellings(self.materializer.dictionary)
        return self._spellings

    def forget(self, known: int) -> None:
        """Forget the terms above `known`, which no commit has."""
        if len(self.materializer.dictionary) > known:
            self._spellings = None
            self.materializer.dictionary.truncate(known)

    def _accept(self, delta: Delta) -> None:
        """Make a commit that the journal has final, even if Ctrl-C comes meanwhile."""
        try:
            self.materializer.accept()
        except BaseException:
            self.materializer.accept()
            raise
        finally:
            self.unheard.append(delta)
        self._log.end(delta, lambda: self.warnings)

    def _withdraw(self, known: int) -> None:
        """Undo a pending change, even if Ctrl-C comes meanwhile."""
        try:
            self._undo(known)
        except BaseException:
            self._undo(known)
            raise

    def _undo(self, known: int) -> None:
        self.materializer.rollback()
        self.forget(known)
        self._home.refill(self.fill, self.manifest)

    def fill(self, store: OxigraphStore) -> None:
        """Bring an empty store to the last commit."""
        put_all(store, self.materializer.save(), self.materializer.dictionary)

    def as_written(self, triple: Triple) -> Triple | None:
        """A triple of the graph that is this one, or that Oxigraph shows as this one; None where there is none."""
        if self.materializer.has(triple):
            return triple
        subject, predicate, object_ = triple
        forms = self.materializer.dictionary.decode(self.spellings.of_forms([object_])[0])
        return next(filter(self.materializer.has, ((subject, predicate, form) for form in forms)), None)

    def write(self, path: Any) -> None:
        """Write a snapshot of the state."""
        live = self.materializer
        snapshot.write(path, live.save(), live.dictionary, live.rules, live.own)

    def checkpoint(self) -> None:
        """Replace snapshot and journal by a new snapshot. Raises StoreError."""
        self._home.checkpoint(self.manifest(), self.write)

    def manifest(self) -> Manifest:
        """What the store says of itself as of this state."""
        return replace(self._home.manifest, stats=self.stats(), warnings=self.warnings, streams=self.streams)

    @property
    def warnings(self) -> list[str]:
        """What no rule could be made of, and the imports that have no document."""
        return [*self.materializer.warnings, *self._imports.warnings()]

    def stats(self) -> dict[str, Any]:
        """Counts of this state, and how the last commit was evaluated. Cost: the facts, once for each commit."""
        if "facts" not in self._stats:
            live = self.materializer
            self._stats = statistics(live.save(), live.dictionary, live.false_rules) | {
                "rules": len(live.rules),
                **self._stats,
                "engine_bytes": live.engine.circuit.nbytes,
                "dictionary_bytes": live.dictionary.nbytes,
            }
        return dict(self._stats)

    def _note(self, delta: Delta, headers: Mapping[str, str]) -> None:
        """Have statistics and streams be those of a commit."""
        self._stats = delta.work._asdict()
        if "stream" in headers:
            self.streams = self.streams | {headers["stream"]: dict(headers)}


def _by_definition(home: Repository) -> Materializer:
    """An empty materializer that runs the executable specification."""
    from kgreason.materialize.specification import ReferenceEngine

    selection = select(home.manifest.rules, home.manifest.schema, "rules")
    quiet = 0 if selection.is_reflexive else SAME_AS
    engine = cast(Engine, ReferenceEngine(quiet))  # it has all that a materializer asks for
    return Materializer(selection, engine=engine)


def _rule_changes(before: tuple[Rule, ...], after: tuple[Rule, ...] | None) -> Signed:
    """The user's rules that went and came, each as a text of its own with name and group."""
    if after is None:
        return ()
    signed = [(-1, rule) for rule in before if rule not in after] + [(1, rule) for rule in after if rule not in before]
    return tuple((sign, format_program(Program((rule,)))) for sign, rule in signed)
