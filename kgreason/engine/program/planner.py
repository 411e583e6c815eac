"""The program as arrays: rules, their plans, the keys that trigger the plans, and the arrangements that they probe.

Adding a rule appends its constants. For each body atom, the planner attaches one plan to the trigger key of the atom's
constants, and records which arrangements must hold the rows of this key. Nothing is compiled, and the plans of a known
shape are only looked up. Backward plans find the derivations of a given fact. They are attached to the keys of head
atoms, and are made when facts first leave. The planner knows no facts: counts and the contents of arrangements belong
to the circuit.

Cost: about 20 microseconds for a rule of a known shape; the kernels never look at a rule that no fact triggers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from kgreason.engine.memory import layout as at
from kgreason.engine.memory.blocks import Buffer, Memory, power_of_two
from kgreason.engine.program.plan_arrays import Direction, Plans, shape_plans
from kgreason.engine.program.shapes import EncodedRule, Shape
from kgreason.engine.program.trigger_keys import enter_keys
from kgreason.errors import LimitError
from kgreason.zset.columns import Int32

MAX_COLUMNS = 32
_MANY_HEADS = 64
"""If more than 64 facts leave at once, all rules get backward plans, without a look at each fact."""
TRIPLE = 3
"""The number of columns of a triple. The rows of the fact table have at least three columns."""
_SHAPE_WORDS = 2 + MAX_COLUMNS
_INFO_WORDS = at.ARRANGED_COLUMNS + MAX_COLUMNS
_PUBLISHED = (
    "shapes",
    "back_shapes",
    "filters",
    "keys",
    "key_info",
    "asks",
    "plans",
    "steps",
    "nodes",
    "templates",
    "rules",
    "constants",
    "rule_keys",
    "arranged",
)


class _KeyForm(NamedTuple):
    """What all keys of an atom share: the number of their shape, and the columns where the atom has constants."""

    number: int
    direction: Direction


_Waiting: TypeAlias = dict[tuple[int, ...], list[int]]
"""The rules without backward plans, by the constants of a head."""


class _PlannedShape(NamedTuple):
    """Where the plans of a shape are in the planner's arrays.

    `starts`: for each plan the number of its start step, then the range (low, high) of its other steps. `asks`: pairs
    (atom, arrangement). `forms`: the forms of the body atoms. `heads`: a pair for each head. Its first part is the dict
    in which rules of this shape wait for backward plans. Its second part says which constants of a rule make up its key
    in this dict: their positions among the constants of the rule. `numbers`: the number of each rule of this shape, by
    its constants and its label.
    """

    starts: tuple[tuple[int, int, int], ...]
    asks: tuple[tuple[int, int], ...]
    forms: tuple[_KeyForm, ...]
    heads: tuple[tuple[_Waiting, tuple[int, ...]], ...]
    numbers: dict[tuple[tuple[int, ...], tuple[str, str]], int]


class _PlannedStart(NamedTuple):
    """Where the backward plan of a head is in the planner's arrays.

    `form`: the form of the head's keys. `start`: the number of the start step, then the range (low, high) of the other
    steps. `asks`: pairs (atom, arrangement). Atom 0 is the head; body atoms count from 1.
    """

    form: _KeyForm
    start: tuple[int, int, int]
    asks: tuple[tuple[int, int], ...]


class Planner:
    """All rules that were ever added, as arrays of keys, plans and asks. A rule is activated or not, and never removed.

    `slots` is the number of slots of the largest rewrite, `longest` the number of atoms of the longest body. `version`
    grows with every new rule, new table and new backward plan.
    """

    def __init__(self) -> None:
        self.numbers: dict[tuple[bool, int], int] = {}
        """The number of each table, by its kind (whether it holds triples) and its width."""
        self._planned: dict[Shape, _PlannedShape] = {}
        self._planned_back: dict[Shape, list[_PlannedStart]] = {}
        self._rules: list[EncodedRule] = []
        self._body_keys: list[list[int]] = []
        self._planned_backward: set[int] = set()
        self._lacking: dict[int, int] = {}
        """For a rule that waits for backward plans, a key that no fact met at the last attempt."""
        self._unplanned: dict[int, dict[tuple[int, ...], _Waiting]] = {}
        self._keys: dict[tuple[int, tuple[int, ...]], int] = {}
        self._shape_numbers: dict[tuple[int, tuple[int, ...]], int] = {}
        self._back_shape_numbers: dict[tuple[int, tuple[int, ...]], int] = {}
        self._arrangements: dict[tuple[int, tuple[int, ...]], int] = {}
        self._asked: set[tuple[int, int]] = set()
        self.width = TRIPLE
        self.slots = 1
        self.longest = 1
        self.shapes = Buffer(np.int32, _SHAPE_WORDS)
        self.back_shapes = Buffer(np.int32, _SHAPE_WORDS)
        self.filters = Buffer(np.int32, 1 + MAX_COLUMNS)
        self.keys = Buffer(np.int32, TRIPLE)
        self.key_info = Buffer(np.int32, 3)
        self.asks = Buffer(np.int32, 3)
        self.plans = Buffer(np.int32, 5)
        self.steps = Buffer(np.int32, at.STEP_PAIRS + 2 * TRIPLE)
        self.nodes = Buffer(np.int32, 2)
        self.templates = Buffer(np.int32, 1 + TRIPLE)
        self.rules = Buffer(np.int32, 7)
        self.constants = Buffer(np.int32)
        self.rule_keys = Buffer(np.int32)
        self.arranged = Buffer(np.int32, _INFO_WORDS)
        self.key_entries = np.zeros(16, dtype=np.uint32)
        self.asked = np.zeros(4 * 16, dtype=np.uint32)
        self.version = 0
        self._asking_shapes: dict[int, set[int]] = {}
        self._entered = 0

    def table(self, is_triple: bool, width: int) -> int:
        """Return the number of the table for facts of one kind (triples or atoms of a relation) and one width.

        A new table gets the next number. Raises LimitError for more than 4,096 tables.
        """
        known = self.numbers.get((is_triple, width))
        if known is not None:
            return known
        if len(self.numbers) > at.LAST_TABLE:
            raise LimitError(f"rules and facts cannot have more than {at.LAST_TABLE + 1:,} different numbers of terms")
        self.version += 1
        self._widen(width)
        number = self.numbers[is_triple, width] = self.filters.append(0)
        return number

    def tables(self) -> list[tuple[bool, int]]:
        """Return a pair for each table, in the order of their numbers: whether it holds triples, and its width."""
        return list(self.numbers)

    def _widen(self, width: int) -> None:
        """Make keys, steps and templates wide enough for tables of `width` columns, all of them or none."""
        if width > self.width:
            keys, steps = self.keys.rows_of_width(width), self.steps.rows_of_width(at.STEP_PAIRS + 2 * width)
            self.templates.array = self.templates.rows_of_width(1 + width, fill=~0)
            self.keys.array, self.steps.array, self.width = keys, steps, width

    def add(self, rule: EncodedRule) -> int:
        """Return the number of a rule. A new rule is added, with its plans; it derives nothing before `set_active`."""
        shape, constants, label = rule
        planned = self._planned.get(shape) or self._plan_shape(shape)
        known = planned.numbers.get((constants, label))
        if known is not None:
            return known
        self.version += 1
        self.slots = max(self.slots, 1 + shape.variables + len(constants))
        self.longest = max(self.longest, len(shape.body))
        keys = [self._key(form, constants) for form in planned.forms]
        for atom, arrangement in planned.asks:
            self._ask(keys[atom], arrangement)
        waiting = [rules.setdefault(tuple([constants[n] for n in head]), []) for rules, head in planned.heads]
        number, plans = self.rules.n, self._plans(self.rules.n, keys, planned.starts)
        self.rules.reserve(1)
        self.plans.reserve(len(keys))
        places = self.constants.extend(constants), self.rule_keys.extend(keys)
        # Nothing below takes memory. So after an error above there is no rule, and what was made for it does no harm.
        self.rules.append(places[0], len(constants), 1 + shape.variables, places[1], len(keys), 0, self.plans.n)
        for n, key in enumerate(keys, self.plans.extend(plans)):
            self.key_info.array[key, 1] = n
        self._rules.append(rule)
        self._body_keys.append(keys)
        for rules in waiting:
            rules.append(number)
        planned.numbers[constants, label] = number
        return number

    def _plans(self, rule: int, keys: Sequence[int], starts: Sequence[tuple[int, int, int]]) -> Int32:
        """Return the next plans of a rule, a plan for each of `keys`: int32[n, 5], rows of the array `plans`.

        `starts`: for each plan the number of its start step, then the range (low, high) of its other steps. A plan
        names the plan that hangs on the same key so far, or -1.
        """
        last = {key: int(self.key_info.array[key, 1]) for key in keys}
        rows = np.empty((len(keys), 5), dtype=np.int32)
        for n, (key, (step, low, high)) in enumerate(zip(keys, starts, strict=True)):
            rows[n] = rule, step, last[key], low, high
            last[key] = self.plans.n + n
        return rows

    def plan_backward(self, records: Int32, count: Int32) -> None:
        """Make the backward plans of the rules that may derive one of the facts in `records`.

        `records`: whole rows, int32[n, 3 + w]. `count`: for each key the number of facts that meet it, int32[k]. A rule
        with a body atom that no fact matches derives nothing. Such a rule gets no plans yet: a later call looks at the
        rule again.
        """
        if len(records) > _MANY_HEADS:
            for unplanned in self._unplanned.values():
                for waiting in unplanned.values():
                    for head in list(waiting):
                        self._plan_head(waiting, head, count)
            return
        for row in records.tolist():
            for columns, waiting in self._unplanned.get(row[at.STATE] >> at.TABLE & at.LAST_TABLE, {}).items():
                head = tuple([row[at.FIRST + c] for c in columns])
                if head in waiting:
                    self._plan_head(waiting, head, count)

    def _plan_head(self, waiting: _Waiting, head: tuple[int, ...], count: Int32) -> None:
        """Make the backward plans of the rules `waiting[head]`: those with a head whose constants are `head`.

        If no fact matches some body atom of a rule, the rule gets no plans yet and stays in `waiting`. `count`: as for
        `plan_backward`.
        """
        lacking = self._lacking
        if any(number not in lacking or count.item(lacking[number]) for number in waiting[head]):
            left = [number for number in waiting[head] if not self._plan_rule_backward(number, count)]
            if left:
                waiting[head] = left
            else:
                del waiting[head]

    def _plan_rule_backward(self, number: int, count: Int32) -> bool:
        """Make the backward plans of the rule with this number, if facts match each of its body atoms.

        Returns whether the rule has backward plans now. `count`: as for `plan_backward`.
        """
        if number in self._planned_backward:
            return True
        keys = self._body_keys[number]
        unmet = [key for key in keys if not count.item(key)]
        if unmet:
            self._lacking[number] = unmet[0]
            return False
        self.version += 1
        rule = self._rules[number]
        backward = self._plan_back(rule.shape)
        heads = [self._key(planned.form, rule.constants) for planned in backward]
        for planned in backward:
            for atom, arrangement in planned.asks:
                self._ask(keys[atom - 1], arrangement)
        plans = self._plans(number, heads, [planned.start for planned in backward])
        self.plans.reserve(len(backward))
        for n, head in enumerate(heads, self.plans.extend(plans)):  # this takes no memory: all plans or none
            self.key_info.array[head, 1] = n
        self._planned_backward.add(number)
        self._lacking.pop(number, None)
        return True

    def _plan_back(self, shape: Shape) -> list[_PlannedStart]:
        if shape not in self._planned_back:
            planned = []
            for head in range(len(shape.heads)):
                plans = shape_plans(shape.backward(head), (0,), self.width)
                (start,), asks = self._append_plans(plans)
                planned.append(_PlannedStart(self._key_form(plans.body[0], is_head=True), start, asks))
            self._planned_back[shape] = planned
        return self._planned_back[shape]

    def _plan_shape(self, shape: Shape) -> _PlannedShape:
        plans = shape_plans(shape, tuple(range(len(shape.body))), self.width)
        starts, asks = self._append_plans(plans)
        heads = plans.heads if shape.body else ()  # without a body there is nothing to plan backwards
        waiting = tuple(
            (self._unplanned.setdefault(head.table, {}).setdefault(head.columns, {}), head.constants) for head in heads
        )
        planned = self._planned[shape] = _PlannedShape(
            starts, asks, tuple(map(self._key_form, plans.body)), waiting, {}
        )
        return planned

    def _append_plans(self, plans: Plans) -> tuple[tuple[tuple[int, int, int], ...], tuple[tuple[int, int], ...]]:
        """Append plans to the planner's arrays. Returns their `starts` and `asks` with the planner's numbers."""
        arrangements = [self._arrangement(*wanted) for wanted in plans.arrangements]
        steps = plans.steps.copy()
        steps[:, at.STEP_ARRANGEMENT] = np.array([*arrangements, -1])[steps[:, at.STEP_ARRANGEMENT]]
        steps[:, at.STEP_NEXT] += self.nodes.n
        steps[:, at.STEP_TEMPLATES] += self.templates.n  # only the last step of a plan reads them
        first = self.steps.extend(steps)
        self.nodes.extend(plans.nodes + first)
        self.templates.extend(plans.templates)
        starts = tuple((start + first, low + first, high + first) for start, low, high in plans.starts)
        return starts, tuple((atom, arrangements[number]) for atom, number in plans.asks)

    def _arrangement(self, table: int, columns: tuple[int, ...]) -> int:
        number = self._arrangements.setdefault((table, columns), len(self._arrangements))
        if number == self.arranged.n:
            free = next(c for c in range(self.width) if c not in columns)
            self.arranged.append(table, len(columns), 0, at.FIRST + free, *columns)
        return number

    def _key_form(self, direction: Direction, *, is_head: bool = False) -> _KeyForm:
        """Return the form of the keys of an atom. `direction` says where the atom has constants.

        `is_head`: whether the atom is a head. A form with new columns gets the number of a new shape of keys.
        """
        form = direction[:2]
        numbers = self._back_shape_numbers if is_head else self._shape_numbers
        if form not in numbers:
            numbers[form] = self._new_back_shape(*form) if is_head else self._new_shape(*form)
        return _KeyForm(numbers[form], direction)

    def _key(self, form: _KeyForm, constants: Sequence[int]) -> int:
        """Return the number of the key that an atom of this form has in a rule with the constants `constants`.

        If there is no such key yet, it is added.
        """
        values = tuple([constants[place] for place in form.direction.constants])
        key = self._keys.setdefault((form.number, values), self.key_info.n)
        if key == self.key_info.n:
            self._new_key(form.number, form.direction.columns, values)
        return key

    def _new_back_shape(self, table: int, columns: Sequence[int]) -> int:
        """Add a shape of head keys and return its number."""
        return at.BACK + self.back_shapes.append(table, len(columns), *columns)

    def _new_shape(self, table: int, columns: Sequence[int]) -> int:
        """Add a shape of trigger keys, with its bits in `filters`, and return its number."""
        number = self.shapes.append(table, len(columns), *columns)
        if columns:
            self.filters.array[table, 0] |= _bit(number)
            for column in range(MAX_COLUMNS):
                if column not in columns:
                    self.filters.array[table, 1 + column] |= _bit(number)
        return number

    def _new_key(self, number: int, columns: Sequence[int], values: Sequence[int]) -> None:
        row = [0] * self.width
        for column, value in zip(columns, values, strict=True):
            row[column] = value
        self.keys.reserve(1)
        self.key_info.reserve(1)
        self.keys.append(*row)
        self.key_info.append(number, -1, -1)

    def find_key(self, table: int, constants: Mapping[int, int]) -> int | None:
        """Return the number of the trigger key with the constants `constants` (column -> id).

        Returns None if no rule has a body atom of this table with exactly these constants.
        """
        columns = tuple(sorted(constants))
        number = self._shape_numbers.get((table, columns))
        return None if number is None else self._keys.get((number, tuple(constants[c] for c in columns)))

    def triggers(self, first: int = 0) -> list[int]:
        """Return the keys of body atoms, not of heads, from number `first` on."""
        found: list[int] = (first + np.flatnonzero(self.key_info.array[first : self.key_info.n, 0] < at.BACK)).tolist()
        return found

    def table_of(self, key: int) -> int:
        """Return the number of the table whose rows can meet a trigger key."""
        return int(self.shapes.array[self.key_info.array[key, 0], 0])

    def may_share(self, ask: int) -> bool:
        """Whether another ask may have entered rows of ask `ask` into its arrangement.

        This is possible if keys of more than one shape ask for the arrangement.
        """
        return len(self._asking_shapes[int(self.asks.array[ask, 0])]) > 1

    def asks_for(self, arrangement: int) -> Int32:
        """Return the asks for an arrangement: int32[n, 2], the number of each ask and the number of its key."""
        asks = np.flatnonzero(self.asks.array[: self.asks.n, 0] == arrangement)
        return np.column_stack([asks, self.asks.array[asks, 2]]).astype(np.int32)

    def constants_of(self, key: int) -> dict[int, int]:
        """Return the constants of a trigger key: column -> id."""
        shape = self.shapes.array[self.key_info.array[key, 0]]
        return {c: int(self.keys.array[key, c]) for c in shape[2 : 2 + shape[1]].tolist()}

    def plans_of(self, rule: int) -> list[tuple[int, int]]:
        """Return for each body atom of a rule the numbers of its key and of the plan that starts at the atom."""
        plan = int(self.rules.array[rule, at.RULE_PLAN])
        return [(key, plan + atom) for atom, key in enumerate(self._body_keys[rule])]

    def rule(self, number: int) -> EncodedRule:
        """Return the rule with this number."""
        return self._rules[number]

    def set_active(self, rule: int, active: bool) -> None:
        """Set whether a rule derives facts."""
        self.rules.array[rule, at.RULE_ACTIVE] = int(active)

    def _ask(self, key: int, arrangement: int) -> None:
        """Record an ask: the arrangement has to hold the rows that meet the key."""
        if (key, arrangement) not in self._asked:
            info = self.key_info.array
            info[key, 2] = self.asks.append(arrangement, info[key, 2], key)
            self._asked.add((key, arrangement))
            shape, words = int(info[key, 0]), self.arranged.array[arrangement]
            self._asking_shapes.setdefault(arrangement, set()).add(shape)
            words[at.ARRANGED_BITS] = (
                at.EVERY_ROW if not self.shapes.array[shape, 1] else words[at.ARRANGED_BITS] | _bit(shape)
            )

    def publish(self, memory: Memory) -> None:
        """Put the planner's arrays into a memory block, and enter new keys into the hash table of keys."""
        for name in _PUBLISHED:
            memory[name] = getattr(self, name).array
        memory.block[at.N_SHAPES], memory.block[at.N_BACK_SHAPES] = self.shapes.n, self.back_shapes.n
        if 2 * self.key_info.n > self.key_entries.size:
            entries = np.zeros(power_of_two(4 * self.key_info.n), dtype=np.uint32)
            self.asked = np.zeros(4 * entries.size, dtype=np.uint32)
            self.key_entries, self._entered = entries, 0
        memory["key_entries"], memory["asked"] = self.key_entries, self.asked
        enter_keys(memory.block, self._entered, self.key_info.n)
        self._entered = self.key_info.n


def _bit(shape: int) -> int:
    """Return the bit that stands for a shape in the arrays `filters` and `asked`."""
    return 1 << min(shape, at.SHARED_BIT)
