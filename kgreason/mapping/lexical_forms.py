"""`ColumnValues`: the values of an Arrow column, and their lexical forms in XSD.

    bool                            xsd:boolean           true, false
    integers                        xsd:integer           7
    float, halffloat                xsd:float             0.1, NaN never: it counts as missing
    double                          xsd:double            1.0, 1e+16, INF
    decimals                        xsd:decimal           1.5: without zeros at the end
    date                            xsd:date              2026-01-01
    timestamp                       xsd:dateTime          2026-01-01T12:00:00.5Z, in the time zone of the column
    time                            xsd:time              12:00:00
    duration                        xsd:dayTimeDuration   PT5400S
    strings, UUIDs                  xsd:string
    dictionary                      as its values
    lists                           as their items: several values

Law: the lexical form has exactly the value; a value that the datatype does not have is an error that names column, row
and value. Cost: Arrow's casts. Python looks at a value only where `_decimal_texts` needs it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds

from kgreason.errors import InputError
from kgreason.terms import vocabulary as v

Rows: TypeAlias = "np.ndarray[Any, np.dtype[np.int64]]"
TEXT = pa.large_string()
_DIGITS = {"s": 0, "ms": 3, "us": 6, "ns": 9}
_MOST_SHOWN = 60


@dataclass(frozen=True, slots=True)
class ColumnValues:
    """The values of a column of a batch.

    `name` is the name of the column. `rows` are the numbers of the rows that the values belong to, int64[n]; the first
    row of a table is row 1.
    """

    name: str
    values: pa.Array
    rows: Rows

    def items(self) -> ColumnValues:
        """Return the column with the items of lists in place of the lists, and without dictionary. NaN becomes null."""
        values, rows = self.values, self.rows
        while True:
            if isinstance(values, pa.ExtensionArray) and values.type.extension_name == "arrow.uuid":
                values = _uuid_texts(values)
                break
            if isinstance(values, pa.ExtensionArray):
                if values.type.extension_name != "arrow.json":  # such as periods, which have the numbers of months
                    raise InputError(
                        f"column {self.name}: XSD has no datatype for values of the type {values.type};"
                        " leave the column out"
                    )
                values = values.storage
            if kinds.is_dictionary(values.type):
                values = values.dictionary_decode()
            elif is_list(values.type):
                parents = pc.list_parent_indices(values)
                values, rows = pc.list_flatten(values), rows[parents.to_numpy()]
            else:
                break
        if kinds.is_floating(values.type):
            values = pc.if_else(pc.is_nan(values), pa.scalar(None, values.type), values)
        return replace(self, values=values, rows=rows)

    def of_rows(self, rows: Rows, first: int) -> ColumnValues:
        """Return the column with the values of some `rows`. `first` is the number of the first row of the column."""
        return replace(self, values=self.values.take(pa.array(rows - first)), rows=rows)

    def without_points(self) -> ColumnValues:
        """Return the column with whole numbers as integers, if all of its floats are whole."""
        if not kinds.is_floating(self.values.type):
            return self
        try:
            return replace(self, values=self.values.cast(pa.int64()))
        except pa.ArrowInvalid:
            return self


_HEX = np.array([f"{number:02x}" for number in range(256)], dtype="S2")


def _uuid_texts(values: pa.ExtensionArray) -> pa.Array:
    """Return UUIDs as text, such as 12345678-1234-5678-1234-567812345678."""
    filled = pc.fill_null(values.storage, bytes(16))
    _, data = filled.buffers()
    numbers = np.frombuffer(data, dtype=np.uint8)[16 * filled.offset :][: 16 * len(filled)]
    digits = _HEX[numbers].view("S1").reshape(len(filled), 32)
    dashes = np.full((len(filled), 1), b"-", dtype="S1")
    parts = np.split(digits, [8, 12, 16, 20], axis=1)
    text = np.hstack([parts[0], *(each for part in parts[1:] for each in (dashes, part))])
    found = pa.array(np.ascontiguousarray(text).view("S36").ravel(), pa.binary(), mask=np.asarray(values.is_null()))
    return found.cast(TEXT)


def is_list(kind: pa.DataType) -> bool:
    """Whether the values of a column are lists."""
    return bool(
        kinds.is_list(kind)
        or kinds.is_large_list(kind)
        or kinds.is_fixed_size_list(kind)
        or kinds.is_list_view(kind)
        or kinds.is_large_list_view(kind)
    )


def wrong_value_error(column: ColumnValues, place: int, problem: str) -> InputError:
    """Make the error about the value at a place of a column."""
    value = column.values[place]
    try:
        shown = repr(value.as_py())
    except (OverflowError, ValueError):  # Python has no such date
        shown = str(value.cast(pa.string()))
    shown = shown if len(shown) <= _MOST_SHOWN else f"{shown[:_MOST_SHOWN]}..."
    return InputError(f"row {column.rows[place]}, column {column.name}, value {shown}: {problem}")


def datatype_of(column: ColumnValues) -> str | None:
    """Return the XSD datatype of the values of a column, as an IRI in angle brackets; None for plain text.

    Raises InputError, which names the column, for values that XSD has no datatype for.
    """
    kind = column.values.type
    if kinds.is_string(kind) or kinds.is_large_string(kind) or kinds.is_string_view(kind) or kinds.is_null(kind):
        return None
    for is_kind, datatype in _DATATYPES:
        if is_kind(kind):
            return datatype
    raise InputError(f"column {column.name}: XSD has no datatype for values of the type {kind}; leave the column out")


def _is_float(kind: pa.DataType) -> bool:
    return bool(kinds.is_float16(kind) or kinds.is_float32(kind))


_DATATYPES = (
    (kinds.is_boolean, v.XSD_BOOLEAN),
    (kinds.is_integer, v.XSD_INTEGER),
    (_is_float, v.XSD_FLOAT),
    (kinds.is_float64, v.XSD_DOUBLE),
    (kinds.is_decimal, v.XSD_DECIMAL),
    (kinds.is_date, v.XSD_DATE),
    (kinds.is_timestamp, v.XSD_DATE_TIME),
    (kinds.is_time, v.XSD_TIME),
    (kinds.is_duration, v.XSD_DAY_TIME_DURATION),
)


def texts(column: ColumnValues) -> pa.Array:
    """Return the lexical forms of the values (`ColumnValues.items`), as large_string. Raises InputError."""
    datatype, values = datatype_of(column), column.values
    if datatype in (v.XSD_FLOAT, v.XSD_DOUBLE):
        return _float_texts(values)
    if datatype == v.XSD_DECIMAL:
        return _decimal_texts(values)
    if datatype == v.XSD_DAY_TIME_DURATION:
        return _duration_texts(values)
    if datatype == v.XSD_DATE_TIME:
        return _timestamp_texts(column)
    written = values.cast(TEXT)
    if datatype == v.XSD_DATE:
        _check_years(column, written)
    return _without_zeros(written) if datatype == v.XSD_TIME else written


def _float_texts(values: pa.Array) -> pa.Array:
    """Write floats as Python does: the shortest text that is read as the same number."""
    values = values.cast(pa.float32()) if kinds.is_float16(values.type) else values
    numbers = pc.fill_null(values, 0).to_numpy(zero_copy_only=False)
    written = numbers.astype(str)
    written[numbers == np.inf], written[numbers == -np.inf] = "INF", "-INF"
    return pc.if_else(values.is_valid(), pa.array(written, TEXT), pa.scalar(None, TEXT))


def _decimal_texts(values: pa.Array) -> pa.Array:
    """Write decimals without an exponent. Arrow gives small ones an exponent; Python writes these."""
    written = values.cast(TEXT)
    powers = pc.fill_null(pc.match_substring(written, "E"), False)
    if pc.any(powers).as_py():
        written = pa.array([text and f"{Decimal(text):f}" for text in written.to_pylist()], TEXT)
    return _without_zeros(written)


def _without_zeros(written: pa.Array) -> pa.Array:
    without = pc.replace_substring_regex(written, r"^([^.]*\.[0-9]*?)0+$", r"\1")
    return pc.replace_substring_regex(without, r"\.$", "")


def _check_years(column: ColumnValues, written: pa.Array) -> None:
    """Raise InputError for a date or time whose year does not have four digits."""
    strange = pc.fill_null(pc.invert(pc.match_substring_regex(written, r"^[0-9]{4}-")), False)
    if pc.any(strange).as_py():
        raise wrong_value_error(column, pc.index(strange, True).as_py(), "the year has to be from 0 to 9999")


def _timestamp_texts(column: ColumnValues) -> pa.Array:
    values, zone = column.values, column.values.type.tz
    local = values if zone is None else pc.local_timestamp(values)
    written = pc.strftime(local, format="%Y-%m-%dT%H:%M:%S").cast(TEXT)
    _check_years(column, written)
    written = _without_zeros(written)
    if zone is None:
        return written
    seconds = pc.subtract(local, values.cast(local.type)).cast(pa.duration("s")).cast(pa.int64())
    offsets = np.asarray(pc.fill_null(seconds, 0))
    if (odd := np.flatnonzero(offsets % 60)).size:
        raise wrong_value_error(column, int(odd[0]), "xsd:dateTime has no time zone with seconds")
    return pc.binary_join_element_wise(written, pa.array(_zone_texts(offsets), TEXT), pa.scalar("", TEXT))


def _zone_texts(offsets: Rows) -> Any:
    """Write offsets from UTC in seconds as the time zones of XSD."""
    kinds_of, places = np.unique(offsets, return_inverse=True)
    names = [
        f"{'-' if each < 0 else '+'}{abs(each) // 3600:02}:{abs(each) // 60 % 60:02}" for each in kinds_of.tolist()
    ]
    return np.array([name if each else "Z" for each, name in zip(kinds_of, names, strict=True)], dtype=np.str_)[places]


def _duration_texts(values: pa.Array) -> pa.Array:
    unit = Decimal(1).scaleb(-_DIGITS[values.type.unit])
    seconds = pc.multiply(values.cast(pa.int64()).cast(pa.decimal128(19, 0)), pa.scalar(unit))
    return pc.replace_substring_regex(_decimal_texts(seconds), r"^(-?)(.*)$", r"\1PT\2S")
