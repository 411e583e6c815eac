"""Rows as a user may give them, checked and turned into terms: tuples, frames of pandas, Polars, Arrow, Spark, CSV.

    tuples          [("ex:a", "ex:b", 5), ...]     values as in `input.terms`; a dict has a value for each column
    frames          columns by name if the frame has the names of all columns, otherwise by place
    a path          a file of fields (`files`)

A Python text in a column of a declared datatype is the lexical form of a literal: "2026-01-01" for xsd:date. A Python
number is written in the datatype of its column if the datatype has the number.

Law: a wrong value is an error that names row, column and value, and then no row is used. Cost: a few microseconds for
each distinct value of a column, and a look-up for each repeated value.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from numbers import Integral
from os import PathLike, fspath
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from pyoxigraph import BlankNode, Literal, NamedNode, Triple

from kgreason.datatypes.column import misfit
from kgreason.datatypes.hierarchy import is_subtype
from kgreason.errors import InputError, InputTypeError
from kgreason.graph.input.terms import Prefixes, term_of, term_of_rdflib, term_text, term_text_at, text_of
from kgreason.graph.relation.fields import term_of_field
from kgreason.graph.relation.files import NO_FIELDS, numbered_rows
from kgreason.rules.model import Column, Relation
from kgreason.terms import vocabulary as v

Terms: TypeAlias = tuple[str, ...]
Rows: TypeAlias = "Iterable[Sequence[object] | Mapping[str, object]] | str | PathLike[str] | Any"
"""Tuples, dicts, a frame of pandas, Polars, Arrow or Spark, or the path of a CSV file."""
_MOST_BITS = 10_000
"""Python turns integers with more bits into text only if it is told to."""
_MISSING = ("NAType", "NaTType")
"""The types of the missing values of pandas."""


def terms_of(rows: Rows, relation: Relation | None, name: str, arity: int | None, prefixes: Prefixes) -> list[Terms]:
    """Return the rows with their values as terms in canonical N-Triples syntax.

    `relation` is the declaration, if there is one. `name` is the name of the relation, for messages. `arity` is the
    number of places; if it is None, the first row decides.

    Raises InputError for a wrong value and for a row of another length, InputTypeError for a value that is not a row.
    """
    names = [column.name for column in relation.columns] if relation else None
    path = Path(rows) if isinstance(rows, (str, PathLike)) else None
    where, given = (
        _rows_of_object(rows, names) if path is None else (f"{fspath(path)}, line", numbered_rows(path, names))
    )
    wanted, found = arity, []
    reading: list[_Values] = []
    for number, told in given:
        row = [] if arity == 0 and path is not None and list(told) == [NO_FIELDS] else told
        if wanted is None:
            wanted = len(row)
        if len(row) != wanted:
            raise InputError(f"{where} {number}: {len(row)} values, but {name} has {wanted} {_places(wanted)}")
        if not reading:
            columns = relation.columns if relation else [Column(str(place)) for place in range(1, wanted + 1)]
            reading = [_Values(column, prefixes, is_file=path is not None) for column in columns]
        try:
            found.append(tuple([values.term(value) for values, value in zip(reading, row, strict=True)]))
        except InputError as error:
            raise type(error)(f"{where} {number}, {error}") from error
    return found


def _value_text(value: object) -> str:
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        return f"{'-' if value < 0 else ''}2**{value.bit_length() - 1} or more"
    return str(value) if isinstance(value, (NamedNode, BlankNode, Literal, Triple)) else repr(value)


def _places(count: int) -> str:
    return "place" if count == 1 else "places"


class _Values:
    """Turns the values of one column into terms. Each different value is turned once."""

    def __init__(self, column: Column, prefixes: Prefixes, *, is_file: bool) -> None:
        self._column, self._prefixes, self._is_file = column, prefixes, is_file
        self._known: dict[tuple[type, object], str] = {}

    def term(self, value: object) -> str:
        """Return the term for a value. Raises InputError; the message names the column and the value."""
        key = type(value), value
        try:
            known = self._known.get(key)
        except TypeError:
            known = None
        if known is not None and value != 0:  # 0.0 and -0.0 are equal, and two terms
            return known
        try:
            term = self._term(value)
        except InputError as error:
            said = str(error).replace("the object", "the value").replace("the subject", "the value")
            raise type(error)(f"column {self._column.name}, value {_value_text(value)}: {said}") from error
        except (ValueError, OverflowError) as error:
            said = "the text cannot be UTF-8" if isinstance(error, UnicodeError) else "the number is too large"
            raise InputError(f"column {self._column.name}, value {_value_text(value)}: {said}") from error
        if isinstance(value, (str, bool, int, float)):
            self._known[key] = term
        return term

    def _term(self, value: object) -> str:
        if value is None or type(value).__name__ in _MISSING:
            raise InputError("the value is missing")
        type_ = self._column.type
        text = self._text_of(value, type_)
        if not isinstance(value, (bool, int, Literal, NamedNode)):
            text = text_of(term_of(text))
        if problem := misfit(text, type_):
            raise InputError(problem)
        return text

    def _text_of(self, value: object, type_: str | None) -> str:
        if isinstance(value, str) and term_of_rdflib(value) is None:
            if type_ == v.RDFS_RESOURCE:
                return term_text_at(value, "subject", self._prefixes)
            if type_ == v.RDF_LANG_STRING and not value.startswith('"'):
                raise InputError('expected a text with a language tag, as in "chat"@fr')
            if self._is_file:
                return term_of_field(value, type_)
            if type_ in (None, v.RDF_LANG_STRING):
                return term_text(value, "object", self._prefixes)
            return str(Literal(value, datatype=NamedNode((v.XSD_STRING if type_ == v.RDFS_LITERAL else type_)[1:-1])))
        text = term_text(value, "object", self._prefixes)
        return text if type_ is None else _number_literal(value, text, type_)


def _number_literal(value: object, text: str, type_: str) -> str:
    """Return a Python number as a literal of `type_`, the datatype of its column.

    `text` is the literal that the value would be in a column without a type. It is returned for a value that is not a
    number, and for a number that the datatype does not have.
    """
    if isinstance(value, (bool, np.bool_, Literal)):
        return text
    if isinstance(value, Integral) and is_subtype(type_, v.XSD_INTEGER):
        return f'"{int(value)}"^^{type_}'
    if isinstance(value, (Integral, float, np.floating)) and type_ in (v.XSD_DOUBLE, v.XSD_FLOAT):
        return term_text(float(value), "object").replace(v.XSD_DOUBLE, type_)
    return text


def _rows_of_object(rows: Any, names: Sequence[str] | None) -> tuple[str, Iterator[tuple[int, Sequence[object]]]]:
    """Return two values: the word "row" for messages, and the rows of a list or frame as pairs (number, values)."""
    return "row", enumerate(_check_rows(_rows_of_frame(rows, names), names), 1)


def _check_rows(rows: Iterable[object], names: Sequence[str] | None) -> Iterator[Sequence[object]]:
    try:
        given = iter(rows)
    except TypeError:
        raise InputTypeError(f"pass a list of rows, a frame or the path of a CSV file; got {rows!r}") from None
    for number, row in enumerate(given, 1):
        if isinstance(row, Mapping):
            yield _values_of_mapping(row, names, number)
        elif isinstance(row, Sequence) and not isinstance(row, (str, bytes)):
            yield row
        elif isinstance(row, np.ndarray):
            yield row.tolist()
        else:
            raise InputTypeError(
                f"row {number} has to be a tuple, a list or a dict; got {row!r} ({type(row).__name__}): one row is"
                " passed as a list of one tuple, [(1, 2)]"
            )


def _values_of_mapping(row: Mapping[str, object], names: Sequence[str] | None, number: int) -> Sequence[object]:
    if names is None:
        raise InputError(f"row {number} is a dict, but the relation is not declared, so its places have no names")
    if set(row) != set(names):
        raise InputError(f"row {number} has the columns {', '.join(map(str, row))}; expected {', '.join(names)}")
    return [row[name] for name in names]


def _rows_of_frame(rows: Any, names: Sequence[str] | None) -> Iterable[object]:
    """Return the rows of a frame. Any other object is returned as it is. Raises InputTypeError.

    If the frame has columns with the `names` of the relation, only these columns are taken.
    """
    library = type(rows).__module__.partition(".")[0]
    choose = {
        "pandas": _rows_of_pandas,
        "polars": _rows_of_polars,
        "pyarrow": _rows_of_arrow,
        "pyspark": _rows_of_spark,
    }.get(library)
    if choose is None or not hasattr(rows, "columns"):
        return rows  # type: ignore[no-any-return]
    return choose(rows, names)


def _rows_of_pandas(frame: Any, names: Sequence[str] | None) -> Iterable[object]:
    chosen = frame[list(names)] if names is not None and _has_names(frame.columns, names) else frame
    columns = [chosen.iloc[:, place] for place in range(chosen.shape[1])]
    return zip(*(column.astype(object).where(column.notna(), None) for column in columns), strict=True)


def _rows_of_polars(frame: Any, names: Sequence[str] | None) -> Iterable[object]:
    if not hasattr(frame, "iter_rows"):
        raise InputTypeError(
            f"pass a DataFrame; got a {type(frame).__name__}, which has no rows yet (`collect` makes one)"
        )
    chosen = frame.select(list(names)) if names is not None and _has_names(frame.columns, names) else frame
    rows: Iterable[object] = chosen.iter_rows()
    return rows


def _rows_of_arrow(table: Any, names: Sequence[str] | None) -> Iterable[object]:
    chosen = table.select(list(names)) if names is not None and _has_names(table.column_names, names) else table
    return zip(*(column.to_pylist() for column in chosen.columns), strict=True)


def _rows_of_spark(frame: Any, names: Sequence[str] | None) -> Iterable[object]:
    chosen = frame.select(list(names)) if names is not None and _has_names(frame.columns, names) else frame
    return (tuple(row) for row in chosen.toLocalIterator())  # one partition at a time is in memory


def _has_names(columns: Iterable[object], names: Sequence[str] | None) -> bool:
    return names is not None and set(names) <= set(columns)
