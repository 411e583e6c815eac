"""Rules as small tables of integers, which the level loop broadcasts.

A body atom becomes a *form* (its table, its columns of constants, its columns that repeat a variable) and its
constants. There are few forms, even if there are many rules. Constants, plans and heads are rows of tables:

    atoms      form, constants -> atom                           (`needs` has the atoms of each rule)
    triggers   form, constants -> rule, plan, how many steps are left, whether all steps may use the delta, bindings
    asks       form, constants -> arrangement, its columns       (a table for each step: the facts that it may use)
    steps      plan -> arrangement, slots to look up in it, whether it may use the delta, bindings     (for each step)
    heads      rule -> table and columns; `rivals` has the other heads of the rule that may be equal to a head

A rule with n body atoms has n plans, one for each atom at which a fact of the delta can start. The other atoms are in
the order of `kgreason.engine.program.shapes`: the atom with the most bound columns comes next, and there is no
cartesian product while an atom is left that shares a variable with earlier atoms. Each variable of a rule has a *slot*
for its value. A binding has, for each slot, the column from which it takes its value, or `NONE`. A column of a head is
an id, or a negative number for a slot: `-1` is slot 0. Rules of one shape are planned once, so that 100,000 rules take
a second or two.

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
"""The number in place of a column or a slot if there is none."""

Row = tuple[int, ...]


class Program(NamedTuple):
    """Rules, and the tables that they use: each table is (whether it holds triples, number of columns).

    Equal rules count once.
    """

    tables: Sequence[tuple[bool, int]]
    rules: Sequence[EncodedRule]

    @property
    def width(self) -> int:
        """The number of columns of the widest table."""
        return max((width for _, width in self.tables), default=0)


class Form(NamedTuple):
    """What similar body atoms have in common: their table, their columns with constants, and repeated variables.

    If a column has the same variable as an earlier column, `repeated` has the pair (column, earlier column).
    """

    table: int
    constants: Row
    repeated: tuple[tuple[int, int], ...]


class Table(NamedTuple):
    """A table of numbers: the names of its columns, and its rows."""

    columns: tuple[str, ...]
    rows: list[Row]


class Plans(NamedTuple):
    """A program as tables; the docstring of the module explains them.

    `asks` and `steps` have one table for each step, `rivals` one list for each row of `heads`. `given`: the heads of
    rules with an empty body, one row for each rule. `needs`: the atoms of each rule. `constants` and `bound` are the
    largest numbers of constants and of bound columns of an atom, `slots` is the largest number of variables of a rule,
    `width` is the number of columns of a fact.
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
        """Return the program with only those rules whose body atoms are all in `present`. Other rules derive nothing.

        present: the numbers of the atoms that match some fact.
        """
        rules = zip(dict.fromkeys(program.rules), self.needs, strict=True)
        return Program(program.tables, [rule for rule, needs in rules if needs <= present])


class _Step(NamedTuple):
    """The step for one body atom. `sees_delta`: whether the step may use facts of the delta.

    `bound` maps each slot of the atom that has a value before the step to a column of the atom.
    """

    atom: int
    bound: dict[int, int]
    sees_delta: bool


class _Outline(NamedTuple):
    """What all rules of a shape have in common. For each body atom: the number of its form, and its bindings.

    `starts` has, for each body atom, the steps of the plan that starts at this atom.
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
    """Make the outline of a shape. `forms` maps forms to numbers; new forms are added to this dict."""
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
    """Return the first column of an atom that holds the given slot, or NONE if no column holds it."""
    return slots.index(slot) if slot in slots else NONE


def _sequence(shape: Shape, start: int) -> tuple[_Step, ...]:
    """Return the steps of the plan that starts at an atom. The atom with the most bound columns always comes next."""
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
    """Writes the plans of rules as rows of tables, one rule after another."""

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
        """Add the rows for all plans of a rule."""
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
        """Return the key of an atom: the number of its form, then its constants, then zeros up to a fixed length."""
        shape = rule.shape
        values = [_value(rule, shape.body[atom].slots[column]) for column in shape.constant_columns(atom)]
        return form, *_padded(values, self._constants, 0)


def _heads(number: int, rule: EncodedRule, program: Program) -> list[tuple[Row, list[Row]]]:
    """Return the heads of a rule as rows, each with those earlier heads of the rule that may become equal to it."""
    rows = list(dict.fromkeys(_head(rule, pattern, program.width) for pattern in rule.shape.heads))
    return [((number, *row), [other[1:] for other in rows[:n] if _may_equal(row, other)]) for n, row in enumerate(rows)]


def _head(rule: EncodedRule, pattern: Pattern, width: int) -> Row:
    return pattern.table, *_padded((_value(rule, slot) for slot in pattern.slots), width, 0)


def _value(rule: EncodedRule, slot: int) -> int:
    """Return the code for a slot: the id of a constant, 0 for slot 0, and -n for the slot n of a variable."""
    if not slot or rule.shape.is_variable(slot):
        return -slot
    return rule.constants[slot - rule.shape.variables - 1]


def _may_equal(row: Row, other: Row) -> bool:
    return row[0] == other[0] and all(a == b or a < 0 or b < 0 for a, b in zip(row, other, strict=True))


def _given(rules: Iterable[EncodedRule], program: Program) -> list[Row]:
    """Return the heads of the rules with an empty body, as rows."""
    return [
        row
        for rule in rules
        if not rule.shape.body
        for row in dict.fromkeys(_head(rule, pattern, program.width) for pattern in rule.shape.heads)
    ]


def _padded(values: Iterable[int], size: int, fill: int = NONE) -> Row:
    row = tuple(values)
    return row + (fill,) * (size - len(row))
