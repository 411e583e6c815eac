"""Rules as small tables of integers, which the level loop broadcasts.

A body atom becomes a *form* (its table, its columns of constants, its columns that repeat a variable) and its
constants. There are few forms, even if there are many rules. Constants, plans and heads are rows of tables. Left of the
arrow are the columns to look up, right the columns that are found:

    atoms      form, constants -> number of the atom             (`needs` has these numbers for each rule)
    triggers   form, constants -> rule, plan, how many steps the plan has, whether all may use the delta, bindings
    asks       form, constants -> arrangement, its columns       (a table for each step: which facts the step reads)
    steps      plan -> arrangement, slots to look up in it, whether the step may use the delta, bindings (a table for
               each step)
    heads      rule -> table and columns; `rivals` has other heads of the rule that may become equal to a head

The *delta* are the facts of the last level. A rule with n body atoms has n plans, one for each atom that a fact of the
delta may match first. The other atoms are in the order of `kgreason.engine.program.shapes`: the atom with the most
bound columns (columns with a value already) comes next, and there is no cartesian product while an atom is left that
shares a variable with earlier atoms. Each variable of a rule has a *slot* for its value. The *bindings* of an atom say,
for each slot, from which column of a fact the slot takes its value, or `NONE`. A column of a head is an id, or a
negative number for a slot: `-1` is slot 0. Rules of one shape share one planning, so it takes only a second or two to
plan 100,000 rules.

The constant-size circuit of DYRE (Carneiro de Lima and Apinis): rules are data, joins are fixed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from typing import NamedTuple

from kgreason.engine.program.shapes import EncodedRule, Pattern, Shape, delta_plan

NONE = -1
"""The number in place of a column or a slot if there is none."""

Row = tuple[int, ...]


class Program(NamedTuple):
    """Rules, and the tables of facts that they use. A rule that is given twice counts once.

    `tables` has for each table: whether it holds triples, and the number of its columns.
    """

    tables: Sequence[tuple[bool, int]]
    rules: Sequence[EncodedRule]

    @property
    def width(self) -> int:
        """The number of columns of the widest table."""
        return max((width for _, width in self.tables), default=0)


class Form(NamedTuple):
    """What similar body atoms have in common.

    `table` is the number of their table. `constants` are the numbers of the columns that have constants. `repeated` has
    a pair (column, earlier column) for each column with the same variable as an earlier column.
    """

    table: int
    constants: Row
    repeated: tuple[tuple[int, int], ...]


class Table(NamedTuple):
    """A table of numbers: the names of its columns, and its rows."""

    columns: tuple[str, ...]
    rows: list[Row]


class Plans(NamedTuple):
    """A program as the tables that the docstring of the module explains.

    `asks` and `steps` have one table for each step, `rivals` one list for each row of `heads`. `given` has the heads of
    the rules with an empty body. `needs` has, for each rule, the numbers of its body atoms.

    `width` is the number of columns of a fact. The other numbers are maxima: `constants` is the most constants of an
    atom, `bound` the most columns of an atom that have values before its step, `slots` the most variables of a rule.
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

    @property
    def derived(self) -> list[Row]:
        """The heads of all rules, as rows `tbl, c0..`. A negative number stands for a variable."""
        return [*(row[1:] for row in self.heads.rows), *self.given.rows]

    def living(self, program: Program, present: AbstractSet[int]) -> Program:
        """Return the program without the rules that can derive nothing, because a body atom matches no fact.

        `present` has the numbers of the atoms that match some fact.
        """
        rules = zip(dict.fromkeys(program.rules), self.needs, strict=True)
        return Program(program.tables, [rule for rule, needs in rules if needs <= present])


class _Step(NamedTuple):
    """The step of a plan that finds the facts for one body atom, whose number is `atom`.

    Some slots of the atom have values before the step. `bound` maps each of these slots to a column of the atom.
    `sees_delta` says whether the step also finds facts of the last level; if not, it finds only older facts.
    """

    atom: int
    bound: dict[int, int]
    sees_delta: bool


class _Outline(NamedTuple):
    """What all rules of a shape have in common.

    Each field has an entry for each body atom: the number of its form in `forms`, its bindings in `bindings`, and in
    `starts` the steps of the plan that starts at this atom.
    """

    forms: tuple[int, ...]
    bindings: tuple[Row, ...]
    starts: tuple[tuple[_Step, ...], ...]


def names(prefix: str, count: int) -> tuple[str, ...]:
    """Return numbered names of columns: `names("c", 2)` is ("c0", "c1")."""
    return tuple(f"{prefix}{number}" for number in range(count))


def plan(program: Program) -> Plans:
    """Make the tables of a program."""
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
    """Return the outline of a shape. Forms that are not in `forms` yet are added to it.

    `slots` is the number of entries in the bindings of an atom; entries that the atom does not need are NONE.
    """
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
    """Return the first index of `slot` in `slots`, the slots of an atom's columns, or NONE if it is not there."""
    return slots.index(slot) if slot in slots else NONE


def _sequence(shape: Shape, start: int) -> tuple[_Step, ...]:
    """Return the steps of the plan that starts at the body atom number `start`, in their order.

    The next step is always for the atom with the most columns that have values already.
    """
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
    """Writes the plans of rules as rows of tables, one rule after another.

    All rows of a table have the same length: each has `constants` places for constants and `bound` places for bound
    columns. Places that are left over are filled. `steps` is the largest number of steps of a plan.
    """

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
        """Add the rows for all plans of a rule. `number` is its number, `outline` is the outline of its shape."""
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
        """Return the key of a body atom: the number of its form, then its constants, then zeros up to a fixed length.

        `atom` is the number of the atom in the rule, `form` the number of its form.
        """
        shape = rule.shape
        values = [_value(rule, shape.body[atom].slots[column]) for column in shape.constant_columns(atom)]
        return form, *_padded(values, self._constants, 0)


def _heads(number: int, rule: EncodedRule, program: Program) -> list[tuple[Row, list[Row]]]:
    """Return each head of a rule as a row, and the earlier heads of the rule that may become equal to it.

    `number` is the number of the rule, which begins the row.
    """
    rows = list(dict.fromkeys(_head(rule, pattern, program.width) for pattern in rule.shape.heads))
    return [((number, *row), [other[1:] for other in rows[:n] if _may_equal(row, other)]) for n, row in enumerate(rows)]


def _head(rule: EncodedRule, pattern: Pattern, width: int) -> Row:
    return pattern.table, *_padded((_value(rule, slot) for slot in pattern.slots), width, 0)


def _value(rule: EncodedRule, slot: int) -> int:
    """Return the code for a slot of a shape, where slot 0 is the constant 0 and variables have the slots from 1.

    The code is -n if slot n is a variable, the id if the slot is a constant, and 0 for slot 0.
    """
    if not slot or rule.shape.is_variable(slot):
        return -slot
    return rule.constants[slot - rule.shape.variables - 1]


def _may_equal(row: Row, other: Row) -> bool:
    return row[0] == other[0] and all(a == b or a < 0 or b < 0 for a, b in zip(row, other, strict=True))


def _given(rules: Iterable[EncodedRule], program: Program) -> list[Row]:
    """Return the heads of those rules that have an empty body, as rows `tbl, c0..`."""
    return [
        row
        for rule in rules
        if not rule.shape.body
        for row in dict.fromkeys(_head(rule, pattern, program.width) for pattern in rule.shape.heads)
    ]


def _padded(values: Iterable[int], size: int, fill: int = NONE) -> Row:
    row = tuple(values)
    return row + (fill,) * (size - len(row))
