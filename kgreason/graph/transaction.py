"""`Transaction`: edits that are collected in order and become one commit.

    with graph.transaction() as tx:
        tx.add("<http://e/a> a <http://e/Person> .")
        tx.remove(("<http://e/b>", "<http://e/knows>", "<http://e/c>"))
        tx.add_rules("tc(?x, ?z) :- tc(?x, ?y), edge(?y, ?z) .")
        tx.relation("edge").insert([("http://e/a", "http://e/b")])
    tx.delta

If a quad or rule is both added and removed, the last of these edits wins. If the block raises an exception, the graph
stays as it was. Reads of the graph inside the block see the last commit. Cost: that of reading the edits.

Threads: a transaction belongs to the thread that began it, and has the graph's lock (`lock`) until it ends. Calls from
another thread raise StoreError and change nothing.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, Self, TypeVar, Unpack

import numpy as np

from kgreason.errors import InputError, StoreError
from kgreason.graph.changes.delta import Delta
from kgreason.graph.input.arguments import check_paths, check_text
from kgreason.graph.input.frames import FrameMapping
from kgreason.graph.input.last_edits import last_edits, without_idle_retractions
from kgreason.graph.input.quads import Item, Table, quads_of, quads_of_lines
from kgreason.graph.input.terms import NO_PREFIXES, checked_prefixes
from kgreason.graph.relation.pending_facts import PendingFacts
from kgreason.graph.relation.relation import PendingRelation, pending_relation
from kgreason.graph.shapes.shapes_editor import PendingShapes
from kgreason.graph.user_rules import without_named_rules, without_rules
from kgreason.interrupts import as_one, at_once, call_surely, let_out
from kgreason.materialize.edit import NO_FACTS, NO_QUADS, Edit
from kgreason.materialize.materializer import Materializer
from kgreason.materialize.selection import check_user_rules
from kgreason.options import check_choice
from kgreason.progress import SILENT, Progress, progress_of
from kgreason.rdf.document_prefixes import DocumentPrefixes
from kgreason.rdf.lines.skipped_lines import Skipped
from kgreason.rdf.reader import read_files
from kgreason.rules.canonical_form import canonical
from kgreason.rules.model import Rule
from kgreason.rules.parser import Syntax, load, parse, rules_of_file
from kgreason.rules.program import Finder
from kgreason.rules.relations.declarations import check_declared
from kgreason.shapes.vocabulary import SHAPE
from kgreason.spans import Spans, span
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.columns import Int32

File = str | PathLike[str]
_Read = TypeVar("_Read")
_EDITS_OF_GRAPH = ("update", "transaction", "what_if")
_READS_OF_GRAPH = (
    "query",
    "select",
    "ask",
    "construct",
    "match",
    "explain",
    "dump",
    "stats",
    "contradictions",
    "rules",
)


class EndCalls(NamedTuple):
    """What a transaction calls at its end: first `keep` or `drop`, and then always `release`.

    - `keep`: commits the edit, or computes the delta of a what-if. Returns the delta.
    - `drop`: removes the terms that the transaction added to the dictionary.
    - `release`: releases the graph.

    `keep` and `drop` take the size that the dictionary had before the transaction.
    """

    keep: Callable[[Edit, int, Progress], Delta]
    drop: Callable[[int], object]
    release: Callable[[], object]


class Transaction:
    """Edits of a graph that become one commit; use `KnowledgeGraph.transaction` or `what_if`.

    If a quad or rule is both added and removed, the last of these edits wins. Each method for edits returns the
    transaction itself. A call after the end, or from another thread, raises StoreError.
    """

    def __init__(self, materializer: Materializer, known: int, ends: EndCalls, find: Finder | None = None) -> None:
        """Begin a transaction on the state `materializer`.

        `known` is the size of the dictionary at the beginning. `ends` has what to call at the end. `find` finds
        the documents that rules import.
        """
        self._materializer, self._known, self._ends = materializer, known, ends
        self.find = find
        """The function that finds documents by their IRIs, as `Catalogue.find`, or None."""
        self._signs: list[int] = []
        self._parts: list[Int32] = []
        self._facts: PendingFacts | None = None
        self._own: dict[Rule, None] | None = None
        self._prefixes: dict[str, str] = {}
        self._delta: Delta | None = None
        self._is_open, self._why_ended = True, "the transaction has ended"
        self._thread = threading.current_thread()

    @cached_property
    def _spans(self) -> Spans:
        """The seconds of the transaction so far: of its edits, then of its commit."""
        return Spans()

    @property
    def is_open(self) -> bool:
        """Whether the transaction still takes edits."""
        return self._is_open

    @property
    def is_abandoned(self) -> bool:
        """Whether the transaction is still open, although the thread that began it has ended."""
        return self._is_open and not self._thread.is_alive()

    @property
    def delta(self) -> Delta:
        """The delta of the commit, or of the what-if. Raises StoreError if the transaction is open or failed."""
        if self._delta is None:
            raise StoreError("the transaction has no delta: it is still open, or it failed")
        return self._delta

    @as_one
    def add(
        self, *items: Item | Table, prefixes: Mapping[str, str] | None = None, **mapping: Unpack[FrameMapping]
    ) -> Self:
        """Assert rows of terms, Turtle and TriG text, frames, or graphs of rdflib; see `KnowledgeGraph.add`.

        Raises RdfSyntaxError, InputError.
        """
        return self.edit_items(1, items, prefixes, mapping)

    @as_one
    def remove(
        self, *items: Item | Table, prefixes: Mapping[str, str] | None = None, **mapping: Unpack[FrameMapping]
    ) -> Self:
        """Retract what `add` asserts for the same items. Name a blank node by the label that queries show."""
        return self.edit_items(-1, items, prefixes, mapping)

    def edit_items(
        self, sign: int, items: Iterable[Item | Table], prefixes: Mapping[str, str] | None, mapping: FrameMapping
    ) -> Self:
        """Assert (`sign` 1) or retract (-1) items, as `add` and `remove` do. The caller is `undivided`."""
        known = NO_PREFIXES if prefixes is None else checked_prefixes(prefixes)
        how: dict[str, Any] = {"fresh": sign > 0, "prefixes": known, "mapping": mapping}
        return self._note_quads(sign, partial(quads_of, items, self._materializer.dictionary, **how))

    @as_one
    def add_lines(self, lines: bytes) -> Self:
        """Assert N-Quads lines; blank nodes keep their labels."""
        return self._note_quads(1, partial(quads_of_lines, lines, self._materializer.dictionary))

    @as_one
    def remove_lines(self, lines: bytes) -> Self:
        """Retract N-Quads lines."""
        return self._note_quads(-1, partial(quads_of_lines, lines, self._materializer.dictionary))

    @as_one
    def load(
        self,
        *paths: File,
        syntax: str | None = None,
        skipped: Skipped | None = None,
        progress: Progress | bool = False,
    ) -> Self:
        """Assert the quads of RDF files; see `KnowledgeGraph.load`. Raises InputError, RdfSyntaxError.

        With `skipped` malformed lines of N-Triples and N-Quads are left out, and added to `skipped`.
        """
        check_paths("load", paths)
        return self.edit_files(1, paths, syntax, progress_of(progress), skipped)

    def remember_prefixes(self, prefixes: Mapping[str, str]) -> Self:
        """Have the graph remember the prefixes of a document, if this transaction changes the graph; the first wins."""
        self._check_open()
        self._prefixes = {**prefixes, **self._prefixes}
        return self

    @as_one
    def unload(self, *paths: File, syntax: str | None = None, progress: Progress | bool = False) -> Self:
        """Retract the quads of RDF files. A blank node of a file means the node that loading the same file made."""
        check_paths("unload", paths)
        return self.edit_files(-1, paths, syntax, progress_of(progress))

    @as_one
    def add_interned(self, read: Callable[[Dictionary], Int32]) -> Self:
        """Assert the quads that `read` returns, int32[n, 4].

        `read` is called with the dictionary of the graph, and interns the terms there. If it raises an error, the
        dictionary loses these terms again. Raises the errors of `read`.
        """

        def interned() -> Int32:
            let_out()
            with at_once():
                return read(self._materializer.dictionary)

        return self._note_quads(1, interned)

    @as_one
    def retract_and_assert(self, removed: Int32, added: Int32) -> Self:
        """Retract the quads `removed`, then assert the quads `added`. Both are int32[n, 4], with ids of the graph."""
        return self._note_quads(-1, lambda: removed)._note_quads(1, lambda: added)

    def add_rules(self, text: str, source: str = "<rules>", *, syntax: Syntax = "datalog") -> Self:
        """Add rules, and facts of your own relations: a fact is a rule without a body.

        `source` is the name of the text in messages. `syntax` is "datalog", the rule language of kgreason; or "srl",
        SPARQL-RL; or "rq", a CONSTRUCT query. Raises InputError, RuleSyntaxError, UnsafeRuleError.
        """
        check_text("add_rules", "rules", text)
        return self._add_rules(self.parse_rules(text, source, syntax))

    def remove_rules(
        self,
        text: str | None = None,
        source: str = "<rules>",
        *,
        file: File | None = None,
        syntax: Syntax = "datalog",
    ) -> Self:
        """Remove rules that the user added.

        `text` is the name of rules, or the rules themselves in the `syntax` of `add_rules`. With `file`, only rules
        that came from this rule file are removed: those with the name `text`, or all of them if `text` is None. The
        file itself is not read. Raises RuleError if the graph has no such rule, or if rules of several files have the
        name. Raises RuleSyntaxError.
        """
        if text is not None or file is None:
            check_text("remove_rules", "a rule's name, or rules,", text)
        check_choice("syntax", syntax, Syntax)
        of_file, selected = None if file is None else str(file), self._materializer.selection.names
        rules, find = self._rules(), self.find
        left = without_named_rules(rules, text, source, of_file, selected=selected, syntax=syntax, find=find)
        self._own = dict.fromkeys(left)
        return self

    def parse_rules(self, text: str, source: str, syntax: Syntax) -> tuple[Rule, ...]:
        """Parse rules. They may call the graph's functions and import from its catalogue.

        Arguments and errors are those of `add_rules`.
        """
        check_choice("syntax", syntax, Syntax)
        return parse(text, source, self._materializer.operators.registry.find, syntax=syntax, find=self.find).rules

    def add_parsed_rules(self, rules: Iterable[Rule]) -> Self:
        """Add rules that are parsed already. Raises RuleError."""
        return self._add_rules(rules)

    def remove_parsed_rules(self, rules: Iterable[Rule]) -> Self:
        """Remove rules that are parsed already. Raises RuleError if the user never added one of these rules."""
        self._own = dict.fromkeys(without_rules(self._rules(), tuple(rules)))
        return self

    def load_rules(self, path: File) -> Self:
        """Add the rules of a file: SPARQL-RL if its name ends in .srl, a CONSTRUCT query if it ends in .rq.

        Raises InputError, RuleSyntaxError, UnsafeRuleError.
        """
        check_paths("load_rules", (path,))
        return self._add_rules(rules_of_file(Path(path), self._materializer.operators.registry.find, self.find))

    def unload_rules(self, path: File) -> Self:
        """Remove the rules that a file contains.

        Raises InputError, RuleSyntaxError, and RuleError if the graph lacks one of these rules.
        """
        check_paths("unload_rules", (path,))
        return self.remove_parsed_rules(load(Path(path), None, self.find).rules)

    @as_one
    def replace_rules(self, removed: Iterable[Rule], added: Iterable[Rule]) -> Self:
        """Remove the rules `removed` of the user, and add the rules `added`. Raises RuleError, InputError."""
        own = self._rules()
        gone = {(rule, rule.file) for rule in removed}
        self._own = dict.fromkeys(rule for rule in own if (rule, rule.file) not in gone)
        return self._add_rules(added)

    def relation(self, name: str, arity: int | None = None) -> PendingRelation:
        """Return an object that inserts, deletes and upserts facts of a relation in this transaction.

        The arguments are those of `KnowledgeGraph.relation`. If this transaction has added a declaration of the
        relation, the declaration is in force already. Raises InputError, also for the relation of the shapes graph.
        """
        if name == SHAPE:
            raise InputError(f"{SHAPE} has the triples of the shapes graph: edit `shapes`, or use kgreason shapes")
        return self._relation(name, arity)

    def shape_triples(self) -> PendingRelation:
        """Return the relation of the shapes graph, for `shapes` alone, which keeps its rules in step."""
        return self._relation(SHAPE, 3)

    def _relation(self, name: str, arity: int | None) -> PendingRelation:
        return pending_relation(name, arity, self._rules, self._read_facts, lambda _: self._pending())

    @cached_property
    def shapes(self) -> PendingShapes:
        """The shapes graph, for edits in this transaction."""
        return PendingShapes(self, self._materializer.selection.names)

    def _pending(self) -> PendingFacts:
        """Return the object that collects the edits of relations. It is made at the first call."""
        if self._facts is None:
            self._facts = PendingFacts(self._materializer)
        return self._facts

    @as_one
    def _read_facts(self, read: Callable[[], None]) -> None:
        """Call `read`, which reads facts of a relation.

        If it fails, drop the terms that it interned from the dictionary.
        """
        self._intern_or_drop(read)

    def _intern_or_drop(self, read: Callable[[], _Read]) -> _Read:
        """Return what `read` returns. If it raises an error, drop the terms that it interned from the dictionary."""
        self._check_open()
        known = len(self._materializer.dictionary)
        try:
            return read()
        except BaseException:
            self._ends.drop(known)
            raise

    def own_rules(self) -> tuple[Rule, ...]:
        """Return the user's rules after the edits so far."""
        return tuple(self._rules())

    def _rules(self) -> dict[Rule, None]:
        self._check_open()
        return dict.fromkeys(self._materializer.own) if self._own is None else self._own

    @as_one
    def _add_rules(self, rules: Iterable[Rule]) -> Self:
        rules = tuple(rules)
        check_user_rules(rules)
        own = self._rules()
        forms = [*map(canonical, own), *map(canonical, rules)]
        known = set(forms[: len(own)])
        after = own | {rule: None for rule, form in zip(rules, forms[len(own) :], strict=True) if form not in known}
        check_declared(rules, self._materializer.operators.registry.find, own)
        if declared := [rule.declares for rule in rules if rule.declares and rule not in own]:
            self._pending().check(declared)
        self._own = after
        return self

    def edit_files(
        self,
        sign: int,
        paths: Sequence[File],
        syntax: str | None,
        progress: Progress,
        skipped: Skipped | None = None,
    ) -> Self:
        """Assert (`sign` 1) or retract (-1) files, as `load` and `unload` do. The caller is `undivided`."""
        materializer, prefixes = self._materializer, DocumentPrefixes()
        how: dict[str, Any] = {
            "progress": progress,
            "threads": materializer.engine.threads,
            "find": self.find,
            "skipped": skipped,
            "prefixes": prefixes,
        }
        self._note_quads(sign, partial(read_files, paths, materializer.dictionary, syntax=syntax, **how))
        return self.remember_prefixes(prefixes.prefixes()) if sign > 0 and prefixes else self

    def _note_quads(self, sign: int, read: Callable[[], Int32]) -> Self:
        with self._spans.open(), span("read"):
            self._parts.append(self._intern_or_drop(read))
        self._signs.append(sign)
        return self

    def _check_open(self) -> None:
        if not self._is_open:
            raise StoreError(self._why_ended)
        if self._thread is not threading.current_thread():
            raise StoreError(
                f"the transaction was begun in thread {self._thread.name!r}, and only this thread may edit and end it;"
                " nothing was changed"
            )

    def _edit(self) -> Edit:
        are_removed = -1 in self._signs
        removed, added = last_edits(self._signs, self._parts) if are_removed else (NO_QUADS, _join_quads(self._parts))
        self._parts = []  # `added` may be all that a large load holds of them
        own = None
        if self._own is not None:
            before, after = self._materializer.own, tuple(self._own)
            is_same = len(before) == len(after) and _files_of_rules(before) == _files_of_rules(after)
            own = None if is_same else after
        facts = self._facts.facts() if self._facts else NO_FACTS
        edit = Edit(removed, added, own, facts=facts, prefixes=self._prefixes)
        if not are_removed and not edit.facts.removed:
            return edit
        return without_idle_retractions(edit, self._materializer.dictionary, self._known, self._ends.drop)

    if not TYPE_CHECKING:  # a type checker must still find wrong names

        def __getattr__(self, name: str) -> NoReturn:
            """Raises AttributeError; for a method of the graph, the message says to call the graph."""
            hint = f"; call graph.{name}(...) outside of the transaction" if name in _EDITS_OF_GRAPH else ""
            if name in _READS_OF_GRAPH:
                hint = f"; graph.{name}(...) shows the last commit, without the edits of this transaction"
                hint += "; after the block, tx.delta says what the edits change, for a what-if too"
            raise AttributeError(f"a transaction has no attribute {name!r}{hint}", name=name, obj=self)

    def __del__(self) -> None:
        """Warn that edits are lost, if the transaction was not ended and no variable holds it any more."""
        state = self.__dict__
        if state.get("_is_open") and (state.get("_parts") or state.get("_facts") or state.get("_own") is not None):
            lost = "a transaction was neither ended nor used in a `with` block, so its edits are lost"
            warnings.warn(lost, ResourceWarning, stacklevel=2, source=self)

    def __enter__(self) -> Self:
        return self

    @as_one
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._is_open:
            self._finish(kind is None, SILENT)

    def abandon(self, why: str) -> None:
        """Drop the edits and end the transaction; any thread may call this.

        Later calls of methods raise StoreError with `why` as the message.
        """
        self._thread, self._why_ended = threading.current_thread(), why
        self.end(False)

    @as_one
    def end(self, is_good: bool, progress: Progress = SILENT) -> None:
        """End the transaction: commit it if `is_good`, otherwise drop its edits.

        Raises the errors of the commit, and StoreError if the transaction has ended already.
        """
        self._finish(is_good, progress)

    def complete(self, collect: Callable[[], object], progress: Progress = SILENT) -> Delta:
        """Call `collect`, which adds edits, commit them, and return the delta. The caller is `undivided`.

        If `collect` raises an error, the edits are dropped.
        """
        try:
            collect()
        except BaseException:
            self._finish(False, SILENT)
            raise
        self._finish(True, progress)
        return self.delta

    def _finish(self, is_good: bool, progress: Progress) -> None:
        self._check_open()
        try:
            self._is_open = False
            edit = self._edit() if is_good else None
        except BaseException:
            self._ends.drop(self._known)
            call_surely(self._ends.release)
            raise
        try:
            if edit is not None:
                with self._spans.open():
                    self._delta = self._ends.keep(edit, self._known, progress)
            else:
                self._ends.drop(self._known)
        finally:
            call_surely(self._ends.release)


def _files_of_rules(rules: Iterable[Rule]) -> dict[Rule, str]:
    return {rule: rule.file for rule in rules}


def _join_quads(parts: Sequence[Int32]) -> Int32:
    """Return arrays of quads as one. A single array is not copied: it may be all that a large load holds."""
    return parts[0] if len(parts) == 1 else np.concatenate([NO_QUADS, *parts])
