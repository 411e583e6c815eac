"""Programs of the whole language in parts, beside one process: all facts and asserted flags, those of hidden relations
included."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from benchmarks.rounds import close
from kgreason.engine.program.encoding import relation_text
from kgreason.functions.registry import Registry
from kgreason.materialize.edit import Edit
from kgreason.materialize.materializer import Materializer
from kgreason.materialize.schema.rows import SAME_AS
from kgreason.rules.model import DATA, Atom, Rule
from kgreason.rules.parser import parse
from kgreason.spark.rounds.placement import placement
from kgreason.spark.rounds.plan import FIRST, FLAG, MOST_ALIKE, TABLE, PartsPlan, operators_plan, plan
from kgreason.zset.columns import IS_ASSERTED, Int32
from tests.histories.history import Triple
from tests.spark.programs import selected
from tests.strategies.programs import wide

Row = tuple[int, ...]


class Whole:
    """A program in one process: its facts, and those that it begins with."""

    def __init__(self, triples: Iterable[Triple], rules: tuple[Rule, ...], registry: Registry | None = None) -> None:
        self._process = process = Materializer(selected(rules), registry=registry)
        ids = [process.dictionary.intern([*triple]) for triple in sorted(triples)]
        self._triples = np.array(ids, dtype=np.int32).reshape(-1, 3)
        process.change(Edit(added=np.column_stack([self._triples, np.zeros(len(ids), dtype=np.int32)])))
        process.accept()

    def ids(self, *names: str) -> list[int]:
        """The ids of terms `<http://e/NAME>`."""
        found: list[int] = self._process.dictionary.find([f"<http://e/{name}>" for name in names]).tolist()
        return found

    def plan(self, parts: int) -> PartsPlan:
        """The plan for so many parts."""
        process, placed = self._process, placement(self._process.rules)
        common = process.engine, process.dictionary.intern
        needs = operators_plan(process.rules, process.closed_schema(), placed, *common)
        return plan(placed, parts, *common, quiet=SAME_AS, operators=needs)

    def in_process(self, width: int) -> set[Row]:
        """All facts as rows."""
        columns, tables, kinds = self._process.engine.facts.contents()
        return set(map(tuple, rows_of(columns, tables, kinds == IS_ASSERTED, width).tolist()))

    def in_parts(self, parts: int, most: int = MOST_ALIKE, *, are_new: bool = False) -> tuple[set[Row], set[Row]]:
        """All facts as rows, of one process and of parts. No fact is there twice.

        With `are_new`, each step makes the parts anew. Facts of DATA are left out: if terms can be equal, all
        asserted triples are such facts in parts.
        """
        width, found = self._closed(self._triples, parts, most, are_new=are_new)
        result = set(map(tuple, found.tolist()))
        assert len(result) == len(found), "a fact is at home in two parts"
        (data,) = self._process.dictionary.find([relation_text(DATA, 3)]).tolist()
        one, several = ({row for row in each if row[FIRST] != data} for each in (self.in_process(width), result))
        return one, several

    def closed(self, triples: Iterable[Triple], parts: int) -> Int32:
        """The closure in parts of other triples, as rows."""
        ids = [self._process.dictionary.intern([*triple]) for triple in sorted(triples)]
        return self._closed(np.array(ids, dtype=np.int32).reshape(-1, 3), parts)[1]

    def _closed(
        self, triples: Int32, parts: int, most: int = MOST_ALIKE, *, are_new: bool = False
    ) -> tuple[int, Int32]:
        made = self.plan(parts)
        rows = rows_of(triples, made.tables.index((True, 3)), True, made.width)
        common = self._process.dictionary, self._process.operators.registry
        return made.width, close(made, rows, *common, most, are_new=are_new).facts


def rows_of(columns: Int32, tables: Int32 | int, flags: NDArray[np.bool_] | bool, width: int) -> Int32:
    """Facts as rows of a plan."""
    rows = np.zeros((len(columns), FIRST + width), dtype=np.int32)
    rows[:, FLAG], rows[:, TABLE], rows[:, FIRST : FIRST + columns.shape[1]] = flags, tables, columns
    return rows


def random_program(seed: int) -> tuple[list[Rule], list[Atom]]:
    """Rules and facts. A seed always gives the same."""
    first = wide(seed)[0]
    rules = [rule for rule, sign in first.rules.items() if sign > 0]
    return rules, [fact for fact, sign in first.facts.items() if sign > 0]


def written_program(text: str) -> tuple[list[Rule], list[Atom]]:
    """Rules and facts of a text."""
    rules = parse(text).rules
    return [rule for rule in rules if rule.body], [rule.heads[0] for rule in rules if not rule.body]
