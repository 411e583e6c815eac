"""`Frames`: rows of terms as tables of pandas, PyArrow and Polars. Each library is imported when it is first needed.

A column has the smallest type that fits all of its terms. An unbound variable is null, which fits every type.

    terms of the column                      Arrow, Polars                pandas
    xsd:integer and the types below it       int64                        Int64
    these and xsd:decimal, up to 38 digits   decimal128(38, scale)        object (decimal.Decimal)
    these and xsd:double, xsd:float          double                       Float64
    xsd:boolean                              bool                         boolean
    xsd:dateTime, all with a time zone       timestamp[us, UTC]           datetime64[us, UTC]
    xsd:dateTime, all without one            timestamp[us]                datetime64[us]
    xsd:date, without a time zone            date32                       object (datetime.date)
    anything else, or a mixture              string                       string

In a text column an IRI has no angle brackets, a blank node is `_:label`, a triple term is N-Triples text, and a literal
is its lexical form. A column also becomes text if its type cannot hold a value exactly: an ill-typed literal, a decimal
of 39 digits, a time finer than a microsecond, a year after 9999. The one exception: a column with a double is a column
of doubles, and its integers and decimals are rounded. With `ntriples=True` each column is the N-Triples text of its
terms, so that different terms stay different.

Cost: all rows in memory, and a few microseconds for each distinct term.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from kgreason.errors import InputError
from kgreason.graph.results.cells import Cell

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow


class Frames:
    """A base class for rows of terms. A subclass defines `_table`, which returns the column names and the rows."""

    __slots__ = ()

    def _table(self) -> tuple[Sequence[str], Iterable[Sequence[Cell]]]:
        raise NotImplementedError

    def to_arrow(self, *, ntriples: bool = False) -> pyarrow.Table:
        """Return the rows as a table of PyArrow; the module `frames` lists the types and explains `ntriples`.

        Raises InputError if PyArrow is not installed.
        """
        return self._arrow("PyArrow", ntriples)

    def to_pandas(self, *, ntriples: bool = False) -> pandas.DataFrame:
        """Return the rows as a frame of pandas; the module `frames` lists the dtypes and explains `ntriples`.

        Raises InputError if pandas or PyArrow is not installed.
        """
        try:
            import pandas
        except ImportError as error:
            raise _missing_package_error("pandas") from error
        table = self._arrow("pandas", ntriples)
        dtypes = {
            "int64": pandas.Int64Dtype(),
            "double": pandas.Float64Dtype(),
            "bool": pandas.BooleanDtype(),
            "string": pandas.StringDtype(),
        }
        return table.to_pandas(types_mapper=lambda kind: dtypes.get(str(kind)))

    def to_polars(self, *, ntriples: bool = False) -> polars.DataFrame:
        """Return the rows as a frame of Polars; the module `frames` lists the types and explains `ntriples`.

        Raises InputError if Polars or PyArrow is not installed.
        """
        try:
            import polars
        except ImportError as error:
            raise _missing_package_error("Polars") from error
        frame = polars.from_arrow(self._arrow("Polars", ntriples))
        assert isinstance(frame, polars.DataFrame)
        return frame

    def _arrow(self, wanted: str, ntriples: bool) -> pyarrow.Table:
        """Return the rows as a table of PyArrow. The frames of pandas and Polars are made from this table.

        `wanted` is the library that the user asked for. The error for a missing PyArrow names it.
        """
        try:
            import pyarrow
        except ImportError as error:
            raise _missing_package_error(wanted) from error
        from kgreason.graph.results.columns import column_of

        names, rows = self._table()
        cells = list(rows)
        columns = [column_of([row[place] for row in cells], ntriples=ntriples) for place in range(len(names))]
        types = {
            "integer": pyarrow.int64(),
            "double": pyarrow.float64(),
            "boolean": pyarrow.bool_(),
            "instant": pyarrow.timestamp("us", "UTC"),
            "local time": pyarrow.timestamp("us"),
            "date": pyarrow.date32(),
            "text": pyarrow.string(),
        }
        arrays = [
            pyarrow.array(values, pyarrow.decimal128(38, scale) if kind == "decimal" else types[kind])
            for kind, scale, values in columns
        ]
        return pyarrow.table(arrays, names=list(names))


def _missing_package_error(wanted: str) -> InputError:
    return InputError(f"tables of {wanted} need libraries that are not installed: pip install 'kgreason[frames]'")
