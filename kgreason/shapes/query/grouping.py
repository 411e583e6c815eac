"""GROUP BY and HAVING: a SELECT with aggregates as relations of rows and one of groups.

    SELECT $this (COUNT(?v) AS ?n) WHERE { G } GROUP BY $this HAVING (COUNT(?v) > 1)

    rows     shacl_rows(key, number of the alternative, every variable of G, the arguments)
    groups   shacl_rows(key, $this, values) :- AGGREGATE(rows ON $this BIND COUNT(?v) AS ?n)

A row has every variable, so two solutions are two rows. Law: COUNT of an expression counts the rows in which it has a
value, and is 0 for a group without one. Another aggregate errs for a group in which its expression errs. A group stays
if an aggregate errs, with NONE in the place of its value, which is an error in the expressions of SELECT and HAVING.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

from kgreason.errors import ShapesError
from kgreason.shapes.query.alternatives import UNBOUND, Alternative, without_values
from kgreason.shapes.query.forms import SelectForm
from kgreason.shapes.query.groups import Group
from kgreason.shapes.query.tokens import end_of, is_variable, variables
from kgreason.shapes.vocabulary import NONE, rows

_FUNCTIONS = frozenset(["COUNT", "SUM", "MIN", "MAX", "AVG", "SAMPLE", "GROUP_CONCAT"])
_OF_ANY_TERMS = frozenset(["COUNT", "MIN", "MAX", "SAMPLE"])
"""The aggregates that have a value for every group of terms."""


class Call(NamedTuple):
    """A call of an aggregate: its tokens, the function, and the tokens of the argument; COUNT(*) has none."""

    tokens: tuple[str, ...]
    function: str
    is_distinct: bool
    argument: tuple[str, ...]
    separator: str


class GroupCompiler(Protocol):
    """What a SELECT with aggregates needs of the compiler of its query."""

    where: str

    def alternatives(self, group: Group) -> list[Alternative]:
        """The alternatives of a group."""

    def fill(self, tokens: Iterable[str]) -> list[str]:
        """Tokens with the terms of variables that are bound before."""

    def bind(self, left: Alternative, tokens: Iterable[str], name: str) -> Iterator[Alternative]:
        """`left` with the value of an expression as a variable, and without a value where the expression errs."""

    def key(self) -> str:
        """The term of a new relation of rows."""

    def row(self, key: str, names: Iterable[str]) -> list[str]:
        """Patterns that stand for an atom of rows."""

    def add(self, head: str, *body: str) -> None:
        """Add a rule of a relation of rows, for the focus nodes."""

    def body_of(self, found: Alternative, needed: Iterable[str]) -> str:
        """The body of an alternative, without the atom for the focus nodes."""


def calls(expression: Sequence[str]) -> list[Call]:
    """Return the calls of aggregates in an expression."""
    found, place = list[Call](), 0
    while place < len(expression):
        is_call = expression[place].upper() in _FUNCTIONS and list(expression[place + 1 : place + 2]) == ["("]
        if not is_call:
            place += 1
            continue
        end = end_of(list(expression), place + 1, "a query")
        inner = list(expression[place + 2 : end])
        is_distinct = bool(inner) and inner[0].upper() == "DISTINCT"
        inner = inner[is_distinct:]
        separator = ""
        if ";" in inner:
            separator = f" ; SEPARATOR = {inner[-1]}"
            inner = inner[: inner.index(";")]
        argument = () if inner == ["*"] else tuple(inner)
        found.append(
            Call(tuple(expression[place : end + 1]), expression[place].upper(), is_distinct, argument, separator)
        )
        place = end + 1
    return found


def grouped_alternatives(compiler: GroupCompiler, form: SelectForm) -> list[Alternative]:
    """Return the alternatives of a SELECT with GROUP BY: the variables of a group, and the values of its aggregates."""
    if not form.by:
        raise ShapesError(f"{compiler.where}: a SELECT with an aggregate needs GROUP BY")
    expressions = [item.expression for item in form.items if item.expression]
    several = list(dict.fromkeys(call for each in (*expressions, *form.having) for call in calls(each)))
    for item in form.items:
        if not item.expression and item.name not in form.by:
            raise ShapesError(f"{compiler.where}: ?{item.name} is not in GROUP BY")
    found = _Rows(compiler, form, several)
    columns = [*found.by, *(f"value{place}" for place in range(len(several)))]
    key = compiler.key()
    terms = [key, *(found.name(name) for name in found.by), *(f"?value{place}" for place in range(len(several)))]
    inner = [found.value(place, call) for place, call in enumerate(several)] or [found.atom("")]
    compiler.add(rows(*terms), *inner)
    names = {call.tokens: found.read(place, call, key_number(key)) for place, call in enumerate(several)}
    shown = [f"?{name}" for name in found.by] + [f"?{name}_{key_number(key)}" for name in columns[len(found.by) :]]
    patterns = compiler.row(key, [each[1:] for each in shown])
    having = tuple(tuple(compiler.fill(_replace_calls(each, names))) for each in form.having)
    alternatives = [Alternative(tuple(patterns), having, names=frozenset(each[1:] for each in shown))]
    for item in form.items:
        if item.expression:
            tokens = _replace_calls(item.expression, names)
            alternatives = [one for each in alternatives for one in compiler.bind(each, tokens, item.name)]
    return alternatives


def key_number(key: str) -> str:
    """Return the number of a relation of rows, for names of variables."""
    return key.rpartition(" ")[2].strip('"')


class _Rows:
    """The relation of the rows of a group, and what its aggregates read of it."""

    def __init__(self, compiler: GroupCompiler, form: SelectForm, several: list[Call]) -> None:
        found = compiler.alternatives(form.group)
        self.by = sorted(set(form.by))
        self._compiler = compiler
        self._key = compiler.key()
        every = sorted(frozenset[str]().union(*(each.names for each in found)) - set(self.by))
        self._columns = ["number", *every, *(f"argument{place}" for place in range(len(several)))]
        self._may_err = [False] * len(several)
        for number, each in enumerate(found):
            if missing := set(self.by) - each.names - {"this"}:
                raise ShapesError(f"{compiler.where}: ?{min(missing)} of GROUP BY may have no value")
            terms = [self._key, *(self.name(name) for name in self.by), str(number)]
            terms += [self.name(name) if name in each.names else NONE for name in every]
            body = each
            for place, call in enumerate(several):
                body, term = self._argument(body, place, call)
                terms.append(term)
            needed = {*self.by, *each.names, *body.names}
            compiler.add(rows(*terms), compiler.body_of(body, needed))

    @staticmethod
    def name(name: str) -> str:
        """Return the variable of a rule for one of the query."""
        return "?x" if name == "this" else f"?q_{name}"

    def _argument(self, body: Alternative, place: int, call: Call) -> tuple[Alternative, str]:
        """Return the body with the argument of an aggregate, and the term for the value of the argument."""
        if not call.argument:
            return body, NONE
        (first, *others) = self._compiler.fill(call.argument)
        if not others and is_variable(first) and (first[1:] in body.names or first[1:] == "this"):
            return body, self.name(first[1:])
        self._may_err[place] = True
        name = f"argument{place}"
        missing = body.unbound | variables((first, *others)) - {"this"}
        text = " ".join(without_values((first, *others), missing - body.names))
        bind = ("BIND", "(", "COALESCE", "(", text, ",", NONE, ")", "AS", f"?{name}", ")")
        return body.joined(Alternative(bind, names=frozenset([name]), binds=frozenset([name]))), self.name(name)

    def atom(self, mark: str, place: int = -1, argument: str = "") -> str:
        """Return the atom of the rows, its variables but for those of the group marked; one argument may be a term."""
        terms = [f"?{name}{mark}" for name in self._columns]
        if argument:
            terms[len(terms) - len(self._may_err) + place] = argument
        return rows(self._key, *map(self.name, self.by), *terms)

    def _has_error(self, place: int, call: Call) -> bool:
        """Whether an aggregate errs for some groups of rows."""
        return call.function not in _OF_ANY_TERMS or (call.function != "COUNT" and self._may_err[place])

    def read(self, place: int, call: Call, number: str) -> tuple[str, ...]:
        """Return the tokens that stand for an aggregate in an expression: a variable, or an error in place of NONE."""
        variable = f"?value{place}_{number}"
        if not self._has_error(place, call):
            return (variable,)
        return ("IF", "(", "sameTerm", "(", variable, ",", NONE, ")", ",", *UNBOUND, ",", variable, ")")

    def value(self, place: int, call: Call) -> str:
        """Return what gives `?value` with a number the value of an aggregate."""
        by, mark = ", ".join(map(self.name, self.by)), f"_{place}"
        word = "DISTINCT " if call.is_distinct else ""
        shown = f"{call.function}({word}{f'?argument{place}{mark}' if call.argument else '*'}{call.separator})"
        if not call.argument and call.is_distinct:
            raise ShapesError(f"{self._compiler.where}: COUNT(DISTINCT *) is not supported")
        end = f" ON {by} BIND {shown} AS ?value{place})"
        whole = f"AGGREGATE({self.atom(mark)}{end}"
        if not self._has_error(place, call) and not self._may_err[place]:
            return whole
        key = self._compiler.key()
        head = [key, *map(self.name, self.by)]
        if call.function != "COUNT":
            valued = rows(self._compiler.key(), *head[1:], f"?value{place}")
            self._compiler.add(
                valued, whole, *([self._no_row(place, f"{mark}n", NONE)] if self._may_err[place] else [])
            )
            self._compiler.add(rows(*head, f"?value{place}"), valued)
            self._compiler.add(rows(*head, NONE), self.atom("_z"), f"NOT EXISTS ?value{place} IN ({valued})")
            return rows(*head, f"?value{place}")
        count = f"AGGREGATE({self.atom(mark)}, FILTER(!sameTerm(?argument{place}{mark}, {NONE})){end}"
        self._compiler.add(rows(*head, f"?value{place}"), count)
        self._compiler.add(rows(*head, "0"), self.atom("_z"), self._no_row(place, mark, ""))
        return rows(*head, f"?value{place}")

    def _no_row(self, place: int, mark: str, term: str) -> str:
        """Return the NOT EXISTS of a row of the group whose argument is a term, or has any value."""
        atom = self.atom(mark, place, term)
        local = [f"?{name}{mark}" for name in self._columns if not term or name != f"argument{place}"]
        test = "" if term else f", FILTER(!sameTerm(?argument{place}{mark}, {NONE}))"
        return f"NOT EXISTS {', '.join(local)} IN ({atom}{test})"


def _replace_calls(expression: Sequence[str], names: dict[tuple[str, ...], tuple[str, ...]]) -> list[str]:
    """Return an expression with other tokens in the place of calls of aggregates."""
    found, place, waiting = list[str](), 0, calls(expression)
    while place < len(expression):
        if waiting and tuple(expression[place : place + len(waiting[0].tokens)]) == waiting[0].tokens:
            call = waiting.pop(0)
            found += names[call.tokens]
            place += len(call.tokens)
        else:
            found.append(expression[place])
            place += 1
    return found
