"""Results of a query that was evaluated in another thread or process, where pyoxigraph's own classes cannot be used.

    pyoxigraph          here          interface
    QuerySolutions      Solutions     an iterator over QuerySolution, with `variables` and `serialize`
    QueryTriples        Triples       an iterator over Triple, with `serialize`
    QueryBoolean        QueryBoolean  `bool(...)`

The classes of pyoxigraph cannot be subclassed. So `Solutions` and `Triples` have the same methods as these classes, and
`isinstance` accepts their objects as objects of these classes. For an ASK query, `boolean_answer` makes a QueryBoolean
of pyoxigraph. Threads: only one thread at a time may use an object.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from os import PathLike
from typing import IO, Any, TypeAlias, cast

import pyoxigraph
from pyoxigraph import (
    BlankNode,
    Literal,
    NamedNode,
    QueryBoolean,
    QueryResultsFormat,
    QuerySolution,
    QuerySolutions,
    QueryTriples,
    RdfFormat,
    Triple,
    Variable,
)

Results: TypeAlias = QuerySolutions | QueryBoolean | QueryTriples
Output: TypeAlias = str | PathLike[str] | IO[bytes] | None
Term: TypeAlias = NamedNode | BlankNode | Literal | Triple

_ROWS = 1000


def boolean_answer(is_true: bool) -> QueryBoolean:
    """Return the answer of an ASK query as an object of pyoxigraph."""
    text = b'{"head":{},"boolean":%s}' % (b"true" if is_true else b"false")
    return cast(QueryBoolean, pyoxigraph.parse_query_results(text, QueryResultsFormat.JSON))


class Solutions:
    """The solutions of a SELECT query.

    `rows` yields the solutions. `serialize` writes the solutions that `rows` has not yielded yet. If `rows` has yielded
    none, `serialize` calls `whole`, which must write all of them.
    """

    __class__ = QuerySolutions  # type: ignore[assignment]

    def __init__(
        self,
        variables: list[Variable],
        rows: Iterator[QuerySolution],
        whole: Callable[[Output, QueryResultsFormat | None], bytes | None],
    ) -> None:
        self.variables = variables
        self._rows, self._whole, self._is_begun = rows, whole, False

    def __iter__(self) -> Solutions:
        return self

    def __next__(self) -> QuerySolution:
        self._is_begun = True
        return next(self._rows)

    def __repr__(self) -> str:
        return f"<Solutions of {' '.join(map(str, self.variables))}>"

    def serialize(self, output: Output = None, format: QueryResultsFormat | None = None) -> bytes | None:  # noqa: A002
        """Serialize the rows that were not taken yet, as pyoxigraph's `QuerySolutions.serialize` does."""
        if not self._is_begun:
            self._is_begun = True
            return self._whole(output, format)
        return solutions_of_rows(self.variables, self._rows).serialize(output, format)


class Triples:
    """The triples of a CONSTRUCT or DESCRIBE query."""

    __class__ = QueryTriples  # type: ignore[assignment]

    def __init__(self, triples: Iterator[Triple]) -> None:
        self._triples = triples

    def __iter__(self) -> Triples:
        return self

    def __next__(self) -> Triple:
        return next(self._triples)

    def __repr__(self) -> str:
        return "<Triples>"

    def serialize(
        self,
        output: Output = None,
        format: RdfFormat | None = None,  # noqa: A002
        *,
        prefixes: Mapping[str, str] | None = None,
        base_iri: str | None = None,
    ) -> bytes | None:
        """Serialize the triples that were not taken yet, as pyoxigraph's `QueryTriples.serialize` does."""
        return pyoxigraph.serialize(
            self._triples, output, format, prefixes=dict(prefixes) if prefixes else None, base_iri=base_iri
        )


def solutions_of_rows(variables: list[Variable], rows: Iterable[QuerySolution]) -> QuerySolutions:
    """Make an object of pyoxigraph that yields `rows`. A row is taken from `rows` only when somebody asks for it."""
    text = cast(Any, _Text(_json([variable.value for variable in variables], rows)))
    return cast(QuerySolutions, pyoxigraph.parse_query_results(text, QueryResultsFormat.JSON))


class _Text:
    """A binary file for reading, made of pieces of bytes."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces, self._left = pieces, b""

    def read(self, size: int = -1) -> bytes:
        """Return at most `size` bytes, or no bytes at the end of the file."""
        if not self._left:
            self._left = next(self._pieces, b"")
        size = len(self._left) if size < 0 else size
        piece, self._left = self._left[:size], self._left[size:]
        return piece


def _json(names: list[str], rows: Iterable[QuerySolution]) -> Iterator[bytes]:
    """Write rows as SPARQL results in JSON. Yields one piece for each row, and one before and one after the rows."""
    yield b'{"head":{"vars":%s},"results":{"bindings":[' % json.dumps(names).encode()
    comma = b""
    for row in rows:
        terms = {name: _json_of_term(term) for name in names if (term := row[name]) is not None}
        yield comma + json.dumps(terms).encode()
        comma = b","
    yield b"]}}"


def _json_of_term(term: Term) -> dict[str, Any]:
    match term:
        case NamedNode():
            return {"type": "uri", "value": term.value}
        case BlankNode():
            return {"type": "bnode", "value": term.value}
        case Triple():
            parts = {"subject": term.subject, "predicate": term.predicate, "object": term.object}
            return {"type": "triple", "value": {name: _json_of_term(part) for name, part in parts.items()}}
    text: dict[str, Any] = {"type": "literal", "value": term.value}
    if term.language is None:
        return text | {"datatype": term.datatype.value}
    direction = {"its:dir": str(term.direction.value)} if term.direction else {}
    return text | {"xml:lang": term.language} | direction
