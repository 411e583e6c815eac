"""The plans of a shape as arrays: made once, and copied into every planner that has a rule of this shape.

A plan is its start step, then the steps of its nodes (`shapes`); `layout` lists the words of a step. All numbers here
are relative: nodes, steps and templates count from 0, and so do arrangements, in the order in which the plans ask for
them. A planner that copies the plans renumbers them by its own numbers, which changes a few columns.

Cost: one or two microseconds for each step to make the arrays, about twenty microseconds to copy the plans of a shape.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from kgreason.engine.memory import layout as at
from kgreason.engine.program.shapes import DeltaPlan, Pattern, Shape, Step, delta_plan
from kgreason.zset.columns import Int32


class Direction(NamedTuple):
    """Where an atom has constants: its table, the columns, and which constant of the rule is in each of them.

    `constants`: for each of `columns`, the position of its constant among the constants of the rule.
    """

    table: int
    columns: tuple[int, ...]
    constants: tuple[int, ...]


class Plans(NamedTuple):
    """The plans of one shape, for rows of width w.

    `steps`: int32[s, 9 + 2 w]. `nodes`: int32[n, 2], the range (low, high) of each node's steps. `templates`:
    int32[t, 1 + w], a table, then for each column a word of a row, or `~slot`.

    `starts`: for each plan the number of its start step, then the range (low, high) of its other steps. `arrangements`:
    table and columns of each arrangement that the steps probe. `asks`: pairs of an atom and an arrangement that must
    hold the atom's rows. `body` and `heads`: where each body atom and each head has constants.
    """

    steps: Int32
    nodes: Int32
    templates: Int32
    starts: tuple[tuple[int, int, int], ...]
    arrangements: tuple[tuple[int, tuple[int, ...]], ...]
    asks: tuple[tuple[int, int], ...]
    body: tuple[Direction, ...]
    heads: tuple[Direction, ...]


@lru_cache(maxsize=4_096)
def shape_plans(shape: Shape, atoms: tuple[int, ...], width: int) -> Plans:
    """Return the plans of a shape that start at one of the body atoms `atoms`, for rows of `width` columns.

    The plans are cached, because most graphs run the same rules.
    """
    draft = _Draft(shape, width)
    starts = tuple(draft.add(delta_plan(shape, atom)) for atom in atoms)
    return Plans(
        _rows(draft.steps, at.STEP_PAIRS + 2 * width),
        _rows(draft.nodes, 2),
        _rows(draft.templates, 1 + width),
        starts,
        tuple(draft.arrangements),
        tuple(draft.asks),
        tuple(_direction(shape, pattern) for pattern in shape.body),
        tuple(_direction(shape, pattern) for pattern in shape.heads),
    )


def _direction(shape: Shape, pattern: Pattern) -> Direction:
    columns = tuple(c for c, slot in enumerate(pattern.slots) if not shape.is_variable(slot))
    return Direction(pattern.table, columns, tuple(pattern.slots[c] - shape.variables - 1 for c in columns))


def _rows(rows: list[tuple[int, ...]], width: int) -> Int32:
    """Make an array int32[n, width] of rows. A short row is filled up with 0."""
    return np.array([row + (0,) * (width - len(row)) for row in rows], dtype=np.int32).reshape(-1, width)


class _Draft:
    """The arrays of plans while they are being made: lists of rows that grow."""

    def __init__(self, shape: Shape, width: int) -> None:
        self._shape, self._width = shape, width
        self.steps: list[tuple[int, ...]] = []
        self.nodes: list[tuple[int, ...]] = []
        self.templates: list[tuple[int, ...]] = []
        self.arrangements: dict[tuple[int, tuple[int, ...]], int] = {}
        self.asks: dict[tuple[int, int], None] = {}

    def add(self, plan: DeltaPlan) -> tuple[int, int, int]:
        """Append a plan. Returns the number of its start step, and the range (low, high) of its other steps."""
        base, start = len(self.nodes), len(self.steps)
        self._append(plan.start, -1, base, is_last=len(self._shape.body) == 1)
        low = len(self.steps)
        for steps in plan.nodes:
            first = len(self.steps)
            for step in steps:
                self._append(step, self._arrangement_of(step), base, is_last=not plan.nodes[step.next_node])
            self.nodes.append((first, len(self.steps)))
        return start, low, len(self.steps)

    def _arrangement_of(self, step: Step) -> int:
        """Return the number of the arrangement that a step probes; -1 if all columns are bound.

        With all columns bound the step looks one fact up in the fact table.
        """
        if not (step.free or step.compared):
            return -1
        wanted = self._shape.body[step.atom].table, step.bound
        number = self.arrangements.setdefault(wanted, len(self.arrangements))
        self.asks[step.atom, number] = None
        return number

    def _append(self, step: Step, arrangement: int, base: int, *, is_last: bool) -> None:
        slots = self._shape.body[step.atom].slots
        groups = (step.free, step.compared, step.bound)
        self.steps.append(
            (
                step.atom,
                arrangement,
                base + step.next_node,
                *map(len, groups),
                int(step.is_later),
                self._add_templates(step) if is_last else 0,
                len(self._shape.heads) if is_last else 0,
                *(word for columns in groups for column in columns for word in (column, slots[column])),
            )
        )

    def _add_templates(self, step: Step) -> int:
        """Append a template for each head that the last step `step` of a plan derives.

        Returns the number of the first template.
        """
        first = len(self.templates)
        slots = self._shape.body[step.atom].slots
        own = {slots[column]: at.FIRST + column for column in step.free}
        for head in self._shape.heads:
            padded = (*head.slots, *[0] * (self._width - len(head.slots)))
            self.templates.append((head.table, *(own.get(slot, ~slot) for slot in padded)))
        return first
