"""`ReferenceCircuit` runs the circuits of `figures`, for reading and for comparison with the engine.

The state is the asserted facts and the rules in force. The circuit computes the model: the least model of the rules
over the facts; if rules say NOT or AGGREGATE, the perfect model (Apt, Blair and Walker). Each stratum has a circuit of
its own, which reads the model of the strata below. The circuit of the first stratum reads the asserted facts. This
circuit reads each asserted triple twice: as a triple, and as a fact of the relation DATA.

    facts --> stratum 0 --> change of the model --> stratum 1 --> change of the model --> ... --> delta
                 ^                                     ^
               rules                                 rules

A rule whose stratum changes leaves one circuit and enters another one. A stratum is wired when the first rule comes
that needs it. At that commit, all facts from below are new for the circuit of the stratum (`past` in the code). These
facts enter the circuit together with the change of the commit, and are subtracted from the change that comes out.

In a commit, a positive weight asserts a fact or adds a rule; a negative weight retracts the fact or removes the rule.
To assert a fact that is asserted already has no effect. So only weights of 1 and -1 enter the circuit, and every sum of
weights is 0 or 1.

Laws: the delta is the model after the commit minus the model before it. The levels are those of an evaluation from
scratch. All three kinds of circuit agree. If a commit raises an error, everything stays as before.

Cost: too slow for real data. A commit visits every join at every level that any commit has reached, even if nothing
changes there. It also copies the dictionaries that grow.
"""

from __future__ import annotations

from collections.abc import Container, Hashable, Mapping
from typing import Literal, NamedTuple, TypeVar

from kgreason.circuit.figures import FIGURES, Wired
from kgreason.circuit.functions import NO_FUNCTIONS, Functions
from kgreason.circuit.operators import impulse, lift, plus
from kgreason.circuit.strata import strata
from kgreason.circuit.stream import Circuit, Source
from kgreason.circuit.zset import expand, negative
from kgreason.errors import RuleError, UnsafeRuleError
from kgreason.rules.model import DATA, Atom, Rule
from kgreason.rules.safety import check_safe

T = TypeVar("T", bound=Hashable)


class _Stratum(NamedTuple):
    """The circuit of a stratum, and the source through which changes of its rules enter."""

    rules: Source[Rule]
    wired: Wired


class ReferenceCircuit:
    """Facts and rules, and a circuit that evaluates them: DYRE's Fig. 1 (naive), 2 (incremental) or 3 (indexed).

    `functions` give the expressions and aggregates of rules a meaning. Without `functions`, `commit` refuses rules with
    expressions or aggregates.

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
    >>> from kgreason.rules.model import Not
    >>> circuit.commit({}, {Rule((Atom("last", (y,)),), (edge(x, y),), negated=(Not((edge(y, z),), (z,)),)): 1})
    {Atom(relation='last', terms=('c',)): 1}
    """

    def __init__(
        self, kind: Literal["naive", "incremental", "indexed"] = "incremental", functions: Functions = NO_FUNCTIONS
    ) -> None:
        self._figure, self._functions = FIGURES[kind], functions
        self._circuit = Circuit()
        self._facts: Source[Atom] = Source(self._circuit)
        self._strata: list[_Stratum] = []
        self._asserted: set[Atom] = set()
        self._rules: dict[Rule, int] = {}

    def commit(self, facts: Mapping[Atom, int], rules: Mapping[Rule, int]) -> dict[Atom, int]:
        """Assert and retract facts, add and remove rules; returns the facts that appeared (1) and disappeared (-1).

        Only the sign of a weight matters. Raises UnsafeRuleError for a fact with a variable, and for a rule with a
        variable that its body does not bind. Raises RuleError for a rule with expressions or aggregates if the circuit
        has no functions. Raises StratificationError if the rules have no strata.
        """
        for fact in facts:
            _check_ground(fact)
        for rule in rules:
            check_safe(rule)
            self._check_functions(rule)
        changed = _changes(rules, self._rules)
        after = strata(rule for rule in (*self._rules, *changed) if changed.get(rule, 1) > 0)
        while len(self._strata) <= max(after.values(), default=0):
            self._strata.append(self._next_stratum())
        for number, stratum in enumerate(self._strata):
            before, now = ({rule for rule in each if each[rule] == number} for each in (self._rules, after))
            stratum.rules.push(dict.fromkeys(before - now, -1) | dict.fromkeys(now - before, 1))
        fact_changes = _changes(facts, self._asserted)
        self._facts.push(fact_changes)
        delta = self._circuit.run(*(stratum.wired.delta for stratum in self._strata))
        _apply(fact_changes, self._asserted)
        self._rules = after
        return {fact: weight for fact, weight in delta.items() if fact.relation != DATA}

    def facts(self) -> set[Atom]:
        """Return the model: all facts, asserted or derived."""
        return set().union(*self.levels())

    def levels(self) -> list[set[Atom]]:
        """Return the model by level: the asserted facts, then the facts that each application of the rules adds.

        The levels of a stratum come after the levels of the strata below.
        """
        levels: list[set[Atom]] = []
        for stratum in self._strata:
            shown = [{fact for fact in level if fact.relation != DATA} for level in _levels(stratum.wired)]
            levels += shown[1:] if levels else shown
        while levels and not levels[-1]:
            levels.pop()
        return levels

    def _next_stratum(self) -> _Stratum:
        """Wire one more stratum on top of the present strata."""
        rules: Source[Rule] = Source(self._circuit)
        if not self._strata:
            below = lift(lambda facts: expand(facts, _facts_read), self._facts)
            return _Stratum(rules, self._figure(below, rules, self._functions))
        model = set[Atom]().union(*(level for stratum in self._strata for level in _levels(stratum.wired)))
        past = impulse(self._circuit, dict.fromkeys(model, 1))
        wired = self._figure(plus(self._strata[-1].wired.delta, past), rules, self._functions)
        return _Stratum(rules, wired._replace(delta=plus(wired.delta, lift(negative, past))))

    def _check_functions(self, rule: Rule) -> None:
        if self._functions is NO_FUNCTIONS and (any(rule.expressions()) or rule.aggregates):
            raise RuleError(
                f"rule {rule.name or '(unnamed)'}: this circuit has no functions; make it with `functions` to evaluate "
                "FILTER, BIND and AGGREGATE"
            )


def _check_ground(fact: Atom) -> None:
    if variables := fact.variables():
        names = " and ".join(sorted(map(str, variables)))
        raise UnsafeRuleError(f"fact {fact}: a fact must not have variables; this one has {names}")


def _facts_read(fact: Atom) -> tuple[Atom, ...]:
    """Return the facts that rules see for an asserted fact: the fact; if it is a triple, also a fact of DATA."""
    return (fact, Atom(DATA, fact.terms)) if fact.relation is None else (fact,)


def _levels(wired: Wired) -> list[set[Atom]]:
    """Return the model of a stratum after the last commit: for each level, the facts that are new at this level."""
    levels = [set(added) for _, added in sorted(wired.levels.values_of_commit().items())]
    while len(levels) > 1 and not levels[-1]:
        levels.pop()
    return levels


def _changes(wishes: Mapping[T, int], present: Container[T]) -> dict[T, int]:
    """Return the rows to add, with weight 1, and the rows to remove, with weight -1.

    A positive weight in `wishes` adds a row, a negative weight removes a row. Adding a present row, or removing an
    absent row, is not a change.
    """
    return {
        row: 1 if weight > 0 else -1 for row, weight in wishes.items() if weight and (weight > 0) != (row in present)
    }


def _apply(changes: Mapping[T, int], present: set[T]) -> None:
    for row, weight in changes.items():
        (present.add if weight > 0 else present.remove)(row)
