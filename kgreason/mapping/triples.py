r"""`triples`: the triples of a batch of rows, as columns of terms in canonical N-Triples syntax.

    subject                predicate            object
    <http://e/1>           <http://e/name>      "Tom"
    <http://e/1>           <http://e/knows>     <http://e/2>

Laws: a missing value (null, NaN) gives no triple, and each item of a list gives one. A row without a subject is an
error, so no row is lost silently. The triples of a batch do not depend on the other batches. Cost: a few Arrow kernels
for each column; Python looks at each different value of a column only if the mapping names a datatype for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds

from kgreason.datatypes.column import misfit
from kgreason.datatypes.hierarchy import is_subtype
from kgreason.errors import InputError
from kgreason.mapping.lexical_forms import TEXT, ColumnValues, Rows, datatype_of, is_list, texts, wrong_value_error
from kgreason.mapping.mapping import ColumnMapping, RowMapping
from kgreason.mapping.template import IriTemplate
from kgreason.terms import vocabulary as v
from kgreason.terms.quoting import quote

_ESCAPED = r'["\\\x00-\x1f\x7f\x{FFFE}\x{FFFF}]'
_RARE = r"[\x00-\x07\x0b\x0e-\x1f\x7f\x{FFFE}\x{FFFF}]"
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}
"""The backslash comes first."""


def triples(batch: pa.RecordBatch, mapping: RowMapping, first: int = 1) -> pa.Table:
    """Return the triples of a batch, as the columns `subject`, `predicate` and `object` of large_string.

    If the mapping names a graph, there is a column `graph` as well. `first` is the number of the first row, for
    messages. Raises InputError, which names column, row and value.

    >>> from kgreason.mapping.template import template
    >>> mapping = RowMapping(template("http://e/{id}"), (ColumnMapping("name", "<http://e/name>"),))
    >>> batch = pa.record_batch({"id": [1, 2], "name": ["Tom", None]})
    >>> triples(batch, mapping).to_pylist()
    [{'subject': '<http://e/1>', 'predicate': '<http://e/name>', 'object': '"Tom"'}]
    """
    names = ["subject", "predicate", "object", *(["graph"] if mapping.graph else [])]
    parts = [pa.table(part, names=names) for part in _Batch(batch, first).parts(mapping)]
    return pa.concat_tables([pa.schema([(name, TEXT) for name in names]).empty_table(), *parts])


def lines(batch: pa.RecordBatch, mapping: RowMapping, first: int = 1) -> bytes:
    """Return the triples of a batch as canonical lines of N-Triples, or of N-Quads if the mapping names a graph.

    Arguments and errors are those of `triples`.
    """
    return b"".join(_lines_of(part) for part in _Batch(batch, first).parts(mapping))


def _lines_of(terms: list[pa.Array]) -> bytes:
    written = pc.binary_join_element_wise(*terms, pa.scalar(".\n", TEXT), pa.scalar(" ", TEXT))
    _, offsets, data = written.buffers()
    if not len(written) or data is None:
        return b""
    ends = np.frombuffer(offsets, dtype=np.int64)
    return bytes(data[int(ends[written.offset]) : int(ends[written.offset + len(written)])])


class _Batch:
    """A batch of rows, the first of which has the number `first`."""

    def __init__(self, batch: pa.RecordBatch, first: int) -> None:
        self._batch, self._first = batch, first
        self._rows: Rows = np.arange(first, first + len(batch), dtype=np.int64)

    def parts(self, mapping: RowMapping) -> Iterator[list[pa.Array]]:
        """Yield the triples of each column and each class, as arrays of subjects, predicates, objects and graphs."""
        subjects = self._subjects(mapping.subject)
        graphs = self._subjects(mapping.graph) if mapping.graph else None
        for predicate, objects in self._objects(mapping):
            is_there = objects.values.is_valid()
            terms, rows = objects.values.filter(is_there), objects.rows[np.asarray(is_there)]
            places = pa.array(rows - self._first)
            part = [subjects.take(places), pa.repeat(pa.scalar(predicate, TEXT), len(rows)), terms]
            yield part if graphs is None else [*part, graphs.take(places)]

    def _objects(self, mapping: RowMapping) -> Iterator[tuple[str, ColumnValues]]:
        for each in mapping.types:
            yield v.RDF_TYPE, self._values_of(each)
        for column in mapping.columns:
            yield column.predicate, self._values(column)

    def _column(self, name: str) -> ColumnValues:
        if name not in self._batch.schema.names:
            known = ", ".join(self._batch.schema.names)
            raise InputError(f"there is no column {name}; the columns are {known}")
        return ColumnValues(name, self._batch.column(name), self._rows)

    def _subjects(self, template: IriTemplate) -> pa.Array:
        """Return a value of a template for each row. Raises InputError for a missing value, and for a list."""
        columns = [self._column(name) for name in template.columns]
        for column in columns:
            if is_list(column.values.type):
                raise InputError(f"column {column.name}: a list in the template of the subject or the graph")
        columns = [column.items() for column in columns]
        for column in columns:
            if column.values.null_count:
                place = pc.index(column.values.is_null(), True).as_py()
                raise wrong_value_error(
                    column, place, "the subject or the graph of this row needs the value; drop such rows first"
                )
        return template.fill(columns, len(self._rows))

    def _values_of(self, template: IriTemplate) -> ColumnValues:
        """Return the values of a template. At most one of its columns may have lists: each item gives a value."""
        columns = [self._column(name) for name in template.columns]
        if not columns:
            return ColumnValues("", template.fill([], len(self._rows)), self._rows)
        listed = [column for column in columns if is_list(column.values.type)]
        if len(listed) > 1:
            raise InputError(f"columns {listed[0].name} and {listed[1].name}: two lists in one template")
        rows = listed[0].items().rows if listed else self._rows
        found = [each.items() if each in listed else each.of_rows(rows, self._first).items() for each in columns]
        return ColumnValues(columns[0].name, template.fill(found, len(rows)), rows)

    def _values(self, mapping: ColumnMapping) -> ColumnValues:
        if mapping.template is not None:
            return self._values_of(mapping.template)
        column = self._column(mapping.column).items()
        natural, wanted = datatype_of(column), mapping.datatype
        if mapping.language is not None:
            if natural is not None:
                raise InputError(f"column {column.name}: only text has a language, and the values are {natural}")
            return replace(column, values=_literals(texts(column), f"@{mapping.language}"))
        if wanted is None or wanted == (natural or v.XSD_STRING):
            return replace(column, values=_literals(texts(column), f"^^{natural}" if natural else ""))
        terms = _literals(texts(_cast_to_datatype(column, wanted)), f"^^{wanted}")
        _check(column, terms, wanted)
        return replace(column, values=terms)


def _cast_to_datatype(column: ColumnValues, datatype: str) -> ColumnValues:
    """Return the column with whole floats as integers for a datatype of integers, and midnights as dates for xsd:date.

    A column with other values stays as it is.
    """
    if is_subtype(datatype, v.XSD_INTEGER) or datatype == v.XSD_G_YEAR:
        return column.without_points()
    if datatype == v.XSD_DATE and kinds.is_timestamp(column.values.type):
        local = pc.local_timestamp(column.values) if column.values.type.tz else column.values
        days = local.cast(pa.date32(), safe=False)
        if days.cast(local.type).equals(local):
            return replace(column, values=days)
    return column


def _literals(written: pa.Array, end: str) -> pa.Array:
    return pc.binary_join_element_wise(
        pa.scalar('"', TEXT), _escape(written), pa.scalar(f'"{end}', TEXT), pa.scalar("", TEXT)
    )


def _escape(written: pa.Array) -> pa.Array:
    if not pc.any(pc.match_substring_regex(written, _ESCAPED)).as_py():
        return written
    if pc.any(pc.match_substring_regex(written, _RARE)).as_py():
        return pa.array([None if text is None else quote(text)[1:-1] for text in written.to_pylist()], TEXT)
    for character, escape in _ESCAPES.items():
        written = pc.replace_substring(written, character, escape)
    return written


def _check(column: ColumnValues, terms: pa.Array, datatype: str) -> None:
    problems = {term: problem for term in terms.unique().to_pylist() if term and (problem := misfit(term, datatype))}
    if problems:
        place = pc.index(pc.is_in(terms, pa.array([*problems], TEXT)), True).as_py()
        raise wrong_value_error(column, place, problems[terms[place].as_py()])
