"""Frames as a user may pass them: tables of pandas, Polars and Arrow, with a mapping of their rows to triples.

    graph.add(frame, subject="http://e/{id}", vocabulary="http://e/")

    subject      a template: the IRI of the row; `mapping.template` says how it is written
    vocabulary   the beginning of the predicates: column `name` gives <http://e/name>, the columns of `subject` nothing
    columns      what single columns mean:
                     {"name": "ex:name"}                              the predicate
                     {"age": ("ex:age", "xsd:byte")}                  with a datatype
                     {"note": ("ex:note", "@en")}                     with a language
                     {"knows": ("ex:knows", "http://e/{knows}")}      with a template, which makes IRIs
                     {"rowid": None}                                  no triple
    types        the class of each row, or several; a class may be a template
    graph        the graph of the triples; it may be a template

Without a vocabulary only the columns of `columns` give triples. Laws: the triples do not depend on the library of the
frame. A wrong value is an error that names column, row and value; then no row is used. Cost: that of `mapping.triples`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict
from urllib.parse import quote

from kgreason.datatypes.datatype_map import DATATYPE_MAP
from kgreason.errors import InputError, InputTypeError
from kgreason.graph.input.terms import Prefixes, term_text, term_text_at
from kgreason.mapping.mapping import ColumnMapping, RowMapping
from kgreason.terms import vocabulary as v
from kgreason.terms.prefixes import USUAL
from kgreason.terms.untagged_literals import PROBLEM, is_untagged

if TYPE_CHECKING:
    import pyarrow

    from kgreason.mapping.template import IriTemplate
"""`template` and `triples` need PyArrow, so functions import them."""

Meaning: TypeAlias = str | tuple[str, str] | None
_ROWS = 1 << 16
"""The rows that are turned into triples at a time."""
_LIBRARIES = ("pandas", "polars", "pyarrow")
_TAG = re.compile(r"@[A-Za-z]+(?:-[A-Za-z0-9]+)*")
_RARE = frozenset(["anyAtomicType", "anySimpleType", "ENTITY", "ID", "IDREF", "NOTATION", "QName"])
"""Types of XSD whose values kgreason does not compare."""
_NAME = re.compile(r"([\w.-]*):(?!//)")


class FrameMapping(TypedDict, total=False):
    """What the rows of a frame mean; the module explains the names."""

    subject: str
    vocabulary: str | None
    columns: Mapping[str, Meaning] | None
    types: str | Sequence[str]
    graph: str | None


def is_frame(item: object) -> bool:
    """Whether an item is a table of pandas, Polars or Arrow, or another one that Arrow can read."""
    if isinstance(item, tuple):  # `itertuples` of pandas gives named tuples, which are rows of terms
        return False
    return type(item).__module__.partition(".")[0] in _LIBRARIES or hasattr(item, "__arrow_c_stream__")


def lines_of(frame: Any, mapping: FrameMapping, prefixes: Prefixes) -> Iterator[bytes]:
    """Yield the triples of a frame as canonical lines of N-Quads, in chunks. Raises InputError, InputTypeError."""
    from kgreason.mapping.triples import lines

    table = _arrow_table(frame, lambda names: mapping_of(names, mapping, prefixes).names)
    rows, first = mapping_of(table.column_names, mapping, prefixes), 1
    for batch in table.to_batches(_ROWS):
        yield lines(batch, rows, first)
        first += len(batch)


def mapping_of(names: Sequence[str], mapping: FrameMapping, prefixes: Prefixes) -> RowMapping:
    """Return the mapping of a table with columns of these `names`. Raises InputError, InputTypeError."""
    if not isinstance(subject := mapping.get("subject"), str):
        raise InputTypeError(
            "a frame needs the argument `subject`, the IRI of a row as a template such as"
            f" 'http://example.org/{{id}}'; got {subject!r}"
        )
    reader = _Reader(names, prefixes)
    given = mapping.get("columns") or {}
    vocabulary, types, graph = mapping.get("vocabulary"), mapping.get("types", ()), mapping.get("graph")
    for name in given:
        reader.check(name)
    start = reader.template(subject, "subject")
    if vocabulary is None and not given and not types:
        raise InputError(
            "pass `vocabulary`, the beginning of all predicates, or `columns`, which says what columns mean"
        )
    columns = [each for name in names if name in given and (each := reader.column(name, given[name]))]
    if vocabulary is not None:
        left = [name for name in names if name not in given and name not in start.columns]
        columns += [ColumnMapping(name, reader.predicate(name, vocabulary)) for name in left]
    classes = [types] if isinstance(types, str) else types
    return RowMapping(
        start,
        tuple(columns),
        tuple(reader.template(each, "object") for each in classes),
        None if graph is None else reader.template(graph, "graph"),
    )


class _Reader:
    """Reads the parts of a mapping of a table whose columns have these `names`."""

    def __init__(self, names: Sequence[str], prefixes: Prefixes) -> None:
        self._names, self._prefixes = names, prefixes

    def check(self, name: str) -> None:
        """Raise InputError unless the table has a column of this name."""
        if name not in self._names:
            raise InputError(f"there is no column {name}; the columns are {', '.join(map(str, self._names))}")

    def template(self, text: str, place: str) -> IriTemplate:
        """Read a template for IRIs at a place of a quad."""
        from kgreason.mapping.template import IriTemplate, has_holes, template

        if not isinstance(text, str):
            raise InputTypeError(f"a template has to be text; got {text!r} ({type(text).__name__})")
        if not has_holes(text):
            iri = term_text_at(text, place, self._prefixes)
            if not iri.startswith("<"):
                raise InputError(f"{text}: not an IRI")
            return IriTemplate((iri[1:-1],))
        found = template(text[1:-1] if text.startswith("<") and text.endswith(">") else text)
        first = found.parts[0]
        if isinstance(first, str) and (name := _NAME.match(first)) and not text.startswith("<"):
            namespace = self._prefixes.get(name[1], USUAL.get(name[1]))
            if namespace is not None:
                found = IriTemplate((namespace + first[name.end() :], *found.parts[1:]))
        for column in found.columns:
            self.check(column)
        try:
            term_text_at(f"<{found.example}>" if text.startswith("<") else found.example, place, self._prefixes)
        except InputError as error:
            whole = "; {+name} takes whole IRIs from a column" if not isinstance(first, str) else ""
            raise InputError(f"{text}: the template makes no IRIs: {error}{whole}") from error
        return found

    def predicate(self, name: str, vocabulary: str) -> str:
        """Return the predicate of a column that has no meaning of its own."""
        begin = term_text_at(vocabulary, "predicate", self._prefixes)[1:-1]
        return term_text_at(f"<{begin}{quote(name, safe='')}>", "predicate")

    def column(self, name: str, meaning: Meaning) -> ColumnMapping | None:
        """Read what `columns` says about a column; None means that the column gives no triples."""
        from kgreason.mapping.template import has_holes

        if meaning is None:
            return None
        if isinstance(meaning, str):
            return ColumnMapping(name, term_text_at(meaning, "predicate", self._prefixes))
        if not _is_pair(meaning):
            raise InputTypeError(
                f"column {name}: pass a predicate, a pair such as ('http://example.org/age', 'xsd:byte'), or None; got"
                f" {meaning!r}"
            )
        predicate, kind = term_text_at(meaning[0], "predicate", self._prefixes), meaning[1]
        if has_holes(kind):
            return ColumnMapping(name, predicate, template=self.template(kind, "object"))
        if kind.startswith("@"):
            if not _TAG.fullmatch(kind):
                raise InputError(f"column {name}: {kind} is not a language tag such as @en")
            return ColumnMapping(name, predicate, language=term_text(f'"x"{kind}', "object")[4:])
        datatype = term_text_at(kind, "predicate", self._prefixes)
        if (
            datatype.startswith(f"<{v.XSD}")
            and datatype not in DATATYPE_MAP
            and datatype[len(v.XSD) + 1 : -1] not in _RARE
        ):
            raise InputError(f"column {name}: RDF has no datatype {kind}")
        if is_untagged(f'"x"^^{datatype}'):
            raise InputError(f"column {name}: {PROBLEM}; pass the tag, as @en")
        return ColumnMapping(name, predicate, datatype=datatype)


def _is_pair(meaning: object) -> bool:
    return isinstance(meaning, (tuple, list)) and [*map(type, meaning)] == [str, str]


def _arrow_table(frame: Any, names_of: Callable[[Sequence[str]], Sequence[str]]) -> pyarrow.Table:
    """Return a frame as a table of Arrow. Raises InputError, InputTypeError.

    `names_of` returns the columns that are read, from all columns of a frame. A frame of pandas needs to be sound in
    these columns only.
    """
    try:
        import pyarrow
    except ImportError as error:
        raise InputError("frames need PyArrow: pip install 'kgreason[frames]'") from error
    try:
        if type(frame).__module__.partition(".")[0] == "pandas" and hasattr(frame, "columns"):
            frame = _columns(frame, names_of)
        table = _read_table(frame, pyarrow)
    except (pyarrow.ArrowException, TypeError, ValueError, OverflowError) as error:
        if isinstance(error, (InputError, InputTypeError)):
            raise
        raise InputError(_problem(frame, str(error).splitlines()[0])) from error
    _check_names(table.column_names)
    return table


def _check_names(names: Sequence[str]) -> None:
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise InputError(f"the frame has two columns {twice[0]}")


def _columns(frame: Any, names_of: Callable[[Sequence[str]], Sequence[str]]) -> Any:
    """Return the columns of a frame of pandas that are read, with texts as names."""
    frame = frame.reset_index([name for name in frame.index.names if name is not None])
    frame = frame.set_axis([str(name) for name in frame.columns], axis="columns")
    names = [*frame.columns]
    _check_names(names)
    read = set(names_of(names) or names)  # without a column the frame would have no rows
    frame = frame[[name for name in names if name in read]]
    _check_terms(frame)
    return frame


def _read_table(frame: Any, pyarrow: Any) -> pyarrow.Table:
    library = type(frame).__module__.partition(".")[0]
    if library == "pandas" and hasattr(frame, "columns"):
        return pyarrow.Table.from_pandas(frame, preserve_index=False)
    if library == "polars" and hasattr(frame, "to_arrow") and hasattr(frame, "columns"):
        return frame.to_arrow()
    if library == "polars" and hasattr(frame, "collect"):
        raise InputTypeError("pass a DataFrame; a LazyFrame has no rows yet (`collect` makes one)")
    if hasattr(frame, "__arrow_c_stream__") and not hasattr(frame, "to_frame"):
        return pyarrow.table(frame)
    raise InputTypeError(f"pass a DataFrame or a table, not a {type(frame).__name__}")


def _check_terms(frame: Any) -> None:
    """Raise InputError for a column with terms of rdflib, which are texts for pandas."""
    identifier: Any = getattr(sys.modules.get("rdflib.term"), "Identifier", ())
    for name in frame.columns if identifier else ():
        first = next(iter(frame[name].dropna()), None) if frame[name].dtype == object else None
        if isinstance(first, identifier):
            raise InputError(f"column {name}: {first!r} is a term, not a value; add rows of terms as tuples")


def _problem(frame: Any, problem: str) -> str:
    """Name the first row and value that makes a column of objects a mixture of types."""
    for name in getattr(frame, "columns", ()):
        values = list(frame[name]) if getattr(getattr(frame, "dtypes", None), "get", None) else []
        known: type | None = None
        for row, value in enumerate(values, 1):
            if value is None or value != value:  # NaN and NaT are not equal to themselves
                continue
            if isinstance(value, int) and not -(1 << 63) <= value < 1 << 64:
                return (
                    f"row {row}, column {name}, value {value}: an integer of more than 64 bits; pass its digits as text"
                )
            if known is not None and type(value) is not known:
                return f"row {row}, column {name}, value {value!r}: the column has values of the type {known.__name__}"
            known = type(value)
    return f"the frame cannot be read: {problem}"
