"""Substitutions, unification, and the immediate consequences of a program by definition.

A *substitution* gives constants to variables. It is a tuple of pairs, in the order in which the variables were bound.
So two substitutions along the same atoms are equal exactly if they give the same constants.

    unify(p(?x, ?y), p(a, b)) = {?x: a, ?y: b}
    substitute(q(?y, ?z), {?x: a, ?y: b}) = q(b, ?z)

`consequences` is the operator T of Datalog. For every rule, and every substitution that turns the body of the rule into
facts, T(rules, facts) has the heads with the weight of the rule. T is linear in the rules. It is monotone in the facts,
but not linear. Cost: nested loops over the facts of each atom's relation.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from kgreason.circuit.zset import ZSet, expand
from kgreason.rules.model import Atom, Constant, Rule, Variable

Substitution: TypeAlias = tuple[tuple[Variable, Constant], ...]
Shape: TypeAlias = tuple[str | None, int]
"""Relation and width. An atom matches only facts of its shape."""


def shape(atom: Atom) -> Shape:
    """The shape of an atom: its relation (None for a triple), and its number of terms."""
    return atom.relation, len(atom.terms)


def unify(atom: Atom, fact: Atom) -> Substitution | None:
    """The substitution that turns the atom into the fact, or None if no substitution does.

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
    """The atom with constants in place of variables; variables without a constant stay."""
    constants = dict(substitution)
    terms = (constants.get(term, term) if isinstance(term, Variable) else term for term in atom.terms)
    return Atom(atom.relation, tuple(terms))


def consequences(rules: ZSet[Rule], facts: ZSet[Atom]) -> ZSet[Atom]:
    """The heads that one application of the rules derives, with their weights.

    `T(rules, facts)[h] = sum of rules[r] over the substitutions s with body(r)s in facts and h among heads(r)s`.
    """
    tables: dict[Shape, list[Atom]] = defaultdict(list)
    for fact in facts:
        tables[shape(fact)].append(fact)

    def heads(rule: Rule) -> Iterator[Atom]:
        for substitution in _solutions(rule.body, tables, ()):
            yield from (substitute(head, substitution) for head in rule.heads)

    return expand(rules, heads)


def _solutions(
    body: Sequence[Atom], tables: Mapping[Shape, Sequence[Atom]], substitution: Substitution
) -> Iterator[Substitution]:
    if not body:
        yield substitution
        return
    atom = substitute(body[0], substitution)
    for fact in tables.get(shape(atom), ()):
        bound = unify(atom, fact)
        if bound is not None:
            yield from _solutions(body[1:], tables, substitution + bound)
