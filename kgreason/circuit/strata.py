"""`strata`: the order in which the rules of a program are evaluated (W3C, *SPARQL-RL*, stratification).

    A depends on B     a head of B and an atom that A reads can be the same fact
    closed             a dependency is closed if this atom of A is inside NOT or AGGREGATE, or if A is a rule of
                       SPARQL-RL that assigns a value
    stratum(A)         the smallest number that is >= stratum(B) for every B that A depends on, and > stratum(B) if the
                       dependency is closed

So everything that NOT and AGGREGATE read is final below the stratum of their rule. Rules have strata, not predicates: a
predicate, and even a fact, can have rules in several strata. A program has no strata if its dependencies have a cycle
that contains a closed dependency.

This module is written from the definition alone. It shares no code with the strata of the engine (`rules.strata`). The
engine allows recursion through MIN and MAX; this module, as the definition, does not. Cost: each rule is compared with
every other rule, unless no dependency is closed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from kgreason.circuit.rewriting import unifiable
from kgreason.errors import StratificationError
from kgreason.rules.model import Atom, Rule


class _Dependency(NamedTuple):
    reader: Rule
    producer: Rule
    is_closed: bool


def strata(rules: Iterable[Rule]) -> dict[Rule, int]:
    """Return the stratum of each rule, from 0. Raises StratificationError, which names the rules of a cycle."""
    levels = dict.fromkeys(rules, 0)
    if not any(is_closed for rule in levels for _, is_closed in _atoms_read(rule)):
        return levels
    dependencies = list(_dependencies(levels))
    for _ in range(len(levels) + 1):
        before = dict(levels)
        for reader, producer, is_closed in dependencies:
            levels[reader] = max(levels[reader], levels[producer] + is_closed)
        if levels == before:
            return levels
    raise StratificationError(_cycle_message(dependencies))


def _atoms_read(rule: Rule) -> Iterator[tuple[Atom, bool]]:
    """Yield each atom that the rule reads, and whether a dependency through this atom is closed."""
    assigns = rule.dialect == "srl" and any(computed.result is not None for computed in rule.computed)
    yield from ((atom, assigns) for atom in rule.body)
    yield from ((atom, True) for aggregate in rule.aggregates for atom in aggregate.atoms)
    yield from ((atom, True) for negated in rule.negated for atom in negated.atoms)


def _dependencies(rules: Iterable[Rule]) -> Iterator[_Dependency]:
    program = list(rules)
    for reader in program:
        for atom, is_closed in _atoms_read(reader):
            for producer in program:
                if any(unifiable(head, atom) for head in producer.heads):
                    yield _Dependency(reader, producer, is_closed)


def _cycle_message(dependencies: list[_Dependency]) -> str:
    """Return the error message, which names the rules of a cycle that contains a closed dependency."""
    needs: dict[Rule, set[Rule]] = {}
    for reader, producer, _ in dependencies:
        needs.setdefault(reader, set()).add(producer)
    closed = (each for each in dependencies if each.is_closed)
    reader, producer, _ = next(each for each in closed if each.reader in _with_needed_rules(each.producer, needs))
    cycle = [
        rule
        for rule in needs
        if rule in _with_needed_rules(producer, needs) and reader in _with_needed_rules(rule, needs)
    ]
    names = " and ".join(sorted(f"rule {rule.name or '(unnamed)'}" for rule in {reader, producer, *cycle}))
    return f"{names}: each needs all others, one of them through NOT, AGGREGATE or SET, so no order decides them"


def _with_needed_rules(rule: Rule, needs: dict[Rule, set[Rule]]) -> set[Rule]:
    """Return a rule, with all rules that it needs, directly or through other rules."""
    found, queue = {rule}, [rule]
    while queue:
        new = needs.get(queue.pop(), set()) - found
        found |= new
        queue += new
    return found
