"""`can_match`: whether a fact that one rule derives can be a fact that another rule reads.

Law: `can_match(head, atom)` holds exactly if some fact is an instance of both. Cost: the terms of both atoms.
"""

from __future__ import annotations

from kgreason.rules.model import Atom, Variable


def can_match(head: Atom, atom: Atom) -> bool:
    """Whether a fact can match both atoms. The atoms are from two rules: equal names are different variables."""
    if head.relation != atom.relation or len(head.terms) != len(atom.terms):
        return False
    bound: dict[object, object] = {}

    def root(term: object) -> object:
        while term in bound:
            term = bound[term]
        return term

    for one, other in zip(_apart(head, 0), _apart(atom, 1), strict=True):
        left, right = root(one), root(other)
        if left == right:
            continue
        if isinstance(left, tuple):
            bound[left] = right
        elif isinstance(right, tuple):
            bound[right] = left
        else:
            return False
    return True


def _apart(atom: Atom, side: int) -> list[object]:
    """The terms of an atom. A variable becomes a pair with `side`, so that the variables of two atoms stay apart."""
    return [(side, term.name) if isinstance(term, Variable) else term for term in atom.terms]
