"""Rules as small tables of integers, which the level loop broadcasts.

A body atom becomes a *form* (its table, its columns of constants, its columns that repeat a variable) and its
constants. There are few forms, even if there are many rules. Constants, plans and heads are rows:

    atoms      form, constants -> atom                           (`needs` has the atoms of each rule)
    triggers   form, constants -> rule, plan, number of steps left, whether all steps see the delta, bindings
    asks       form, constants -> arrangement, its columns       (for each step: the facts that the step may meet)
    steps      plan -> arrangement, the slots that probe it, whether it sees the delta, bindings        (for each step)
    heads      rule -> table and columns; `rivals` has the other heads of the rule that may be equal to it

A rule with n body atoms has n plans, one for each atom that may meet the delta. The other atoms are in the order of
`kgreason.engine.program.shapes`: the most bound atom first, and no cartesian product while a connected atom is left.
A binding gives for each slot the column that it takes its value from, or `NONE`. A column of a head is an id, or a
negative number for a slot: `-1` is slot 0. Rules of one shape are planned once, so that 100,000 rules take a second or
two.

The constant-size circuit of DYRE (Carneiro de Lima and Apinis): rules are data, joins are fixed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from typing import NamedTuple

from kgreason.engine.program.planner import EncodedRule
from kgreason.engine.program.shapes import Pattern, Shape, delta_plan

NONE = -1
"""No column, or no slot."""

Row = tuple[int, ...]


class Program(NamedTuple):
    """The tables, each as (holds triples, number of columns), and the rules; equal rules count once."""

    tables: Sequence[tuple[bool, int]]
    rules: Sequence[EncodedRule]

    @property
    def width(self) -> int:
        """The columns of the widest table."""
        return max((width for _, width in self.tables), default=0)


class Form(NamedTuple):
    """The common part of similar body atoms: table, columns of constants, columns that repeat an earlier variable."""

    table: int
    constants: Row
    repeated: tuple[tuple[int, int], ...]


class Table(NamedTuple):
    """Rows of ids under the names of their columns."""

    columns: tuple[str, ...]
    rows: list[Row]


class Plans(NamedTuple):
    """A program as tables. `asks` and `steps` have one table for each step, `rivals` one list for each row of `heads`.

    `given`: the heads of rules with an empty body, one row for each rule. `needs`: the atoms of each rule. `constants`
    and `bound` are the largest numbers of constants and of bound columns of an atom, `slots` is the largest number of
    variables of a rule, `width` is the number of columns of a fact.
    """

    width: int
    constants: int
    bound: int
    slots: int
    forms: tuple[Form, ...]
    triggers: Table
    asks: tuple[Table, ...]
    steps: tuple[Table, ...]
    heads: Table
    rivals: list[list[Row]]
    given: Table
    atoms: Table
    needs: list[frozenset[int]]

    def living(self, program: Program, present: AbstractSet[int]) -> Program:
        """The program with only the rules that can derive something: all their atoms are among the `present` ones."""
        rules = zip(dict.fromkeys(program.rules), self.needs, strict=True)
        return Program(program.tables, [rule for rule, needs in rules if needs <= present])


class _Step(NamedTuple):
    """A step that meets one atom: the columns that are bound before it, by slot, and whether it sees the delta."""

    atom: int
    bound: dict[int, int]
    sees_delta: bool


class _Outline(NamedTuple):
    """The common part of all rules of a shape: forms and bindings of the atoms, and the steps for each start atom."""

    forms: tuple[int, ...]
    bindings: tuple[Row, ...]
    starts: tuple[tuple[_Step, ...], ...]


def names(prefix: str, count: int) -> tuple[str, ...]:
    """Numbered names of columns."""
    return tuple(f"{prefix}{number}" for number in range(count))


def plan(program: Program) -> Plans:
    """The tables of a program."""
    rules = list(dict.fromkeys(program.rules))
    shapes = dict.fromkeys(rule.shape for rule in rules)
    slots = max((shape.variables for shape in shapes), default=0)
    forms: dict[Form, int] = {}
    outlines = {shape: _outline(shape, slots, forms) for shape in shapes}
    sequences = [steps for outline in outlines.values() for steps in outline.starts]
    bound = max((len(step.bound) for steps in sequences for step in steps), default=0)
    constants = max((len(form.constants) for form in forms), default=0)
    writer = _Writer(constants, bound, max(map(len, sequences), default=0))
    for number, rule in enumerate(rules):
        writer.add(number, rule, outlines[rule.shape])
    heads = [head for number, rule in enumerate(rules) if rule.shape.body for head in _heads(number, rule, program)]
    keys, columns, bindings = names("k", constants), names("c", program.width), names("f", slots)
    return Plans(
        program.width,
        constants,
        bound,
        slots,
        tuple(forms),
        Table(("form", *keys, "rule", "plan", "left", "all_delta", *bindings), writer.triggers),
        tuple(Table(("form", *keys, "arrangement", *names("a", bound)), list(rows)) for rows in writer.asks),
        tuple(Table(("plan", "arrangement", "sees", *names("s", bound), *bindings), rows) for rows in writer.steps),
        Table(("rule", "tbl", *names("h", program.width)), [row for row, _ in heads]),
        [rivals for _, rivals in heads],
        Table(("tbl", *columns), _given(rules, program)),
        Table(("form", *keys, "atom"), [(*key, atom) for key, atom in writer.atoms.items()]),
        writer.needs,
    )


def _outline(shape: Shape, slots: int, forms: dict[Form, int]) -> _Outline:
    """The outline of a shape; new forms get the next numbers."""
    atoms = range(len(shape.body))
    return _Outline(
        tuple(forms.setdefault(_form(shape, atom), len(forms)) for atom in atoms),
        tuple(
            _padded(map(partial(_first, shape.body[atom].slots), range(1, shape.variables + 1)), slots)
            for atom in atoms
        ),
        tuple(_sequence(shape, start) for start in atoms),
    )


def _form(shape: Shape, atom: int) -> Form:
    pattern = shape.body[atom]
    repeated = [
        (column, pattern.slots.index(slot))
        for column, slot in enumerate(pattern.slots)
        if shape.is_variable(slot) and pattern.slots.index(slot) < column
    ]
    return Form(pattern.table, shape.constant_columns(atom), tuple(repeated))


def _first(slots: Row, slot: int) -> int:
    """The first column of a slot, or NONE."""
    return slots.index(slot) if slot in slots else NONE


def _sequence(shape: Shape, start: int) -> tuple[_Step, ...]:
    """The steps of the plan that starts at an atom; each step meets the atom with the most bound columns."""
    delta = delta_plan(shape, start)
    steps, node = [], delta.start.next_node
    while delta.nodes[node]:
        step = delta.nodes[node][0]
        slots = shape.body[step.atom].slots
        bound = {slots[c]: slots.index(slots[c]) for c in step.bound if shape.is_variable(slots[c])}
        steps.append(_Step(step.atom, bound, step.is_later))
        node = step.next_node
    return tuple(steps)


class _Writer:
    """Writes the plans of the rules as rows, one rule after another."""

    def __init__(self, constants: int, bound: int, steps: int) -> None:
        self._constants, self._bound = constants, bound
        self._arrangements: dict[tuple[Row, Row], int] = {}
        self._plans = 0
        self.atoms: dict[Row, int] = {}
        self.needs: list[frozenset[int]] = []
        self.triggers: list[Row] = []
        self.asks: list[dict[Row, None]] = [{} for _ in range(steps)]
        self.steps: list[list[Row]] = [[] for _ in range(steps)]

    def add(self, number: int, rule: EncodedRule, outline: _Outline) -> None:
        """The plans of a rule."""
        keys = [self._key(rule, atom, form) for atom, form in enumerate(outline.forms)]
        self.needs.append(frozenset(self.atoms.setdefault(key, len(self.atoms)) for key in keys))
        for start, steps in enumerate(outline.starts):
            all_delta = int(all(step.sees_delta for step in steps))
            self.triggers.append((*keys[start], number, self._plans, len(steps), all_delta, *outline.bindings[start]))
            for place, step in enumerate(steps):
                self._step(place, step, keys[step.atom], outline.bindings[step.atom])
            self._plans += 1

    def _step(self, place: int, step: _Step, key: Row, bindings: Row) -> None:
        columns = _padded(step.bound.values(), self._bound)
        arrangement = self._arrangements.setdefault((key, columns), len(self._arrangements))
        self.asks[place][(*key, arrangement, *columns)] = None
        probes = _padded((slot - 1 for slot in step.bound), self._bound)
        self.steps[place].append((self._plans, arrangement, int(step.sees_delta), *probes, *bindings))

    def _key(self, rule: EncodedRule, atom: int, form: int) -> Row:
        """The form of an atom and its constants."""
        shape = rule.shape
        values = [_value(rule, shape.body[atom].slots[column]) for column in shape.constant_columns(atom)]
        return form, *_padded(values, self._constants, 0)


def _heads(number: int, rule: EncodedRule, program: Program) -> list[tuple[Row, list[Row]]]:
    """The heads of a rule; each with the earlier heads that may be equal to it under some substitution."""
    rows = list(dict.fromkeys(_head(rule, pattern, program.width) for pattern in rule.shape.heads))
    return [((number, *row), [other[1:] for other in rows[:n] if _may_equal(row, other)]) for n, row in enumerate(rows)]


def _head(rule: EncodedRule, pattern: Pattern, width: int) -> Row:
    return pattern.table, *_padded((_value(rule, slot) for slot in pattern.slots), width, 0)


def _value(rule: EncodedRule, slot: int) -> int:
    """The id for the slot of a constant, 0 for slot 0, and for the slot of a variable its negative number in a head."""
    if not slot or rule.shape.is_variable(slot):
        return -slot
    return rule.constants[slot - rule.shape.variables - 1]


def _may_equal(row: Row, other: Row) -> bool:
    return row[0] == other[0] and all(a == b or a < 0 or b < 0 for a, b in zip(row, other, strict=True))


def _given(rules: Iterable[EncodedRule], program: Program) -> list[Row]:
    """The heads of the rules with an empty body."""
    return [
        row
        for rule in rules
        if not rule.shape.body
        for row in dict.fromkeys(_head(rule, pattern, program.width) for pattern in rule.shape.heads)
    ]


def _padded(values: Iterable[int], size: int, fill: int = NONE) -> Row:
    row = tuple(values)
    return row + (fill,) * (size - len(row))
