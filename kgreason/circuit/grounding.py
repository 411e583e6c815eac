"""The joins of the dynamic circuit, as functions of Z-sets: gatekeep, product, ground, index (DYRE, section 4), probe.

A *rewrite* is a partial match of a rule body, also called a *walk* along the body. It has the prefix of the body that
is matched so far, and the substitution that turns this prefix into facts. It starts with the empty prefix.

    gatekeep   rewrites  x  directions     gates: the next atom of each walk, with the known values
    product    gates     x  facts          rewrites: the walk one atom further, for each matching fact
    ground     rewrites  x  signals        facts: the heads, for each walk at the end of a body
    index      facts     x  join orders    indexed facts: each fact, by the columns of every join order of its relation
    probe      gates     x  indexed facts  rewrites: as product, but only pairs with equal keys are compared

    advance    rewrites  x  directions     rewrites: the walk one step further, if the step lets it pass
    compute    rewrites                    FILTER and BIND: the walk once for each result
    look_up    rewrites  x  groups         AGGREGATE: the walk with the value of its group
    matches    rewrites  x  queries        the matches of inner bodies
    meet       rewrites  x  matches        pairs: the walks before a NOT, and the matches of its atoms
    excluded   pairs                       rewrites that NOT excludes (by an antijoin, see `zset`)
    group_row  one group of matches        the row of this group: its constants and the value (for `zset.group`)

All joins, `compute` and `excluded_rewrites` are linear in each Z-set. A rewrite determines the facts of its prefix. So
if directions, facts and groups have weight 1, rewrites have weight 1, and the weight of a grounded head is the number
of its derivations.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from kgreason.circuit.functions import Functions, Member, aggregate_value, computations
from kgreason.circuit.kit import Direction, JoinOrder, Prefix, Query, Signal, Step
from kgreason.circuit.rewriting import Substitution, extend, shape, substitute, unify
from kgreason.circuit.zset import ZSet, expand, join, project
from kgreason.rules.model import Aggregate, Atom, Computed, Constant, Not, Term, Variable


class Rewrite(NamedTuple):
    """A partial match of a body: the steps that are matched so far, and the values of the variables of these steps."""

    prefix: Prefix
    substitution: Substitution


class Gate(NamedTuple):
    """A rewrite that waits for a fact: the prefix up to the next atom, this atom, and the substitution so far."""

    after: Prefix
    atom: Atom
    substitution: Substitution


class Key(NamedTuple):
    """A key of the index: a join order, and a constant for each of its columns."""

    order: JoinOrder
    constants: tuple[Term, ...]


class IndexedFact(NamedTuple):
    """A fact, with a key of the index under which the fact is found."""

    key: Key
    fact: Atom


Asked: TypeAlias = tuple[Step, tuple[Constant, ...]]
"""A NOT with the values of the outer variables of its atoms, or an AGGREGATE with the values of its group."""


class Match(NamedTuple):
    """A match of the atoms inside a NOT or AGGREGATE. `asked` is this NOT or AGGREGATE, with the outer values.

    `member` has those values of the match that the AGGREGATE reads, or that the filters under the NOT read.
    """

    asked: Asked
    member: Member


class ExclusionPair(NamedTuple):
    """A rewrite before a NOT, with one match of the atoms under the NOT.

    `member`: the values of the match that the filters under the NOT read.
    """

    rewrite: Rewrite
    member: Member


class Group(NamedTuple):
    """The value of an aggregate for a group. `constants`: the constants of the group's variables, then this value."""

    aggregate: Step
    constants: tuple[Constant, ...]


START = Rewrite((), ())


def gatekeep(rewrites: ZSet[Rewrite], directions: ZSet[Direction]) -> ZSet[Gate]:
    """Make a gate from each rewrite and each direction that goes on from its prefix.

    Returns `{(q, a s, s) : (p, s) in rewrites, (p -> q) in directions, a the last atom of q}`. `a s` is the atom a with
    the values of the substitution s.
    """
    return join(rewrites, directions, lambda rewrite: rewrite.prefix, lambda direction: direction.before, _gate)


def product(gates: ZSet[Gate], facts: ZSet[Atom]) -> ZSet[Rewrite]:
    """Extend the rewrite of each gate by each fact that matches the gate's atom.

    Returns `{(q, s + u) : (q, a, s) in gates, f in facts, a u = f}`: the substitution u turns the atom a into the fact
    f.
    """
    return join(gates, facts, lambda gate: shape(gate.atom), shape, _rewrite_past)


def ground(rewrites: ZSet[Rewrite], signals: ZSet[Signal]) -> ZSet[Atom]:
    """Derive the heads of all rewrites that have matched a whole body.

    Returns `{h s : (p, s) in rewrites, (p : h) in signals}`: the head h with the values of the substitution s.
    """
    return join(
        rewrites,
        signals,
        lambda rewrite: rewrite.prefix,
        lambda signal: signal.body,
        lambda rewrite, signal: substitute(signal.head, rewrite.substitution),
    )


def index(facts: ZSet[Atom], orders: ZSet[JoinOrder]) -> ZSet[IndexedFact]:
    """Pair each fact with the keys under which it is found.

    Returns `{((order, constants), f) : f in facts, order in orders of f's relation and width}`. `constants` are the
    constants of f in the columns of the order.
    """
    return join(
        facts,
        orders,
        shape,
        lambda order: (order.relation, order.width),
        lambda fact, order: IndexedFact(_key(fact, order), fact),
    )


def probe(gates: ZSet[Gate], facts: ZSet[IndexedFact]) -> ZSet[Rewrite]:
    """Return the same rewrites as `product`. Only gates and facts with equal keys are compared."""
    return join(
        gates,
        facts,
        lambda gate: gate_key(gate.atom),
        lambda indexed: indexed.key,
        lambda gate, indexed: _rewrite_past(gate, indexed.fact),
    )


def advance(rewrites: ZSet[Rewrite], directions: ZSet[Direction]) -> ZSet[Rewrite]:
    """Move each rewrite one step further, without new values.

    Returns `{(q, s) : (p, s) in rewrites, (p -> q) in directions}`.
    """
    return join(
        rewrites,
        directions,
        lambda rewrite: rewrite.prefix,
        lambda direction: direction.before,
        lambda rewrite, direction: Rewrite(direction.after, rewrite.substitution),
    )


def compute(rewrites: ZSet[Rewrite], functions: Functions) -> ZSet[Rewrite]:
    """Extend each rewrite by each result of its last step, a FILTER or BIND.

    Returns `{(q, s + r) : (q, s) in rewrites, r a result of the last step of q}`.
    """

    def results(rewrite: Rewrite) -> Iterator[Rewrite]:
        computed = rewrite.prefix[-1]
        assert isinstance(computed, Computed)
        return (Rewrite(rewrite.prefix, each) for each in computations(functions, computed, rewrite.substitution))

    return expand(rewrites, results)


def look_up(rewrites: ZSet[Rewrite], groups: ZSet[Group]) -> ZSet[Rewrite]:
    """Extend each rewrite by each group of its last step, an AGGREGATE, that agrees with the rewrite.

    Returns `{(q, s + u) : (q, s) in rewrites, u the variables and the value of a group of the last step of q}`.
    """
    return join(rewrites, groups, lambda rewrite: rewrite.prefix[-1], lambda group: group.aggregate, _with_group)


def meet(rewrites: ZSet[Rewrite], matches: ZSet[Match]) -> ZSet[ExclusionPair]:
    """Pair each rewrite before a NOT with each match of the atoms under this NOT that agrees with the rewrite."""
    return join(
        rewrites, matches, _asks, lambda match: match.asked, lambda rewrite, match: ExclusionPair(rewrite, match.member)
    )


def excluded_rewrites(pairs: ZSet[ExclusionPair], functions: Functions) -> ZSet[Rewrite]:
    """Return the rewrites that NOT excludes: the rewrite of each pair for which the filters under the NOT hold."""

    def unless_filtered(met: ExclusionPair) -> Iterator[Rewrite]:
        negated = _negation(met.rewrite)
        found = {(*met.rewrite.substitution, *zip(negated.local, met.member, strict=False))}
        for computed in negated.computed:
            found = {each for known in found for each in computations(functions, computed, known)}
        return (met.rewrite for _ in found)

    return expand(pairs, unless_filtered)


def matches(rewrites: ZSet[Rewrite], queries: ZSet[Query]) -> ZSet[Match]:
    """Return the matches that walks along inner bodies have found.

    Returns `{((a, values), member) : (p, s) in rewrites, (p : a) in queries}`: a is the NOT or AGGREGATE that asks.
    `values` are the values that s gives to the outer variables or the group of a; for `member` see `Match`.
    """
    return join(rewrites, queries, lambda rewrite: rewrite.prefix, lambda query: query.body, _match)


def group_row(functions: Functions, asked: Asked, members: ZSet[Match]) -> Group | None:
    """Return the row of a group, made from the matches `members`; None if the aggregate has no value for them."""
    aggregate, constants = asked
    assert isinstance(aggregate, Aggregate)
    value = aggregate_value(functions, aggregate, project(members, lambda match: match.member))
    return None if value is None else Group(aggregate, (*constants, value))


def gate_key(atom: Atom) -> Key:
    """Return the key under which the index has the facts for a gate. The key has the constants of the gate's atom.

    Example: the atom `edge(?x, "b")` gives the join order of relation edge by column 1, with the constant "b".
    """
    columns = tuple(n for n, term in enumerate(atom.terms) if not isinstance(term, Variable))
    return _key(atom, JoinOrder(atom.relation, len(atom.terms), columns))


def _gate(rewrite: Rewrite, direction: Direction) -> Gate:
    step = direction.after[-1]
    assert isinstance(step, Atom)
    atom = substitute(step, rewrite.substitution)
    return Gate(direction.after, atom, rewrite.substitution)


def _rewrite_past(gate: Gate, fact: Atom) -> Rewrite | None:
    bound = unify(gate.atom, fact)
    return None if bound is None else Rewrite(gate.after, gate.substitution + bound)


def _with_group(rewrite: Rewrite, group: Group) -> Rewrite | None:
    aggregate = rewrite.prefix[-1]
    assert isinstance(aggregate, Aggregate)
    extended = extend(rewrite.substitution, (*aggregate.group, aggregate.result), group.constants)
    return None if extended is None else Rewrite(rewrite.prefix, extended)


def _match(rewrite: Rewrite, query: Query) -> Match:
    asker, found = query.asker, rewrite.substitution
    if isinstance(asker, Not):
        local = asker.local if asker.computed else ()
        return Match((asker, _constants(_outer_variables(asker), found)), _constants(local, found))
    argument = () if asker.argument is None else (asker.argument,)
    return Match((asker, _constants(asker.group, found)), _constants(argument, found))


def _asks(rewrite: Rewrite) -> Asked:
    negated = _negation(rewrite)
    return negated, _constants(_outer_variables(negated), rewrite.substitution)


def _negation(rewrite: Rewrite) -> Not:
    negated = rewrite.prefix[-1]
    assert isinstance(negated, Not)
    return negated


def _outer_variables(negated: Not) -> tuple[Variable, ...]:
    """Return the variables that the atoms under NOT share with the rest of the rule."""
    return negated._replace(computed=()).outer_variables()


def _constants(variables: tuple[Variable, ...], substitution: Substitution) -> tuple[Constant, ...]:
    constants = dict(substitution)
    return tuple(constants[variable] for variable in variables)


def _key(atom: Atom, order: JoinOrder) -> Key:
    return Key(order, tuple(atom.terms[column] for column in order.columns))
