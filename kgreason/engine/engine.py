"""The engine: commits of facts and rules, by Update or by Bootstrap.

Invariants at every commit (DESIGN.md 3.3), for the active rules over the present facts: every derivation's head is
present; support is the number of derivations whose body facts all have a smaller stamp than the head; every fact is
asserted or has support. A commit is atomic: Update keeps an undo log of touched rows, Bootstrap builds beside
and swaps, so that an error or a cancel leaves facts, rules and counts as they were.

Cost: an Update is proportional to what changes (and, for new rules, one pass over the rows); a Bootstrap to the facts.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from kgreason.engine.circuit import Circuit
from kgreason.engine.layout import Int32
from kgreason.engine.planner import EncodedRule, Planner

Check = Callable[[], object]


class Changes(NamedTuple):
    """What a commit did: rows int32[n, w] that appeared and disappeared, with their tables int32[n]."""

    appeared: Int32
    appeared_tables: Int32
    disappeared: Int32
    disappeared_tables: Int32
    strategy: str
    rewrites: int


def _no_check() -> None:
    """Nothing to check between kernel calls."""


class Engine:
    """Facts and rules in ids, kept at the fixpoint.

    `quiet` is the id of a property whose reflexive triples are never derived (owl:sameAs, while eq-ref is off), or 0.
    """

    def __init__(self, quiet: int = 0) -> None:
        self.planner = Planner()
        self._quiet = quiet
        self.circuit = Circuit(self.planner, quiet=quiet)
        self._numbers: dict[EncodedRule, int] = {}
        self._bodiless: dict[int, EncodedRule] = {}
        self._weights: dict[int, int] = {}

    @property
    def rules(self) -> list[EncodedRule]:
        """The active rules."""
        return [rule for rule, number in self._numbers.items() if number in self._weights]

    def __len__(self) -> int:
        """The number of facts."""
        return len(self.circuit.facts)

    def table(self, is_triple: bool, width: int) -> int:
        """The number of the table of this kind and width; its facts may be asserted from now on."""
        number = self.planner.table(is_triple, width)
        self.circuit.refresh()
        return number

    def assert_facts(
        self, facts: Mapping[int, Int32], rules: Sequence[EncodedRule] = (), check: Check = _no_check
    ) -> Changes:
        """Update: assert rows (by table) and add rules.

        facts: table number -> int32[n, w]. `check` is called between kernel calls; what it raises undoes the commit.
        """
        circuit, weights = self.circuit, dict(self._weights)
        keys, asks = self.planner.key_info.n, self.planner.asks.n
        fresh: list[int] = []
        circuit.begin(ranked=True)
        try:
            self._add_rules(rules, fresh)
            circuit.refresh()
            for table, rows in facts.items():
                circuit.assert_rows(table, rows, check)
            if len(circuit.facts) and fresh:
                if self.planner.asks.n > asks:
                    circuit.drop_arrangements()
                circuit.count_from(keys)
                circuit.run_new([self._best_start(rule) for rule in fresh if self.planner.plans_of(rule)], check)
            self._fire_empty_bodies(fresh)
            circuit.run(check)
        except BaseException:
            self._weights = weights
            for number in fresh:
                self.planner.set_active(number, False)
            circuit.refresh()
            circuit.undo()
            raise
        rows, tables = circuit.facts.columns(circuit.finish())
        return Changes(rows, tables, rows[:0], tables[:0], "update", circuit.rewrites)

    def _best_start(self, rule: int) -> tuple[int, int]:
        """The (key, plan) of a new rule whose key the fewest facts meet."""
        return min(self.planner.plans_of(rule), key=lambda pair: int(self.circuit.memory["key_count"][pair[0]]))

    def bootstrap(
        self, facts: Mapping[int, Int32], rules: Sequence[EncodedRule] | None = None, check: Check = _no_check
    ) -> Changes:
        """Bootstrap: evaluate rules (by default the active ones) from these asserted facts alone, beside, and swap.

        facts: table number -> int32[n, w]. What `check` raises leaves everything as it was.
        """
        before, weights = self.circuit, self._weights
        room = max(1024, 2 * sum(map(len, facts.values())))  # room that is not used costs no memory
        try:
            if rules is not None:
                self._set_weights({}, rules)
            self.circuit = circuit = Circuit(self.planner, room, self._quiet)
            circuit.begin(ranked=False)
            for table, rows in facts.items():
                circuit.assert_rows(table, rows, check)
            circuit.open_first_level()
            self._fire_empty_bodies(self._weights)
            circuit.run(check)
            circuit.finish()
            circuit.facts.trim()
        except BaseException:
            self.circuit = before
            self._set_weights(weights)
            before.refresh()
            before.drop_arrangements()
            before.count_from(0)
            raise
        return _difference(before, circuit)

    def restore(self, records: Int32, rules: Sequence[EncodedRule]) -> None:
        """Take over a fixpoint that was saved: rows int32[n, 3 + w] with state, stamp and support, and its rules."""
        self._set_weights({}, rules)
        self.circuit = Circuit(self.planner, max(1024, len(records)), self._quiet)
        self.circuit.adopt(records)

    def set_rules(self, rules: Sequence[EncodedRule]) -> None:
        """Make these the active rules, without evaluating anything: a Bootstrap must follow."""
        self._set_weights({}, rules)
        self.circuit.refresh()

    def _set_weights(self, weights: dict[int, int], rules: Sequence[EncodedRule] = ()) -> None:
        """Make exactly the rules of `weights` and `rules` active."""
        for number in self._weights:
            self.planner.set_active(number, False)
        self._weights = dict(weights)
        for number in self._weights:
            self.planner.set_active(number, True)
        self._add_rules(rules, [])

    def _add_rules(self, rules: Sequence[EncodedRule], active: list[int]) -> None:
        """Add 1 to the weight of each rule; `active` gets the numbers of those that become active, before they do."""
        for rule in rules:
            number = self._number(rule)
            if number not in self._weights:
                active.append(number)
            self._weights[number] = self._weights.get(number, 0) + 1
            self.planner.set_active(number, True)

    def _number(self, rule: EncodedRule) -> int:
        """The number of a rule, which is planned when it is met first."""
        if rule not in self._numbers:
            number = self.planner.add(rule)
            if not rule.shape.body:
                self._bodiless[number] = rule
            self._numbers[rule] = number
        return self._numbers[rule]

    def _fire_empty_bodies(self, numbers: Container[int]) -> None:
        """Derive the heads of the rules among `numbers` whose body is empty."""
        for number, rule in self._bodiless.items():
            if number in numbers:
                for pattern in dict.fromkeys(rule.shape.heads):
                    row = [0 if slot == 0 else rule.constants[slot - 1] for slot in pattern.slots]
                    self.circuit.derive(pattern.table, np.array([row], dtype=np.int32))


def _difference(before: Circuit, after: Circuit) -> Changes:
    """What changed from one circuit to another."""
    before.facts.widen(after.facts.width)
    old, new = before.facts.present(), after.facts.present()
    lost = old[after.facts.find(before.facts.columns(old)[0]) < 0]
    won = new[before.facts.find(after.facts.columns(new)[0]) < 0] if len(old) else new
    return Changes(*after.facts.columns(won), *before.facts.columns(lost), "bootstrap", after.rewrites)
