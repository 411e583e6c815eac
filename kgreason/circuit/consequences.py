"""The immediate consequences of a program by definition.

`consequences` is the operator T of Datalog. For every rule, and every substitution under which the body of the rule
holds, T(rules, facts, below) has the heads of the rule, with the weight of the rule. The body holds under a
substitution if each part of the body does:

    atom         the substitution turns it into a fact of `facts`
    AGGREGATE    the substitution has the values of a group and the value of this group over `below`
    FILTER       the expression holds
    BIND         the substitution has the result of the expression
    NOT          no extension of the substitution makes the atoms under NOT facts of `below` and the filters hold

T is linear in the rules. It is monotone in `facts`, but not linear, and it is not monotone in `below`. So `below` must
be final: the model of the strata below (`strata`). Cost: nested loops over the facts of each atom's relation.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import TypeAlias

from kgreason.circuit.functions import Functions, Member, aggregate_value, computations
from kgreason.circuit.kit import Prefix, Step, steps
from kgreason.circuit.rewriting import Shape, Substitution, extend, shape, substitute, unify
from kgreason.circuit.zset import ZSet, expand
from kgreason.rules.model import Aggregate, Atom, Computed, Constant, Rule

Tables: TypeAlias = Mapping[Shape, Sequence[Atom]]
Groups: TypeAlias = Mapping[tuple[Constant, ...], Constant]


def consequences(rules: ZSet[Rule], facts: ZSet[Atom], below: ZSet[Atom], functions: Functions) -> ZSet[Atom]:
    """Apply the rules once. Returns the heads that this application derives, each with its weight.

    `T(rules, facts, below)[h] = sum of rules[r] over the substitutions s with body(r)s true and h among heads(r)s`.
    """
    application = _Application(_tables(facts), _tables(below), functions)

    def heads(rule: Rule) -> Iterator[Atom]:
        for substitution in application.solutions(steps(rule), ()):
            yield from (substitute(head, substitution) for head in rule.heads)

    return expand(rules, heads)


class _Application:
    """One application of rules to facts. Holds what all rules read: the facts, the facts from below, the groups."""

    def __init__(self, facts: Tables, below: Tables, functions: Functions) -> None:
        self._facts, self._below, self._functions = facts, below, functions
        self._groups: Callable[[Aggregate], Groups] = cache(self._values_of)

    def solutions(self, body: Prefix, substitution: Substitution) -> Iterator[Substitution]:
        """Yield each extension of `substitution` under which `body` holds."""
        if not body:
            yield substitution
            return
        for extended in self._extensions(body[0], substitution):
            yield from self.solutions(body[1:], extended)

    def _extensions(self, step: Step, known: Substitution) -> Iterator[Substitution]:
        if isinstance(step, Atom):
            atom = substitute(step, known)
            found = (unify(atom, fact) for fact in self._facts.get(shape(atom), ()))
            yield from (known + bound for bound in found if bound is not None)
        elif isinstance(step, Computed):
            yield from computations(self._functions, step, known)
        elif isinstance(step, Aggregate):
            terms = (*step.group, step.result)
            rows = (extend(known, terms, (*group, value)) for group, value in self._groups(step).items())
            yield from (row for row in rows if row is not None)
        elif not any(True for _ in self._inner_application().solutions((*step.atoms, *step.computed), known)):
            yield known

    def _inner_application(self) -> _Application:
        return _Application(self._below, self._below, self._functions)

    def _values_of(self, aggregate: Aggregate) -> Groups:
        """Return {the constants of the group: the value of the aggregate} for all groups that have a value."""
        members: defaultdict[tuple[Constant, ...], defaultdict[Member, int]] = defaultdict(lambda: defaultdict(int))
        for found in map(dict, self._inner_application().solutions((*aggregate.atoms, *aggregate.computed), ())):
            member = () if aggregate.argument is None else (found[aggregate.argument],)
            members[tuple(found[variable] for variable in aggregate.group)][member] += 1
        values = {group: aggregate_value(self._functions, aggregate, rows) for group, rows in members.items()}
        return {group: value for group, value in values.items() if value is not None}


def _tables(facts: ZSet[Atom]) -> Tables:
    tables: dict[Shape, list[Atom]] = defaultdict(list)
    for fact in facts:
        tables[shape(fact)].append(fact)
    return tables
