"""The engine behind the oracle's vocabulary: ground atoms and rules in, stamps and supports out."""

from __future__ import annotations

from collections.abc import Iterable

from kgreason.engine.encode import encode, encode_facts
from kgreason.engine.engine import Check, Engine
from kgreason.engine.layout import ASSERTED, FIRST, STAMP, STATE, SUPPORT
from kgreason.rules.model import Atom, Rule
from tests.oracle.datalog import Fact, State


def no_check() -> None:
    """Let every commit go on."""


class System:
    """An engine with a dictionary of its own."""

    def __init__(self) -> None:
        self.engine = Engine()
        self._ids: dict[str, int] = {}

    def intern(self, texts: Iterable[str]) -> list[int]:
        """The ids of texts, dense from 1."""
        return [self._ids.setdefault(text, len(self._ids) + 1) for text in texts]

    def bootstrap(self, facts: Iterable[Atom], rules: Iterable[Rule], check: Check = no_check) -> None:
        """Evaluate from scratch."""
        planner = self.engine.planner
        encoded = [encode(rule, planner, self.intern) for rule in rules]
        self.engine.bootstrap(encode_facts(facts, planner, self.intern), encoded, check)

    def update(self, facts: Iterable[Atom], rules: Iterable[Rule] = (), check: Check = no_check) -> set[Fact]:
        """Assert facts and add rules; what appeared."""
        planner = self.engine.planner
        encoded = [encode(rule, planner, self.intern) for rule in rules]
        changes = self.engine.assert_facts(encode_facts(facts, planner, self.intern), encoded, check)
        return {self._fact(row) for row in changes.appeared.tolist()}

    def _fact(self, row: list[int]) -> Fact:
        texts = [text for number in row if number for text in [list(self._ids)[number - 1]]]
        if texts[0].startswith(("<", "_", '"')):
            return None, tuple(texts)
        return texts[0].rsplit("/", 1)[0], tuple(texts[1:])

    def states(self) -> dict[Fact, State]:
        """Every present fact with its stamp, support and asserted flag."""
        circuit = self.engine.circuit
        records = circuit.memory["rows"][circuit.facts.present()].tolist()
        return {
            self._fact(row[FIRST:]): State(row[STAMP], row[SUPPORT], bool(row[STATE] & ASSERTED)) for row in records
        }
