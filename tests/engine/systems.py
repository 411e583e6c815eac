"""The engine behind the oracle's vocabulary: ground atoms and rules in, stamps, supports and kinds out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

import numpy as np

from kgreason.engine.changes import Changes, Strategy
from kgreason.engine.engine import Engine
from kgreason.engine.limits import Check
from kgreason.engine.memory import layout as at
from kgreason.engine.program.encoding import Intern, encode, terms_of_row
from kgreason.engine.program.planner import Planner
from kgreason.engine.program.shapes import EncodedRule
from kgreason.rules.model import Atom, Rule, Term
from kgreason.zset.columns import ABSENT, Int32
from tests.oracle.change import Kinds
from tests.oracle.datalog import Fact, State

_Wishes: TypeAlias = tuple[dict[int, Int32], dict[int, Int32], list[EncodedRule], list[EncodedRule]]
"""Rows to assert and to retract, rules to add and to remove."""


def no_check() -> None:
    """Let every commit go on."""


def spare(state: int) -> int | None:
    """How many spare derivations the state of a row says that its fact has; None if it is unknown."""
    return None if state & at.UNKNOWN else (state & at.SPARE) // at.ONE_SPARE


def encode_facts(facts: Iterable[Atom], planner: Planner, intern: Intern) -> dict[int, Int32]:
    """Encode facts as rows int32[n, w], by the number of their table."""
    tables: dict[int, list[tuple[Term, ...]]] = {}
    for fact in facts:
        row = terms_of_row(fact)
        tables.setdefault(planner.table(fact.relation is None, len(row)), []).append(row)
    return {
        table: np.array([intern([str(term) for term in row]) for row in rows], dtype=np.int32)
        for table, rows in tables.items()
    }


class System:
    """An engine with a dictionary of its own."""

    def __init__(self) -> None:
        self.engine = Engine()
        self._ids: dict[str, int] = {}
        self._texts = [""]

    def intern(self, texts: Iterable[str]) -> list[int]:
        """The ids of texts, dense from 1."""
        return list(map(self._id, texts))

    def _id(self, text: str) -> int:
        if text not in self._ids:
            self._ids[text] = len(self._texts)
            self._texts.append(text)
        return self._ids[text]

    def bootstrap(self, facts: Iterable[Atom], rules: Iterable[Rule], check: Check = no_check) -> None:
        """Evaluate from scratch."""
        planner = self.engine._planner
        encoded = [encode(rule, planner, self.intern) for rule in rules]
        self.engine.bootstrap(encode_facts(facts, planner, self.intern), encoded, check)

    def update(self, facts: Iterable[Atom], rules: Iterable[Rule] = (), check: Check = no_check) -> set[Fact]:
        """Assert facts and add rules; what appeared."""
        changes = self.commit(dict.fromkeys(facts, 1), dict.fromkeys(rules, 1), "update", check)
        return {fact for fact, (before, _) in changes.items() if before == ABSENT}

    def commit(
        self,
        facts: Mapping[Atom, int],
        rules: Mapping[Rule, int],
        strategy: Strategy = "auto",
        check: Check = no_check,
    ) -> Kinds:
        """Assert (+1) and retract (-1) facts, add and remove rules; what changed."""
        return self._kinds(self.engine.commit(*self.wishes(facts, rules), strategy=strategy, check=check))

    def apply(
        self,
        facts: Mapping[Atom, int],
        rules: Mapping[Rule, int],
        strategy: Strategy = "auto",
        check: Check = no_check,
    ) -> None:
        """A part of a commit that `engine.begin` has started."""
        self.engine.apply(*self.wishes(facts, rules), strategy=strategy, check=check)

    def changes(self) -> Kinds:
        """What the open commit has changed so far."""
        return self._kinds(self.engine.changes())

    def wishes(self, facts: Mapping[Atom, int], rules: Mapping[Rule, int]) -> _Wishes:
        """The arguments of `Engine.apply`; of rules, those alone that become active or cease to be."""
        planner, active = self.engine._planner, set(self.engine.rules)
        wished = {encode(rule, planner, self.intern): sign > 0 for rule, sign in rules.items()}
        return (
            encode_facts((fact for fact, sign in facts.items() if sign > 0), planner, self.intern),
            encode_facts((fact for fact, sign in facts.items() if sign < 0), planner, self.intern),
            [rule for rule, wish in wished.items() if wish and rule not in active],
            [rule for rule, wish in wished.items() if not wish and rule in active],
        )

    def _kinds(self, changes: Changes) -> Kinds:
        kinds = zip(changes.before.tolist(), changes.after.tolist(), strict=True)
        return dict(zip(map(self.fact, changes.rows.tolist()), kinds, strict=True))

    def fact(self, row: list[int]) -> Fact:
        texts = [self._texts[number] for number in row if number]
        if texts[0].startswith(("<", "_", '"')):
            return None, tuple(texts)
        return texts[0].rsplit("/", 1)[0], tuple(texts[1:])

    def spares(self) -> dict[Fact, int | None]:
        """Every present fact with the number of its spare derivations; None if this number is unknown."""
        circuit = self.engine._circuit
        records = circuit.memory["rows"][circuit.facts.present_rows()].tolist()
        return {self.fact(row[at.FIRST :]): spare(row[at.STATE]) for row in records}

    def states(self) -> dict[Fact, State]:
        """Every present fact with its stamp, support and asserted flag."""
        circuit = self.engine._circuit
        records = circuit.memory["rows"][circuit.facts.present_rows()].tolist()
        return {
            self.fact(row[at.FIRST :]): State(row[at.STAMP], row[at.SUPPORT], bool(row[at.STATE] & at.ASSERTED))
            for row in records
        }
