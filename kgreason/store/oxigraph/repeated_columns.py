"""`RepeatedColumns`: the solutions of a SELECT that names a variable more than once, as in `SELECT ?s ?s`.

    columns s t s, Oxigraph's rows (s t)    ->    rows (s t s)

pyoxigraph has no results with two columns of one name. Rows, CSV and TSV repeat the column. JSON and XML have the value
of each variable under its name, so they name each variable once.

Cost: a few microseconds a row. CSV and TSV are written to memory first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import Any, cast

from pyoxigraph import QueryResultsFormat, QuerySolution, QuerySolutions, Variable

from kgreason.store.oxigraph.results import Output, Term, solutions_of_rows


class RepeatedColumns:
    """The solutions `rows` with the columns `names`, in which a name may be repeated.

    Threads: only one thread at a time may use an object.
    """

    __class__ = QuerySolutions  # type: ignore[assignment]

    def __init__(self, names: Sequence[str], rows: Iterator[QuerySolution]) -> None:
        self._names, self._rows = tuple(names), rows

    @property
    def variables(self) -> list[Variable]:
        """The variables, each as often as the query names it."""
        return list(map(Variable, self._names))

    def __iter__(self) -> RepeatedColumns:
        return self

    def __next__(self) -> QuerySolution:
        return cast(QuerySolution, _Row(self._names, next(self._rows)))

    def __repr__(self) -> str:
        return f"<RepeatedColumns of {' '.join(map(str, self.variables))}>"

    def serialize(self, output: Output = None, format: QueryResultsFormat | None = None) -> bytes | None:  # noqa: A002
        """Serialize the rows that were not taken yet, as pyoxigraph's `QuerySolutions.serialize` does."""
        if format is None and isinstance(output, (str, PathLike)):
            format = QueryResultsFormat.from_extension(Path(output).suffix[1:])  # noqa: A001
        if format not in (QueryResultsFormat.CSV, QueryResultsFormat.TSV):
            return solutions_of_rows(list(map(Variable, dict.fromkeys(self._names))), self._rows).serialize(
                output, format
            )
        text = self._table(format)
        if output is None:
            return text
        if isinstance(output, (str, PathLike)):
            Path(output).write_bytes(text)
        else:
            output.write(text)
        return None

    def _table(self, syntax: QueryResultsFormat) -> bytes:
        """Return the rows as CSV or TSV. pyoxigraph writes them under other names, whose line is replaced."""
        numbered = [f"c{place}" for place in range(len(self._names))]
        rows = (dict(zip(numbered, row, strict=True)) for row in self)
        written = BytesIO()
        solutions_of_rows(list(map(Variable, numbered)), cast(Any, rows)).serialize(written, syntax)
        is_csv = syntax == QueryResultsFormat.CSV
        mark, comma, end = ("", ",", "\r\n") if is_csv else ("?", "\t", "\n")
        head = comma.join(f"{mark}{name}" for name in self._names) + end
        return head.encode() + written.getvalue().partition(end.encode())[2]


class _Row:
    """A solution whose columns have the names `names`."""

    __slots__ = ("_names", "_row")
    __class__ = QuerySolution  # type: ignore[assignment]
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, names: tuple[str, ...], row: QuerySolution) -> None:
        self._names, self._row = names, row

    def __getitem__(self, key: str | int | Variable) -> Term | None:
        return cast("Term | None", self._row[self._names[key] if isinstance(key, int) else key])

    def __iter__(self) -> Iterator[Term | None]:
        return (self[place] for place in range(len(self._names)))

    def __len__(self) -> int:
        return len(self._names)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, QuerySolution) and list(self) == list(cast(Any, other))

    def __repr__(self) -> str:
        return repr(self._row)
