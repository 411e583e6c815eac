"""Many random programs as one: the level loop beside an engine for each of them.

A Spark job costs a third of a second whatever it holds. So each program gets a mark, an id that stands in one more
column of its every fact and atom: then programs with the same relations and ids never meet, and their rules and facts
run together. What comes out is told apart by the mark again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from kgreason.engine.program.shapes import EncodedRule, Pattern, Shape
from kgreason.rules.model import Atom, Rule
from kgreason.rules.parser import parse
from kgreason.spark.close.plans import Program
from kgreason.zset.columns import Int32
from tests.engine.systems import System, encode_facts
from tests.histories.history import History
from tests.spark.close.engines import as_set, asserted, states
from tests.strategies.programs import wide

_Wish = TypeVar("_Wish")


class Case(NamedTuple):
    """A program over facts, some of which come later."""

    facts: Collection[Atom]
    rules: Collection[Rule]
    later: Collection[Atom] = ()


def dense_case(seed: int) -> Case:
    """What a dense history makes; a seed always gives the same."""
    return case_of(wide(seed))


def case_of(history: History) -> Case:
    """The first commit of a history; the facts of the other commits come later."""
    first, *others = history
    return Case(_wished(first.facts), _wished(first.rules), [fact for other in others for fact in _wished(other.facts)])


def written_case(text: str) -> Case:
    """A program with its facts as rule text; `+` begins the line of a fact that comes later."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    facts = [_fact(line) for line in lines if ":-" not in line and line[0] != "+"]
    later = [_fact(line[1:]) for line in lines if line[0] == "+"]
    rules = [f"{line.removesuffix(':-')} ." for line in lines if ":-" in line]
    return Case(facts, parse("\n".join(rules)).rules, later)


def _fact(text: str) -> Atom:
    return parse(f"{text} .").rules[0].heads[0]


def _wished(wishes: Mapping[_Wish, int]) -> list[_Wish]:
    return [wish for wish, sign in wishes.items() if sign > 0]


class Batch:
    """Programs that are one for Spark, and a system for each, evaluated from scratch."""

    def __init__(self, cases: Sequence[Case]) -> None:
        self.cases = cases
        self.systems = [System() for _ in cases]
        for system, case in zip(self.systems, cases, strict=True):
            encode_facts(case.later, system.engine._planner, system.intern)
            system.bootstrap(case.facts, case.rules)
        kinds = [kind for system in self.systems for kind in system.engine.tables]
        self._tables = {kind: number for number, kind in enumerate(dict.fromkeys(kinds))}
        self._width = max(width for _, width in kinds)

    @property
    def program(self) -> Program:
        """The rules of all, each over facts with its mark."""
        tables = [(is_triple, self._width + 1) for is_triple, _ in self._tables]
        rules = [self._marked(mark, rule) for mark, system in enumerate(self.systems) for rule in system.engine.rules]
        return Program(tables, rules)

    def asserted(self) -> Int32:
        """The facts that are asserted now."""
        return np.concatenate([self._wide(mark, asserted(system.engine)) for mark, system in enumerate(self.systems)])

    def later(self) -> Int32:
        """The facts that come later."""
        rows = []
        for mark, (system, case) in enumerate(zip(self.systems, self.cases, strict=True)):
            for table, found in encode_facts(case.later, system.engine._planner, system.intern).items():
                rows.append(self._wide(mark, np.insert(found, 0, table, axis=1)))
        return np.concatenate(rows)

    def states(self) -> Int32:
        """All facts of all engines, with their states."""
        rows = [states(system.engine) for system in self.systems]
        return np.concatenate([np.hstack([self._wide(m, row[:, :-3]), row[:, -3:]]) for m, row in enumerate(rows)])

    def update(self) -> None:
        """Let the engines take in what comes later, by Update."""
        for system, case in zip(self.systems, self.cases, strict=True):
            system.update(case.later)

    def check(self, rows: Int32) -> None:
        """What Spark gave for all is what each engine has."""
        found, wanted = self._apart(rows), self._apart(self.states())
        assert found.keys() <= wanted.keys()
        for mark, case in enumerate(self.cases):
            assert found[mark] == wanted[mark], case

    def _apart(self, rows: Int32) -> dict[int, set[tuple[int, ...]]]:
        apart: dict[int, set[tuple[int, ...]]] = defaultdict(set)
        for row in as_set(rows):
            apart[row[1 + self._width] - 1].add(row)
        return apart

    def _wide(self, mark: int, rows: Int32) -> Int32:
        """Rows `table, columns` of a system as rows of the common tables, the mark last."""
        kinds = self.systems[mark].engine.tables
        wide = np.zeros((len(rows), 2 + self._width), dtype=np.int32)
        if len(rows):
            wide[:, 0] = np.array([self._tables[kind] for kind in kinds])[rows[:, 0]]
            wide[:, 1 : rows.shape[1]] = rows[:, 1:]
            wide[:, -1] = mark + 1
        return wide

    def _marked(self, mark: int, rule: EncodedRule) -> EncodedRule:
        """The rule with the mark as one more constant, in the last column of each atom."""
        kinds, shape = self.systems[mark].engine.tables, rule.shape
        last = 1 + shape.variables + len(rule.constants)

        def marked(pattern: Pattern) -> Pattern:
            padding = (0,) * (self._width - len(pattern.slots))
            return Pattern(self._tables[kinds[pattern.table]], (*pattern.slots, *padding, last))

        atoms = tuple(map(marked, shape.heads)), tuple(map(marked, shape.body))
        return EncodedRule(Shape(*atoms, shape.variables), (*rule.constants, mark + 1), rule.label)
