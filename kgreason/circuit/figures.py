"""The three circuits of DYRE, wired: naive (Fig. 1), incremental (Fig. 2), indexed (Fig. 3).

`kgreason/circuit/__init__.py` has the drawings.

A circuit evaluates one stratum. At each commit it takes the change of the facts from below and of the rules of the
stratum. It returns the change of the model, and the model level by level. The facts from below are the asserted facts
for the first stratum, and the model of the strata below for the others. NOT and AGGREGATE read only the facts from
below. The size of a circuit does not depend on the rules: rules are data, like facts. The circuits compute

    F[0] = below        F[n + 1] = distinct(below + T(rules, F[n], below))

so that a fact first appears at the level at which T first derives it. Levels are the second axis of time. In the
paper's Fig. 2 walks and facts share one loop, and a rule of n body atoms needs n turns. Here the walk has a loop of
its own inside the level: a third axis of time, with a step for each part of the body. So all three circuits agree at
every level. Two walks of different lengths are never equal rows. So nothing is integrated along the third axis, and the
operators in the inner loop are incremental along the other two axes. The walks along the inner bodies of NOT and
AGGREGATE read only facts from below, so they have no levels: their times are (commit, step).

If each direction has weight 1, each rewrite has weight 1. So distinct is applied to directions, signals, queries and
join orders before the loop; the paper applies distinct to the rewrites inside the loop.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple, TypeAlias

from kgreason.circuit import incremental, kit, zset
from kgreason.circuit.consequences import consequences
from kgreason.circuit.functions import Functions
from kgreason.circuit.grounding import (
    START,
    Asked,
    Gate,
    Group,
    Match,
    Rewrite,
    advance,
    compute,
    excluded_rewrites,
    gatekeep,
    ground,
    group_row,
    index,
    look_up,
    matches,
    meet,
    probe,
    product,
)
from kgreason.circuit.operators import (
    differentiate,
    eliminate,
    hold,
    impulse,
    integrate,
    introduce,
    lift,
    lift3,
    plus,
)
from kgreason.circuit.stream import Delay, Stream
from kgreason.circuit.zset import A, ZSet
from kgreason.rules.model import Aggregate, Atom, Computed, Not, Rule

COMMIT, LEVEL = range(2)


class Wired(NamedTuple):
    """The outputs of a circuit for one stratum, as streams."""

    levels: Stream[Atom]
    """The facts that each level adds to the model, at times (commit, level)."""
    delta: Stream[Atom]
    """The change of the model."""


Figure: TypeAlias = Callable[[Stream[Atom], Stream[Rule], Functions], Wired]
"""Wires a stratum. Arguments: the changes of the facts from below and of the rules, at times (commit,)."""
Matcher: TypeAlias = Callable[[Stream[Gate], Stream[Atom], Stream[Rule]], Stream[Rewrite]]
"""The join of gates with facts. Rules have times (commit,). Facts have times (commit,) or (commit, level).

Gates have one axis more than the facts: the step.
"""


class _Inner(NamedTuple):
    """Two streams with one value for each commit: the matches under NOT, and the rows of the groups of AGGREGATE."""

    negated: Stream[Match]
    groups: Stream[Group]


def naive_circuit(below: Stream[Atom], rules: Stream[Rule], functions: Functions) -> Wired:
    """Wire Fig. 1: each commit computes the fixpoint of the immediate-consequence operator over all facts.

    `below`: the facts from the strata below.
    """
    derived: Delay[Atom] = Delay(below.circuit, 2, LEVEL)
    given, program = hold(integrate(below, COMMIT)), hold(integrate(rules, COMMIT))
    model = lift(zset.distinct, plus(given, derived))
    heads = lift3(partial(consequences, functions=functions), program, model, given)
    derived.connect(heads)
    levels = differentiate(model, LEVEL)
    return Wired(levels, differentiate(eliminate(levels, differentiate(heads, LEVEL)), COMMIT))


def incremental_circuit(below: Stream[Atom], rules: Stream[Rule], functions: Functions) -> Wired:
    """Wire Fig. 2: a gate (a walk that waits for a fact) is joined with all facts of the gate's relation.

    `below`: the facts from the strata below.
    """

    def match(gates: Stream[Gate], facts: Stream[Atom], _: Stream[Rule]) -> Stream[Rewrite]:
        return incremental.bilinear(product, gates, facts, *range(facts.axes))

    return _dynamic_circuit(below, rules, functions, match)


def indexed_circuit(below: Stream[Atom], rules: Stream[Rule], functions: Functions) -> Wired:
    """Wire Fig. 3: a gate (a walk that waits for a fact) is joined only with facts under the gate's key in an index.

    The join orders of the rules say under which keys the index holds facts. `below`: the facts from the strata below.
    """

    def match(gates: Stream[Gate], facts: Stream[Atom], rules: Stream[Rule]) -> Stream[Rewrite]:
        arranged = incremental.bilinear(index, facts, _changes_of(kit.join_orders, rules), COMMIT)
        return incremental.bilinear(probe, gates, arranged, *range(facts.axes))

    return _dynamic_circuit(below, rules, functions, match)


FIGURES: dict[str, Figure] = {"naive": naive_circuit, "incremental": incremental_circuit, "indexed": indexed_circuit}


def _dynamic_circuit(below: Stream[Atom], rules: Stream[Rule], functions: Functions, match: Matcher) -> Wired:
    """Wire the loop that Fig. 2 and Fig. 3 share: changes of facts and rules go in, changes of the model come out.

    The two figures differ only in `match`, which joins gates with facts. `below`: the facts from the strata below.
    """
    derived: Delay[Atom] = Delay(below.circuit, 2, LEVEL)
    present = integrate(plus(introduce(below), derived), COMMIT)
    levels = incremental.distinct(present, LEVEL)
    facts = differentiate(levels, COMMIT)
    inner = _inner_streams(below, rules, functions, match)
    rewrites = _walk_rewrites(facts, rules, functions, match, inner)
    heads = incremental.bilinear(ground, rewrites, _changes_of(kit.signals, rules), COMMIT)
    derived.connect(heads)
    return Wired(levels, eliminate(facts, heads))


def _inner_streams(below: Stream[Atom], rules: Stream[Rule], functions: Functions, match: Matcher) -> _Inner:
    """Return the matches under NOT, and the values of the groups of AGGREGATE. Both are computed over `below`.

    `below`: the facts from the strata below. `match` joins gates with facts.
    """
    rewrites = _walk_rewrites(below, lift(kit.inner_bodies, rules), functions, match, None)

    def matches_of(kind: type[Not | Aggregate]) -> Stream[Match]:
        queries = _changes_of(partial(kit.queries, kind=kind), rules)
        return incremental.bilinear(matches, rewrites, queries, COMMIT)

    def row_of(asked: Asked, members: ZSet[Match]) -> Group | None:
        return group_row(functions, asked, members)

    groups = incremental.group(matches_of(Aggregate), lambda match: match.asked, row_of, COMMIT)
    return _Inner(matches_of(Not), groups)


def _walk_rewrites(
    facts: Stream[Atom], rules: Stream[Rule], functions: Functions, match: Matcher, inner: _Inner | None
) -> Stream[Rewrite]:
    """Return the stream of all rewrites of a level: the empty rewrite START, and all that the steps make from it.

    `match` joins gates with facts. `inner` has the matches of the inner bodies. It is None if the walks are themselves
    along inner bodies, because an inner body has no NOT and no AGGREGATE.
    """
    axes = facts.axes
    further: Delay[Rewrite] = Delay(facts.circuit, axes + 1, axes)
    start: Stream[Rewrite] = impulse(facts.circuit, {START: 1})
    for _ in range(axes):
        start = introduce(start)
    rewrites = plus(start, further)

    def at(kind: type[kit.Step]) -> Stream[Rewrite]:
        directions = _changes_of(partial(kit.directions, kind=kind), rules)
        return incremental.bilinear(advance, rewrites, directions, COMMIT)

    gates = incremental.bilinear(gatekeep, rewrites, _changes_of(kit.directions, rules), COMMIT)
    passed = [match(gates, facts, rules), lift(lambda walks: compute(walks, functions), at(Computed))]
    if inner:
        passed.append(incremental.bilinear(look_up, at(Aggregate), inner.groups, COMMIT))
        waiting = at(Not)
        met = incremental.bilinear(meet, waiting, inner.negated, COMMIT)
        stopped = lift(lambda pairs: excluded_rewrites(pairs, functions), met)
        passed.append(incremental.antijoin(waiting, stopped, zset.itself, zset.itself, *range(axes)))
    together = plus(*passed)
    further.connect(together)
    return eliminate(rewrites, together)


def _changes_of(function: Callable[[ZSet[Rule]], ZSet[A]], rules: Stream[Rule]) -> Stream[A]:
    """Return the rows that a linear function makes from the rules, as a stream of changes with one value per commit.

    `rules` has the changes of the rules. A row that several rules make has weight 1 all the same.
    """
    return incremental.distinct(lift(function, rules), COMMIT)
