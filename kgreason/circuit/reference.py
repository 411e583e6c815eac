"""`ReferenceCircuit` runs the circuits of `figures`, for reading and for comparison with the engine.

The state is the asserted facts and the rules in force. The circuit computes the model: the least model of the rules
over the facts. In a commit, a positive weight asserts a fact or adds a rule; a negative weight retracts the fact or
removes the rule. To assert a fact that is asserted already has no effect. So only weights of 1 and -1 enter the
circuit, and every sum of weights is 0 or 1.

Laws: the delta is the model after the commit minus the model before it. The levels are those of an evaluation from
scratch. All three kinds of circuit agree. If a commit raises an error, everything stays as before.

Cost: too slow for real data. A commit visits every join at every level that any commit has reached, even if nothing
changes there, and copies the dictionaries that grow.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Literal, TypeVar

from kgreason.circuit.figures import incremental_circuit, indexed, naive
from kgreason.circuit.stream import Circuit
from kgreason.errors import UnsafeRuleError
from kgreason.rules.model import Atom, Rule
from kgreason.rules.safety import check_safe

T = TypeVar("T", bound=Hashable)

FIGURES = {"naive": naive, "incremental": incremental_circuit, "indexed": indexed}


class ReferenceCircuit:
    """Facts and rules, and the circuit of DYRE's Fig. 1 (naive), 2 (incremental) or 3 (indexed) that evaluates them.

    >>> from kgreason.rules.model import Variable
    >>> x, y, z = map(Variable, "xyz")
    >>> edge, path = (lambda *terms: Atom("edge", terms)), (lambda *terms: Atom("path", terms))
    >>> base, step = Rule((path(x, y),), (edge(x, y),)), Rule((path(x, z),), (edge(x, y), path(y, z)))
    >>> circuit = ReferenceCircuit()
    >>> len(circuit.commit({edge("a", "b"): 1, edge("b", "c"): 1}, {base: 1, step: 1}))
    5
    >>> sorted(fact.terms for fact in circuit.levels()[2])
    [('a', 'c')]
    >>> circuit.commit({}, {step: -1})
    {Atom(relation='path', terms=('a', 'c')): -1}
    """

    def __init__(self, kind: Literal["naive", "incremental", "indexed"] = "incremental") -> None:
        self._circuit = Circuit()
        self._wired = FIGURES[kind](self._circuit)
        self._asserted: set[Atom] = set()
        self._rules: set[Rule] = set()

    def commit(self, facts: Mapping[Atom, int], rules: Mapping[Rule, int]) -> dict[Atom, int]:
        """Assert and retract facts, add and remove rules; returns the facts that appeared (1) and disappeared (-1).

        Only the sign of a weight matters. Raises UnsafeRuleError for a fact with a variable, and for a rule with a head
        variable that is not in its body.
        """
        for fact in facts:
            _check_ground(fact)
        for rule in rules:
            check_safe(rule)
        fact_changes, rule_changes = _changes(facts, self._asserted), _changes(rules, self._rules)
        self._wired.asserted.push(fact_changes)
        self._wired.rules.push(rule_changes)
        delta = self._circuit.run(self._wired.delta)
        _apply(fact_changes, self._asserted)
        _apply(rule_changes, self._rules)
        return dict(delta)

    def facts(self) -> set[Atom]:
        """The model: all facts, asserted or derived."""
        return set().union(*self.levels())

    def levels(self) -> list[set[Atom]]:
        """The model by level: the asserted facts, then for each application of the rules the facts that it adds."""
        by_time = sorted(self._wired.levels.settled().items())
        levels = [set(added) for _, added in by_time]
        while levels and not levels[-1]:
            levels.pop()
        return levels


def _check_ground(fact: Atom) -> None:
    if variables := fact.variables():
        names = " and ".join(sorted(map(str, variables)))
        raise UnsafeRuleError(f"fact {fact}: a fact must not have variables; this one has {names}")


def _changes(wishes: Mapping[T, int], present: set[T]) -> dict[T, int]:
    """The rows to add, with weight 1, and the rows to remove, with weight -1; rows that need no change are left out."""
    return {
        row: 1 if weight > 0 else -1 for row, weight in wishes.items() if weight and (weight > 0) != (row in present)
    }


def _apply(changes: Mapping[T, int], present: set[T]) -> None:
    for row, weight in changes.items():
        (present.add if weight > 0 else present.remove)(row)
