"""Turn rows of an owlready2 quadstore into lines of N-Quads.

owlready2 numbers its resources; a negative number is a blank node. The label of a blank node consists of a prefix for
the world and this number. So a label is the same at every sync, and two worlds share no blank node. owlready2 keeps
numeric literals as Python numbers, so their spelling is lost: `"01"` becomes `"1"`. A language of the form `en_US`
becomes `en-US`. Triple terms, which owlready2 keeps as numbers of rows, are left out.

Law: a row has the same line as long as its resources keep their names. Cost: one look-up in the table of names for each
resource that a batch of rows mentions.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable
from decimal import Decimal
from math import isfinite, isinf
from typing import TypeAlias

from kgreason.bridges.owlready2.log import Row, Value
from kgreason.terms.vocabulary import RDFS, XSD

Name: TypeAlias = Callable[[int], str | None]
"""A function from a resource to its IRI, or to None if it has no name."""

_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r"})
_TRIPLE_TERM = f"{RDFS}Proposition"
_FIXED_POINT = (f"{XSD}decimal", "http://www.w3.org/2002/07/owl#real")


class Names(dict[int, str | None]):
    """A dict from the number of a resource to its IRI. An IRI is read from the quadstore when first needed."""

    def __init__(self, db: sqlite3.Connection) -> None:
        super().__init__()
        self._db = db

    def __missing__(self, storid: int) -> str | None:
        found = self._db.execute("SELECT iri FROM main.resources WHERE storid = ?", (storid,)).fetchone()
        self[storid] = name = found and str(found[0])
        return name


def prefix_of(world: str) -> str:
    """Return the beginning of all blank node labels of a world. `world` is a text that identifies the world."""
    return f"owl{hashlib.sha256(world.encode()).hexdigest()[:12]}x"


def line(row: Row, graph: str, name: Name, prefix: str) -> str | None:
    """Turn a row into a line of N-Quads. Returns None if a resource has no name, and for a triple term.

    `graph` is the name of the graph, `name` returns the IRI of a resource, and labels of blank nodes begin with
    `prefix`.
    """
    subject, predicate = _resource(row.s, name, prefix), _resource(row.p, name, prefix)
    object_ = _resource(int(row.o), name, prefix) if row.d is None else _literal(row.o, row.d, name)
    if subject is None or predicate is None or object_ is None:
        return None
    return f"{subject} {predicate} {object_} <{graph}> ."


def _resource(storid: int, name: Name, prefix: str) -> str | None:
    if storid < 0:
        return f"_:{prefix}{-storid}"
    iri = name(storid)
    return None if iri is None else f"<{iri}>"


def _literal(value: Value, datatype: int | str, name: Name) -> str | None:
    if isinstance(datatype, str):
        return f'"{_escape(value)}"{datatype.replace("_", "-")}'
    if datatype == 0:
        return f'"{_escape(value)}"'
    iri = name(datatype)
    if iri is None or iri == _TRIPLE_TERM:
        return None
    return f'"{_escape(_spell(value, iri))}"^^<{iri}>'


def _escape(value: Value) -> str:
    return str(value).translate(_ESCAPES)


def _spell(value: Value, datatype: str) -> Value:
    """Return a value in a form that is valid for its datatype: "INF" for infinity, no exponent in an xsd:decimal.

    Only a float changes.
    """
    if not isinstance(value, float):
        return value
    if isinf(value):
        return "INF" if value > 0 else "-INF"
    return format(Decimal(repr(value)), "f") if isfinite(value) and datatype in _FIXED_POINT else value
