"""Safety: the positive body of a rule must bind every variable. So finitely many facts give finitely many new facts.

    head                             each variable occurs in a body atom
    FILTER, BIND                     each variable of the expression occurs in a body atom or is made by another BIND
    DATA atom                        it binds its variables, as other body atoms do
    AGGREGATE(atoms ON ?x ...)       ?x and what the aggregate reads occur in the atoms; the other variables inside
                                     occur nowhere else; the result is new
    NOT atom                         each variable occurs in a body atom
    NOT EXISTS ?z IN (atoms)         the same for each variable but ?z; ?z occurs in `atoms` and nowhere else; FILTERs
                                     between the atoms may have ?z

A rule with an empty body is safe exactly if it has no variables. This is the law of Datalog (Abiteboul, Hull and Vianu,
*Foundations of Databases*, sections 12.1 and 15.2). Cost: one pass over the terms of the rule.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import replace

from kgreason.errors import UnsafeRuleError
from kgreason.rules.model import Computed, Rule, Term, Variable

DATA_IN_HEAD = "DATA cannot stand in the head: users assert triples, and rules derive them"


def bound_terms(rule: Rule) -> set[Term]:
    """Return the variables to which a rule gives values. The constants of body atoms are among them."""
    terms: set[Term] = {term for atom in rule.body for term in atom.terms}
    for aggregate in rule.aggregates:
        terms.update(aggregate.group, (aggregate.result,))
    return terms | {computed.result for computed in rule.computed if computed.result}


def unbound_variables(rule: Rule, bound: AbstractSet[Term]) -> list[Variable]:
    """Return the head variables to which the body gives no value, in the order in which they occur.

    `bound`: what `bound_terms` returns.
    """
    terms = dict.fromkeys([term for atom in rule.heads for term in atom.terms if term not in bound])
    return [term for term in terms if isinstance(term, Variable)]


def check_safe(rule: Rule) -> None:
    """Raise UnsafeRuleError for a rule that is not safe. The message names the rule and the variables."""
    bound = bound_terms(rule)
    if free := unbound_variables(rule, bound):
        names = " and ".join(map(str, free))
        verb = "is" if len(free) == 1 else "are"
        without = " without NOT" if any(set(free) & set(negated.outer_variables()) for negated in rule.negated) else ""
        problem = f"{names} {verb} in the head but in no body atom{without}"
        if any(set(free) & set(aggregate.variables()) for aggregate in rule.aggregates):
            problem = f"{names} {verb} in the head, but only inside AGGREGATE: write a variable of the group after ON"
        raise UnsafeRuleError(f"rule {rule.name or '(unnamed)'}: {problem}")
    problems = (
        *(_aggregate_messages(rule) if rule.aggregates else ()),
        *(_computed_messages(rule) if rule.computed else ()),
    )
    for problem in (*problems, *(_not_messages(rule, bound) if rule.negated else ())):
        raise UnsafeRuleError(f"rule {rule.name or '(unnamed)'}: {problem}")


def _aggregate_messages(rule: Rule) -> Iterator[str]:
    """Yield a message for each variable of an aggregate that breaks the rules at the top of this file."""
    for number, aggregate in enumerate(rule.aggregates):
        inside = set(aggregate.variables())
        known = {term for atom in aggregate.atoms for term in atom.terms}
        yield from _expression_messages(aggregate.computed, known, "in no atom inside AGGREGATE")
        for variable in aggregate.group:
            if variable not in inside:
                yield f"{variable} is after ON but in none of the atoms of AGGREGATE"
        if aggregate.argument and aggregate.argument not in inside:
            yield f"{aggregate.argument} is in {aggregate.function} but in none of the atoms of AGGREGATE"
        others = replace(rule, aggregates=rule.aggregates[:number] + rule.aggregates[number + 1 :])
        outside = {term for atom in rule.heads for term in atom.terms} | bound_terms(others) | _inputs(rule)
        for variable in sorted((inside - set(aggregate.group)) & outside):
            yield (f"{variable} is inside AGGREGATE and outside of it: write it after ON, or use another name")
        if aggregate.result in inside | bound_terms(others):
            yield f"{aggregate.result} has a value already; AGGREGATE needs a new variable after AS"


def _inputs(rule: Rule) -> set[Term]:
    """Return the variables whose values the expressions and negations of a rule need."""
    read: set[Term] = {variable for computed in rule.computed for variable in computed.inputs()}
    return read | {variable for negated in rule.negated for variable in negated.outer_variables()}


def _not_messages(rule: Rule, bound: AbstractSet[Term]) -> Iterator[str]:
    """Yield a message for each variable under NOT that breaks the rules at the top of this file.

    `bound`: the variables to which the body gives values.
    """
    for number, negated in enumerate(rule.negated):
        inside = {term for atom in negated.atoms for term in atom.terms}
        others = {key for place, other in enumerate(rule.negated) if place != number for key in other.outer_variables()}
        for variable in negated.local:
            if variable not in inside:
                yield f"{variable} is after EXISTS but in none of the atoms after IN"
            if variable in bound or variable in others:
                yield f"{variable} belongs to NOT EXISTS and must not occur outside of it; use another name"
        for variable in negated.outer_variables():
            if variable not in bound:
                yield (
                    f"{variable} is under NOT but in no other body atom; add a body atom that has it, "
                    f"or write NOT EXISTS {variable} IN (...)"
                )


def _computed_messages(rule: Rule) -> Iterator[str]:
    """Yield a message for each variable in FILTER or BIND of a body that breaks the rules at the top of this file."""
    yield from _expression_messages(rule.computed, bound_terms(replace(rule, computed=())))


def _expression_messages(
    expressions: tuple[Computed, ...], known: set[Term], where: str = "in no body atom"
) -> Iterator[str]:
    """Yield a message for each variable in `expressions` that has no value, gets two values, or needs itself.

    `known` are the variables that atoms bind. `where` is the part of the message that names the missing place of a
    variable without a value, such as "in no body atom".
    """
    bound: set[object] = set(known)
    made = bound | {computed.result for computed in expressions}
    for computed in expressions:
        word = "FILTER" if computed.result is None else "BIND"
        for variable in computed.inputs():
            if variable not in made:
                yield f"{variable} is in {word} but {where}, and no BIND makes it"
    if circular := _circular_variable(expressions, bound):
        yield f"the BIND that makes {circular} needs {circular} itself, directly or through other BINDs"
    for computed in expressions:
        if computed.result in bound:
            yield f"{computed.result} has a value already; BIND needs a new variable after AS"
        if computed.result is not None:
            bound.add(computed.result)


def _circular_variable(expressions: tuple[Computed, ...], bound: set[object]) -> Variable | None:
    """Return a variable whose BIND needs the value of this variable, directly or through other BINDs.

    Returns None if `expressions` have no such BIND. `bound` are the variables that atoms bind.
    """
    known = set(bound)
    waiting = {computed.result: computed.inputs() for computed in expressions if computed.result}
    while ready := [variable for variable, inputs in waiting.items() if known.issuperset(inputs)]:
        for variable in ready:
            known.add(variable)
            del waiting[variable]
    seen: set[Variable] = set()
    at = next(iter(waiting), None)
    while at is not None and at not in seen:
        seen.add(at)
        at = next((variable for variable in waiting[at] if variable in waiting), None)
    return at
