"""Safety: every head variable occurs in the body. So a rule derives finitely many facts from finitely many facts.

A rule with an empty body is safe exactly if its heads have no variables. This is the law of Datalog (Abiteboul, Hull
and Vianu, *Foundations of Databases*, section 12.1). Cost: one pass over the terms of the rule.
"""

from __future__ import annotations

from kgreason.errors import UnsafeRuleError
from kgreason.rules.model import Rule, Variable


def unbound(rule: Rule) -> list[Variable]:
    """The head variables that are in no body atom, in the order in which they occur."""
    bound = {term for atom in rule.body for term in atom.terms}
    terms = dict.fromkeys([term for atom in rule.heads for term in atom.terms if term not in bound])
    return [term for term in terms if isinstance(term, Variable)]


def check_safe(rule: Rule) -> None:
    """Raise UnsafeRuleError, with the rule and the variables, if a head variable is in no body atom."""
    if free := unbound(rule):
        names = " and ".join(map(str, free))
        verb = "is" if len(free) == 1 else "are"
        raise UnsafeRuleError(f"rule {rule.name or '(unnamed)'}: {names} {verb} in the head but in no body atom")
