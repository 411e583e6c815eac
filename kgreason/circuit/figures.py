"""The three circuits of DYRE, wired: naive (Fig. 1), incremental (Fig. 2), indexed (Fig. 3).

`kgreason/circuit/__init__.py` has the drawings.

At each commit a circuit takes the changes of the asserted facts and of the rules. It returns the change of the model,
and the model level by level. The size of a circuit does not depend on the rules: rules are data, like facts. The
circuits compute

    F[0] = asserted        F[n + 1] = distinct(asserted + T(rules, F[n]))

so that a fact first appears at its level of the immediate-consequence operator. Levels are the second axis of time. In
the paper's Fig. 2 walks and facts share one loop, and a rule of n body atoms needs n turns. Here the walk has a loop of
its own inside the level: a third axis of time, with a step for each body atom. So all three circuits agree at every
level. Two walks of different lengths are never equal rows. So nothing is integrated along the third axis, and the
operators in the inner loop are incremental along the other two axes.

If each direction has weight 1, each rewrite has weight 1. So distinct is applied to directions, signals and join orders
before the loop; the paper applies distinct to the rewrites inside the loop.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from kgreason.circuit import incremental, kit, zset
from kgreason.circuit.grounding import START, Gate, Rewrite, gatekeep, ground, index, probe, product
from kgreason.circuit.operators import (
    differentiate,
    eliminate,
    hold,
    impulse,
    integrate,
    introduce,
    lift,
    lift2,
    plus,
)
from kgreason.circuit.rewriting import consequences
from kgreason.circuit.stream import Circuit, Delay, Source, Stream
from kgreason.circuit.zset import A, ZSet
from kgreason.rules.model import Atom, Rule

COMMIT, LEVEL, STEP = range(3)


class Wired(NamedTuple):
    """The inputs and outputs of a circuit."""

    asserted: Source[Atom]
    """Changes of the asserted facts."""
    rules: Source[Rule]
    """Changes of the program."""
    levels: Stream[Atom]
    """The facts that each level adds to the model, at times (commit, level)."""
    delta: Stream[Atom]
    """The change of the model."""


Match: TypeAlias = Callable[[Stream[Gate], Stream[Atom], Stream[Rule]], Stream[Rewrite]]
"""The join of gates with facts. Times: gates (commit, level, step), facts (commit, level), rules (commit,)."""


def naive(circuit: Circuit) -> Wired:
    """Wire Fig. 1: each commit computes the fixpoint of the immediate-consequence operator over all asserted facts."""
    asserted: Source[Atom] = Source(circuit)
    rules: Source[Rule] = Source(circuit)
    derived: Delay[Atom] = Delay(circuit, 2, LEVEL)
    model = lift(zset.distinct, plus(hold(integrate(asserted, COMMIT)), derived))
    heads = lift2(consequences, hold(integrate(rules, COMMIT)), model)
    derived.connect(heads)
    levels = differentiate(model, LEVEL)
    delta = differentiate(eliminate(levels, differentiate(heads, LEVEL)), COMMIT)
    return Wired(asserted, rules, levels, delta)


def incremental_circuit(circuit: Circuit) -> Wired:
    """Wire Fig. 2: a gate (a walk that waits for a fact) is joined with all facts of its relation."""
    return _dynamic(circuit, lambda gates, facts, _: incremental.bilinear(product, gates, facts, COMMIT, LEVEL))


def indexed(circuit: Circuit) -> Wired:
    """Wire Fig. 3: a gate (a walk that waits for a fact) is joined only with the facts under its key in an index.

    The join orders of the rules say under which keys the index holds facts.
    """

    def match(gates: Stream[Gate], facts: Stream[Atom], rules: Stream[Rule]) -> Stream[Rewrite]:
        orders = _derived(kit.join_orders, rules)
        arranged = incremental.bilinear(index, facts, orders, COMMIT, LEVEL)
        return incremental.bilinear(probe, gates, arranged, COMMIT, LEVEL)

    return _dynamic(circuit, match)


def _dynamic(circuit: Circuit, match: Match) -> Wired:
    """Wire the loop that Fig. 2 and Fig. 3 share: changes of facts and rules go in, changes of the model come out.

    `match` is the join of gates with facts, the only part in which the two figures differ.
    """
    asserted: Source[Atom] = Source(circuit)
    rules: Source[Rule] = Source(circuit)
    derived: Delay[Atom] = Delay(circuit, 2, LEVEL)
    present = integrate(plus(introduce(asserted), derived), COMMIT)
    levels = incremental.distinct(present, LEVEL)
    facts = differentiate(levels, COMMIT)
    rewrites = _walks(circuit, facts, rules, match)
    heads = incremental.bilinear(ground, rewrites, _derived(kit.signals, rules), COMMIT, LEVEL)
    derived.connect(heads)
    return Wired(asserted, rules, levels, eliminate(facts, heads))


def _walks(circuit: Circuit, facts: Stream[Atom], rules: Stream[Rule], match: Match) -> Stream[Rewrite]:
    """The stream of all rewrites of a level: START, and what gatekeep and `match` make from it, one atom a step."""
    further: Delay[Rewrite] = Delay(circuit, 3, STEP)
    rewrites = plus(introduce(introduce(impulse(circuit, {START: 1}))), further)
    gates = incremental.bilinear(gatekeep, rewrites, _derived(kit.directions, rules), COMMIT, LEVEL)
    passed = match(gates, facts, rules)
    further.connect(passed)
    return eliminate(rewrites, passed)


def _derived(function: Callable[[ZSet[Rule]], ZSet[A]], rules: Stream[Rule]) -> Stream[A]:
    """The result of a linear function of the program, with weight 1 for each row, at times (commit, level)."""
    return introduce(incremental.distinct(lift(function, rules), COMMIT))
