"""The grounding kit of a program as Z-sets: its directions, grounding signals and join orders (DYRE, section 4).

The circuit matches the body of a rule atom by atom: it *walks* along the body. The position of a walk is the *prefix*
of the body that is matched so far. (The paper uses a sum of hashes of the atoms instead; such sums collide and lose the
order of the atoms.)

    path(?x, ?z) :- edge(?x, ?y), path(?y, ?z) .

    direction         ()                                 -> (edge(?x, ?y),)
    direction         (edge(?x, ?y),)                    -> (edge(?x, ?y), path(?y, ?z))
    grounding signal  (edge(?x, ?y), path(?y, ?z))        : path(?x, ?z)
    join order        edge by no column, then path by its column 0

A *direction* says which atom comes next. A *grounding signal* says which head to derive at the end of a body; its
prefix is the whole body, so a rule with an empty body is grounded before the first step. Directions and signals are the
*grounding kit* of the program; evaluation sees nothing else of the program. The *join order* of a body atom names the
columns that are bound when the walk reaches the atom: the columns of constants and of variables of the prefix.

In the body of a rule, the atoms come first, then AGGREGATE, then FILTER and BIND, then NOT. Each AGGREGATE, FILTER,
BIND and NOT is a step of the walk, as an atom is, and has a direction. The atoms inside a NOT or AGGREGATE are an
*inner body*. The circuit matches an inner body in a walk of its own, as the body of a rule without heads. A *query*
says to which NOT or AGGREGATE an inner body belongs. The filters under a NOT are not in its inner body, as they may
read variables of the rule.

    s(?x) :- p(?x), FILTER(?x > 1), NOT EXISTS ?y IN (q(?x, ?y), r(?y)) .

    direction   ()                               -> (p(?x),)
    direction   (p(?x),)                         -> (p(?x), FILTER(?x > 1))
    direction   (p(?x), FILTER(?x > 1))          -> (p(?x), FILTER(?x > 1), NOT ...)
    inner       ()                               -> (q(?x, ?y),) -> (q(?x, ?y), r(?y))
    query       (q(?x, ?y), r(?y))                : NOT ...

Each function here is linear in the program. A row that two rules share has the sum of the rules' weights, and stays
until both rules are gone. Rules that begin with equal atoms, in the same variables, share the walk along these atoms.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from kgreason.circuit.zset import ZSet, expand
from kgreason.rules.model import Aggregate, Atom, Computed, Not, Rule, Variable

Step: TypeAlias = Atom | Aggregate | Computed | Not
Prefix: TypeAlias = tuple[Step, ...]


class Direction(NamedTuple):
    """A prefix of a body (`before`), and the same prefix with one step more (`after`)."""

    before: Prefix
    after: Prefix


class Signal(NamedTuple):
    """A whole body, and a head to derive when all steps of the body are matched."""

    body: Prefix
    head: Atom


class Query(NamedTuple):
    """A question that a NOT or AGGREGATE asks. `body`: the atoms inside it; `asker`: the NOT or AGGREGATE itself."""

    body: Prefix
    asker: Not | Aggregate


class JoinOrder(NamedTuple):
    """The columns, ascending, by which the facts of a relation are looked up. `relation` is None for triples.

    `width` is the number of columns of each fact.
    """

    relation: str | None
    width: int
    columns: tuple[int, ...]


def steps(rule: Rule) -> Prefix:
    """Return the whole body of a rule, in the order in which it is matched: atoms, AGGREGATE, FILTER and BIND, NOT.

    In this order, each step reads only values that earlier steps have bound.
    """
    return *rule.body, *rule.aggregates, *rule.computed, *rule.negated


def directions(program: ZSet[Rule], kind: type[Step] = Atom) -> ZSet[Direction]:
    """Return `dir(P)`, the directions of a program: one for each step of type `kind` in each rule body."""
    return expand(program, lambda rule: _directions(rule, kind))


def signals(program: ZSet[Rule]) -> ZSet[Signal]:
    """Return `sig(P)`, the grounding signals of a program: for every rule, its body with each of its heads."""
    return expand(program, lambda rule: (Signal(steps(rule), head) for head in rule.heads))


def inner_bodies(program: ZSet[Rule]) -> ZSet[Rule]:
    """Return the inner bodies of a program (the atoms inside each NOT and AGGREGATE), as rules without heads."""
    return expand(program, lambda rule: (body for _, body in _inner_bodies(rule)))


def queries(program: ZSet[Rule], kind: type[Not | Aggregate]) -> ZSet[Query]:
    """Return a query for each NOT of a program, or for each AGGREGATE; `kind` says which of the two."""
    return expand(
        program,
        lambda rule: (Query(steps(body), asker) for asker, body in _inner_bodies(rule) if isinstance(asker, kind)),
    )


def join_orders(program: ZSet[Rule]) -> ZSet[JoinOrder]:
    """Return `jorder(P)`, the join orders of a program: for each body atom the columns that look up its facts."""
    return expand(program, lambda rule: map(join_order, _directions(rule, Atom)))


def join_order(direction: Direction) -> JoinOrder:
    """Return the columns by which facts are looked up for the last atom of a direction.

    These are the columns of the atom that have a constant, or a variable of an earlier atom.
    """
    *before, atom = direction.after
    assert isinstance(atom, Atom)
    known = {variable for done in before if isinstance(done, Atom) for variable in done.variables()}
    columns = (n for n, term in enumerate(atom.terms) if not isinstance(term, Variable) or term in known)
    return JoinOrder(atom.relation, len(atom.terms), tuple(columns))


def _directions(rule: Rule, kind: type[Step]) -> Iterator[Direction]:
    body = steps(rule)
    return (Direction(body[:n], body[: n + 1]) for n, step in enumerate(body) if isinstance(step, kind))


def _inner_bodies(rule: Rule) -> Iterator[tuple[Not | Aggregate, Rule]]:
    for negated in rule.negated:
        yield negated, Rule((), negated.atoms)
    for aggregate in rule.aggregates:
        yield aggregate, Rule((), aggregate.atoms, computed=aggregate.computed)
