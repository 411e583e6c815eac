"""`Layout`: how the fields of a table stand in a file. The plain one is Soufflé's: tabs, no header, no quotation marks.

    delimiter ,     CSV (RFC 4180): a field with a delimiter, a quotation mark or a line break stands in quotation marks
    header          the first line has the names of the columns

A header of a file that is read may have the columns of a declared relation in any order. The columns of a relation
without a declaration have the names column1, column2 and so on when a header is written; any header is read over.

Law: a table that is written with a layout has the same facts when it is read with this layout. Cost: a microsecond for
each field; the plain layout is read and written as arrays (`reading`, `writing`).
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from io import StringIO
from pathlib import Path
from typing import NamedTuple

from kgreason.errors import InputError
from kgreason.rules.model import Relation

csv.field_size_limit(2**31 - 1)


class Layout(NamedTuple):
    """A layout. `delimiter` is the character between two fields."""

    delimiter: str = "\t"
    has_header: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether files are as Soufflé's."""
        return self == PLAIN

    @property
    def is_quoted(self) -> bool:
        """Whether fields may stand in quotation marks, so that they may have any character."""
        return self.delimiter != "\t"

    def lines(self, rows: Iterable[Sequence[str]]) -> str:
        """Return rows of fields as the text of lines."""
        text = StringIO(newline="")
        if self.is_quoted:
            csv.writer(text, delimiter=self.delimiter, lineterminator="\n").writerows(rows)
        else:
            text.writelines("\t".join(row) + "\n" for row in rows)
        return text.getvalue()

    def rows(self, path: Path, text: str, arity: int, relation: Relation | None) -> Iterator[tuple[int, list[str]]]:
        """Yield the rows of fields of a file, each with the number of its last line.

        Raises InputError, with file and line, for a line that does not have `arity` fields, a wrong quotation mark, and
        a header without the columns of the declared relation.
        """
        if self.is_quoted:
            found = csv.reader(StringIO(text, newline=""), delimiter=self.delimiter, strict=True)
        else:
            found = csv.reader(StringIO(text, newline=""), delimiter="\t", quoting=csv.QUOTE_NONE)
        order: list[int] | None = None
        is_first = True
        try:
            for read in found:
                row = read or [""]  # an empty line is one empty field, as in the plain layout
                if len(row) != arity:
                    problem = f"the line has {len(row)} fields, {path.stem} has {arity}"
                    raise InputError(f"{path}:{found.line_num}: {problem}")
                if is_first and self.has_header:
                    is_first, order = False, _column_order(path, row, relation)
                    continue
                is_first = False
                yield found.line_num, row if order is None else [row[place] for place in order]
        except csv.Error as error:
            raise InputError(f"{path}:{found.line_num}: {error}") from error


PLAIN = Layout()
"""The layout of Soufflé's tables."""


def _column_order(path: Path, header: Sequence[str], relation: Relation | None) -> list[int] | None:
    """Return for each column of a declared relation its place in the header of a file; None without a declaration."""
    if relation is None:
        return None
    names = [name.strip().lower() for name in header]
    wanted = [column.name.lower() for column in relation.columns]
    if sorted(names) != sorted(wanted):
        columns = ", ".join(column.name for column in relation.columns)
        raise InputError(f"{path}:1: the header is {', '.join(header)}, but {relation.name} has the columns {columns}")
    return [names.index(name) for name in wanted]
