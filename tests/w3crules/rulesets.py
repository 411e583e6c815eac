"""The rules of rulesets/ as the cases and the table need them: what switches a rule on, and which helpers are its own.

A rule over a list is several rules here: it, the rules that mark and walk the lists of its axioms (`prp-key-cell`), and
those that walk lists for all. Helpers belong to every rule that reads, directly or not, what they derive.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from kgreason.ontology.generic.parts import feeders
from kgreason.options import DEFAULT_GROUPS
from kgreason.rules.model import Rule
from kgreason.rules.parser import ruleset
from kgreason.rules.program import Program
from kgreason.terms.vocabulary import RDF_FIRST, RDF_REST

from .cases import RULESETS
from .tables import KNOWN


@cache
def program(name: str) -> Program:
    """A shipped rule set, all groups, without what no proof shows; with OWL 2 RL the rules of datatypes.dl."""
    shipped = ruleset(name)
    if name != "owl2rl":
        return shipped
    return Program(tuple(rule for rule in (*shipped.rules, *ruleset("datatypes").rules) if not _only_notes(rule)))


def _only_notes(rule: Rule) -> bool:
    """Whether a rule only notes what it is told of literals or links, which no proof shows."""
    return all((head.relation or "").startswith("dt_") for head in rule.heads)


def rule_of(ruleset: str, name: str) -> Rule | None:
    """The rule of that name, if the rule set has one."""
    return next((rule for rule in program(ruleset).rules if rule.name == name), None)


def switch(ruleset: str, name: str) -> str | None:
    """The group that has to be switched on for a rule; None if it is on by default, or not there."""
    rule = rule_of(ruleset, name)
    default = next(groups for name, groups in DEFAULT_GROUPS.items() if name == ruleset)
    return None if rule is None or rule.group in (*default, "datatypes") else rule.group


def helpers(ruleset: str, name: str) -> list[str]:
    """The names of the rules that belong to a rule beside itself, in their order."""
    rules = program(ruleset).rules
    rule = rule_of(ruleset, name)
    fed = feeders(rules, [rule]) if rule else {}
    own = {each.name for each in fed if _only_walks(each) or name.startswith(_stem(each.name))}
    own |= {each.name for each in rules if _stem(each.name) == name and (ruleset, each.name) not in KNOWN}
    return [each.name for each in rules if each.name in own]


def owner(name: str) -> str:
    """The rule that a rule of OWL 2 RL with a head of its own belongs to: `eq-diff1` for `eq-diff1-self`.

    The tables report literals of different values that are made one (`prp-fp-literals`) by eq-diff1.
    """
    if name.endswith("-literals"):
        return "eq-diff1"
    return name if ("owl2rl", name) in KNOWN else _stem(name)


def _stem(name: str) -> str:
    """`prp-key` of `prp-key-cell`."""
    return name.rpartition("-")[0]


def _only_walks(rule: Rule) -> bool:
    """Whether a rule reads nothing but list cells and what other rules know of them."""
    return all(atom.relation is not None or atom.terms[1] in (RDF_FIRST, RDF_REST) for atom in rule.body)


def every_rule() -> Iterator[tuple[str, str]]:
    """(rule set, rule) of all that is shipped for the specifications with cases here; `tests.el` judges owl2el."""
    for name in RULESETS:
        yield from ((name, rule.name) for rule in program(name).rules)
