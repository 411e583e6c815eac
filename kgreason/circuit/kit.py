"""What the circuit needs to know of a program, as Z-sets: directions, grounding signals, join orders (DYRE, section 4).

A rule is walked along its body, atom by atom. Where a walk stands is the *prefix* of the body that is behind it, and
the prefix itself is its name: the paper adds up hashes of atoms, which collide and forget their order.

    path(?x, ?z) :- edge(?x, ?y), path(?y, ?z) .

    direction         ()                                 -> (edge(?x, ?y),)
    direction         (edge(?x, ?y),)                    -> (edge(?x, ?y), path(?y, ?z))
    grounding signal  (edge(?x, ?y), path(?y, ?z))        : path(?x, ?z)
    join order        edge by no column, then path by its column 0

A *direction* says which atom comes next; a *grounding signal* says what to derive where a body ends (its own prefix is
the whole body, so a rule with an empty body is grounded before the first step); both together are the program's
*grounding kit*, all that evaluation sees of it. The *join order* of a rule gives for every body atom the columns that
are bound when the walk comes to it: those of constants and of variables of the prefix.

Each function here is linear in the program: what two rules share has the sum of their weights, and is there until both
are gone. Rules that begin alike, in the same variables, share the walk as far as they do.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from kgreason.circuit.zset import ZSet, expand
from kgreason.rules.model import Atom, Rule, Variable

Prefix: TypeAlias = tuple[Atom, ...]


class Direction(NamedTuple):
    """From a prefix of a body to the next one; the last atom of `after` is the one to match."""

    before: Prefix
    after: Prefix


class Signal(NamedTuple):
    """A whole body, and a head to ground when a walk has come to its end."""

    body: Prefix
    head: Atom


class JoinOrder(NamedTuple):
    """Columns by which the facts of a relation and width are looked up, ascending."""

    relation: str | None
    width: int
    columns: tuple[int, ...]


def directions(program: ZSet[Rule]) -> ZSet[Direction]:
    """`dir(P)`: for every rule, the step to each atom of its body from the atoms before it."""
    return expand(program, _directions)


def signals(program: ZSet[Rule]) -> ZSet[Signal]:
    """`sig(P)`: for every rule, its body with each of its heads."""
    return expand(program, lambda rule: (Signal(rule.body, head) for head in rule.heads))


def join_orders(program: ZSet[Rule]) -> ZSet[JoinOrder]:
    """`jorder(P)`: for every rule, the columns by which each atom of its body is looked up."""
    return expand(program, lambda rule: map(join_order, _directions(rule)))


def join_order(direction: Direction) -> JoinOrder:
    """The columns of the direction's atom that are bound when a walk comes to it."""
    atom = direction.after[-1]
    known = {variable for done in direction.before for variable in done.variables()}
    columns = (n for n, term in enumerate(atom.terms) if not isinstance(term, Variable) or term in known)
    return JoinOrder(atom.relation, len(atom.terms), tuple(columns))


def _directions(rule: Rule) -> Iterator[Direction]:
    return (Direction(rule.body[:n], rule.body[: n + 1]) for n in range(len(rule.body)))
