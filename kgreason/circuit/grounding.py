"""The joins of the dynamic circuit, as functions of Z-sets: gatekeep, product, ground, index (DYRE, section 4), probe.

A *rewrite* is a walk along the bodies of rules: the prefix that it has passed, and the substitution that turns this
prefix into facts. It starts with the empty prefix.

    gatekeep   rewrites  x  directions     gates: the next atom of each walk, with the known values
    product    gates     x  facts          rewrites: the walk one atom further, for each matching fact
    ground     rewrites  x  signals        facts: the heads, for each walk at the end of a body
    index      facts     x  join orders    indexed facts: each fact, by the columns of every join order of its relation
    probe      gates     x  indexed facts  rewrites: as product, but only pairs with equal keys are compared

All five are bilinear. A rewrite determines the facts of its prefix. So if directions and facts have weight 1, rewrites
have weight 1, and the weight of a grounded head is the number of its derivations.
"""

from __future__ import annotations

from typing import NamedTuple

from kgreason.circuit.kit import Direction, JoinOrder, Prefix, Signal
from kgreason.circuit.rewriting import Substitution, shape, substitute, unify
from kgreason.circuit.zset import ZSet, join
from kgreason.rules.model import Atom, Term, Variable


class Rewrite(NamedTuple):
    """A walk: the body atoms that it has passed, and the values of their variables."""

    prefix: Prefix
    substitution: Substitution


class Gate(NamedTuple):
    """A walk that waits for a fact: its prefix after the next step, the atom to match, and the substitution so far."""

    after: Prefix
    atom: Atom
    substitution: Substitution


class Key(NamedTuple):
    """A key of the index: a join order, and a constant for each of its columns."""

    order: JoinOrder
    constants: tuple[Term, ...]


class IndexedFact(NamedTuple):
    """A fact together with a key of the index under which it is found."""

    key: Key
    fact: Atom


START = Rewrite((), ())


def gatekeep(rewrites: ZSet[Rewrite], directions: ZSet[Direction]) -> ZSet[Gate]:
    """The gates `{(q, a s, s) : (p, s) in rewrites, (p -> q) in directions, a the last atom of q}`.

    `a s` is the atom a with the values of the substitution s.
    """
    return join(rewrites, directions, lambda rewrite: rewrite.prefix, lambda direction: direction.before, _gate)


def product(gates: ZSet[Gate], facts: ZSet[Atom]) -> ZSet[Rewrite]:
    """The rewrites `{(q, s + u) : (q, a, s) in gates, f in facts, a u = f}`: u turns the atom a into the fact f."""
    return join(gates, facts, lambda gate: shape(gate.atom), shape, _pass)


def ground(rewrites: ZSet[Rewrite], signals: ZSet[Signal]) -> ZSet[Atom]:
    """The facts `{h s : (p, s) in rewrites, (p : h) in signals}`: the head h with the values of s."""
    return join(
        rewrites,
        signals,
        lambda rewrite: rewrite.prefix,
        lambda signal: signal.body,
        lambda rewrite, signal: substitute(signal.head, rewrite.substitution),
    )


def index(facts: ZSet[Atom], orders: ZSet[JoinOrder]) -> ZSet[IndexedFact]:
    """`{((order, constants), f) : f in facts, order in orders of f's relation and width}`.

    `constants` are the constants of f in the columns of the order.
    """
    return join(
        facts,
        orders,
        shape,
        lambda order: (order.relation, order.width),
        lambda fact, order: IndexedFact(_key(fact, order), fact),
    )


def probe(gates: ZSet[Gate], facts: ZSet[IndexedFact]) -> ZSet[Rewrite]:
    """As `product`, but compare only gates and facts with equal keys."""
    return join(
        gates,
        facts,
        lambda gate: gate_key(gate.atom),
        lambda indexed: indexed.key,
        lambda gate, indexed: _pass(gate, indexed.fact),
    )


def gate_key(atom: Atom) -> Key:
    """The key under which the index has the facts for a gate, made from the constants of the gate's atom.

    Example: the atom `edge(?x, "b")` gives the join order of relation edge by column 1, with the constant "b".
    """
    columns = tuple(n for n, term in enumerate(atom.terms) if not isinstance(term, Variable))
    return _key(atom, JoinOrder(atom.relation, len(atom.terms), columns))


def _gate(rewrite: Rewrite, direction: Direction) -> Gate:
    atom = substitute(direction.after[-1], rewrite.substitution)
    return Gate(direction.after, atom, rewrite.substitution)


def _pass(gate: Gate, fact: Atom) -> Rewrite | None:
    bound = unify(gate.atom, fact)
    return None if bound is None else Rewrite(gate.after, gate.substitution + bound)


def _key(atom: Atom, order: JoinOrder) -> Key:
    return Key(order, tuple(atom.terms[column] for column in order.columns))
