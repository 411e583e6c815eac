"""Files of rows: CSV with commas, or with tabs if the name ends in .tsv or .facts.

    from,to,weight          the header: the names of all columns in any order, if the relation is declared
    ()                      a fact of a relation without columns
    <http://e/a>,"b, c",5   a row; a field with a comma, a quotation mark or a line break stands in quotation marks

With tabs a field has no quotation marks around it. In a header, letter case and spaces around the names do not matter.
A byte order mark at the beginning of a file is no part of the first field. Empty lines are skipped, with one exception:
with tabs, and in a relation that is declared with one column, an empty line is a row. Fields may have any length.
"""

from __future__ import annotations

import csv
import io
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from kgreason.errors import InputError

_TABS = (".tsv", ".facts")
NO_FIELDS = "()"
"""The line of a fact of a relation without columns."""
_LONGEST = (1 << 31) - 1


def numbered_rows(path: Path, names: Sequence[str] | None) -> Iterator[tuple[int, Sequence[str]]]:
    """Yield each row of a file as its line number and its fields. The file `-` is standard input.

    `names` are the names of the declared columns; with None no line is taken for a header. The fields of a row come in
    the order of `names`. Raises InputError.
    """
    has_tabs = path.suffix in _TABS
    try:
        with _open_text(path) as text, _LONG_FIELDS:
            reader = _rows_of_tsv(text, names) if has_tabs else _rows_of_csv(text)
            order: Sequence[int] | None = None
            for place, (number, row) in enumerate(reader):
                if not place and names is not None and (order := _header_places(row, names)):
                    continue
                is_whole = order is None or len(row) == len(order)
                yield number, [row[i] for i in order] if order is not None and is_whole else row
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        said = "is not UTF-8 text" if isinstance(error, UnicodeDecodeError) else getattr(error, "strerror", error)
        raise InputError(f"{path}: {said}") from error


@contextmanager
def _open_text(path: Path) -> Iterator[io.TextIOBase]:
    """Open a file, or standard input, for the block.

    Line breaks stay as they are, because a field may have line breaks.
    """
    if str(path) != "-":
        with path.open(encoding="utf-8-sig", newline="") as file:
            yield file
        return
    text = io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8-sig", newline="")
    try:
        yield text
    finally:
        text.detach()


def _rows_of_csv(text: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(text, strict=True)
    for row in reader:
        if row:
            yield reader.line_num, row


def _rows_of_tsv(text: Iterable[str], names: Sequence[str] | None) -> Iterator[tuple[int, list[str]]]:
    has_empty = names is not None and len(names) == 1
    for number, row in enumerate(csv.reader(text, delimiter="\t", quoting=csv.QUOTE_NONE), 1):
        if row or has_empty:
            yield number, row or [""]


def _header_places(row: Sequence[str], names: Sequence[str]) -> Sequence[int] | None:
    """If `row` is a header, return the place of each column of `names` in the rows of the file, otherwise None."""
    for plain in (str, (lambda name: name.strip().casefold())):
        found, wanted = [plain(name) for name in row], [plain(name) for name in names]
        if len(set(wanted)) == len(wanted) and sorted(found) == sorted(wanted):
            return [found.index(name) for name in wanted]
    return None


class _LongFields:
    """Within the block the module `csv` reads fields of any length. The limit of `csv` holds for the whole process.

    Threads: `_lock` protects the number of readers, and the limit that is restored after the last reader.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._readers = self._limit = 0

    def __enter__(self) -> None:
        with self._lock:
            if not self._readers:
                self._limit = csv.field_size_limit(_LONGEST)
            self._readers += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._readers -= 1
            if not self._readers:
                csv.field_size_limit(self._limit)


_LONG_FIELDS = _LongFields()
