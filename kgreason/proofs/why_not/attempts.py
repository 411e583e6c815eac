"""`Attempt`: why one rule does not derive a fact: the atoms of its body that match, and the conditions that fail.

A *binding* has values for variables of the rule. The search is greedy. Each step joins the bindings so far with one
more atom of the body. Atoms with the fewest variables without values, and then the fewest facts, are tried first. The
search stops when no remaining atom matches any binding: the remaining atoms fail. If all atoms match, the aggregates,
expressions and negations of the rule follow, one by one; the first one that fails for all bindings is reported. Their
results are facts of hidden relations (rules/lowering.py), so they are looked up and not evaluated.

Law: a rule without a failing condition derives the fact. A search in another order may match more atoms. Cost: a join
for each atom that is tried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from kgreason.proofs.why_not.rows import Bindings, Rows
from kgreason.rules.lowering import absence_atoms, aggregate_atoms, result_atom
from kgreason.rules.model import Atom, Rule, Term, Variable

_LOOKED_AT = 1_000
"""How many bindings are compared at most to choose the binding that is shown."""


class Failure(NamedTuple):
    """A condition of a rule that fails.

    - `kind`: "missing": no fact matches the atom. "computed", "aggregated": the expression or the aggregate is false,
      has no value, or has another value than the rule needs. "absent": a pattern that must have no match has one.
    - `atom`: the condition, with values in place of variables. For an expression, an aggregate or a negation it is an
      atom of a hidden relation.
    - `found`: the value that the expression or the aggregate has, if it has one.
    - `facts`: for "absent", the facts that are present but must be absent.
    """

    kind: str
    atom: Atom
    found: str | None = None
    facts: tuple[Atom, ...] = ()


class Attempt(NamedTuple):
    """A rule that could derive a fact: values of its variables, the atoms that hold, and the conditions that fail.

    A variable without a value has no entry in `values`.
    """

    rule: Rule
    values: dict[str, str]
    holds: tuple[Atom, ...]
    fails: tuple[Failure, ...]


def failed_attempt(rule: Rule, start: Bindings, rows: Rows) -> Attempt | None:
    """Return why a rule does not derive a fact, or None if all conditions of the rule hold.

    `start` has the bindings under which the head of the rule is the fact. The search of the body begins with them.
    """
    bindings, matched = start, list[Atom]()
    waiting = list(rule.body)
    while waiting:
        found = next(_extensions(bindings, waiting, rows), None)
        if found is None:
            shown = _first_values(bindings, rows)
            fails = tuple(Failure("missing", with_values(shown, atom)) for atom in waiting)
            return _attempt_of(rule, shown, [atom for atom in rule.body if atom in matched], fails)
        atom, bindings = found
        waiting.remove(atom)
        matched.append(atom)
    return _operator_failure(rule, _primary_bindings(bindings, rows), rows)


def _extensions(bindings: Bindings, waiting: Sequence[Atom], rows: Rows) -> Iterator[tuple[Atom, Bindings]]:
    """Yield each atom of `waiting` that matches facts under some binding, with the bindings joined with the atom."""

    def effort(atom: Atom) -> tuple[int, int]:
        return len(atom.variables().difference(bindings.variables)), rows.count(atom)

    for atom in sorted(waiting, key=effort):
        found = rows.join(bindings, atom)
        if len(found.rows):
            yield atom, found


def _operator_failure(rule: Rule, bindings: Bindings, rows: Rows) -> Attempt | None:
    """Return why a rule does not derive a fact although all its body atoms match; None if nothing fails.

    The reason is the first aggregate, expression or NOT that fails for all bindings. `bindings` are the matches of the
    body atoms.
    """
    ways: list[tuple[Atom, Callable[[Atom, Bindings], Failure]]] = [
        *((atom, lambda atom, at: _value_failure("aggregated", atom, at, rows)) for atom in aggregate_atoms(rule)),
        *((result_atom(each), _computed_failures(each.result, rows)) for each in rule.computed),
        *((atom, _not_failures(rule, number, rows)) for number, atom in enumerate(absence_atoms(rule))),
    ]
    holds = list(rule.body)
    for atom, failed in ways:
        found = rows.join(bindings, atom)
        if not len(found.rows):
            first = Bindings(bindings.variables, bindings.rows[[_place(bindings, rows)]])
            return _attempt_of(rule, _values(first, rows), holds, (failed(atom, first),))
        holds.append(atom)
        bindings = found
    return None


def _computed_failures(result: Variable | None, rows: Rows) -> Callable[[Atom, Bindings], Failure]:
    if result is None:
        return lambda atom, at: Failure("computed", with_values(_values(at, rows), atom))
    return lambda atom, at: _value_failure("computed", atom, at, rows)


def _value_failure(kind: str, atom: Atom, at: Bindings, rows: Rows) -> Failure:
    """Return the failure of a BIND or an aggregate, with the value that it has now, if any, as `found`.

    `kind`: the kind of the failure. `atom`: the hidden atom that fails. `at`: the binding that is shown, and no other.
    """
    other = Variable("value of this")
    values = _values(at, rows)
    found = rows.join(at, Atom(atom.relation, (*atom.terms[:-1], other)))
    value = rows.text(int(found.rows[0, -1])) if len(found.rows) else None
    return Failure(kind, with_values(values, atom), value)


def _not_failures(rule: Rule, number: int, rows: Rows) -> Callable[[Atom, Bindings], Failure]:
    """Return a function that makes the failure of the NOT number `number` of a rule.

    The failure has the facts that match the atoms under NOT and make the filters under NOT true.
    """

    def failure(atom: Atom, at: Bindings) -> Failure:
        negated = rule.negated[number]
        found, waiting = at, [*negated.atoms, *map(result_atom, negated.computed)]
        while waiting and (step := next(_extensions(found, waiting, rows), None)) is not None:
            waiting.remove(step[0])
            found = step[1]
        values = _first_values(found, rows)
        facts = () if waiting else tuple(with_values(values, each) for each in negated.atoms)
        return Failure("absent", with_values(_values(at, rows), atom), facts=facts)

    return failure


def _primary_bindings(bindings: Bindings, rows: Rows) -> Bindings:
    """Return the bindings in which each value is a primary or is in no clique; all bindings if there are none.

    Reason: negations are decided for such values alone.
    """
    is_plain = np.ones(len(bindings.rows), dtype=np.bool_)
    for column in bindings.rows.T:
        is_plain &= rows.primaries(column) == column
    return Bindings(bindings.variables, bindings.rows[is_plain]) if is_plain.any() else bindings


def _attempt_of(rule: Rule, values: dict[Term, str], holds: Sequence[Atom], fails: tuple[Failure, ...]) -> Attempt:
    variables = [each for each in values if isinstance(each, Variable) and not each.is_anonymous]
    named = {variable.name: values[variable] for variable in variables}
    return Attempt(rule, named, tuple(with_values(values, atom) for atom in holds), fails)


def _first_values(bindings: Bindings, rows: Rows) -> dict[Term, str]:
    return _values(Bindings(bindings.variables, bindings.rows[[_place(bindings, rows)]]), rows)


def _place(bindings: Bindings, rows: Rows) -> int:
    listed = bindings.rows[:_LOOKED_AT].tolist()
    return min(range(len(listed)), key=lambda place: [rows.text(number) for number in listed[place]])


def _values(bindings: Bindings, rows: Rows) -> dict[Term, str]:
    return {
        variable: rows.text(number)
        for variable, number in zip(bindings.variables, bindings.rows[0].tolist(), strict=True)
    }


def with_values(values: dict[Term, str], atom: Atom) -> Atom:
    """Return the atom with values in place of its variables; a variable without a value stays."""
    return Atom(atom.relation, tuple(values.get(term, term) for term in atom.terms))
