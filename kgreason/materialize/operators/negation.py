"""`Negations`: asserts the values for which a negated pattern has no match, stratum by stratum (rules/lowering.py).

    stratum 0   the rules are at their fixpoint, and equality and literals are settled
    stratum n   negations up to stratum n are decided: their facts are asserted or retracted, then rules run again
    end         at the last stratum, once no negation changes anything

When negations of stratum n are decided, the facts that they negate are final: only negations of lower strata could
change them (rules/strata.py). So each negation is decided once for each value. If rules ask for a value later, the
negation is decided for this value then.

Invariant after the last stratum: `none(keys)` is a fact exactly if `asks(keys)` is a fact and no fact matches the
pattern. So the facts are the perfect model of the program (Przymusinski, *On the Declarative Semantics of Deductive
Databases and Logic Programs*). The facts are the only state, so the rollback of the engine undoes everything.

Cost: one look-up for each changed fact of `asks`, of `none` and of the negated relations. If a commit changes the
representative of a term, each step of the commit looks at all facts once for each negation. If rules say NOT, each edit
of the program computes all strata anew, with a look at all rules.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kgreason.engine.engine import Changes, Engine, Place
from kgreason.engine.memory.layout import ABSENT, Int32
from kgreason.errors import StratificationError
from kgreason.materialize.edit import Facts, together
from kgreason.materialize.operators.tables import Table, table_of, unique
from kgreason.materialize.same_as.representatives import Equality
from kgreason.rules.formatter import format_not
from kgreason.rules.lowering import Negation
from kgreason.rules.model import Variable
from kgreason.terms.dictionary import Dictionary

_NONE = np.empty(0, dtype=np.int32)


class _Operator(NamedTuple):
    """A negation, its stratum (`level`), and the tables of its pattern and of its hidden relations."""

    negation: Negation
    level: int
    pattern: Table
    asks: Table
    none: Table


class Negations:
    """Decides the negations of the rules in force. One thread at a time: the caller holds the graph's lock."""

    def __init__(self, engine: Engine, dictionary: Dictionary, equality: Equality | None = None) -> None:
        self._engine, self._dictionary, self._equality = engine, dictionary, equality
        self._operators: tuple[_Operator, ...] = ()
        self._leaving: tuple[_Operator, ...] = ()
        self._before: tuple[_Operator, ...] = ()
        self._place: Place | None = None
        """The state of the commit in which negations were decided last."""
        self.are_any = False
        """Whether a rule in force has a negation, or a rule had one before the open commit."""

    def follow(self, levels: Mapping[Negation, int]) -> None:
        """Replace the negations by those of the rules that are in force now. `levels`: each negation with its stratum.

        A negation that no rule has any more is kept until `accept`, because its facts must still be retracted.
        """
        self._operators = tuple(self._operator(negation, level) for negation, level in levels.items())
        gone = (operator for operator in (*self._before, *self._leaving) if operator.negation not in levels)
        self._leaving = tuple({operator.negation: operator._replace(level=1) for operator in gone}.values())
        self.are_any = bool(self._operators or self._leaving)

    def accept(self) -> None:
        """Make the change of rules final."""
        self._before, self._leaving, self.are_any = self._operators, (), bool(self._operators)
        self._place = None

    def rollback(self) -> None:
        """Return to the rules that were in force at the last `accept`."""
        self._operators, self._leaving, self.are_any = self._before, (), bool(self._before)
        self._place = None

    def last(self) -> int:
        """Return the number of the last stratum that has a negation."""
        return max((operator.level for operator in (*self._operators, *self._leaving)), default=0)

    def wanted(self, changes: Changes, level: int, before: int) -> Facts:
        """Return the facts to assert and to retract so that the negations up to stratum `level` are decided.

        `changes`: the changes of the commit so far. `before`: the last stratum that was decided already. Raises
        StratificationError if the facts make the rules circular: a fact was derived that a rule had found absent in
        this commit.
        """
        found = []
        moved = self._equality.moved(changes) if self._equality else _NONE
        all_, since = (changes.rows, changes.tables), self._since(changes) if not len(moved) else None
        for operator in (*self._operators, *self._leaving):
            if operator.level <= level:
                was_decided = operator.level <= before
                looked_at = since if since is not None and was_decided else all_
                keys = self._keys(operator, looked_at, moved)
                rows = self._rows(operator, keys, changes, was_decided=was_decided)
                found.append(Facts(*({operator.none.number: part} if len(part) else {} for part in rows)))
        self._place = self._engine.place()
        return together(found)

    def _since(self, changes: Changes) -> tuple[Int32, Int32]:
        """Return the facts that may have changed since `wanted` was called last: columns int32[n, w], tables int32[n].

        If a negation was already decided at that call, and no representative has changed, only these facts matter.
        """
        return changes[:2] if self._place is None else self._engine.moved(self._place)

    def _keys(self, operator: _Operator, facts: tuple[Int32, Int32], moved: Int32) -> Int32:
        """Return the keys for which the negation must be decided: int32[n, k].

        These are the keys of the changed facts `facts` (columns, tables), and the keys that rules ask for and that have
        a term of `moved`, the terms whose representatives have changed.
        """
        keys = unique([table.matching(*facts) for table in (operator.pattern, operator.asks, operator.none)])
        return unique([keys, self._asked(operator.asks, moved)]) if len(moved) else keys

    def _rows(self, operator: _Operator, keys: Int32, changes: Changes, *, was_decided: bool) -> tuple[Int32, Int32]:
        """Return the rows of the hidden relation `none` to assert, and those to retract, for keys int32[n, k].

        `was_decided`: whether the negation was decided before in this commit.
        """
        tables = (operator.pattern, operator.asks, operator.none)
        if not len(keys):
            return keys, keys
        is_met, is_asked, is_said = (self._holds(table.rows(keys)) for table in tables)
        if self._equality and keys.size:
            is_asked &= ~self._equality.is_replaced(keys, changes).any(axis=1)
        if was_decided and (wrong := np.flatnonzero(is_said & is_asked & is_met)).size:
            raise StratificationError(self._circular(operator, keys[wrong[0]]))
        rows = operator.none.rows(keys)
        wanted = is_asked & ~is_met
        return rows[wanted & ~is_said], rows[is_said & ~wanted]

    def _asked(self, asks: Table, moved: Int32) -> Int32:
        """Return the keys that rules ask for and that have one of the terms `moved`: int32[n, k].

        Cost: a pass over all facts.
        """
        rows, tables, _ = self._engine.circuit.facts.contents()
        keys = asks.matching(rows, tables)
        found: Int32 = keys[np.isin(keys, moved).any(axis=1)]
        return found

    def _circular(self, operator: _Operator, key: Int32) -> str:
        names = (term for term in operator.negation.asks.terms if isinstance(term, Variable))
        texts = self._dictionary.decode(key)
        values = ", ".join(f"{name} = {text}" for name, text in zip(names, texts, strict=True))
        said = format_not(operator.negation.negated, {})
        return (
            f"the facts make the rules circular: {said} was decided for {values}, and then the negated fact was derived"
        )

    def _holds(self, rows: Int32) -> NDArray[np.bool_]:
        facts = self._engine.circuit.facts
        found: NDArray[np.bool_] = facts.kinds(facts.find(rows)) != ABSENT
        return found

    def _operator(self, negation: Negation, level: int) -> _Operator:
        pattern, asks, none, _ = negation
        return _Operator(
            negation,
            level,
            *(table_of(atom, asks.terms, self._engine, self._dictionary) for atom in (pattern, asks, none)),
        )
