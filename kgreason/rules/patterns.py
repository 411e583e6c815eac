"""Patterns: atoms with variables, for the analysis of generic rules; unification of two patterns.

A pattern stands for all atoms without variables that match it. Two atoms are *unified* by the most general binding that
makes them equal. A binding maps variables to terms. Such a term may itself be a variable that the binding maps.

Laws: `substitute(a, b) == substitute(c, b)` for `b = unify(a, c, {})`; `generalises(general, special)` holds
exactly when some binding of the variables of `general` alone turns `general` into `special`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from kgreason.rules.model import Atom, Term, Variable

Binding: TypeAlias = Mapping[Variable, Term]


def _resolve(term: Term, binding: Binding) -> Term:
    while isinstance(term, Variable) and term in binding:
        term = binding[term]
    return term


def substitute(atom: Atom, binding: Binding) -> Atom:
    """Return the atom with each bound variable replaced by its value."""
    return Atom(atom.relation, tuple(_resolve(term, binding) for term in atom.terms))


def unify(one: Atom, other: Atom, binding: Binding) -> Binding | None:
    """Return the most general extension of a binding that makes two atoms equal, or None if none does."""
    if one.relation != other.relation or len(one.terms) != len(other.terms):
        return None
    extended = dict(binding)
    for pair in zip(one.terms, other.terms, strict=True):
        left, right = (_resolve(term, extended) for term in pair)
        if left == right:
            continue
        if isinstance(left, Variable):
            extended[left] = right
        elif isinstance(right, Variable):
            extended[right] = left
        else:
            return None
    return extended


def generalises(general: Atom, special: Atom) -> bool:
    """Whether terms in place of the variables of `general` can make `general` equal to `special`."""
    if general.relation != special.relation or len(general.terms) != len(special.terms):
        return False
    seen: dict[Term, Term] = {}
    return all(
        seen.setdefault(left, right) == right if isinstance(left, Variable) else left == right
        for left, right in zip(general.terms, special.terms, strict=True)
    )


def with_numbered_variables(atom: Atom) -> Atom:
    """Return the atom with its variables renamed to 1, 2, ... in the order in which they first occur."""
    names: dict[Term, Variable] = {}
    return Atom(
        atom.relation,
        tuple(
            names.setdefault(term, Variable(f"{len(names) + 1}")) if isinstance(term, Variable) else term
            for term in atom.terms
        ),
    )


def fresh_copy(pattern: Atom, number: int) -> Atom:
    """Return a copy of a pattern with new variables: the name of each one ends in `number`, such as `?x.0`."""
    return Atom(
        pattern.relation,
        tuple(Variable(f"{term.name}.{number}") if isinstance(term, Variable) else term for term in pattern.terms),
    )


def pattern_text(pattern: Atom) -> str:
    """Return the text of a pattern in messages, for example `[?1, rdf:type, ex:Dog]`."""
    terms = ", ".join(map(str, pattern.terms))
    return f"[{terms}]" if pattern.relation is None else f"{pattern.relation}({terms})"


def can_match(head: Atom, atom: Atom) -> bool:
    """Whether one fact can match both atoms. The atoms are from two rules: equal names are different variables."""
    return unify(fresh_copy(head, 0), atom, {}) is not None
