"""`canonical`: one value for all the ways to write a rule.

Two rules have equal canonical forms exactly when they have the same name and group and one becomes the other by
renaming variables, reordering atoms and dropping repeated atoms; so the rules that two axioms yield meet in one, with
weight 2 (DESIGN.md 3.3). It is equality of syntax: a body atom that the others imply stays.

    body    without repetitions, in the order whose text is smallest once variables are numbered by first occurrence
    heads   without repetitions, sorted
    names   v0, v1, ... in the order of the body

The smallest order is built atom by atom: every next atom is one that reads smallest after those before it. Atoms that
read the same are all tried, and the heads decide between complete orders that read the same.
Laws: `canonical(canonical(r)) == canonical(r)`; the canonical form is the same rule. At most `_TRIED` partial orders
are kept, more than a body of six atoms can tie (6! = 720): past that, for a long body of atoms that are all alike, the
form is still the same rule but may depend on the order in which it was written.

Cost: 2 to 4 microseconds for a rule over one atom, 15 to 25 for two or three atoms, 6 milliseconds for six that are all
alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from operator import eq
from typing import NamedTuple, TypeAlias

from kgreason.rules.model import Atom, Rule, Term, Variable
from kgreason.rules.safety import check_safe

_TRIED = 720

Reading: TypeAlias = tuple[str, ...]
"""An atom as it is compared: its relation ("" for a triple pattern), then its terms, variables as `?v0`, `?v1`, ..."""

Numbers: TypeAlias = dict[Term, str]
_NAMES = tuple(Variable(f"v{number}") for number in range(8))


class _Order(NamedTuple):
    """The body atoms that a partial order has not placed, and what it calls the variables met so far."""

    left: tuple[Atom, ...]
    numbers: Numbers


def canonical(rule: Rule) -> Rule:
    """The canonical form of a rule, with its name, group and sources; raises `UnsafeRuleError`.

    >>> from kgreason.rules.parser import parse
    >>> one, other = parse("@rule r p(?a) :- q(?a, ?b), r(?b) .  @rule r p(?y) :- r(?x), q(?y, ?x), r(?x) .").rules
    >>> canonical(one) == canonical(other)
    True
    """
    check_safe(rule)
    if len(rule.body) == len(rule.heads) == 1:
        return _alone(rule)
    body: list[Reading] = []
    orders = [_Order(tuple(dict.fromkeys(rule.body)), {})]
    while orders[0].left:
        reading, orders = _extended(orders)
        body.append(reading)
    heads = min(_heads(rule, order.numbers) for order in orders)
    return replace(rule, heads=tuple(map(_atom, heads)), body=tuple(map(_atom, body)))


def _alone(rule: Rule) -> Rule:
    """The canonical form of a rule of one head and one body atom, as most are: there is nothing to order."""
    (head,), (atom,) = rule.heads, rule.body
    names: dict[Term, Term] = {}
    for term in atom.terms:
        if isinstance(term, Variable) and term not in names:
            names[term] = _NAMES[len(names)] if len(names) < len(_NAMES) else Variable(f"v{len(names)}")
    if all(map(eq, names, names.values())):
        return rule
    return Rule((_renamed(head, names),), (_renamed(atom, names),), rule.name, rule.group, rule.sources)


def _renamed(atom: Atom, names: Mapping[Term, Term]) -> Atom:
    return Atom(atom.relation, tuple([names.get(term, term) for term in atom.terms]))


def _extended(orders: list[_Order]) -> tuple[Reading, list[_Order]]:
    """The smallest reading that an atom can have next, and the orders with each atom that has it."""
    smallest: Reading = ()
    ties: list[tuple[_Order, Atom]] = []
    for order in orders:
        for atom in order.left:
            reading = _reading(atom, order.numbers)
            if not ties or reading < smallest:
                smallest, ties = reading, [(order, atom)]
            elif reading == smallest:
                ties.append((order, atom))
    return smallest, [_placed(order, atom, smallest) for order, atom in ties[:_TRIED]]


def _reading(atom: Atom, numbers: Numbers) -> Reading:
    new: Numbers = {}
    texts = [atom.relation or ""]
    for term in atom.terms:
        if isinstance(term, Variable):
            texts.append(numbers.get(term) or new.setdefault(term, f"?v{len(numbers) + len(new)}"))
        else:
            texts.append(term)
    return tuple(texts)


def _placed(order: _Order, atom: Atom, reading: Reading) -> _Order:
    numbers = order.numbers | {
        term: text for term, text in zip(atom.terms, reading[1:], strict=True) if isinstance(term, Variable)
    }
    return _Order(tuple(other for other in order.left if other is not atom), numbers)


def _heads(rule: Rule, numbers: Numbers) -> list[Reading]:
    return sorted({_reading(atom, numbers) for atom in rule.heads})


def _atom(reading: Reading) -> Atom:
    relation, *texts = reading
    return Atom(relation or None, tuple(Variable(text[1:]) if text.startswith("?") else text for text in texts))
