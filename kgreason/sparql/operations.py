"""The operations of SPARQL 1.1 Update as values (its section 3).

Rows are canonical N-Quads lines. A graph is given by its name as N-Triples text, and None is the default graph. DROP is
a `Clear`, since a graph without quads does not exist. DELETE WHERE is a `Modify`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from kgreason.sparql.template import Template
from kgreason.sparql.where_clause import Select


@dataclass(frozen=True, slots=True)
class InsertData:
    """INSERT DATA."""

    rows: bytes


@dataclass(frozen=True, slots=True)
class DeleteData:
    """DELETE DATA."""

    rows: bytes


@dataclass(frozen=True, slots=True)
class Modify:
    """DELETE/INSERT WHERE: the SELECT for its WHERE, and the templates of the quads to remove and to add."""

    select: Select
    removed: Template
    added: Template


@dataclass(frozen=True, slots=True)
class Clear:
    """CLEAR or DROP of graphs.

    The default graph is cleared if `default` is true. The graphs in `named` are cleared; None means all named graphs.
    """

    default: bool
    named: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Create:
    """CREATE GRAPH."""

    graph: str
    silent: bool


@dataclass(frozen=True, slots=True)
class Transfer:
    """ADD, COPY or MOVE."""

    verb: Literal["ADD", "COPY", "MOVE"]
    source: str | None
    target: str | None
    silent: bool


@dataclass(frozen=True, slots=True)
class Load:
    """LOAD of a file. If `graph` is None, the quads stay in the graphs that the file names.

    `syntax` is the format (default: by the suffix), `source` the name of the file in messages (default: its path), and
    `base` the IRI against which relative IRIs are resolved (default: the file's URI).
    """

    path: Path
    graph: str | None
    silent: bool
    syntax: str | None = None
    source: str | None = None
    base: str | None = None


Operation: TypeAlias = InsertData | DeleteData | Modify | Clear | Create | Transfer | Load
