"""`ReferenceCircuit`: the circuits of `figures`, to be run and compared with.

State is the facts and rules that have been asserted; the model is what the circuit makes of them, the least model of
the rules over the facts. A commit says what is wanted: a positive weight asks for a fact or rule to be there, a
negative one for it to be gone, and what is so already asks for nothing. What is left are weights of 1 and -1, so that
no sum of weights is ever other than 0 or 1.

Laws: the delta is the model after the commit less the model before it; the levels are those of evaluation from
scratch; all three kinds agree. A commit that raises leaves everything as it was.

Cost: for reading and comparing, not for data. A commit visits every join at every level that any commit has reached,
whatever has changed, and copies the dictionaries that grow.
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
    """A knowledge base that is its definition, of the kind of DYRE's Fig. 1, 2 or 3.

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
        """Assert and retract facts, add and remove rules, at once: the facts that appeared (1) and disappeared (-1).

        Of a weight only the sign counts. Raises `UnsafeRuleError` for a fact that has a variable and for a rule whose
        body does not bind its heads.
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
        """The model by level: the facts asserted, then those that each application of the rules is first to derive."""
        by_time = sorted(self._wired.levels.settled().items())
        levels = [set(added) for _, added in by_time]
        while levels and not levels[-1]:
            levels.pop()
        return levels


def _check_ground(fact: Atom) -> None:
    if variables := fact.variables():
        raise UnsafeRuleError(f"fact {fact}: a fact has no variables, this one has {' and '.join(map(str, variables))}")


def _changes(wishes: Mapping[T, int], present: set[T]) -> dict[T, int]:
    """The wishes that change something, with weights 1 and -1."""
    return {
        row: 1 if weight > 0 else -1 for row, weight in wishes.items() if weight and (weight > 0) != (row in present)
    }


def _apply(changes: Mapping[T, int], present: set[T]) -> None:
    for row, weight in changes.items():
        (present.add if weight > 0 else present.remove)(row)
