"""The operators of a program as small tables: which facts they read, and which facts they write.

    reads     a fact that an operator reads     form, constants -> operator, does, stratum, role, the columns of keys
    writes    a fact that an operator asserts   operator, kind -> table, and for each column: a constant, key or result

An operator reads facts of hidden relations (rules/lowering.py). The values of the variables in such a fact are its
*keys*. The role of a fact says what it means: values that a rule asks for (`ASKS`), a match of the negated or
aggregated atoms (`MET`), or a result that the operator has asserted already (`KNOWN`). The number `does` says what the
operator is: `NOT`, `COMPUTE` or `GROUP`. One join finds the facts for all operators (`forms`).

Operators have the same strata as in the engine of one process (rules/strata.py). FILTER and BIND have stratum 0, so
they do not wait for other operators.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import chain
from typing import NamedTuple, TypeAlias

from kgreason.engine.program.encoding import columns_of, relation_text
from kgreason.errors import RuleError
from kgreason.ontology.generic.instances import with_instances
from kgreason.rules.formatter import format_aggregate
from kgreason.rules.lowering import (
    Aggregation,
    Function,
    Negation,
    aggregations,
    functions,
    negations,
)
from kgreason.rules.model import DATA, Atom, Rule, Term, Triple, Variable, label, triple
from kgreason.rules.strata import Level, has_closed, is_equality, stratify
from kgreason.spark.close.operators.forms import NONE, Form, Row, Table, names

ASKS, MET, KNOWN = 0, 1, 2
"""The roles of atoms; see the top of this file."""
NOT, COMPUTE, GROUP = 0, 1, 2
"""What an operator does: a negation, an expression or an aggregate."""
MADE, CALLED = 0, 1
"""The kinds of facts that an operator writes: a result; or a note that a Python function was called for an input."""
Operation: TypeAlias = Negation | Function | Aggregation
_KINDS = {Negation: NOT, Function: COMPUTE, Aggregation: GROUP}
READ = ("operator", "does", "stratum", "role")
"""The columns of a row that an operator reads, before its keys."""
_AT_ONCE = Level(0)
TableOf = Callable[[tuple[bool, int]], int]


class Operator(NamedTuple):
    """An operator: `level` is its stratum, `rule` the label of a rule that has it, `does` what it computes.

    `is_recursive` says that it reads its own results, which only aggregates with MIN or MAX can do.
    """

    level: int
    rule: str
    is_recursive: bool
    does: Operation

    @property
    def kind(self) -> int:
        """What the operator does, as a number: `NOT`, `COMPUTE` or `GROUP`."""
        return _KINDS[type(self.does)]


class Operators(NamedTuple):
    """All operators of a program.

    `data` are the triple patterns that rules have after `DATA`, which match asserted triples only. `is_linked` says
    that the program has rules about owl:sameAs.
    """

    all: tuple[Operator, ...]
    data: tuple[Atom, ...]
    is_linked: bool

    def texts(self) -> Iterator[str]:
        """Yield the texts of the constants in all atoms that operators read or write."""
        reads = (atom for operator in self.all for _, atom, _ in _reads(operator))
        writes = (atom for operator in self.all for _, atom, _ in _writes(operator))
        for atom in chain(reads, writes, self.data):
            yield from (term for term in columns_of(atom) if not isinstance(term, Variable))
        if self.data:
            yield relation_text(DATA, 3)

    def recursive(self) -> Operator | None:
        """Return an aggregate that reads its own results, from the lowest stratum with one. None if there is none."""
        return min((each for each in self.all if each.is_recursive), key=lambda each: each.level, default=None)


class Between(NamedTuple):
    """Operators as the tables `reads` and `writes`, which the docstring of the module explains.

    `keys` is the largest number of keys of an atom, `constants` the largest number of constants. In `writes`, a number
    says what a column of the asserted fact holds: an id stands for itself, `-1 - n` for key n, `-1 - keys` for the
    result.
    """

    operators: Operators
    forms: tuple[Form, ...]
    constants: int
    keys: int
    reads: Table
    writes: Table


class Patterns(NamedTuple):
    """The triple patterns that rules have after `DATA`, as a table `rows` with the columns `form, k0..` (constants).

    Each asserted triple that a pattern matches is also a fact of a hidden relation, whose id is `relation`. With
    `are_all`, each asserted triple is such a fact, whether a pattern matches it or not. `table` is the number of the
    table of triples.
    """

    forms: tuple[Form, ...]
    constants: int
    rows: Table
    relation: int
    table: int
    are_all: bool


def operators_of(rules: Collection[Rule], schema: Iterable[Triple]) -> Operators:
    """Return the operators of `rules`. `schema` has all schema triples, inferred ones included.

    Raises StratificationError if the operators have no order of strata.
    """
    levels = stratify(with_instances(rules, schema)) if any(map(has_closed, rules)) else {}
    found: dict[Operation, Operator] = {}
    for rule in rules:
        operations: list[Operation] = [*negations(rule), *aggregations(rule), *functions(rule)]
        for each in operations:
            at = levels.get(each, _AT_ONCE)
            found.setdefault(each, Operator(at.level, label(rule), bool(at.recursion), each))
    data = dict.fromkeys(atom for rule in rules for atom in rule.data() if not _copies_data(rule))
    return Operators(tuple(found.values()), tuple(data), any(map(is_equality, rules)))


def check_recursion(operators: Operators) -> None:
    """Raise RuleError for a recursion through MIN or MAX: it would have to retract values, which Spark cannot do."""
    if (found := operators.recursive()) is None:
        return
    assert isinstance(found.does, Aggregation)
    said = format_aggregate(found.does.aggregate, {})
    raise RuleError(
        f"{found.rule}: Spark cannot evaluate the recursion of {said}; evaluate these rules in one process "
        "(--pipeline local)"
    )


def between(operators: Operators, ids: Mapping[str, int], table: TableOf) -> Between:
    """Make the tables of operators. `ids` maps the texts of constants to ids.

    `table` gives the number of a table of facts. Its argument is (whether the table holds triples, number of columns).
    """
    reads = [(number, *each) for number, operator in enumerate(operators.all) for each in _reads(operator)]
    writes = [(number, *each) for number, operator in enumerate(operators.all) for each in _writes(operator)]
    writer = Forms(ids, table)
    found = [(writer.key(atom), number, role, writer.columns(atom, keys)) for number, role, atom, keys in reads]
    all_ = operators.all
    constants = max((len(form.constants) for form in writer.numbers), default=0)
    width = max((len(keys) for *_, keys in reads), default=0)
    rows = [
        (
            *_padded(key, constants + 1, 0),
            number,
            all_[number].kind,
            all_[number].level,
            role,
            *_padded(columns, width, NONE),
        )
        for key, number, role, columns in found
    ]
    heads = [(number, kind, *writer.head(atom, keys, width)) for number, kind, atom, keys in writes]
    wide = max(map(len, heads), default=3)
    return Between(
        operators,
        tuple(writer.numbers),
        constants,
        width,
        Table(("form", *names("k", constants), *READ, *names("a", width)), rows),
        Table(("operator", "kind", "tbl", *names("h", wide - 3)), [_padded(head, wide, 0) for head in heads]),
    )


class Forms:
    """Turns atoms into numbered forms (`forms.Form`) and constants. `numbers` maps each form so far to its number."""

    def __init__(self, ids: Mapping[str, int], table: TableOf) -> None:
        self._ids, self._table = ids, table
        self.numbers: dict[Form, int] = {}

    def key(self, atom: Atom) -> Row:
        """Return the number of the form of an atom, then the ids of its constants."""
        columns = columns_of(atom)
        places = [place for place, term in enumerate(columns) if not isinstance(term, Variable)]
        repeated = [
            (place, columns.index(term))
            for place, term in enumerate(columns)
            if isinstance(term, Variable) and columns.index(term) < place
        ]
        form = Form(self._number(atom, columns), tuple(places), tuple(repeated))
        number = self.numbers.setdefault(form, len(self.numbers))
        return number, *(self._ids[str(columns[place])] for place in places)

    def columns(self, atom: Atom, keys: tuple[Variable, ...]) -> Row:
        """Return, for each variable of `keys`, the number of the atom's column that has it."""
        return tuple(map(columns_of(atom).index, keys))

    def head(self, atom: Atom, keys: tuple[Variable, ...], result: int) -> Row:
        """Turn an atom that an operator asserts into numbers: the number of its table, then a code for each column.

        The code of a constant is its id, the code of variable number n of `keys` is `-1 - n`. Any other variable is
        the result of the operator, and its code is `-1 - result`.
        """
        columns = columns_of(atom)
        numbers = {term: -1 - number for number, term in enumerate(keys)}
        values = (numbers.get(term, -1 - result) if isinstance(term, Variable) else self._ids[term] for term in columns)
        return self._number(atom, columns), *values

    def _number(self, atom: Atom, columns: tuple[Term, ...]) -> int:
        return self._table((atom.relation is None, len(columns)))


def patterns_of(operators: Operators, ids: Mapping[str, int], table: TableOf) -> Patterns | None:
    """Make a table of the triple patterns that rules have after `DATA`. Returns None if there are no such patterns."""
    if not operators.data:
        return None
    writer = Forms(ids, table)
    keys = [writer.key(triple(*atom.terms)) for atom in operators.data]
    constants = max(len(form.constants) for form in writer.numbers)
    rows = dict.fromkeys(_padded(key, constants + 1, 0) for key in keys)
    relation = ids[relation_text(DATA, 3)]
    found = Table(("form", *names("k", constants)), list(rows))
    return Patterns(tuple(writer.numbers), constants, found, relation, table((True, 3)), operators.is_linked)


def _reads(operator: Operator) -> Iterator[tuple[int, Atom, tuple[Variable, ...]]]:
    """Yield each atom that an operator reads, as (role, atom, the operator's keys in their order)."""
    match operator.does:
        case Negation(pattern, asks, none, _):
            keys = _variables(asks)
            yield from ((ASKS, asks, keys), (MET, pattern, keys), (KNOWN, none, keys))
        case Function(asks, made, _, called):
            yield ASKS, asks, _variables(asks)
            yield KNOWN, called or made, _variables(asks)
        case Aggregation(_, each, keys, value):
            yield from ((MET, each, keys), (KNOWN, value, _variables(value)))


def _writes(operator: Operator) -> Iterator[tuple[int, Atom, tuple[Variable, ...]]]:
    """Yield each atom that an operator asserts, as (kind, atom, the operator's keys in their order).

    The variable of the result is not among the keys.
    """
    match operator.does:
        case Negation(_, asks, none, _):
            yield MADE, none, _variables(asks)
        case Function(asks, made, _, called):
            yield MADE, made, _variables(asks)
            if called:
                yield CALLED, called, _variables(asks)
        case Aggregation(aggregate, _, _, value):
            yield MADE, value, aggregate.group


def _variables(atom: Atom) -> tuple[Variable, ...]:
    return tuple(dict.fromkeys(term for term in atom.terms if isinstance(term, Variable)))


def _copies_data(rule: Rule) -> bool:
    return any(head.relation == DATA for head in rule.heads)


def _padded(row: Row, size: int, fill: int) -> Row:
    return row + (fill,) * (size - len(row))
