"""Components that compare the value nodes with the values of another property (SHACL, 4.5)."""

from __future__ import annotations

from kgreason.shapes.writer import Writer


def equals(writer: Writer, parameter: str) -> None:
    """The value nodes are the values of a property: no value node is missing there, and no value is missing here."""
    is_there = f"[?x, {parameter}, {writer.value}]"
    writer.violation("equals", parameter, [*writer.values, f"NOT {is_there}"], value=writer.value)
    other = f"[?x, {parameter}, ?w]"
    is_here = "FILTER(!sameTerm(?x, ?w))" if writer.path is None else f"NOT {writer.leads_to('?w')}"
    writer.violation("equals", parameter, [other, is_here], value="?w")


def disjoint(writer: Writer, parameter: str) -> None:
    """No value node is a value of a property."""
    atoms = [*writer.values, f"[?x, {parameter}, {writer.value}]"]
    writer.violation("disjoint", parameter, atoms, value=writer.value)


def less_than(writer: Writer, parameter: str) -> None:
    """Each value node is less than each value of a property."""
    _compare("lessThan", "<", writer, parameter)


def less_than_or_equals(writer: Writer, parameter: str) -> None:
    """Each value node is less than each value of a property, or equals it."""
    _compare("lessThanOrEquals", "<=", writer, parameter)


def _compare(name: str, operator: str, writer: Writer, parameter: str) -> None:
    atoms = [*writer.values, f"[?x, {parameter}, ?w]", f'FILTER(shacl_uncompared(?v, "{operator}", ?w))']
    writer.violation(name, parameter, atoms, value="?v", detail="?w")
