"""Safety: the positive body must bind every variable. So a rule derives finitely many facts from finitely many facts.

    head                             each variable occurs in a body atom
    FILTER, BIND                     each variable of the expression occurs in a body atom or is made by another BIND
    DATA atom                        it binds its variables, as other body atoms; no head has one
    NOT atom                         each variable occurs in a body atom
    NOT EXISTS ?z IN (atoms)         the same for each variable but ?z; ?z occurs in `atoms` and nowhere else

A rule with an empty body is safe exactly if it has no variables. This is the law of Datalog (Abiteboul, Hull and Vianu,
*Foundations of Databases*, sections 12.1 and 15.2). Cost: one pass over the terms of the rule.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kgreason.errors import RuleError, UnsafeRuleError
from kgreason.rules.model import DATA, Rule, Variable

DATA_IN_HEAD = "DATA cannot stand in the head: users assert triples, and rules derive them"


def unbound(rule: Rule) -> list[Variable]:
    """The head variables that are in no body atom, in the order in which they occur."""
    bound = _bound(rule)
    terms = dict.fromkeys([term for atom in rule.heads for term in atom.terms if term not in bound])
    return [term for term in terms if isinstance(term, Variable)]


def check_safe(rule: Rule) -> None:
    """Raise UnsafeRuleError if the body does not bind a variable. The message names the rule and the variables."""
    if any(head.relation == DATA for head in rule.heads):
        raise UnsafeRuleError(f"rule {rule.name or '(unnamed)'}: {DATA_IN_HEAD}")
    if free := unbound(rule):
        names = " and ".join(map(str, free))
        verb = "is" if len(free) == 1 else "are"
        without = " without NOT" if any(set(free) & set(negated.outer()) for negated in rule.negated) else ""
        problem = f"{names} {verb} in the head but in no body atom{without}"
        raise UnsafeRuleError(f"rule {rule.name or '(unnamed)'}: {problem}")
    for problem in (*_of_computed(rule), *_of_negated(rule)) if rule.computed or rule.negated else ():
        raise UnsafeRuleError(f"rule {rule.name or '(unnamed)'}: {problem}")


def check_positive(rules: Iterable[Rule], where: str) -> None:
    """Raise RuleError if a rule says NOT, FILTER or BIND. `where` names the part that cannot evaluate it."""
    for rule in rules:
        if rule.negated or rule.computed or any(atom.relation == DATA for atom in rule.body):
            problem = f"{where} cannot evaluate NOT, DATA, FILTER and BIND; load in one process instead"
            raise RuleError(f"rule {rule.name or '(unnamed)'}: {problem}")


def _of_negated(rule: Rule) -> Iterator[str]:
    """Yield a message for each variable under NOT that breaks the rules at the top of this file."""
    bound = _bound(rule)
    for number, negated in enumerate(rule.negated):
        inside = {term for atom in negated.atoms for term in atom.terms}
        others = {key for place, other in enumerate(rule.negated) if place != number for key in other.outer()}
        for variable in negated.local:
            if variable not in inside:
                yield f"{variable} is after EXISTS but in none of the atoms after IN"
            if variable in bound or variable in others:
                yield f"{variable} belongs to NOT EXISTS and must not occur outside of it; use another name"
        for variable in negated.outer():
            if variable not in bound:
                yield (
                    f"{variable} is under NOT but in no other body atom; bind it there, "
                    f"or write NOT EXISTS {variable} IN (...)"
                )


def _of_computed(rule: Rule) -> Iterator[str]:
    """What is wrong with the variables of FILTER and BIND."""
    bound: set[object] = {term for atom in rule.body for term in atom.terms}
    made = bound | {computed.result for computed in rule.computed}
    for computed in rule.computed:
        word = "FILTER" if computed.result is None else "BIND"
        for variable in computed.inputs():
            if variable not in made:
                yield f"{variable} is in {word} but in no body atom, and no BIND makes it"
    if circular := _circular(rule, bound):
        yield f"the BIND that makes {circular} needs {circular} itself, directly or through other BINDs"
    for computed in rule.computed:
        if computed.result in bound:
            yield f"{computed.result} has a value already; BIND needs a new variable after AS"
        if computed.result is not None:
            bound.add(computed.result)


def _circular(rule: Rule, bound: set[object]) -> Variable | None:
    """A variable whose BIND needs that variable; None if there is an order for all of them.

    `bound` are the variables of the body.
    """
    known = set(bound)
    waiting = {computed.result: computed.inputs() for computed in rule.computed if computed.result}
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


def _bound(rule: Rule) -> set[object]:
    """The variables that the body binds, or an assignment."""
    return {
        *(term for atom in rule.body for term in atom.terms),
        *(computed.result for computed in rule.computed if computed.result),
    }
