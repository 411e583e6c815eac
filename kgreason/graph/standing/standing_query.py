"""`StandingQuery`: a query that tells a callback which of its rows appear and disappear.

    delta -> the values that its triples give to certain variables -> the solutions with these values, evaluated again

If a query has no plan (`reading`), or a commit changes too much, the whole query is evaluated again.

Law: all rows that have appeared, minus all rows that have disappeared, are the rows of the query after the last commit:
as a bag, or as a set if the query says DISTINCT or REDUCED. Threads: the thread that made a commit calls
`on_commit`. It has the graph's lock.

Cost: with a plan, the evaluation of the solutions that may have changed; else the evaluation of the whole query.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from typing import NamedTuple, TypeAlias

from pyoxigraph import QueryBoolean, QuerySolutions, Variable

from kgreason.errors import QueryError
from kgreason.graph.changes.delta import Delta
from kgreason.graph.input.terms import text_of
from kgreason.graph.results.answers import QueryAnswer, Solutions
from kgreason.graph.standing.reading import Pattern, Plan, is_distinct, plan_of
from kgreason.graph.standing.rows import Bindings, Row, Rows
from kgreason.interrupts import as_one, at_once, let_out
from kgreason.rules.model import Triple
from kgreason.store.spellings import normal_forms

_MOST = 1_000
"""If a commit gives more bindings than this, the whole query is evaluated again."""
_SOME = 1_000
"""After so many triples `check` is called."""
Ask: TypeAlias = Callable[[str], QueryAnswer | QuerySolutions]


class RowChange(NamedTuple):
    """What a commit changed in the rows of a query: rows that appeared, and rows that disappeared.

    A row has the values of `columns` as N-Triples text, None for a variable without a value. A row that comes twice is
    in the list twice. The answer of ASK is a row without columns, which is there if the answer is true. `error` is the
    error that ended the standing query, if it ended.
    """

    commit: int
    columns: tuple[str, ...]
    appeared: list[Row]
    disappeared: list[Row]
    error: QueryError | None = None


class StandingQuery:
    """A query and its present rows; `KnowledgeGraph.standing` makes one."""

    def __init__(
        self,
        ask: Ask,
        sparql: str,
        prefixes: Mapping[str, str],
        base: str | None,
        commit: int,
        tell: Callable[[RowChange], object],
        room: Callable[[], float] = lambda: math.inf,
    ) -> None:
        """Evaluate the query, and call `tell` with its rows. `ask` evaluates a query.

        `room` returns how many characters more rows may have.
        `commit` is the number of the last commit. `prefixes` and `base` are those that the text of the query may use.
        Raises QueryError for a query that is not SELECT or ASK.
        """
        self._ask, self._sparql, self._callback, self._room = ask, sparql, tell, room
        self.size = 0
        """How many characters the present rows have."""
        self._check: Callable[[], object] = let_out
        begun = time.perf_counter()
        found = ask(sparql)
        if not isinstance(found, (Solutions, QuerySolutions, QueryBoolean)):
            raise QueryError("a standing query is a SELECT or an ASK query")
        self.columns = () if isinstance(found, QueryBoolean) else tuple(each.value for each in found.variables)
        """The names of the columns."""
        self._is_set = is_distinct(sparql)
        self._plan = None if isinstance(found, QueryBoolean) else plan_of(sparql, prefixes, base)
        extra = sorted(self._plan.certain - set(self.columns)) if self._plan else []
        self._names = (*self.columns, *extra)
        self._rows = Rows(self._names)
        self._shown: Counter[Row] = Counter()
        self._is_ended = False
        self.end: Callable[[], object] = lambda: None
        """Ends the subscription of the query."""
        rows = self._rows.replace_all(self._all_solutions(found if self._plan is None else None))
        self.seconds = time.perf_counter() - begun if self._plan is None else 0.0
        """How long the last commit took, or the whole query if the query has no plan."""
        self._report(commit, rows)

    @property
    def is_incremental(self) -> bool:
        """Whether commits are answered from their deltas, without evaluating the whole query again."""
        return self._plan is not None

    @property
    def rows(self) -> list[Row]:
        """The present rows. A row that comes twice is in the list twice, unless the query says DISTINCT or REDUCED."""
        return list(self._shown if self._is_set else self._shown.elements())

    def close(self) -> None:
        """End the standing query: its callback is not called any more."""
        self._is_ended = True
        self.end()

    @as_one
    def on_commit(
        self,
        delta: Delta,
        reason: Callable[[QueryError], QueryError] = lambda error: error,
        check: Callable[[], object] = let_out,
    ) -> None:
        """Tell the callback what a commit changed in the rows.

        If the query fails, the callback is told the error that `reason` makes of its error, and the standing query
        ends. `check` is called now and then, and may raise a QueryError.
        """
        self._check = check
        self._report_change(delta.commit, lambda: self._change(delta), reason)

    @as_one
    def renew(self, commit: int) -> None:
        """Evaluate the whole query again, and tell the callback what has changed in the rows since the last time.

        `commit` is the number of the last commit. This is for who does not call `on_commit`.
        """
        self._check = let_out
        self._report_change(commit, lambda: self._rows.replace_all(self._all_solutions(None)), lambda error: error)

    def _report_change(
        self, commit: int, changed: Callable[[], Counter[Row]], reason: Callable[[QueryError], QueryError]
    ) -> None:
        """Tell the callback what `changed` returns, or the error that `reason` makes of the error that it raises."""
        if self._is_ended:
            return
        begun = time.perf_counter()
        try:
            self._check()
            counts = changed()
        except QueryError as error:
            self.close()
            # Its traceback holds Oxigraph's solutions, which must be dropped in the thread that made them.
            self._call_subscribers(RowChange(commit, self.columns, [], [], reason(error).with_traceback(None)))
            return
        self.seconds = time.perf_counter() - begun
        self._report(commit, counts)

    def _change(self, delta: Delta) -> Counter[Row]:
        if self._plan is None:
            return self._rows.replace_all(self._all_solutions(None))
        bindings = _bindings(self._plan, chain(delta.appeared(), delta.disappeared()), self._check)
        if bindings is None:
            return self._rows.replace_all(self._all_solutions(None))
        if not bindings:
            return Counter()
        return self._rows.replace(bindings, self._solutions_again(self._plan, bindings))

    def _all_solutions(self, found: QueryAnswer | QuerySolutions | None) -> Iterable[Row]:
        """Return all solutions of the query.

        `found` is the answer of the query if it was evaluated just now, otherwise None.
        """
        let_out()
        if self._plan is not None:
            found = self._ask(f"{self._plan.prologue}{self._select_clause} {{ {self._plan.block} }}")
            return self._rows_of_answer(found, replaced=self.size)
        found = self._ask(self._sparql) if found is None else found
        if isinstance(found, QueryBoolean):
            return [()] if found else []
        return self._rows_of_answer(found, replaced=self.size)

    @property
    def _select_clause(self) -> str:
        return f"SELECT {' '.join(f'?{name}' for name in self._names)}"

    def _solutions_again(self, plan: Plan, bindings: Bindings) -> Iterable[Row]:
        """Evaluate the query again, only for solutions that have the values of at least one binding.

        A solution that has the values of several bindings is not repeated.
        """
        found: dict[Row, int] = {}
        for names, values in bindings.items():
            rows = " ".join(f"({' '.join(value)})" for value in values)
            given = f"VALUES ({' '.join(f'?{name}' for name in names)}) {{ {rows} }}"
            counts = Counter(
                self._rows_of_answer(self._ask(f"{plan.prologue}{self._select_clause} {{ {given} {plan.block} }}"))
            )
            found |= counts
        return Counter(found).elements()

    def _rows_of_answer(self, found: QueryAnswer | QuerySolutions, replaced: int = 0) -> Iterable[Row]:
        """Yield the rows of an answer. They may have as many characters more as the rows that they replace."""
        assert isinstance(found, (Solutions, QuerySolutions))
        variables, room = [Variable(name) for name in self._names], self._room() + replaced
        for solution in found:
            terms = [solution[variable] for variable in variables]
            row = tuple([None if term is None else text_of(term) for term in terms])
            room -= _character_count(row)
            if room < 0:
                raise QueryError("the rows of all standing queries have too many characters together, with this one's")
            yield row

    def _call_subscribers(self, change: RowChange) -> None:
        with at_once():
            self._callback(change)

    def _report(self, commit: int, changed: Counter[Row]) -> None:
        """Tell the callback what changed in the rows after commit `commit`.

        `changed` says by how much the count of each solution has changed. The callback is called if a row appears or
        disappears. At the first call of this method, the callback is always called.
        """
        width, is_first = len(self.columns), not hasattr(self, "_is_begun")
        self._is_begun = True
        net: Counter[Row] = Counter()
        for row, count in changed.items():
            net[row[:width]] += count
            self.size += count * _character_count(row)
        come, gone = list[Row](), list[Row]()
        for row, count in net.items():
            was = self._shown[row]
            is_ = was + count
            if is_:
                self._shown[row] = is_
            else:
                self._shown.pop(row, None)
            if self._is_set:
                was, is_ = bool(was), bool(is_)
            (come if is_ > was else gone).extend([row] * abs(is_ - was))
        if come or gone or is_first:
            self._call_subscribers(RowChange(commit, self.columns, come, gone))


def _character_count(row: Row) -> int:
    return sum([len(text) for text in row if text is not None])


def _bindings(plan: Plan, triples: Iterable[Triple], check: Callable[[], object]) -> Bindings | None:
    """Return bindings of certain variables (`reading`): only solutions with these values may have changed.

    `triples` are the triples that appeared or disappeared. Returns None if any solution may have changed, or if there
    are too many bindings. `check` is called now and then, and may raise.
    """
    found: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
    count = 0
    for number, triple in enumerate(triples):
        if number % _SOME == 0:
            check()
        for pattern in plan.patterns:
            values = _variable_values(pattern, triple)
            if values is None:
                continue
            names = tuple(sorted(name for name in values if name in plan.certain and not _has_blank(values[name])))
            if not names:
                return None
            found.setdefault(names, set()).add(tuple(values[name] for name in names))
            count += 1
            if count > _MOST:
                return None
    return _normal_bindings(found)


def _variable_values(pattern: Pattern, triple: Triple) -> dict[str, str] | None:
    """Return the values that a triple gives to the variables of a pattern; None if the triple does not match it."""
    values: dict[str, str] = {}
    for name, constant, term in zip(pattern.variables, pattern.terms, triple, strict=True):
        if constant is not None and constant != term:
            return None
        if name is not None and values.setdefault(name, term) != term:
            return None
    return values


def _has_blank(text: str) -> bool:
    """Return whether a term is a blank node, or a triple term that may have one. VALUES cannot have such a term."""
    return text.startswith("_:") or (text.startswith("<<(") and "_:" in text)


def _normal_bindings(found: dict[tuple[str, ...], set[tuple[str, ...]]]) -> Bindings:
    """Return the bindings `found` with each literal in its normal form."""
    literals = sorted({text for values in found.values() for value in values for text in value if text[0] == '"'})
    normal = dict(zip(literals, normal_forms(literals), strict=True)) if literals else {}
    return {
        names: {tuple(normal.get(text, text) for text in value) for value in values} for names, values in found.items()
    }
