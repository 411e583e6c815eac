"""What a program becomes: directions, grounding signals and join orders (DYRE, section 4, by way of examples)."""

from __future__ import annotations

from hypothesis import given

from kgreason.circuit.kit import Direction, JoinOrder, Signal, directions, join_orders, signals
from kgreason.circuit.zset import plus
from kgreason.rules.model import Atom, Rule, triple
from tests.circuit.programs import BASE, CLOSURE, STEP, X, Y, Z, edge, path
from tests.strategies.programs import programs


def test_directions_lead_from_prefix_to_prefix_and_are_shared() -> None:
    first, second = (edge(X, Y),), (edge(X, Y), path(Y, Z))
    assert directions(CLOSURE) == {Direction((), first): 2, Direction(first, second): 1}


def test_grounding_signals_stand_at_the_ends_of_bodies() -> None:
    assert signals(CLOSURE) == {
        Signal((edge(X, Y),), path(X, Y)): 1,
        Signal((edge(X, Y), path(Y, Z)), path(X, Z)): 1,
    }


def test_a_rule_with_several_heads_has_a_signal_for_each_and_one_without_body_no_direction() -> None:
    rule = Rule((path("a", "b"), edge("a", "b")), ())
    assert signals({rule: 1}) == {Signal((), path("a", "b")): 1, Signal((), edge("a", "b")): 1}
    assert directions({rule: 1}) == {}


def test_prefixes_keep_their_order_and_repetitions() -> None:
    """Sums of hashes would take all of these for one."""
    bodies = [(edge(X, Y), path(Y, Z)), (path(Y, Z), edge(X, Y)), (edge(X, Y), path(Y, Z), edge(X, Y))]
    program = {Rule((path(X, Z),), body): 1 for body in bodies}
    assert {signal.body for signal in signals(program)} == set(bodies)


def test_join_orders_are_the_columns_that_constants_and_earlier_atoms_bind() -> None:
    rule = Rule((path(X, Z),), (edge(X, Y), triple(Z, "<p>", Y), edge("a", X), edge(Z, Z), Atom("on", ())))
    assert join_orders({rule: 1}) == {
        JoinOrder("edge", 2, ()): 1,
        JoinOrder(None, 3, (1, 2)): 1,
        JoinOrder("edge", 2, (0, 1)): 2,
        JoinOrder("on", 0, ()): 1,
    }


def test_a_variable_repeated_in_its_first_atom_binds_no_column() -> None:
    assert join_orders({Rule((path(X, X),), (edge(X, X),)): 1}) == {JoinOrder("edge", 2, ()): 1}


def test_a_shared_direction_stays_until_its_last_rule_leaves() -> None:
    both, one = directions(CLOSURE), directions({BASE: -1})
    assert plus(both, one) == directions({STEP: 1})


@given(programs(), programs())
def test_the_kit_is_linear_in_the_program(some: list[Rule], others: list[Rule]) -> None:
    a, b = dict.fromkeys(some, 1), dict.fromkeys(others, -1)
    assert directions(plus(a, b)) == plus(directions(a), directions(b))
    assert signals(plus(a, b)) == plus(signals(a), signals(b))
    assert join_orders(plus(a, b)) == plus(join_orders(a), join_orders(b))
