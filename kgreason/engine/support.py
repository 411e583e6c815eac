"""Finds the facts that one rule supports alone.

A rule supports a fact alone if the fact is not asserted, and all its counted derivations are by this rule.

The rules run backwards from all inferred facts at once. The answer says which facts need a rule: without the rule these
facts would leave, and so would the facts that follow from these facts alone.

Law: for each inferred fact, at most one rule supports the fact alone. Cost: a look at every derivation; memory for one
number for each pair of an inferred fact and a rule that supports it.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from kgreason.engine.engine import Engine
from kgreason.engine.limits import Check
from kgreason.engine.memory import layout as at
from kgreason.engine.program.shapes import EncodedRule, Pattern
from kgreason.zset.columns import INFERRED, Int32
from kgreason.zset.order import distinct

_MANY = 1_000_000
"""When more than this number of new pairs wait, they are merged with the pairs found before."""


def facts_of_one_owner(engine: Engine, owners: Mapping[EncodedRule, int], check: Check) -> Int32:
    """Return the facts that one owner supports alone: int32[n, 2], the number of the fact's row and the owner.

    `owners` maps each rule to a number, its owner; rules with the same owner count as one rule. `check` is called now
    and then, and may raise. No commit may be open.
    """
    pairs = _Pairs(engine, owners)
    engine.trace(pairs.rows, pairs.note_derivations, check)
    pairs.note_bodiless()
    return pairs.single_pairs()


class _Pairs:
    """Pairs of an inferred fact and the owner of a rule with a counted derivation of this fact.

    `note_derivations` collects them.
    """

    def __init__(self, engine: Engine, owners: Mapping[EncodedRule, int]) -> None:
        self._engine, self._facts, self._owners = engine, engine.facts, owners
        present = self._facts.present_rows()
        self.rows: Int32 = present[self._facts.kinds(present) == INFERRED]
        """The rows of the inferred facts."""
        self._is_inferred = np.zeros(int(present.max(initial=0)) + 1, dtype=np.bool_)
        self._is_inferred[self.rows] = True
        self._stamps = np.zeros(len(self._is_inferred), dtype=np.int32)
        self._stamps[present] = self._facts.records(present)[:, at.STAMP]
        self._found, self._parts, self._waiting = np.empty(0, dtype=np.int64), list[NDArray[np.int64]](), 0

    def note_derivations(self, traced: Int32) -> None:
        """Note a pair (fact, owner) for each counted derivation among `traced`.

        `traced`: int32[n, 1 + slots], as `Circuit.trace` passes derivations.
        """
        for number in distinct(traced[:, 0]).tolist():
            code = self._engine._planner.rule(number)
            slots = traced[traced[:, 0] == number, 1:]
            slots[:, 1 + code.shape.variables :][:, : len(code.constants)] = code.constants
            newest = np.full(len(slots), -1, dtype=np.int32)
            for pattern in dict.fromkeys(code.shape.body):
                newest = np.maximum(newest, self._stamps[self._rows(pattern, slots)])
            self._note_pairs(code, slots, newest)

    def note_bodiless(self) -> None:
        """Note a pair (fact, owner) for each rule without a body. `trace` does not find derivations by such rules."""
        for code in self._owners:
            if not code.shape.body:
                self._note_pairs(code, np.array([[0, *code.constants]], dtype=np.int32), np.array([-1], dtype=np.int32))

    def _rows(self, pattern: Pattern, slots: Int32) -> Int32:
        return self._facts.find(self._facts.pad(slots[:, pattern.slots]))

    def _note_pairs(self, code: EncodedRule, slots: Int32, newest: Int32) -> None:
        if (owner := self._owners.get(code)) is None:
            return
        for pattern in dict.fromkeys(code.shape.heads):
            rows = self._rows(pattern, slots)
            kept = (rows >= 0) & self._is_inferred[rows] & (newest < self._stamps[rows])
            self._parts.append(distinct(rows[kept].astype(np.int64) << 32 | owner))
            self._waiting += len(self._parts[-1])
        if self._waiting > _MANY + len(self._found):
            self._merge()

    def _merge(self) -> None:
        self._found = distinct(np.concatenate([self._found, *self._parts]))
        self._parts, self._waiting = [], 0

    def single_pairs(self) -> Int32:
        """Return those pairs (number of the row, owner) whose fact is in no other pair: int32[n, 2]."""
        self._merge()
        rows: NDArray[np.int64] = self._found >> 32
        _, first, counts = np.unique(rows, return_index=True, return_counts=True)
        kept = self._found[first[counts == 1]]
        return np.column_stack([kept >> 32, kept & 0xFFFFFFFF]).astype(np.int32)
