"""The answers of a graph: `Solutions` of a SELECT, `Triples` of a CONSTRUCT or DESCRIBE, `Matches` of a pattern.

    for row in graph.select("SELECT ?x ?y { ?x :partOf ?y }"):    row["x"]  row[0]  x, y = row
    graph.select(...).to_pandas()                                 to_arrow(), to_polars(): the types are in `frames`

Law: iteration, `to_pandas`, `to_arrow`, `to_polars` and `serialize` take the rows that are left. After its last row, an
answer of at most `KEPT` rows begins again. Reading a longer one again is an error, so that nobody takes it for an empty
answer. To read it several times, keep its rows: `rows = list(answer)`. `serialize` keeps no rows. A notebook shows the
first rows without taking them. An answer has the rows of the moment when the graph was asked.

Threads: only one thread at a time may read an answer.

Cost: a tenth of a microsecond a row, and Oxigraph's time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from io import BytesIO
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import IO, Generic, TypeAlias, TypeVar, cast

import pyoxigraph
from pyoxigraph import (
    DefaultGraph,
    Quad,
    QueryBoolean,
    QueryResultsFormat,
    QuerySolution,
    QuerySolutions,
    QueryTriples,
    RdfFormat,
    Triple,
    Variable,
)

from kgreason.errors import GraphBusyError, QueryError
from kgreason.graph.input.terms import checked_prefixes
from kgreason.graph.results.cells import Cell
from kgreason.graph.results.documents import LINES, sort_triples, used_prefixes, write_rows
from kgreason.graph.results.frames import Frames
from kgreason.graph.results.notebook import SHOWN, html_table
from kgreason.rdf.formats import is_writable_name, writable_format
from kgreason.store.oxigraph.failures import FAILURES, query_error
from kgreason.store.oxigraph.repeated_columns import RepeatedColumns
from kgreason.store.oxigraph.results import Results
from kgreason.store.oxigraph.update import Term

Output: TypeAlias = IO[bytes] | str | PathLike[str] | None
Known: TypeAlias = Callable[[], Mapping[str, str]]
"""Returns the prefixes of a graph."""
NO_PREFIXES: Known = dict
KEPT = 5000
"""An answer with so many rows can be read again."""
Row = TypeVar("Row", bound=QuerySolution | Triple | Quad)


class Answer(Frames, Iterator[Row], Generic[Row]):
    """Rows in the order in which they are found. An answer of at most `KEPT` rows can be read several times."""

    def __init__(self, names: Sequence[str], rows: Iterator[Row], prefixes: Known = NO_PREFIXES) -> None:
        self._names, self._prefixes = tuple(names), prefixes
        self._rows = rows
        self._first: deque[Row] = deque()
        self._kept: list[Row] | None = []
        """The rows that were given since the beginning; None if they are too many."""
        self._is_read = False

    def __iter__(self) -> Iterator[Row]:  # noqa: PYI034  # `self` may begin again
        """Iterate over the rows that were not read yet; once all were read, over all of them again.

        Raises QueryError if all rows were read, and there are more than `KEPT` of them.
        """
        if self._is_read:
            if self._kept is None:
                raise QueryError(
                    f"the rows of this answer were read already, and an answer of more than {KEPT} rows, or one that"
                    " was written, is read once: keep the rows with rows = list(answer), or ask again"
                )
            self._first, self._kept, self._is_read = deque(self._kept), [], False
        return self._rows_left()

    def _rows_left(self) -> Iterator[Row]:
        """Yield the rows that are left. This iterator never begins again, unlike the answer itself."""
        while True:
            try:
                yield next(self)
            except StopIteration:
                return

    def __next__(self) -> Row:
        """Return the next row.

        Raises QueryError if the query fails at this row, QueryTimeoutError if the timeout of the query has passed.
        """
        try:
            row = self._first.popleft() if self._first else self._next_row()
        except StopIteration:
            self._is_read = True
            raise
        if self._kept is not None:
            self._kept.append(row)
            if len(self._kept) > KEPT:
                self._kept = None
        return row

    def _note_all_written(self) -> None:
        """Note that Oxigraph has written the rows that were left, which nobody has kept."""
        self._kept, self._is_read = None, True

    def _next_row(self) -> Row:
        try:
            return next(self._rows)
        except FAILURES as error:
            raise query_error(error) from error
        except MemoryError as error:  # a limit of Oxigraph's parser, which reads the rows of the other process
            raise QueryError("a row has about 16 MB or more; run the query without a timeout") from error

    def _peek(self, count: int) -> list[Row]:
        """Return at most `count` of the next rows without taking them: they can still be read afterwards."""
        while len(self._first) < count:
            try:
                self._first.append(self._next_row())
            except StopIteration:
                break
        return list(islice(self._first, count))

    def _table(self) -> tuple[Sequence[str], Iterable[Sequence[Cell]]]:
        return self._names, map(_cells, self)

    def __repr__(self) -> str:
        read = "; all rows were read" if self._is_read and self._kept is None else ""
        return f"<{type(self).__name__}: {', '.join(self._names)}{read}>"

    def _repr_html_(self) -> str:
        """Return the next rows as an HTML table, which notebooks show. These rows can still be read afterwards.

        The prefixes of loaded files shorten IRIs. This does not wait for another thread that uses the graph.
        """
        if self._is_read and self._kept is not None:
            iter(self)
        try:
            rows = self._peek(SHOWN + 1)
        except GraphBusyError:
            name = type(self).__name__
            return html_table(f"{name}: another thread uses the graph; the rows can be read later", self._names, [])
        left = "" if self._kept == [] else " that are left"
        counted = f"the first {SHOWN} rows" if len(rows) > SHOWN else f"{len(rows)} row{'' if len(rows) == 1 else 's'}"
        return html_table(
            f"{type(self).__name__}: {counted}{left}", self._names, map(_cells, rows[:SHOWN]), self._prefixes()
        )


class Solution:
    """One solution of a SELECT: `row["x"]`, `row[0]` or `x, y = row`. A variable without a value gives None.

    `isinstance(row, pyoxigraph.QuerySolution)` is true. An unknown name raises KeyError, and a number without a
    column raises IndexError. pyoxigraph's own solutions give None in both cases.
    """

    __slots__ = ("_names", "_row")
    __class__ = QuerySolution  # type: ignore[assignment]
    __hash__ = None  # type: ignore[assignment]  # as pyoxigraph's solutions

    def __init__(self, names: tuple[str, ...], row: QuerySolution) -> None:
        self._names, self._row = names, row

    def __getitem__(self, key: str | int | Variable) -> Term | None:
        if isinstance(key, int):
            if not 0 <= key < len(self._names):
                raise IndexError(f"there is no column {key}; {self._columns()}")
        elif (key.value if isinstance(key, Variable) else key) not in self._names:
            raise KeyError(f"there is no column {key}; {self._columns()}")
        return cast("Term | None", self._row[key])

    def _columns(self) -> str:
        columns = ", ".join(f"{place} {name}" for place, name in enumerate(self._names))
        return f"the columns are {columns}" if columns else "the query has no columns"

    def __iter__(self) -> Iterator[Term | None]:
        return iter(self._row)

    def __len__(self) -> int:
        return len(self._row)

    def __eq__(self, other: object) -> bool:
        return bool(self._row == (other._row if type(other) is Solution else other))

    def __repr__(self) -> str:
        return repr(self._row)


class Solutions(Answer[QuerySolution]):
    """The solutions of a SELECT. The values of a solution are read by variable name, by number, or by iteration."""

    def __init__(self, found: QuerySolutions, prefixes: Known = NO_PREFIXES) -> None:
        super().__init__([variable.value for variable in found.variables], found, prefixes)
        self._found = found

    def _next_row(self) -> QuerySolution:
        return cast(QuerySolution, Solution(self._names, super()._next_row()))

    @property
    def variables(self) -> list[Variable]:
        """The variables, in the order of the SELECT."""
        return self._found.variables

    def serialize(self, output: Output = None, format: QueryResultsFormat | None = None) -> bytes | None:  # noqa: A002
        """Write the solutions that were not read yet as CSV, TSV, JSON or XML; once all were read, write all of them.

        `output` is a file or its path; if it is None, returns the bytes. Without a `format` the ending of the file name
        decides. Raises ValueError if no format has this ending.
        """
        iter(self)
        if self._first:
            return cast(QuerySolutions, RepeatedColumns(self._names, self)).serialize(output, format)
        written = self._found.serialize(output, format)
        self._note_all_written()
        return written


class Triples(Answer[Triple]):
    """The triples of a CONSTRUCT or DESCRIBE."""

    def __init__(self, found: QueryTriples, prefixes: Known = NO_PREFIXES) -> None:
        super().__init__(("subject", "predicate", "object"), found, prefixes)
        self._found = found

    def serialize(
        self,
        output: Output = None,
        format: RdfFormat | str | None = None,  # noqa: A002
        prefixes: Mapping[str, str] | None = None,
    ) -> bytes | None:
        """Write the triples that were not read yet in an RDF format; once all were read, write all of them.

        `output` is a file or its path; if it is None, returns the bytes. Without a `format` the ending of the file name
        decides. `serialize("turtle")` is short for `serialize(format="turtle")`.

        With a name, such as "turtle", "rdf" or "jsonld", the triples are sorted, and IRIs are shortened by `prefixes`
        and by the prefixes of loaded files. With a `RdfFormat` of pyoxigraph they come as they are found. Raises
        InputError for an unknown name, and for a term that the format cannot say.
        """
        iter(self)
        if format is None and isinstance(output, str) and is_writable_name(output):
            output, format = None, output  # noqa: A001
        if not isinstance(format, str):
            if self._first:
                return pyoxigraph.serialize(self, output, format)
            found = self._found.serialize(output, format)
            self._note_all_written()
            return found
        syntax = writable_format(format)
        rows = list(self) if syntax in LINES else sort_triples(self)
        known = used_prefixes(
            {**self._prefixes(), **checked_prefixes(prefixes)},
            sorted({str(term) for row in rows for term in row}),
            syntax,
        )
        file = BytesIO()
        write_rows(rows, file, syntax, known)
        if output is None:
            return file.getvalue()
        if isinstance(output, (str, PathLike)):
            Path(output).write_bytes(file.getvalue())
        else:
            output.write(file.getvalue())
        return None


class Matches(Answer[Quad]):
    """The quads that match a pattern. `begin` gives those that are left, also after an error."""

    def __init__(self, begin: Callable[[], Iterator[Quad]], prefixes: Known = NO_PREFIXES) -> None:
        super().__init__(("subject", "predicate", "object", "graph"), begin(), prefixes)
        self._begin = begin
        self.patience: float | None = None
        """How many seconds reading quads may wait while another thread uses the graph. None means no limit."""

    def _peek(self, count: int) -> list[Quad]:
        self.patience = 0
        try:
            return super()._peek(count)
        except GraphBusyError:
            self._rows = self._begin()
            raise
        finally:
            self.patience = None


QueryAnswer: TypeAlias = Solutions | QueryBoolean | Triples
"""The result of a query: solutions for SELECT, a boolean for ASK, triples for CONSTRUCT and DESCRIBE."""


def answer_of(results: Results, prefixes: Known = NO_PREFIXES) -> QueryAnswer:
    """Wrap the results of Oxigraph in a class of this module; a boolean stays as it is.

    `prefixes` returns the prefixes of the graph. It is called when the results are shown or written with prefixes.
    """
    if isinstance(results, QuerySolutions):
        return Solutions(results, prefixes)
    return Triples(results, prefixes) if isinstance(results, QueryTriples) else results


Wanted = TypeVar("Wanted", Solutions, QueryBoolean, Triples)


def check_form(results: QueryAnswer, wanted: type[Wanted]) -> Wanted:
    """Return the results unchanged if their class is `wanted`. Raises QueryError if the query has another form."""
    if not isinstance(results, wanted):
        name, forms = _FORMS[wanted]
        right, given = _FORMS[type(results)]
        raise QueryError(f"{name}() takes {forms}, and this query is {given}: use {right}()")
    return results


_FORMS: dict[type, tuple[str, str]] = {
    Solutions: ("select", "a SELECT query"),
    QueryBoolean: ("ask", "an ASK query"),
    Triples: ("construct", "a CONSTRUCT or DESCRIBE query"),
}


def _cells(row: QuerySolution | Triple | Quad) -> list[Cell]:
    return [None if isinstance(term, DefaultGraph) else term for term in row]
