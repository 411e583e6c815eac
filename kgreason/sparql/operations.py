"""The operations of SPARQL 1.1 Update as values (its section 3).

Rows are canonical N-Quads lines, graphs the N-Triples text of their names, None being the default graph. DROP is CLEAR,
since a graph that holds nothing is one that is not there; DELETE WHERE is a `Modify`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from kgreason.sparql.template import Template
from kgreason.sparql.where import Select


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
    """DELETE/INSERT WHERE: a SELECT over the WHERE, and the two templates."""

    select: Select
    removed: Template
    added: Template


@dataclass(frozen=True, slots=True)
class Clear:
    """CLEAR and DROP: of the default graph, of named graphs (those listed, or all of them where it is None)."""

    default: bool
    named: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Create:
    """CREATE GRAPH."""

    graph: str
    silent: bool


@dataclass(frozen=True, slots=True)
class Transfer:
    """ADD, COPY and MOVE."""

    verb: Literal["ADD", "COPY", "MOVE"]
    source: str | None
    target: str | None
    silent: bool


@dataclass(frozen=True, slots=True)
class Load:
    """LOAD of a file."""

    path: Path
    graph: str | None
    silent: bool


Operation: TypeAlias = InsertData | DeleteData | Modify | Clear | Create | Transfer | Load
