"""`Reader`: what others may ask of the engine, between commits and while a commit is open.

Law: nothing here changes facts or rules. (`derivations` and `trace` make plans, which no answer shows.)
Threads: nobody may commit meanwhile; the caller holds the graph's lock.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from kgreason.engine.changes import Changes, Place
from kgreason.engine.circuit import Circuit
from kgreason.engine.costs import Cost, costs_by_rule
from kgreason.engine.facts.facts import Facts
from kgreason.engine.facts.matching import GIVEN, QUEUED, ChangedFacts, antijoin_results, arrived_keys
from kgreason.engine.facts.table import TABLE
from kgreason.engine.index.arrangements import ARRANGEMENTS
from kgreason.engine.limits import Check, both_checks, no_check
from kgreason.engine.program.planner import Planner
from kgreason.engine.program.shapes import EncodedRule
from kgreason.engine.program.weights import Weights
from kgreason.engine.rebuild import changes_between
from kgreason.engine.records import Snapshot
from kgreason.engine.update import Forecasts
from kgreason.errors import LimitError
from kgreason.interrupts import let_out, undivided
from kgreason.zset.columns import ABSENT, Int32


class _EnoughError(Exception):
    """Raised to stop a search when the requested number of derivations has been found."""


class Reader:
    """Reads the facts and rules of an engine, and the changes of its open commit."""

    facts: Facts
    """A reader of the facts. It is valid until the next commit."""

    def __init__(self, planner: Planner, circuit: Circuit) -> None:
        self._planner = planner
        self._switch_to(circuit)
        self._weights, self._forecasts = Weights(planner), Forecasts()
        self._origin, self._is_open = circuit, False
        """`_origin`: the circuit as of the last commit, in which an Update runs as well."""
        self._looked_at = circuit, 0
        """Up to where `arrived_keys` has looked: the circuit, and the position in its undo log."""
        self._commit = self._last = 0
        """`_commit`: the number of the commit that began last. `_last`: of the commit that was accepted last."""

    def _switch_to(self, circuit: Circuit) -> None:
        """Work with `circuit` from now on."""
        self._circuit, self.facts = circuit, circuit.facts

    @property
    def generation(self) -> int:
        """A number that each Bootstrap changes, and that a rollback sets back."""
        return self._circuit.generation

    @property
    def rules(self) -> list[EncodedRule]:
        """The rules in force."""
        return [self._planner.rule(number) for number in self._weights]

    def __len__(self) -> int:
        """Return the number of facts."""
        return len(self._circuit.facts)

    @property
    def nbytes(self) -> int:
        """The number of bytes of the fact table, the arrangements and the catalogue, without scratch arrays."""
        return self._circuit.memory.nbytes(*TABLE, *ARRANGEMENTS) + self._circuit.catalogue.nbytes

    @property
    def tables(self) -> list[tuple[bool, int]]:
        """For each table, by its number, whether it holds triples, and how many columns it has."""
        return self._planner.tables()

    @property
    def work(self) -> int | None:
        """The forecast of a Bootstrap's work, its rewrites plus its facts; None before the first Bootstrap."""
        return self._forecasts.work

    def arrived_keys(self, lines: Int32) -> Int32:
        """Return the keys of the facts that the open commit added since the last call, or else since `begin`.

        Only facts that match an atom count: `lines` has the atoms, as `facts.matching` explains. Returns int32[n, 1 +
        w]: the number of the line, and the key. A fact that left and returned in this commit may be left out. After a
        Bootstrap, all facts are looked at.
        """
        circuit, start = self._looked_at
        is_update = circuit is self._circuit or self._circuit is self._origin
        self._looked_at = self._circuit, self._circuit.log_length
        start = start if circuit is self._circuit else 0
        return arrived_keys(self._circuit.block, lines, start, self._circuit.log_length, is_update=is_update)

    @property
    def has_only_updates(self) -> bool:
        """Whether the open commit has run Updates alone, so that the undo log has all its changes."""
        return self._circuit is self._origin

    def was_present(self, rows: Int32) -> NDArray[np.bool_]:
        """Return for each row that `arrived_keys` returned whether it was a fact before the open commit: bool[n].

        If a Bootstrap has run, the facts are looked up in the old circuit. If not, or if there were no facts, all
        results are False, because `arrived_keys` then returns only facts that are new.
        """
        if self._circuit is self._origin or not len(self._origin.facts):
            return np.zeros(len(rows), dtype=np.bool_)
        found: NDArray[np.bool_] = self._origin.facts.find(rows) >= 0
        return found

    def antijoin_results(
        self, lines: Int32, first: int, last: int, facts: ChangedFacts, others: Int32, *, was_decided: bool
    ) -> Int32:
        """Decide antijoins for the keys of changed facts, as `facts.matching.antijoin_results` does."""
        return antijoin_results(self._circuit.block, lines, first, last, facts, others, was_decided=was_decided)

    def columns(self, facts: ChangedFacts) -> Int32:
        """Return the columns of changed facts: int32[n, w]. Facts whose kind is as before may be among them."""
        if facts.source == GIVEN:
            return facts.rows
        if facts.source == QUEUED:
            return self.facts.columns(self._circuit.queued_rows(facts.start)[: facts.end - facts.start])[0]
        return self._circuit.changes(facts.start)[0]

    def place(self) -> Place:
        """Return a mark of the open commit's present state, for `changed_facts`."""
        return Place(self.generation, self._circuit.log_length, self._circuit.queue_end)

    def queued_facts(self, since: Place) -> tuple[Int32, Int32]:
        """Return the facts that the open commit has queued since `place` made the mark `since`: columns and tables.

        These are all facts that came or went since then, and others. No Bootstrap may have run after `since`.
        """
        return self.facts.columns(self._circuit.queued_rows(since.queued))

    def changed_facts(self, since: Place) -> tuple[Int32, Int32, Place]:
        """Return the facts that the open commit has changed since `place` made the mark `since`, and a new mark.

        The facts are returned as columns int32[n, w] and tables int32[n]. A fact that had already changed before
        `since` may be left out. If a Bootstrap has run after `since`, all facts that the commit has changed are
        returned.
        """
        if since.generation == self.generation:
            rows, tables, _, _ = self._circuit.changes(since.touched)
        else:
            rows, tables = changes_between(self._origin, self._circuit)[:2]
        return rows, tables, self.place()

    def new_facts(self, since: Place) -> Changes:
        """Return the facts that the open commit has added since `place` made the mark `since`, by Updates alone.

        Facts that it had already changed before may be left out. Raises LimitError if a Bootstrap has run after
        `since`: the stamps of very many Updates became too large.
        """
        if since.generation != self.generation:
            raise LimitError("rules derive facts from facts in more steps of one commit than a stamp can count")
        changed = self._circuit.changes(since.touched)
        is_new = (changed[2] == ABSENT) & (changed[3] != ABSENT)
        rows, tables, before, after = (part[is_new] for part in changed)
        return Changes(rows, tables, before, after, "update", False, 0, 0)

    def rows_with(self, table: int, constants: Mapping[int, int]) -> Int32 | None:
        """Return the facts of a table that have the ids `constants`, column -> id: int32[n, w].

        Returns None if no body atom of the rules has exactly these constants in these columns. Cost: one look at each
        fact that the catalogue lists for the constants.
        """
        key = self._planner.find_key(table, constants)
        if key is None:
            return None
        if not self._circuit.memory["key_count"][key]:
            return np.empty((0, self._planner.width), dtype=np.int32)
        rows, tables = self.facts.columns(self._circuit.arrangements.candidates(key))
        kept = tables == table
        for column, value in constants.items():
            kept &= rows[:, column] == value
        found: Int32 = rows[kept]
        return found

    def facts_with(self, table: int, constants: Mapping[int, int]) -> Int32:
        """Return the facts of a table that have the ids `constants`, column -> id, as of the last commit: int32[n, w].

        If a commit is open, facts that this commit added may be among them. Cost: a look at all facts.
        """
        facts, width = (self._origin if self._is_open else self._circuit).facts, self._planner.tables()[table][1]
        if width > facts.width:  # the open commit has made the table
            return np.empty((0, width), dtype=np.int32)
        rows, tables = facts.columns(facts.rows_with_constants(constants))
        found: Int32 = rows[tables == table]
        return found

    def derivations(self, row: int, limit: int = 1 << 20) -> list[tuple[EncodedRule, tuple[int, ...]]]:
        """Return the derivations of the present fact in row `row`, as pairs of a rule and the values of its slots.

        Slots are the variables and constants of the rule (see `memory/layout.py`). The rules run backwards, from head
        to body. The search stops when `limit` derivations or more have been found. No commit may be open.
        """
        found = dict[tuple[int, ...], None]()

        def take(traced: Int32) -> None:
            found.update(dict.fromkeys(map(tuple, traced.tolist())))
            if len(found) >= limit:
                raise _EnoughError

        with suppress(_EnoughError):
            self.trace(np.array([row], dtype=np.int32), take)
        return [(self._planner.rule(rule), tuple(slots)) for rule, *slots in found]

    def trace(self, rows: Int32, take: Callable[[Int32], None], check: Check = no_check) -> None:
        """Pass to `take` all derivations of the facts with the row numbers `rows`, int32[n]; see `Circuit.trace`.

        The rows must hold present facts. No commit may be open.
        """
        with undivided():
            self._circuit.refresh_if_changed()
            self._circuit.plan_backward(rows)
            self._circuit.trace(rows, take, both_checks(let_out, check))

    def snapshot(self, records: Int32) -> Snapshot | None:
        """Return what a circuit needs to be opened again without a look at the facts; see `Circuit.snapshot`."""
        return self._circuit.snapshot(records)

    @property
    def has_commits(self) -> bool:
        """Whether a commit is open, or a commit has been accepted since the engine was made or restored."""
        return self._is_open or self._last > 0

    def costs(self, *, every: bool = False) -> list[tuple[EncodedRule, Cost]]:
        """Return the rules in force, each with its cost. With `every`, also return the rules that are not in force now.

        If a commit is open, the open commit counts as the last commit.
        """
        self._circuit.refresh_if_changed()
        found = costs_by_rule(self._circuit.costs, self._commit if self._is_open else self._last)
        numbers = range(self._planner.rules.n) if every else self._weights
        return [(self._planner.rule(number), found[number]) for number in numbers]
