"""Stratified negation by definition: the strata of rules, and the perfect model, stratum by stratum.

    A depends on B     a head of B unifies with a body atom of A (open), or with an atom under NOT (closed); if A is a
                       rule of SPARQL-RL that assigns, closed in any case
    stratum(A)         >= stratum(B) along open dependencies, > along closed ones; no strata: the rules are circular
    perfect model      the least model of stratum 0; on top of it that of stratum 1, with NOT read in what is there; ...
    SKOLEM             a blank node whose label is a hash of the texts
    DATA               a relation that has the given triples, and that no rule derives

Rules are taken as `tests.oracle.datalog` takes them, with `negated`: things with `atoms` and `local` variables;
and with `aggregates` (`tests.oracle.aggregates`), whose atoms are closed dependencies.
Cost: every rule is compared with every other one, and every stratum is evaluated naively.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeAlias

from tests.oracle.aggregates import grouped
from tests.oracle.datalog import Atom, Fact, FactLike, Index, Substitution, Var, ground, plain, solutions

Functions: TypeAlias = Mapping[str, Callable[..., str | bool | list[str] | None]]
NO_FUNCTIONS: Functions = MappingProxyType({})


class CircularError(Exception):
    """Rules that negate in a circle."""


def perfect(facts: Iterable[FactLike], rules: Iterable[Any], functions: Functions = NO_FUNCTIONS) -> set[Fact]:
    """The perfect model of rules over facts. Raises CircularError.

    `functions` computes expressions: the tokens of an expression, joined by spaces and with `_` for each variable, to a
    Python function of the values. A FILTER needs a function that returns a bool; None means that there is no result,
    and a list has many.
    """
    program = list(rules)
    levels = strata(program)
    known = set(map(plain, facts))
    data = {("DATA", terms) for relation, terms in known if relation is None}
    known |= data
    for level in range(max(levels, default=0) + 1):
        mine = [rule for rule, stratum in zip(program, levels, strict=True) if stratum == level]
        while new := {head for rule in mine for head in _heads(rule, Index(known), functions)} - known:
            known |= new
    return known - data


def strata(rules: Sequence[Any]) -> list[int]:
    """The stratum of each rule. Raises CircularError."""
    edges = [
        (producer, reader, closed)
        for reader, rule in enumerate(rules)
        for atom, closed in _read(rule)
        for producer, other in enumerate(rules)
        if any(unifies(head, atom) for head in other.heads)
    ]
    levels = [0] * len(rules)
    for _ in range(len(rules) + 1):
        before = list(levels)
        for producer, reader, closed in edges:
            levels[reader] = max(levels[reader], levels[producer] + closed)
        if levels == before:
            return levels
    raise CircularError


def _read(rule: Any) -> Iterator[tuple[Any, bool]]:
    is_closed = rule.dialect == "srl" and any(computed.result is not None for computed in rule.computed)
    yield from ((atom, is_closed) for atom in rule.body)
    yield from ((atom, True) for aggregate in rule.aggregates for atom in aggregate.atoms)
    yield from ((atom, True) for negated in rule.negated for atom in negated.atoms)


def unifies(head: Any, atom: Any) -> bool:
    """Whether one fact can be an instance of both atoms."""
    if head.relation != atom.relation or len(head.terms) != len(atom.terms):
        return False
    classes: list[set[object]] = []
    for pair in zip(_terms_of(head, "head"), _terms_of(atom, "body"), strict=True):
        touched = [each for each in classes if each & set(pair)]
        classes = [each for each in classes if each not in touched] + [set(pair).union(*touched)]
    return all(sum(isinstance(term, str) for term in each) <= 1 for each in classes)


def _terms_of(atom: Any, side: str) -> list[object]:
    return [(side, term.name) if hasattr(term, "name") else term for term in atom.terms]


def _heads(rule: Any, index: Index, functions: Functions) -> Iterator[Fact]:
    """What a rule derives from the facts of the index."""
    for found in _bindings(rule, index, functions):
        for binding in _extensions(rule, found, functions):
            if not any(_is_met(negated, binding, index, functions) for negated in rule.negated):
                yield from (ground(_atom(head), binding) for head in rule.heads)


def _bindings(rule: Any, index: Index, functions: Functions) -> list[Substitution]:
    """The bindings of the body with the groups and values of the aggregates."""
    found = list(solutions(index, tuple(map(_atom, rule.body)), {}))
    for aggregate in rule.aggregates:
        inner = solutions(index, tuple(map(_atom, aggregate.atoms)), {})
        matches = [match for binding in inner for match in _extensions(aggregate, binding, functions)]
        names = [variable.name for variable in (*aggregate.group, aggregate.result)]
        rows = [dict(zip(names, (*group, value), strict=True)) for group, value in grouped(aggregate, matches).items()]
        found = [
            {**binding, **row}
            for binding in found
            for row in rows
            if all(binding.get(name, value) == value for name, value in row.items())
        ]
    return found


def _extensions(rule: Any, binding: Substitution, functions: Functions) -> list[Substitution]:
    """The binding with the results of the assignments; none if a filter is false or there is no result."""
    found = [dict(binding)]
    for computed in rule.computed:
        found = [
            {**each, **({computed.result.name: one} if computed.result else {})}
            for each in found
            for one in values_of(computed, each, functions)
        ]
    return found


def values_of(computed: Any, binding: Substitution, functions: Functions) -> list[str]:
    """The values of an expression: none, one, or many; a FILTER that is true has one."""
    text = " ".join("_" if hasattr(part, "name") else part for part in computed.parts)
    values = [binding[part.name] if hasattr(part, "name") else part for part in computed.parts]
    if text.startswith("SKOLEM"):
        return [_blank_node([value for value in values[2:-1] if value != ","])]
    inputs = (value for part, value in zip(computed.parts, values, strict=True) if hasattr(part, "name"))
    found = functions[text](*inputs)
    return found if isinstance(found, list) else [] if found is None or found is False else [str(found)]


def _blank_node(texts: Sequence[str]) -> str:
    """The blank node for a label and arguments: 32 digits of a hash, the first one as a letter."""
    digest = hashlib.sha256("\n".join(texts).encode()).hexdigest()
    return f"_:{'abcdef'[int(digest[0], 16) % 6]}{digest[1:32]}"


def _is_met(negated: Any, binding: Substitution, index: Index, functions: Functions) -> bool:
    local = {variable.name for variable in negated.local}
    known = {name: constant for name, constant in binding.items() if name not in local}
    found = solutions(index, tuple(map(_atom, negated.atoms)), known)
    return any(_extensions(negated, inner, functions) for inner in found)


def _atom(atom: Any) -> Atom:
    return Atom(atom.relation, tuple(Var(term.name) if hasattr(term, "name") else term for term in atom.terms))
