"""`ReferenceEngine`: runs the executable specification (`kgreason.circuit`) behind the methods of `Engine`.

    rows, encoded rules -> atoms, rules -> ReferenceCircuit -> the facts of each level -> fact table

Callers read the fact table as they read that of `Engine`.

Law: facts, asserted flags, deltas and derivations are those of `Engine`. The stamp of a fact is the level at which the
fact first appears when everything is computed from scratch. Supports are not kept. Strategies and budgets have no
effect. The constants of the circuit are the ids of terms. Rules with negations, expressions or aggregates come here
with atoms of hidden relations in their place, and the operators of `materialize` assert the hidden facts, as for
`Engine`. (The circuit can also evaluate such rules as they are written, stratum by stratum. Tests compare that with
`Engine`.) Cost: that of the circuit, and one pass over all facts for each commit. Use it for small graphs in memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, cast
from unittest import mock

import numpy as np
from numpy.typing import NDArray

from kgreason.circuit.consequences import consequences
from kgreason.circuit.functions import NO_FUNCTIONS
from kgreason.circuit.reference import ReferenceCircuit
from kgreason.circuit.rewriting import shape, substitute, unify
from kgreason.engine.changes import Changes, Place, Strategy
from kgreason.engine.circuit import Circuit
from kgreason.engine.engine import Engine
from kgreason.engine.facts.antijoin import Changed, decided
from kgreason.engine.facts.facts import Facts, Rows
from kgreason.engine.facts.matching import arrived
from kgreason.engine.limits import Check
from kgreason.engine.memory import layout as at
from kgreason.engine.program.encoding import Intern, encode_all
from kgreason.engine.program.planner import Planner
from kgreason.engine.program.shapes import EncodedRule, Pattern
from kgreason.functions.registry import Registry
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.materialize.materializer import Materializer
from kgreason.materialize.schema.rows import SAME_AS
from kgreason.materialize.selection import select
from kgreason.rules.model import Atom, Rule, Term, Variable
from kgreason.rules.program import Finder
from kgreason.store.folder import Manifest
from kgreason.zset.columns import ABSENT, INFERRED, IS_ASSERTED, Int32


def by_definition(**options: Any) -> KnowledgeGraph:
    """Open a graph in memory that evaluates by definition. It treats owl:sameAs as with `same_as="rules"`."""
    graph = KnowledgeGraph.open(**options)
    with mock.patch("kgreason.graph.state.running.restore", _restored):
        graph._engine()
    return graph


def _restored(kept: Manifest, _: object, registry: Registry, find: Finder, __: object) -> tuple[Materializer, None]:
    """Make an empty materializer with the reference engine."""
    selection = select(kept.rules_on, kept.schema, "rules", functions=None, find=find)
    engine = cast(Engine, ReferenceEngine(0 if selection.is_reflexive else SAME_AS))  # has all methods that it calls
    return Materializer(selection, engine=engine, registry=registry), None


class _State(NamedTuple):
    """The facts with their levels, the asserted facts, and the rules.

    `circuit` holds the same facts in a fact table, which callers read.
    """

    levels: dict[Atom, int]
    asserted: frozenset[Atom]
    rules: dict[EncodedRule, Rule]
    circuit: Circuit

    def kind(self, fact: Atom) -> int:
        if fact not in self.levels:
            return ABSENT
        return IS_ASSERTED if fact in self.asserted else INFERRED


class ReferenceEngine:
    """Computes the closure of facts and rules over ids by definition. Its methods are those of `Engine`."""

    def __init__(self, quiet: int = 0) -> None:
        self.planner = Planner()
        self.work: int | None = None
        self._moves = 0
        self._quiet = str(quiet)
        self._reference = ReferenceCircuit("indexed")
        self._state = self._origin = _State({}, frozenset(), {}, Circuit(self.planner))

    @property
    def circuit(self) -> Circuit:
        """A circuit whose fact table has the present facts. Callers only read it."""
        return self._state.circuit

    @property
    def facts(self) -> Facts:
        """A reader of the present facts."""
        return self.circuit.facts

    @property
    def tables(self) -> list[tuple[bool, int]]:
        """For each table whether it holds triples, and its width."""
        return self.planner.tables()

    nbytes = 0

    @property
    def generation(self) -> int:
        """A number that each change of the state changes."""
        return self._moves

    def encode(self, rules: Sequence[Rule], intern: Intern) -> list[EncodedRule]:
        """Return rules as ids."""
        return encode_all(rules, self.planner, intern)

    def snapshot(self, records: Int32) -> None:
        """Return nothing: there is no circuit to open again."""

    def decided(
        self, lines: Int32, first: int, last: int, facts: Changed, others: Int32, *, was_decided: bool
    ) -> Int32:
        """Decide antijoins; see `Engine.decided`."""
        return decided(self.circuit.block, lines, first, last, facts, others, was_decided=was_decided)

    def columns(self, facts: Changed) -> Int32:
        """Return the columns of changed facts, which are always given."""
        return facts.rows

    def __len__(self) -> int:
        """Return the number of facts."""
        return len(self._state.levels)

    def table(self, is_triple: bool, width: int) -> int:
        """Return the number of the table for triples, or for facts of relations, whose rows have this width."""
        number = self.planner.table(is_triple, width)
        self.circuit.refresh()
        return number

    def begin(self) -> None:
        """Start a commit, which `accept` or `rollback` ends."""
        self._origin = self._state

    def apply(
        self,
        asserted: Rows,
        retracted: Rows,
        added: Iterable[EncodedRule] = (),
        removed: Iterable[EncodedRule] = (),
        *,
        strategy: Strategy,
        budget: int | None,
        check: Check,
    ) -> None:
        """Retract rows and assert other rows, add rules and remove rules."""
        gone, come = (frozenset(_facts(rows)) for rows in (retracted, asserted))
        rules = {code: rule for code, rule in self._state.rules.items() if code not in set(removed)}
        rules |= {code: _rule(code) for code in added}
        self._move(self._state.asserted - gone | come, rules, check)

    def _move(self, asserted: frozenset[Atom], rules: dict[EncodedRule, Rule], check: Check) -> None:
        """Go from the present state to the state with the asserted facts `asserted` and the rules `rules`."""
        before = self._state
        self._moves += 1
        check()
        self._reference.commit(
            dict.fromkeys(before.asserted - asserted, -1) | dict.fromkeys(asserted - before.asserted, 1),
            {rule: -1 for code, rule in before.rules.items() if code not in rules}
            | {rule: 1 for code, rule in rules.items() if code not in before.rules},
        )
        levels = {fact: level for level, facts in enumerate(self._reference.levels()) for fact in facts}
        levels = {fact: level for fact, level in levels.items() if fact in asserted or not self._is_quiet(fact)}
        self._state = _State(levels, asserted, rules, self._shown(levels, asserted))
        check()

    def _is_quiet(self, fact: Atom) -> bool:
        """Whether a fact is a triple `x p x`, where p is the predicate with the id `quiet`."""
        is_triple, _ = self.planner.tables()[_table(fact)]
        return is_triple and fact.terms[1] == self._quiet and fact.terms[0] == fact.terms[2]

    def _shown(self, levels: Mapping[Atom, int], asserted: frozenset[Atom]) -> Circuit:
        """Put the facts into the table of a circuit that evaluates nothing, and return this circuit."""
        circuit = Circuit(self.planner, max(1024, len(levels)))
        records = np.zeros((len(levels), at.FIRST + circuit.facts.width), dtype=np.int32)
        for record, (fact, level) in zip(records, levels.items(), strict=True):
            record[at.STATE] = _table(fact) << at.TABLE | at.UNKNOWN | at.OLD | (at.ASSERTED if fact in asserted else 0)
            record[at.STAMP] = level
            record[at.FIRST : at.FIRST + len(fact.terms)] = fact.terms
        circuit.adopt(records)
        return circuit

    def changes(self) -> Changes:
        """Return the changes of the commit so far."""
        before, after = self._origin, self._state
        changed = [fact for fact in before.levels | after.levels if before.kind(fact) != after.kind(fact)]
        rows = np.zeros((len(changed), self.circuit.facts.width), dtype=np.int32)
        for row, fact in zip(rows, changed, strict=True):
            row[: len(fact.terms)] = fact.terms
        tables = np.array([_table(fact) for fact in changed], dtype=np.int32)
        kinds = np.array([(before.kind(fact), after.kind(fact)) for fact in changed], dtype=np.int8).reshape(-1, 2)
        return Changes(rows, tables, kinds[:, 0], kinds[:, 1], "update", switched=False, rewrites=0, missed=0)

    is_updated = False
    """Changes have to be read from `changes`: there is no undo log."""

    def arrived(self, lines: Int32) -> Int32:
        """Return the keys of all present facts that match one of `lines`; see `Engine.arrived`."""
        return arrived(self.circuit.block, lines, 0, 0, is_update=False)

    def was_present(self, rows: Int32) -> NDArray[np.bool_]:
        """Return False for each row of int32[n, w]: bool[n].

        This engine does not know which rows were present before.
        """
        return np.zeros(len(rows), dtype=np.bool_)

    def place(self) -> Place:
        """Return a mark for the present point of the open commit; `touched` takes such a mark."""
        return Place(self.generation, 0, 0)

    def touched(self, since: Place) -> tuple[Int32, Int32, Place]:
        """Return all facts that the open commit has changed, and a new mark (`place`).

        The facts are returned as columns int32[n, w] and tables int32[n]. `since` has no effect: the facts that changed
        before it are returned too.
        """
        rows, tables = self.changes()[:2]
        return rows, tables, self.place()

    def accept(self) -> None:
        """Make the commit final."""
        self._origin = self._state

    def rollback(self) -> None:
        """Undo the commit, by a commit of the opposite change."""
        self._move(self._origin.asserted, self._origin.rules, lambda: None)

    def rows_with(self, table: int, constants: Mapping[int, int]) -> Int32:
        """Return the facts of a table that have the constants `constants`, column -> id: int32[n, w]."""
        return _with_constants(self.circuit, table, constants)

    def held(self, table: int, constants: Mapping[int, int]) -> Int32:
        """Return the facts of a table that have the constants `constants` as of the last commit: int32[n, w]."""
        circuit, width = self._origin.circuit, self.planner.tables()[table][1]
        if width > circuit.facts.width:  # the open commit has made the table
            return np.empty((0, width), dtype=np.int32)
        return _with_constants(circuit, table, constants)

    def derivations(self, row: int) -> list[tuple[EncodedRule, tuple[int, ...]]]:
        """Return the derivations of the fact in row `row`, by rules with a body.

        A derivation is a rule and the values of its slots.
        """
        columns, tables = self.circuit.facts.columns(np.array([row], dtype=np.int32))
        fact = Atom(*_named(int(tables[0]), columns[0, : self.planner.tables()[int(tables[0])][1]]))
        found = {
            (code, (0, *map(int, map(str, values))))
            for code, rule in self._state.rules.items()
            for head in rule.heads
            if rule.body and shape(head) == shape(fact)
            for values in self._values(rule, code.shape.variables, head, fact)
        }
        return list(found)

    def _values(self, rule: Rule, variables: int, head: Atom, fact: Atom) -> Iterable[tuple[Term, ...]]:
        """Return the values of a rule's variables in each derivation of `fact` by the head `head`.

        `variables`: how many variables the rule has.
        """
        bound = unify(head, fact)
        if bound is None:
            return []
        everything = Atom("values", tuple(map(_variable, range(1, 1 + variables))))
        body = tuple(substitute(atom, bound) for atom in rule.body)
        rule, facts = Rule((substitute(everything, bound),), body), dict.fromkeys(self._state.levels, 1)
        uses = consequences({rule: 1}, facts, facts, NO_FUNCTIONS)
        return [use.terms for use in uses]


def _with_constants(circuit: Circuit, table: int, constants: Mapping[int, int]) -> Int32:
    rows, tables, _ = circuit.facts.contents()
    kept = tables == table
    for column, value in constants.items():
        kept &= rows[:, column] == value
    found: Int32 = rows[kept]
    return found


def _facts(rows: Rows) -> Iterable[Atom]:
    return (Atom(*_named(table, row)) for table, part in rows.items() for row in part)


def _named(table: int, row: Int32) -> tuple[str, tuple[str, ...]]:
    """Write a row as an atom's relation and constants: the number of the table and the ids, each as a text."""
    return str(table), tuple(map(str, row.tolist()))


def _table(fact: Atom) -> int:
    return int(fact.relation or 0)


def _variable(slot: int) -> Variable:
    return Variable(f"v{slot}")


def _rule(code: EncodedRule) -> Rule:
    """Turn an encoded rule into a rule whose atoms have ids as constants and tables as relations."""
    terms: list[Term] = ["0", *map(_variable, range(1, 1 + code.shape.variables)), *map(str, code.constants)]

    def atom(pattern: Pattern) -> Atom:
        return Atom(str(pattern.table), tuple(terms[slot] for slot in pattern.slots))

    group, name = code.label
    return Rule(tuple(map(atom, code.shape.heads)), tuple(map(atom, code.shape.body)), name, group)
