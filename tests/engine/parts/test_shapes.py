"""Delta plans: complete, connected, with the right columns for keys, and short for long bodies."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from kgreason.engine.program.shapes import LONG, DeltaPlan, Pattern, Shape, Step, delta_plan
from tests.strategies.shapes import shapes
from tests.tables import table

PLANNED = shapes().flatmap(lambda shape: st.tuples(st.just(shape), st.integers(0, len(shape.body) - 1)))
LONG_PLANNED = shapes(LONG + 1, LONG + 3).flatmap(
    lambda shape: st.tuples(st.just(shape), st.integers(0, len(shape.body) - 1))
)
ANY_PLANNED = st.one_of(PLANNED, LONG_PLANNED)


def variables(shape: Shape, *atoms: int) -> set[int]:
    return {slot for atom in atoms for slot in shape.body[atom].slots if shape.is_variable(slot)}


def steps_taken(plan: DeltaPlan) -> Iterator[tuple[frozenset[int], Step]]:
    """Every step that can be taken, with the atoms done before it."""
    seen = {plan.start.next_node: frozenset([plan.start.atom])}
    left = [plan.start.next_node]
    yield frozenset(), plan.start
    while left:
        node = left.pop()
        for step in plan.nodes[node]:
            yield seen[node], step
            if step.next_node not in seen:
                seen[step.next_node] = seen[node] | {step.atom}
                left.append(step.next_node)


@given(ANY_PLANNED)
def test_every_node_is_reachable_and_is_one_set_of_atoms(planned: tuple[Shape, int]) -> None:
    shape, start = planned
    plan = delta_plan(shape, start)
    done = {plan.start.next_node: frozenset([start])}
    for before, step in steps_taken(plan):
        assert step.atom not in before
        assert done.setdefault(step.next_node, before | {step.atom}) == before | {step.atom}
    assert sorted(done) == list(range(len(plan.nodes)))
    assert len(set(done.values())) == len(done)


@given(ANY_PLANNED)
def test_every_path_does_every_atom(planned: tuple[Shape, int]) -> None:
    shape, start = planned
    plan = delta_plan(shape, start)
    ends = {
        before | {step.atom}
        for before, step in steps_taken(plan)
        if not plan.nodes[step.next_node]  # the heads are due
    }
    assert ends == {frozenset(range(len(shape.body)))}


@given(ANY_PLANNED)
def test_no_cartesian_product_while_a_connected_atom_is_left(planned: tuple[Shape, int]) -> None:
    shape, start = planned
    for before, step in steps_taken(delta_plan(shape, start)):
        bound = variables(shape, *before)
        left = set(range(len(shape.body))) - before
        connected = {atom for atom in left if not variables(shape, atom) or bound & variables(shape, atom)}
        assert not before or not connected or step.atom in connected


@given(PLANNED)
def test_every_connected_atom_may_come_next(planned: tuple[Shape, int]) -> None:
    shape, start = planned
    offered: dict[frozenset[int], set[int]] = {}
    for before, step in steps_taken(delta_plan(shape, start)):
        offered.setdefault(before, set()).add(step.atom)
    for before, atoms in offered.items():
        if before:
            bound = variables(shape, *before)
            left = set(range(len(shape.body))) - before
            connected = {atom for atom in left if not variables(shape, atom) or bound & variables(shape, atom)}
            assert atoms == (connected or left)


@given(ANY_PLANNED)
def test_the_key_is_what_is_bound_and_the_rest_is_read_or_compared(planned: tuple[Shape, int]) -> None:
    shape, start = planned
    for before, step in steps_taken(delta_plan(shape, start)):
        slots = shape.body[step.atom].slots
        bound = variables(shape, *before)
        key = [c for c, slot in enumerate(slots) if not shape.is_variable(slot) or slot in bound]
        rest = [c for c in range(len(slots)) if c not in key]
        read = [c for c in rest if slots.index(slots[c]) == c]
        assert list(step.bound) == key
        assert list(step.free) == read
        assert list(step.compared) == [c for c in rest if c not in read]


@given(ANY_PLANNED)
def test_atoms_behind_the_changed_one_see_the_level(planned: tuple[Shape, int]) -> None:
    shape, start = planned
    for before, step in steps_taken(delta_plan(shape, start)):
        assert not before or step.is_later == (step.atom > start)


@given(LONG_PLANNED)
def test_a_long_body_is_one_sequence_the_most_bound_atom_first(planned: tuple[Shape, int]) -> None:
    shape, start = planned
    plan = delta_plan(shape, start)
    assert len(plan.nodes) == len(shape.body)
    assert all(len(steps) == 1 for steps in plan.nodes[:-1])
    for before, step in steps_taken(plan):
        left = set(range(len(shape.body))) - before
        bound = variables(shape, *before)
        connected = [atom for atom in left if bound & variables(shape, atom)]
        if before and step.atom in connected:
            shared = {atom: sum(slot in bound for slot in shape.body[atom].slots) for atom in connected}
            assert shared[step.atom] == max(shared.values())


@table("atoms", range(1, 2 * LONG))
def test_a_plan_has_a_bounded_number_of_nodes(atoms: int) -> None:
    """The worst case is a star: every set of atoms that holds the first one is a node."""
    star = Shape((Pattern(0, (1,)),), tuple(Pattern(0, (1, 2 + atom)) for atom in range(atoms)), 1 + atoms)
    expected = 2 ** (atoms - 1) if atoms <= LONG else atoms
    assert [len(delta_plan(star, start).nodes) for start in range(atoms)] == [expected] * atoms


def test_a_chain_grows_at_its_ends() -> None:
    """From the middle of three atoms both neighbours may come next, each looked up by the column it shares."""
    chain = Shape((Pattern(0, (1, 4)),), (Pattern(0, (1, 2)), Pattern(0, (2, 3)), Pattern(0, (3, 4))), 4)
    plan = delta_plan(chain, 1)
    assert {(step.atom, step.bound, step.free) for step in plan.nodes[0]} == {(0, (1,), (0,)), (2, (0,), (1,))}
    assert {step.atom for step in delta_plan(chain, 0).nodes[0]} == {1}
