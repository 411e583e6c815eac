"""`TableProgram`: a Datalog program that reads its relations from files and writes them to files.

    R.facts -> ids -> engine -> R.csv

Each relation R of the program is read from R.facts, if this file exists. A relation that no rule derives must have this
file. Each relation R that a rule derives is written to R.csv, unless the program declares R as internal. `@relation`
gives types to columns and keys to relations (`columns`). Invariant: the written files hold all facts of these relations
in the closure of the facts that were read.

Cost: one Bootstrap, an Update for each stratum, and the cost of reading and writing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from kgreason.engine.changes import Strategy
from kgreason.engine.costs import Cost
from kgreason.engine.engine import Engine
from kgreason.engine.program.encoding import relation_text
from kgreason.errors import InputError, RuleError
from kgreason.functions.registry import Registry
from kgreason.interrupts import as_one, let_out
from kgreason.materialize.edit import Facts
from kgreason.materialize.operators.operators import Operators
from kgreason.materialize.relations.derived_facts import DerivedFacts
from kgreason.options import DEFAULT_LIMITS, Limits
from kgreason.rules.expressions import RESERVED
from kgreason.rules.lowering import rules_without_not
from kgreason.rules.model import Rule
from kgreason.rules.parser import load_all
from kgreason.rules.program import check_sizes
from kgreason.tables.columns import constants_of, read_facts
from kgreason.tables.fields import Fields
from kgreason.tables.layout import PLAIN, Layout
from kgreason.tables.signature import signature
from kgreason.tables.writing import Writer
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.columns import Int32

Report = Callable[[int], object]


class TableProgram:
    """A program in files of rule text. Call `read`, `evaluate` and `write` in this order.

    `functions`: the Python functions that the rules may call. `limits`: how far a recursion may go. `threads`: how
    many threads may evaluate the rules; see `kgreason.threads`. `layout`: how fields stand in files. `fraction`: see
    `Engine.limit_updates`.

    Raises InputError if the file does not exist, and RuleSyntaxError. Raises RuleError, with the file and the rule, if
    a rule needs a graph (`signature`).
    """

    def __init__(
        self,
        paths: Path | Sequence[Path],
        functions: Iterable[Callable[..., Any]] = (),
        limits: Limits = DEFAULT_LIMITS,
        threads: int | None = None,
        layout: Layout = PLAIN,
        fraction: float | None = None,
    ) -> None:
        self._layout = layout
        registry = Registry(functions, RESERVED)
        program = load_all([paths] if isinstance(paths, Path) else paths, registry.find)
        check_sizes(program.rules)
        self._signature = signature(program)
        self._own = program.rules
        program = replace(program, rules=tuple(rule for rule in program.rules if not rule.declares))
        self._dictionary = Dictionary(())
        self._fields = Fields(self._dictionary)
        self._engine = Engine(threads=threads)
        self._engine.limit_updates(fraction)
        positive = [(each, rule) for rule in program.rules for each in rules_without_not(rule)]
        self._rules = self._engine.encode([each for each, _ in positive], self._dictionary.intern)
        self._owners = [rule for _, rule in positive]
        self._operators = Operators(self._engine, self._dictionary, registry=registry)
        self._operators.rounds.limits = limits
        try:
            self._operators.follow(program.rules)
        except RuleError as error:
            raise RuleError(f"{', '.join(dict.fromkeys(rule.file for rule in program.rules))}: {error}") from None
        self._facts: dict[int, Int32] = {}

    def check(self, chosen: Iterable[str]) -> None:
        """Raise InputError if one of the relations `chosen` is not in the program."""
        self._signature.check(chosen)

    def read(self, folder: Path, report: Report) -> None:
        """Read the facts in a folder. Raises InputError for a missing file, and for a bad line of a file."""
        tables: dict[int, list[Int32]] = {}
        known = self._signature
        for relation, arity in known.arities.items():
            path = folder / f"{relation}.facts"
            if path.exists():
                declared = known.declared.get(relation)
                columns = read_facts(path, arity, declared, self._fields, self._dictionary, report, self._layout)
                tables.setdefault(self._engine.table(False, 1 + arity), []).append(self._rows(relation, columns))
            elif known.needs_file(relation):
                raise InputError(f"{path}: the file does not exist, and no rule derives {relation}")
        self._facts = {table: np.concatenate(parts) for table, parts in tables.items()}

    def _rows(self, relation: str, columns: Int32) -> Int32:
        """Turn facts int32[n, w] into rows of the engine int32[n, 1 + w], with the relation's id in front."""
        rows = np.empty((len(columns), 1 + columns.shape[1]), dtype=np.int32)
        rows[:, 0] = self._relation_id(relation)
        rows[:, 1:] = columns
        return rows

    def _relation_id(self, relation: str) -> int:
        return int(self._dictionary.intern([relation_text(relation, self._signature.arities[relation])])[0])

    @as_one
    def evaluate(self, report: Report, strategy: Strategy = "bootstrap") -> None:
        """Compute the closure. Calls `report(0)` several times a second; an error of `report` stops the work."""

        def check() -> None:
            let_out()
            report(0)

        engine = self._engine
        engine.begin()
        try:
            engine.apply(self._facts, {}, self._rules, strategy=strategy, check=check)
            while any(facts := self._operator_facts(check)):
                engine.apply(facts.added, facts.removed, check=check)
            self._operators.finish()
            derived = DerivedFacts(engine, self._dictionary, self._operators.individuals)
            derived.check(self._own, self._own, engine.changes())
        except BaseException:
            engine.rollback()
            raise
        engine.accept()
        self._facts = {}

    def costs(self) -> list[tuple[Rule, Cost]]:
        """Return each rule with the work that its evaluation took, the costliest rule first."""
        counted = dict(self._engine.costs())
        found = dict.fromkeys(self._owners, Cost())
        for code, rule in zip(self._rules, self._owners, strict=True):
            found[rule] = Cost(*map(sum, zip(found[rule], counted.get(code, Cost()), strict=True)))
        return sorted(found.items(), key=lambda each: (-each[1].rewrites, -each[1].derivations, each[0].name))

    def _operator_facts(self, check: Callable[[], object]) -> Facts:
        """Return the facts that the operators of the rules (`materialize.operators`) assert and retract next.

        Once the closure is complete, there are no such facts.
        """
        computed = self._operators.computed_facts(check)
        if any(computed) or not self._operators.are_any:
            return computed
        return self._operators.decided_facts(self._engine.changes(), check)

    def write(self, folder: Path, report: Report, chosen: Sequence[str] = ()) -> dict[str, int]:
        """Write the derived relations, or only the relations `chosen`, into a folder.

        A folder that does not exist is made. Returns the number of facts of each relation that was written. Raises
        OSError, and InputError for a text with a tab or a line break.
        """
        folder.mkdir(parents=True, exist_ok=True)
        columns, _, _ = self._engine.facts.contents()
        known = self._signature
        found = {}
        for relation in chosen or known.derived_relations:
            rows = columns[columns[:, 0] == self._relation_id(relation), 1 : 1 + known.arities[relation]]
            found[relation] = constants_of(rows, known.declared.get(relation), self._dictionary)
        writer = Writer(self._fields.sort(), self._layout)
        for relation, rows in found.items():
            writer.write(folder / f"{relation}.csv", rows, report, known.declared.get(relation))
        return {relation: len(rows) for relation, rows in found.items()}
