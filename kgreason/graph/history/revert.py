"""`revert`: an edit that takes a commit back; `Reverted`: its delta, and what could not be taken back.

    commit n              now                   the edit
    asserted a quad       it is asserted        retracts it
    retracted a quad      it is not asserted    asserts it
    added a rule          it is in force        removes it
    ...                   otherwise             a conflict: a later commit changed the same fact or rule

Quads of imported documents come and go with the ontologies that import them. If a relation has a key, a fact does not
come back while another fact with the same key is asserted. This is a conflict as well.

Cost: that of a commit of the same size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kgreason.engine.program.encoding import relation_text
from kgreason.errors import InputError
from kgreason.graph.changes.delta import Delta
from kgreason.graph.changes.relations import asserted_facts
from kgreason.graph.history.deltas import delta_of
from kgreason.graph.history.reading import history_of
from kgreason.graph.input.terms import term_of
from kgreason.graph.transaction import Transaction
from kgreason.graph.user_rules import rules_of_journal_text
from kgreason.materialize.materializer import Materializer
from kgreason.materialize.quads.documents import quads_of_graphs
from kgreason.rules.formatter import format_rule
from kgreason.rules.model import Rule, Triple
from kgreason.shapes.vocabulary import SHAPE, SOURCE
from kgreason.store.homes.home import Home
from kgreason.store.journal.facts import read_fact
from kgreason.store.journal.record import Signed
from kgreason.zset.columns import Int32

_WAS = {1: "added", -1: "removed"}
_IS = {1: "is gone already", -1: "is there again"}


class Reverted(NamedTuple):
    """The result of `KnowledgeGraph.revert`: the `delta` of the new commit, and the `conflicts` as lines of text."""

    delta: Delta
    conflicts: tuple[str, ...]


def revert(
    commit: int, home: Home, materializer: Materializer, begin: Callable[[Mapping[str, str] | None], Transaction]
) -> Reverted:
    """Take a commit of `home` back by a new commit; see `KnowledgeGraph.revert`.

    `begin` begins a transaction with the headers of the new commit, or a what-if if they are None.
    """
    done = delta_of(history_of(home, commit, commit - 1).entries(commit - 1, commit), commit, {})
    tx = begin({"reverts": str(commit)})
    try:
        conflicts, is_needed = _undo(done, materializer, tx)
    except BaseException:
        tx.end(False)
        raise
    if not is_needed:
        tx.end(False)
        tx = begin(None)
    tx.end(True)
    return Reverted(tx.delta, conflicts)


def _undo(done: Delta, materializer: Materializer, tx: Transaction) -> tuple[tuple[str, ...], bool]:
    """Add to a transaction the edits that take a commit back.

    `done` is the delta of the commit, with a dictionary of its own. Returns the conflicts, and whether any edit was
    added. Raises the errors of the transaction.
    """
    conflicts = list(_undo_quads(done, materializer, tx))
    conflicts += _undo_rules(done.rules, materializer.own, tx)  # before the facts: a declaration may come back
    conflicts += _undo_facts(done, materializer, tx)
    conflicts += _undo_shapes(done, tx)
    return tuple(conflicts), len(conflicts) < _edit_count(done)


def _edit_count(done: Delta) -> int:
    """Count how many quads, rules and facts of relations a commit asserted or retracted."""
    quads = sum(len(quads_of_graphs(done.dictionary, rows)) for rows in (done.added_quads, done.removed_quads))
    rules = sum(rule.file != SOURCE for _, text in done.rules for rule in rules_of_journal_text(text))
    return quads + rules + len(asserted_facts(done.change.facts, done.dictionary))


def _undo_quads(done: Delta, materializer: Materializer, tx: Transaction) -> Iterator[str]:
    for sign, rows in ((1, done.added_quads), (-1, done.removed_quads)):
        quads = quads_of_graphs(done.dictionary, rows)
        is_free = _are_asserted(materializer, _in_ids_of_graph(quads, done, materializer)) == (sign > 0)
        free, others = (done.lines([np.ascontiguousarray(quads[kept])])[0] for kept in (is_free, ~is_free))
        if free:
            (tx.remove_lines if sign > 0 else tx.add_lines)(free)
        for line in filter(None, others.decode().split("\n")):
            yield _conflict_text(sign, line)


def _in_ids_of_graph(rows: Int32, done: Delta, materializer: Materializer) -> Int32:
    """Return `rows`, which have ids of the dictionary of `done`, with the ids of the graph's dictionary instead.

    A row with a term that the graph does not know becomes all zeros.
    """
    found = materializer.dictionary.find(done.dictionary.decode(rows.ravel())).astype(np.int32).reshape(rows.shape)
    found[rows == 0] = 0
    found[((found == 0) & (rows != 0)).any(axis=1)] = 0
    return found


def _are_asserted(materializer: Materializer, quads: Int32) -> NDArray[np.bool_]:
    """For each of the quads, int32[n, 4], whether it is asserted: bool[n]."""
    if materializer.quads.is_explicit:
        return materializer.quads.holds(quads)
    found: NDArray[np.bool_] = materializer.engine.facts.are_asserted(quads[:, :3]) & (quads[:, 3] == 0)
    return found


def _undo_rules(signed: Signed, own: Sequence[Rule], tx: Transaction) -> Iterator[str]:
    come, gone = list[Rule](), list[Rule]()
    for sign, text in signed:
        for rule in rules_of_journal_text(text):
            if rule.file == SOURCE:
                continue  # `_undo_shapes` makes them from the triples of the shapes graph
            is_there = any((rule, rule.file) == (each, each.file) for each in own)
            if is_there == (sign > 0):
                (gone if sign > 0 else come).append(rule)
            else:
                yield _conflict_text(sign, f"the rule {format_rule(rule)}")
    if come or gone:
        tx.replace_rules(gone, come)


def _undo_facts(done: Delta, materializer: Materializer, tx: Transaction) -> Iterator[str]:
    for sign, text in reversed(asserted_facts(done.change.facts, done.dictionary)):  # first what goes: keys get free
        name, terms = read_fact(text)
        if name == SHAPE:
            continue
        row = materializer.dictionary.find([relation_text(name, len(terms)), *terms]).astype(np.int32)[None]
        is_there = bool(row.all() and materializer.engine.facts.are_asserted(row)[0])
        if is_there != (sign > 0):
            yield _conflict_text(sign, text)
            continue
        relation, values = tx.relation(name, len(terms)), [tuple(map(term_of, terms))]
        try:
            (relation.delete if sign > 0 else relation.insert)(values)
        except InputError as error:
            yield str(error)


def _undo_shapes(done: Delta, tx: Transaction) -> Iterator[str]:
    """Take back the edits of the shapes graph. Its rules follow from the triples that are then there."""
    come, gone, there = set[Triple](), set[Triple](), None
    for sign, text in asserted_facts(done.change.facts, done.dictionary):
        name, terms = read_fact(text)
        if name != SHAPE:
            continue
        there = set(tx.shapes.triples()) if there is None else there
        triple = (terms[0], terms[1], terms[2])
        if (triple in there) == (sign > 0):
            (gone if sign > 0 else come).add(triple)
        else:
            yield _conflict_text(sign, text)
    if come or gone:
        tx.shapes.replace(gone, come)


def _conflict_text(sign: int, text: str) -> str:
    return f"{text.removesuffix(' .')} was {_WAS[sign]}, and {_IS[sign]}"
