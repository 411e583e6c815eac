"""Components that ask whether value nodes conform to other shapes (SHACL, 4.6, 4.7)."""

from __future__ import annotations

from itertools import combinations

from kgreason.errors import ShapesError
from kgreason.shapes.writer import Writer

_MOST = 500
"""The largest list of sh:xone: each two of its members make a rule."""


def _fails(writer: Writer, shape: str) -> str:
    return f"shacl_fails({shape}, {writer.value})"


def node(writer: Writer, parameter: str) -> None:
    """Each value node conforms to a shape."""
    writer.violation("node", parameter, [*writer.values, _fails(writer, parameter)], value=writer.value)


def not_(writer: Writer, parameter: str) -> None:
    """No value node conforms to a shape."""
    atoms = [*writer.values, f"NOT {_fails(writer, parameter)}"]
    writer.violation("not", parameter, atoms, value=writer.value)


def and_(writer: Writer, parameter: str) -> None:
    """Each value node conforms to all shapes of a list."""
    for shape in writer.graph.members(parameter):
        writer.violation("and", parameter, [*writer.values, _fails(writer, shape)], value=writer.value)


def or_(writer: Writer, parameter: str) -> None:
    """Each value node conforms to one of the shapes of a list; to an empty list no node conforms."""
    atoms = [_fails(writer, shape) for shape in writer.graph.members(parameter)]
    writer.violation("or", parameter, [*writer.values, *atoms], value=writer.value)


def xone(writer: Writer, parameter: str) -> None:
    """Each value node conforms to exactly one of the shapes of a list. A shape that stands there twice counts twice."""
    shapes = writer.graph.members(parameter)
    if len(shapes) > _MOST:
        raise ShapesError(f"{writer.node}: the list of sh:xone has more than {_MOST:,} members")
    none = [_fails(writer, shape) for shape in shapes]
    writer.violation("xone", parameter, [*writer.values, *none], value=writer.value)
    for pair in combinations(shapes, 2):
        both = [f"NOT {_fails(writer, shape)}" for shape in dict.fromkeys(pair)]
        writer.violation("xone", parameter, [*writer.values, *both], value=writer.value)


def property_(writer: Writer, parameter: str) -> None:
    """Each value node conforms to a property shape. What it violates there is a result of that shape."""
    if writer.shape.is_asked:
        body = [writer.focus, *writer.values, _fails(writer, parameter)]
        writer.add("sh-property", f"shacl_fails({writer.node}, ?x) :- {', '.join(body)} .")
