"""The schema's stratum: schema triples closed by the generic scm-* rules, apart from the data.

The closure is what is translated (DESIGN.md 4): asserted axioms alone would be incomplete, and feeding back what data
rules infer would let rules support themselves. Invariant: `closure` holds the asserted schema triples and what the
closing rules derive from them alone. Cost: an engine of the schema's size.
"""

from __future__ import annotations

import numpy as np

from kgreason.engine.encode import encode
from kgreason.engine.engine import Check, Engine
from kgreason.engine.layout import Int32
from kgreason.rules.model import Rule
from kgreason.terms.dictionary import Dictionary


class SchemaStratum:
    """The closing rules over schema triples."""

    def __init__(self, dictionary: Dictionary, closing: tuple[Rule, ...]) -> None:
        self._engine = Engine()
        self._triples = self._engine.table(True, 3)
        self._rules = [encode(rule, self._engine.planner, dictionary.intern) for rule in closing]

    def add(self, rows: Int32, check: Check) -> None:
        """Assert schema triples int32[n, 3]."""
        rules, self._rules = self._rules, []
        self._engine.assert_facts({self._triples: rows}, rules, check)

    def closure(self) -> Int32:
        """The closed schema: int32[n, 3], in the order of ids."""
        facts = self._engine.circuit.facts
        columns, tables = facts.columns(facts.present())
        rows = columns[tables == self._triples, :3]
        return np.ascontiguousarray(rows[np.lexsort(rows.T[::-1])])
