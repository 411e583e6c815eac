"""`RowMapping`: which triples a row of a table gives.

    <subject> <predicate> <object>        for each `ColumnMapping` whose column has a value in the row
    <subject> rdf:type <class>            for each of `types`

The object is a literal with the datatype of the column (`lexical_forms`) or with another one, text with a language tag,
or an IRI by a template. A mapping is made of plain values, so it can be sent to other processes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # an installation without frames has no PyArrow, which templates need
    from kgreason.mapping.template import IriTemplate


@dataclass(frozen=True, slots=True)
class ColumnMapping:
    """The triples of a column: their predicate, and what the values become.

    `column` is the name of the column, and `predicate` an IRI in angle brackets. At most one of the others is given:
    `datatype`, an IRI in angle brackets; `language`, a tag; and `template`, for IRIs. The template may name other
    columns.
    """

    column: str
    predicate: str
    datatype: str | None = None
    language: str | None = None
    template: IriTemplate | None = None


@dataclass(frozen=True, slots=True)
class RowMapping:
    """The triples of a row. `graph` is the name of the graph of all triples; None is the default graph."""

    subject: IriTemplate
    columns: tuple[ColumnMapping, ...] = ()
    types: tuple[IriTemplate, ...] = ()
    graph: IriTemplate | None = None

    @property
    def names(self) -> list[str]:
        """The columns that the mapping reads, each once."""
        templates = [self.subject, *self.types, *([self.graph] if self.graph else [])]
        templates += [each.template for each in self.columns if each.template]
        read = [name for each in templates for name in each.columns]
        return list(dict.fromkeys([*read, *(each.column for each in self.columns if not each.template)]))
