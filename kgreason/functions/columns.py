"""Columns for batch functions: NumPy and Arrow arrays of values, and back.

    NDArray[np.int64]     int          pyarrow.Int64Array      int
    NDArray[np.float64]   float        pyarrow.DoubleArray     float
    NDArray[np.bool_]     bool         pyarrow.BooleanArray    bool
    NDArray[np.str_]      str          pyarrow.StringArray     str

An integer of more than 64 bits fits no column, so the function has no result for its row. A null in an Arrow array
means that the row has no result. Cost: a copy of each column.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, get_args, get_origin, get_type_hints

import numpy as np

from kgreason.functions.signature import Kinds

_NUMPY: dict[object, str] = {np.int64: "int", np.float64: "float", np.bool_: "bool", np.str_: "str"}
_DTYPES = {"int": np.int64, "float": np.float64, "bool": np.bool_, "str": np.str_}
_ARROW = {"Int64Array": "int", "DoubleArray": "float", "BooleanArray": "bool", "StringArray": "str"}
_MOST = 2**63


class Arguments(NamedTuple):
    """A batch of rows as columns: `arrays`. For each row `fits` says whether the columns contain the row."""

    arrays: list[Any]
    fits: list[bool]


def kinds(annotation: object) -> Kinds | None:
    """Return the type of the values in a column, as a tuple with one name of a type: int, float, bool or str.

    `annotation` is the annotation of a parameter or result. The result is None if it is not in the table above.
    """
    if get_origin(annotation) is np.ndarray:
        (dtype,) = get_args(get_args(annotation)[1])[:1] or (None,)
        return (_NUMPY[dtype],) if dtype in _NUMPY else None
    name = getattr(annotation, "__name__", "")
    is_arrow = getattr(annotation, "__module__", "").partition(".")[0] == "pyarrow"
    return (_ARROW[name],) if is_arrow and name in _ARROW else None


def arguments(call: Callable[..., Any], rows: Sequence[Sequence[Any]]) -> Arguments:
    """Turn rows of arguments into columns, of the types that the parameters of the function `call` have.

    A row with an integer that is too large is left out.
    """
    hints = get_type_hints(call)
    annotations = [annotation for name, annotation in hints.items() if name != "return"]
    fits = [not any(type(value) is int and not -_MOST <= value < _MOST for value in row) for row in rows]
    kept = [row for row, is_kept in zip(rows, fits, strict=True) if is_kept]
    columns = zip(*kept, strict=True) if kept else ()
    return Arguments(
        [_array(annotation, list(column)) for annotation, column in zip(annotations, columns, strict=False)], fits
    )


def _array(annotation: object, values: list[Any]) -> Any:
    (kind,) = kinds(annotation) or ("str",)
    if get_origin(annotation) is np.ndarray:
        return np.array(values, dtype=_DTYPES[kind])
    import pyarrow as pa

    types = {"int": pa.int64(), "float": pa.float64(), "bool": pa.bool_(), "str": pa.string()}
    return pa.array(values, types[kind])


def results(column: Any) -> list[Any] | None:
    """Return the values of a column that a function gave back, as a list; None if `column` is no column."""
    for name in ("to_pylist", "tolist"):
        if hasattr(column, name):
            found = getattr(column, name)()
            return found if isinstance(found, list) else None
    return list(column) if isinstance(column, (list, tuple)) else None
