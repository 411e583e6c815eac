"""The grounding kit of a program as Z-sets: its directions, grounding signals and join orders (DYRE, section 4).

The circuit walks along the body of a rule, atom by atom. The position of a walk is the *prefix* of the body that it has
passed. (The paper uses a sum of hashes of the atoms instead; such sums collide and lose the order of the atoms.)

    path(?x, ?z) :- edge(?x, ?y), path(?y, ?z) .

    direction         ()                                 -> (edge(?x, ?y),)
    direction         (edge(?x, ?y),)                    -> (edge(?x, ?y), path(?y, ?z))
    grounding signal  (edge(?x, ?y), path(?y, ?z))        : path(?x, ?z)
    join order        edge by no column, then path by its column 0

A *direction* says which atom comes next. A *grounding signal* says which head to derive at the end of a body; its
prefix is the whole body, so a rule with an empty body is grounded before the first step. Directions and signals are the
*grounding kit* of the program; evaluation sees nothing else of the program. The *join order* of a body atom names the
columns that are bound when the walk reaches the atom: the columns of constants and of variables of the prefix.

Each function here is linear in the program. A row that two rules share has the sum of their weights, and stays until
both rules are gone. Rules that begin with equal atoms, in the same variables, share the walk along these atoms.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from kgreason.circuit.zset import ZSet, expand
from kgreason.rules.model import Atom, Rule, Variable

Prefix: TypeAlias = tuple[Atom, ...]


class Direction(NamedTuple):
    """The step from a prefix of a body to the next prefix; the last atom of `after` is the atom to match."""

    before: Prefix
    after: Prefix


class Signal(NamedTuple):
    """A whole body, and a head to ground when a walk has reached the end of the body."""

    body: Prefix
    head: Atom


class JoinOrder(NamedTuple):
    """The columns, ascending, by which facts of this relation and width are looked up."""

    relation: str | None
    width: int
    columns: tuple[int, ...]


def directions(program: ZSet[Rule]) -> ZSet[Direction]:
    """`dir(P)`: all directions of a program, one for each atom of each rule's body."""
    return expand(program, _directions)


def signals(program: ZSet[Rule]) -> ZSet[Signal]:
    """`sig(P)`: all grounding signals of a program: for every rule, its body with each of its heads."""
    return expand(program, lambda rule: (Signal(rule.body, head) for head in rule.heads))


def join_orders(program: ZSet[Rule]) -> ZSet[JoinOrder]:
    """`jorder(P)`: all join orders of a program: for each body atom, the columns by which facts are looked up."""
    return expand(program, lambda rule: map(join_order, _directions(rule)))


def join_order(direction: Direction) -> JoinOrder:
    """The join order of a direction: the columns of its atom that are bound when a walk reaches the atom."""
    atom = direction.after[-1]
    known = {variable for done in direction.before for variable in done.variables()}
    columns = (n for n, term in enumerate(atom.terms) if not isinstance(term, Variable) or term in known)
    return JoinOrder(atom.relation, len(atom.terms), tuple(columns))


def _directions(rule: Rule) -> Iterator[Direction]:
    return (Direction(rule.body[:n], rule.body[: n + 1]) for n in range(len(rule.body)))
