"""Substitutions and unification.

A *substitution* gives constants to variables. It is a tuple of pairs, in the order in which the variables were bound.
So two substitutions along the same atoms are equal exactly if they give the same constants.

    unify(p(?x, ?y), p(a, b)) = {?x: a, ?y: b}
    substitute(q(?y, ?z), {?x: a, ?y: b}) = q(b, ?z)

    unifiable(p(?x, a), p(b, ?x)) = True: the two ?x are different variables
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from kgreason.rules.model import Atom, Constant, Term, Variable

Substitution: TypeAlias = tuple[tuple[Variable, Constant], ...]
Shape: TypeAlias = tuple[str | None, int]
"""Relation and width. An atom matches only facts of its shape."""


def shape(atom: Atom) -> Shape:
    """Return the shape of an atom: its relation (None for a triple), and its number of terms."""
    return atom.relation, len(atom.terms)


def unify(atom: Atom, fact: Atom) -> Substitution | None:
    """Return the substitution that turns the atom into the fact, or None if no substitution does.

    The fact must have the shape of the atom.
    """
    bound: dict[Variable, Constant] = {}
    for term, constant in zip(atom.terms, fact.terms, strict=True):
        assert isinstance(constant, str)
        wanted = bound.setdefault(term, constant) if isinstance(term, Variable) else term
        if wanted != constant:
            return None
    return tuple(bound.items())


def substitute(atom: Atom, substitution: Substitution) -> Atom:
    """Replace the variables of an atom by their constants. Variables without a constant stay."""
    constants = dict(substitution)
    terms = (constants.get(term, term) if isinstance(term, Variable) else term for term in atom.terms)
    return Atom(atom.relation, tuple(terms))


def extend(substitution: Substitution, terms: tuple[Term, ...], constants: tuple[Constant, ...]) -> Substitution | None:
    """Extend a substitution so that it turns `terms` into `constants`. Returns None if this is impossible."""
    bound = unify(substitute(Atom(None, terms), substitution), Atom(None, constants))
    return None if bound is None else substitution + bound


def unifiable(one: Atom, other: Atom) -> bool:
    """Whether a fact can match both atoms. The atoms are from two rules: equal names are different variables."""
    if shape(one) != shape(other):
        return False
    equal: dict[Term, Term] = {}
    for pair in zip(_rename(one, "one"), _rename(other, "other"), strict=True):
        left, right = (_representative(term, equal) for term in pair)
        if not isinstance(left, Variable):
            left, right = right, left
        if left != right:
            if not isinstance(left, Variable):
                return False
            equal[left] = right
    return True


def _rename(atom: Atom, name: str) -> tuple[Term, ...]:
    return tuple(Variable(f"{name} {term.name}") if isinstance(term, Variable) else term for term in atom.terms)


def _representative(term: Term, equal: Mapping[Term, Term]) -> Term:
    while term in equal:
        term = equal[term]
    return term
