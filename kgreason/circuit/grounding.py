"""Gatekeep, product, ground and index: the four joins of the dynamic circuit, as functions of Z-sets (DYRE, section 4).

A *rewrite* is a walk along the bodies of rules: the prefix that it has passed, and the substitution that turns this
prefix into facts. It starts with the empty prefix.

    gatekeep   rewrites  x  directions     the next atom of each walk, with the known values: a gate
    product    gates     x  facts          the walk one atom further, for each matching fact
    ground     rewrites  x  signals        the heads, for each walk at the end of a body
    index      facts     x  join orders    each fact under the key of every join order of its relation
    probe      gates     x  indexed facts  product again: pairs with equal keys, not only with equal relations

All are bilinear. A rewrite determines the facts of its prefix. So if directions and facts have weight 1, rewrites have
weight 1, and the weight of a grounded head is the number of its derivations.
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
    """A join order with the constants of its columns."""

    order: JoinOrder
    constants: tuple[Term, ...]


class IndexedFact(NamedTuple):
    """A fact under a key of the index."""

    key: Key
    fact: Atom


START = Rewrite((), ())


def gatekeep(rewrites: ZSet[Rewrite], directions: ZSet[Direction]) -> ZSet[Gate]:
    """`{(q, a s, s) : (p, s) in rewrites, (p -> q) in directions, a the last atom of q}`."""
    return join(rewrites, directions, lambda rewrite: rewrite.prefix, lambda direction: direction.before, _gate)


def product(gates: ZSet[Gate], facts: ZSet[Atom]) -> ZSet[Rewrite]:
    """`{(q, s + u) : (q, a, s) in gates, f in facts, a u = f}`."""
    return join(gates, facts, lambda gate: shape(gate.atom), shape, _pass)


def ground(rewrites: ZSet[Rewrite], signals: ZSet[Signal]) -> ZSet[Atom]:
    """`{h s : (p, s) in rewrites, (p : h) in signals}`."""
    return join(
        rewrites,
        signals,
        lambda rewrite: rewrite.prefix,
        lambda signal: signal.body,
        lambda rewrite, signal: substitute(signal.head, rewrite.substitution),
    )


def index(facts: ZSet[Atom], orders: ZSet[JoinOrder]) -> ZSet[IndexedFact]:
    """`{(key, f) : f in facts, (relation, width, columns) in orders, key the constants of f in these columns}`."""
    return join(
        facts,
        orders,
        shape,
        lambda order: (order.relation, order.width),
        lambda fact, order: IndexedFact(_key(fact, order), fact),
    )


def probe(gates: ZSet[Gate], facts: ZSet[IndexedFact]) -> ZSet[Rewrite]:
    """`product` of gates and facts with equal keys."""
    return join(
        gates,
        facts,
        lambda gate: gate_key(gate.atom),
        lambda indexed: indexed.key,
        lambda gate, indexed: _pass(gate, indexed.fact),
    )


def gate_key(atom: Atom) -> Key:
    """The key that a gate asks for: the constants of its atom, in the columns of the join order."""
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
