"""`PartsPlan`: a placement and its rules as numbers; `PartsPlan.sent` says to which parts facts go.

Facts are rows int32[n, 2 + w]: flags (`ASSERTED`, and `HOME` for a fact on its way to its home), the number of its
table, and its columns, as wide as the widest table. A *form* has the places that differ only in their constants: so one
look-up of constants decides about all of them, even if there are thousands of rules.

What operators need is in `OperatorsPlan`: rules and strata as they are, because their atoms become numbers where the
operators of the engine run (`operators`).

*Hot values.* A value that very many facts have in a column by which they are joined would make one part too large. Such
a value is divided (`Hot`): facts of the place with most of them go to the part of the hash of their row, and all other
facts with this value go to all parts. So each match is whole in one part. If a star has two atoms of this place, as
`[?x, :p, ?y], [?x, :p, ?z]`, a part would miss pairs. Then the parts are a square: a fact goes to one row and to the
column with the same number, so each two facts meet. With three such atoms all facts go everywhere. Operators decide by
the value alone, so what they read is not divided.

Law: the destinations and the home of a fact depend on its columns and the plan alone, so all tasks agree about them.
Cost: for each form, a pass over the facts of its table.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from math import isqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kgreason.engine.engine import Engine
from kgreason.engine.program.encoding import Intern, relation_text, terms_of_row
from kgreason.engine.program.shapes import EncodedRule
from kgreason.materialize.operators.tables import are_among
from kgreason.ontology.generic.parts import with_instances
from kgreason.rules.expressions import is_skolem, skolem_terms
from kgreason.rules.lowering import Aggregation, Expression, Negation, Waiting
from kgreason.rules.model import DATA, Atom, Rule, Triple, Variable, triple
from kgreason.rules.strata import Level, has_closed, is_equality, stratify
from kgreason.spark.rounds.division import is_hidden
from kgreason.spark.rounds.placement import LINK, LITERALS, TOGETHER, PatternPlace, Placement, parts_of
from kgreason.zset.columns import Int32, Int64
from kgreason.zset.order import distinct

FLAG, TABLE, FIRST = 0, 1, 2
"""Columns of a row: the flags of the fact, its table, and the first column of the fact."""
ASSERTED, HOME = 1, 2
"""Flags."""
MOST_ALIKE = 500_000
"""A value that more facts have in a place is divided, unless an option says otherwise."""
_MOST_STEP = 16
"""A sample has at least one of so many facts."""
_COUNTED = 1 << 12
"""If a sample has so many facts with a value, their count is right to some per cent."""
_UNPLACED = 1 << 10
_LAST = _UNPLACED - 1
"""In place of `TOGETHER`: a fact that is placed by a column, too, has its home there, not in the first part."""
_SQUARE = 2
"""If a star has more atoms of one place than this, hot values of the place go everywhere."""


class FactColumns:
    """Facts, int32[n, 2 + w], with the columns of each table as arrays: forms look at one column at a time."""

    def __init__(self, rows: Int32) -> None:
        self.rows = rows
        self._indexes: dict[int, Int64] = {}
        self._columns: dict[tuple[int, int], Int32] = {}

    def __len__(self) -> int:
        return len(self.rows)

    def indexes(self, table: int) -> Int64:
        """Return the indexes of the facts of a table, ascending: int64[m]."""
        if table not in self._indexes:
            self._indexes[table] = np.flatnonzero(self.rows[:, TABLE] == table)
        return self._indexes[table]

    def column(self, table: int, column: int) -> Int32:
        """Return a column of the facts of a table: int32[m]."""
        if (table, column) not in self._columns:
            indexes, found = self.indexes(table), self.rows[:, FIRST + column]
            self._columns[table, column] = found.copy() if len(indexes) == len(found) else found[indexes]
        return self._columns[table, column]


class PlaceForm(NamedTuple):
    """Places that differ only in their constants.

    A fact matches if it is in the table `table`, if its columns `constants` have the ids of a row of `values`
    (int32[k, m]), and if the columns of each pair of `repeated` are equal. Its facts go to the
    part of the value in column `column`, everywhere if it is None, or to the first part if it is `TOGETHER`.

    `atoms` of one star, at most, are joined by such a place; if `is_decided`, operators decide by it.
    """

    table: int
    constants: tuple[int, ...]
    repeated: tuple[tuple[int, int], ...]
    column: int | None
    atoms: int
    is_decided: bool
    values: Int32

    def matches(self, facts: FactColumns) -> Int64:
        """Return the indexes of the facts that match, ascending: int64[m]."""
        some: Int64 | slice = slice(None)
        for column, values in zip(self.constants, self.values.T, strict=True):  # most facts go here
            is_member = np.isin(facts.column(self.table, column)[some], values)
            some = np.flatnonzero(is_member) if isinstance(some, slice) else some[is_member]
        found: Int64 = facts.indexes(self.table)[some]
        if len(self.constants) > 1:
            columns = np.array([FIRST + column for column in self.constants])
            found = found[are_among(facts.rows[found[:, None], columns], self.values)]
        for one, other in self.repeated:
            found = found[facts.rows[found, FIRST + one] == facts.rows[found, FIRST + other]]
        return found


class Sent(NamedTuple):
    """Facts for parts: rows int32[n, 2 + w], and the number of the part for each row, int64[n].

    Facts that are news have `NEWS` in place of a part, or `NOTED` if the driver looks at them (`PartsPlan.noted`).
    """

    rows: Int32
    parts: Int64


NEWS, NOTED = -1, -2


class Hot(NamedTuple):
    """A value that is divided. Facts of one place of a form are spread: those with the ids `constants`."""

    value: int
    form: int
    constants: tuple[int, ...]


class OperatorsPlan(NamedTuple):
    """What operators need in each part.

    `rules` are the rules with operators, and those about equality. `levels` are the strata, `keys` says by which
    variable of its key each operator is placed (`Placement`).

    A fact that matches a form of `reads` needs the texts of its terms where it is decided: in the part of a column, or
    everywhere. A triple that is asserted is also a fact of the hidden relation `data` if it matches one of `copied`.
    """

    rules: tuple[Rule, ...] = ()
    levels: tuple[tuple[Waiting, Level], ...] = ()
    keys: tuple[tuple[Waiting, int], ...] = ()
    reads: tuple[PlaceForm, ...] = ()
    data: int = 0
    copied: tuple[PlaceForm, ...] = ()
    outlasts: tuple[tuple[int, int], ...] = ()
    """Of which relations the asserted facts outlast a turn of the recursions of a stratum: (stratum, relation).

    These are the values of the recursions. With stratum 0 the facts outlast all turns, because they hold in each graph:
    the results of expressions, and facts about literals."""

    def outlasting(self, level: int) -> list[int]:
        """Return the relations whose asserted facts outlast a turn of the recursions of a stratum."""
        return [relation for stratum, relation in self.outlasts if stratum in (0, level)]

    def arguments(self) -> Iterator[str]:
        """Yield the constants among the arguments of SKOLEM."""
        for each, _ in self.keys:
            if isinstance(each, Expression) and is_skolem(each.computed):
                yield from (term for term in skolem_terms(each.computed)[1:] if isinstance(term, str))

    @property
    def last(self) -> int:
        """The last stratum."""
        return max((level.level for _, level in self.levels), default=0)

    def read_texts(self, level: int) -> bool:
        """Whether operators of strata up to `level` read texts."""
        levels = dict(self.levels)
        found = (levels[each].level if each in levels else 0 for each, _ in self.keys if not isinstance(each, Negation))
        return bool(self.reads) and any(each <= level for each in found)

    @property
    def have_functions(self) -> bool:
        """Whether there are expressions without a stratum."""
        return bool({each for each, _ in self.keys if isinstance(each, Expression)}.difference(dict(self.levels)))


NO_OPERATORS = OperatorsPlan()


class PartsPlan(NamedTuple):
    """A program whose facts are divided into `parts` parts.

    `tables` has for each table whether it holds triples, and its width. `rules` and `first` are the rules of all parts
    and of the first part (`Placement`). `hidden` are the ids of hidden relations. `quiet` is as for `Engine`. `hot` has
    the values that are divided: those that more than `most` facts have in a place. `noted` has kinds of facts that the
    driver looks at, each with the forms of its facts.
    """

    parts: int
    tables: tuple[tuple[bool, int], ...]
    rules: tuple[EncodedRule, ...]
    first: tuple[EncodedRule, ...]
    forms: tuple[PlaceForm, ...]
    hidden: frozenset[int]
    quiet: int = 0
    operators: OperatorsPlan = NO_OPERATORS
    hot: tuple[Hot, ...] = ()
    most: int = MOST_ALIKE
    noted: tuple[tuple[PlaceForm, ...], ...] = ()

    @property
    def width(self) -> int:
        """The number of columns of the widest table; at least three, as in the engine."""
        return max(3, *(width for _, width in self.tables))

    @property
    def columns(self) -> list[str]:
        """The names of the columns of a fact in DataFrames: `c0..`."""
        return [f"c{number}" for number in range(self.width)]

    def with_data(self, facts: Int32) -> Int32:
        """Return asserted facts, and the facts of DATA about them."""
        if not self.operators.copied or not len(facts):
            return facts
        columns = FactColumns(facts)
        found = facts[distinct(np.concatenate([form.matches(columns) for form in self.operators.copied]))]
        rows = np.zeros_like(found)
        rows[:, FLAG], rows[:, TABLE], rows[:, FIRST] = ASSERTED, self.tables.index((False, 4)), self.operators.data
        rows[:, FIRST + 1 : FIRST + 4] = found[:, FIRST : FIRST + 3]
        return np.concatenate([facts, rows])

    def notes(self, facts: FactColumns) -> NDArray[np.bool_]:
        """Return for each fact and each kind of `noted` whether the fact is of this kind: bool[n, k]."""
        found = np.zeros((len(facts), len(self.noted)), dtype=np.bool_)
        for kind, forms in enumerate(self.noted):
            for form in forms:
                found[form.matches(facts), kind] = True
        return found

    @property
    def triples(self) -> int:
        """The number of the table of triples."""
        return self.tables.index((True, 3))

    def sent(self, facts: FactColumns) -> Sent:
        """Return facts for the parts where they go, each once for a part. The home of each fact is among its parts.

        The row for the home of a fact has the flag `HOME`.
        """
        matched = [(form, form.matches(facts)) for form in self.forms]
        rows, homes = facts.rows, self._homes(facts.rows, [each for each in matched if each[0].column is not None])
        pairs, count = [np.empty(0, dtype=np.int64)], len(facts)
        copied = np.zeros(count, dtype=np.bool_)
        for number, (form, some) in enumerate(matched):
            if form.column is None:
                copied[some] = True
                continue
            values = rows[some, FIRST + max(0, form.column)]
            is_hot = self._are_hot(values, form.column)
            is_cold = ~is_hot | form.is_decided
            pairs.append(self.parts_by(values[is_cold], form.column) * count + some[is_cold])
            if form.atoms and is_hot.any():
                spread, parts = self._spread(number, rows, some[is_hot])
                copied[np.setdiff1d(some[is_hot], spread)] = True
                pairs.append(parts * count + spread)
        everywhere = np.flatnonzero(copied)
        pairs += [part * count + everywhere for part in range(self.parts)]
        at_home = homes * count + np.arange(count)
        away = [each[each != at_home[each % count]] for each in pairs if len(each)]  # few: most facts are at home alone
        parts, places = np.divmod(distinct(np.concatenate([pairs[0], *away])), max(1, count))
        rows = np.concatenate([rows, rows[places]])
        rows[:count, FLAG] |= HOME
        return Sent(rows, np.concatenate([homes, parts]))

    def _are_hot(self, values: Int32, column: int) -> NDArray[np.bool_]:
        """Return for each value in a column whether it is divided: bool[n]."""
        if column == TOGETHER or not self.hot:
            return np.zeros(len(values), dtype=np.bool_)
        return np.isin(values, [hot.value for hot in self.hot])

    def _spread(self, number: int, facts: Int32, some: Int64) -> tuple[Int64, Int64]:
        """Return where facts with hot values go that are spread: pairs of the index of a fact and a part, int64[m].

        `some` are the indexes of facts that match form `number`, with hot values in its column.
        """
        form, side = self.forms[number], isqrt(self.parts)
        found = [np.empty((0, 2), dtype=np.int64)]
        for hot in self.hot if form.atoms <= _SQUARE else ():
            rows = facts[some]
            is_mine = (rows[:, FIRST + (form.column or 0)] == hot.value) & (hot.form == number)
            for column, constant in zip(form.constants, hot.constants, strict=False):
                is_mine &= rows[:, FIRST + column] == constant
            mine = some[is_mine]
            if form.atoms == 1:
                found.append(np.column_stack([mine, hashes(facts[mine], self.parts)]))
            else:
                place = hashes(facts[mine], side)
                for other in range(side):
                    found += [np.column_stack([mine, each]) for each in (place * side + other, other * side + place)]
        spread = np.concatenate(found)
        return spread[:, 0], spread[:, 1]

    def counts(self, facts: Int32, least: int, step: int = 1) -> Int64:
        """Count facts by place and value: int64[n, 3 + k], rows `count, form, value, constants`.

        Counts below `least` are left out, and places by which nothing is joined. Each fact counts `step` times
        (`sample`). Cost: a pass over the facts for each place. Values are sorted only if they share a hash of 16 bits
        with so many facts.
        """
        by_column, least = FactColumns(facts), -(-least // step)
        counted = [n for n, form in enumerate(self.forms) if form.column not in (None, TOGETHER) and form.atoms]
        width = max((len(self.forms[number].constants) for number in counted), default=0)
        found = [np.empty((0, 3 + width), dtype=np.int64)]
        for number in counted:
            form = self.forms[number]
            mine = facts[form.matches(by_column)]
            columns = [FIRST + column for column in (form.column or 0, *form.constants)]
            mixed = _mixed(mine[:, columns])
            buckets = (mixed >> np.uint64(48)).astype(np.int64)
            many = np.flatnonzero((np.bincount(buckets) >= least)[buckets])
            mine, mixed = mine[many], mixed[many]
            ordered = np.sort(mixed)  # most values have few facts, so only the others are looked up
            starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]]) if len(ordered) else np.empty(0, np.int64)
            counts = np.diff(starts, append=len(ordered))
            some = np.flatnonzero(np.isin(mixed, ordered[starts[counts >= least]]))
            firsts = some[np.unique(mixed[some], return_index=True)[1]]
            part = np.zeros((len(firsts), 3 + width), dtype=np.int64)
            part[:, 0], part[:, 1] = counts[counts >= least] * step, number
            part[:, 2 : 2 + len(columns)] = mine[firsts][:, columns]
            found.append(part)
        return np.concatenate(found)

    def with_hot_values(self, counts: Int64, most: int) -> PartsPlan:
        """Return the plan that divides each value with more than `most` facts in a place, now or in a later round."""
        if self.parts == 1 or not len(counts):
            return self._replace(most=most)
        rows, numbers = np.unique(counts[:, 1:], axis=0, return_inverse=True)
        sums = np.bincount(numbers.ravel(), counts[:, 0]).astype(np.int64)
        best: dict[int, tuple[int, Hot]] = {}
        for (form, value, *constants), count in zip(rows.tolist(), sums.tolist(), strict=True):
            hot = Hot(value, form, tuple(constants[: len(self.forms[form].constants)]))
            if count > most:
                best[value] = max(best.get(value, (0, hot)), (count, hot))
        known = {hot.value for hot in self.hot}
        new = (hot for value, (_, hot) in best.items() if value not in known)
        return self._replace(hot=(*self.hot, *new), most=most)

    def parts_by(self, values: Int32, column: int) -> Int64:
        """Return the part of each fact that is placed by its value in a column: int64[n]."""
        return np.zeros(len(values), dtype=np.int64) if column == TOGETHER else part_of(values, self.parts)

    def _homes(self, facts: Int32, matched: Sequence[tuple[PlaceForm, Int64]]) -> Int64:
        column = np.full(len(facts), _UNPLACED)
        for form, found in matched:
            assert form.column is not None
            column[found] = np.minimum(column[found], _LAST if form.column == TOGETHER else form.column)
        starts = np.array([0 if is_triple or width == 1 else 1 for is_triple, width in self.tables], dtype=np.int64)
        column = np.where(column == _UNPLACED, starts[facts[:, TABLE]], np.where(column == _LAST, TOGETHER, column))
        values = facts[np.arange(len(facts)), FIRST + column]
        parts = np.where(column == TOGETHER, 0, part_of(values, self.parts))
        if not self.hot:
            return parts
        is_hot = (column != TOGETHER) & np.isin(values, [hot.value for hot in self.hot])
        return np.where(is_hot, hashes(facts, self.parts), parts)


def sample(size: int, least: int) -> tuple[Int64, int]:
    """Return indexes of some of `size` facts, and the number of facts for which each of them stands.

    They are enough to find the values with `least` facts, to some per cent. Chance chooses among neighbours, because
    every n-th fact of a table may have the same predicate.
    """
    step = min(_MOST_STEP, max(1, least // _COUNTED))
    firsts = np.arange(0, size - step + 1, step)
    return firsts + np.random.default_rng(0).integers(0, step, len(firsts)), step


def part_of(ids: Int32, parts: int) -> Int64:
    """Return the number of the part for each id: int64[n]."""
    mixed = ids.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    found: Int64 = ((mixed >> np.uint64(33)) % np.uint64(parts)).astype(np.int64)
    return found


def hashes(facts: Int32, count: int) -> Int64:
    """Return a number from 0 to `count` - 1 for each fact, by the hash of its row: int64[n]."""
    found: Int64 = ((_mixed(facts[:, TABLE:]) >> np.uint64(33)) % np.uint64(count)).astype(np.int64)
    return found


def _mixed(rows: Int32) -> NDArray[np.uint64]:
    mixed = np.zeros(len(rows), dtype=np.uint64)
    for column in rows.T:
        mixed = (mixed ^ column.astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    return mixed


def plan(
    placement: Placement,
    parts: int,
    engine: Engine,
    intern: Intern,
    quiet: int = 0,
    operators: OperatorsPlan = NO_OPERATORS,
) -> PartsPlan:
    """Turn a placement into numbers. `engine` numbers the tables; `intern` gives the ids of constants."""
    rules = dict.fromkeys(engine.encode(placement.rules, intern))
    first = dict.fromkeys(engine.encode(placement.first, intern))
    forms = _forms(placement.places, engine, intern, placement)
    heads = {head for rule in placement.rules for head in rule.heads if is_hidden(head)}
    texts = sorted({relation_text(str(head.relation), len(head.terms)) for head in heads})
    return PartsPlan(
        parts, tuple(engine.tables), tuple(rules), tuple(first), forms, frozenset(intern(texts)), quiet, operators
    )


def operators_plan(
    rules: Collection[Rule], schema: Iterable[Triple], placement: Placement, engine: Engine, intern: Intern
) -> OperatorsPlan:
    """Return what operators need. `schema` has all schema triples, inferred ones included.

    Raises StratificationError if the operators have no order of strata.
    """
    levels = stratify(with_instances(rules, schema)) if any(map(has_closed, rules)) else {}
    is_linked = any(map(is_equality, rules))
    reads = list[PatternPlace]()
    for each, key in placement.keys.items():
        variables, _ = parts_of(each)
        for atom in _read_as_texts(each, is_linked=is_linked):
            reads.append(PatternPlace(atom, TOGETHER if key == TOGETHER else atom.terms.index(variables[key])))
    if reads and is_linked:
        reads.append(PatternPlace(LINK, None))
    readers = (rule for rule in rules if all(head.relation != DATA for head in rule.heads))
    copied = dict.fromkeys(atom for rule in readers for atom in rule.data())
    everything = [PatternPlace(triple(*map(Variable, "spo")), None)] if copied and is_linked else []
    return OperatorsPlan(
        tuple(rule for rule in rules if not rule.has_plain_atoms or is_equality(rule)) if placement.keys else (),
        tuple(levels.items()),
        tuple(placement.keys.items()),
        _forms(reads, engine, intern),
        next(iter(intern([relation_text(DATA, 3)]))) if copied else 0,
        _forms(everything or [PatternPlace(triple(*atom.terms), None) for atom in copied], engine, intern),
        tuple(_outlasting(placement, levels, intern)),
    )


def _outlasting(placement: Placement, levels: Mapping[Waiting, Level], intern: Intern) -> Iterator[tuple[int, int]]:
    """Yield the pairs of `OperatorsPlan.outlasts`. Only recursion through MIN or MAX gives such pairs."""
    if not any(level.recursion for level in levels.values()):
        return
    rules = (*placement.rules, *placement.first)
    found = {atom: 0 for rule in rules for atom in rule.body if atom.relation in LITERALS}
    for each in placement.keys:
        if isinstance(each, Aggregation) and levels[each].recursion:
            found[each.value] = levels[each].level
        elif isinstance(each, Expression) and each not in levels:
            found |= dict.fromkeys([each.made, *([each.called] if each.called else [])], 0)
    texts = {relation_text(str(atom.relation), len(atom.terms)): level for atom, level in found.items()}
    yield from zip(texts.values(), map(int, intern(list(texts))), strict=True)


def _read_as_texts(operator: Waiting, *, is_linked: bool) -> list[Atom]:
    """Return the atoms whose terms an operator reads as texts. It compares its results with those that it has made."""
    match operator:
        case Expression(asks, made, _, _):
            return [asks, made]
        case Aggregation(aggregate, each, _, value):
            return [each, value] if is_linked or aggregate.function != "COUNT" else [value]
    return []


def _forms(
    places: Iterable[PatternPlace], engine: Engine, intern: Intern, placement: Placement | None = None
) -> tuple[PlaceForm, ...]:
    found = defaultdict[tuple[Any, ...], list[list[str]]](list)
    for place in places:
        pattern, column = place
        row = terms_of_row(pattern)
        table = engine.table(pattern.relation is None, len(row))
        constants = [n for n, term in enumerate(row) if not isinstance(term, Variable)]
        repeated = [(n, row.index(term)) for n, term in enumerate(row) if n not in constants and row.index(term) < n]
        at = column if column in (None, TOGETHER) else column + len(row) - len(pattern.terms)
        kind = (placement.atoms.get(place, 0), place in placement.decided) if placement else (0, False)
        found[table, tuple(constants), tuple(repeated), at, *kind].append([str(row[n]) for n in constants])
    ids = (np.array([list(intern(row)) for row in rows], dtype=np.int32) for rows in found.values())
    return tuple(PlaceForm._make((*key, rows.reshape(len(rows), -1))) for key, rows in zip(found, ids, strict=True))
