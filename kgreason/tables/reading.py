"""R.facts -> id columns: tab separated fields, one fact a line, UTF-8.

    bytes -> positions of tabs and line feeds -> bounds of fields -> ids

A file is read in pieces of whole lines, and each piece is handled as arrays: no Python loop runs over facts. If a
relation has no columns, each line must be `()`. A carriage return before a line feed is dropped. If the last line has
no line feed, one is added.

Cost: a few passes over the text and a hash look-up for each field; memory for one piece and the ids. Files of another
layout (`layout`) are read as a whole, field by field.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kgreason.errors import InputError
from kgreason.rules.model import Relation
from kgreason.tables.fields import Fields
from kgreason.tables.layout import PLAIN, Layout
from kgreason.terms.dictionary import Ids

PIECE = 1 << 24
"""Bytes read at a time, about."""

_TAB, _LINE_FEED = 9, 10
_BOM = b"\xef\xbb\xbf"


class Rows(NamedTuple):
    """The facts in a file, int32[n, arity], and the number of the line of each; None if fact i is in line i + 1."""

    ids: Ids
    lines: npt.NDArray[np.int64] | None = None

    def line(self, row: int) -> int:
        """Return the number of the line of a fact."""
        return row + 1 if self.lines is None else int(self.lines[row])


def read_rows(
    path: Path,
    arity: int,
    fields: Fields,
    report: Callable[[int], object],
    layout: Layout = PLAIN,
    relation: Relation | None = None,
) -> Rows:
    """Read the facts in a file. Calls `report` after each piece, with its number of facts.

    `relation` is the declaration of the relation, whose columns a header names. Raises InputError, with file and line,
    if a line does not have `arity` fields or is not UTF-8.
    """
    if arity and not layout.is_plain:
        return _rows_of_layout(path, arity, fields, report, layout, relation)
    parts = [np.empty((0, arity), dtype=np.int32)]
    line = 1
    for piece in _pieces(path):
        _check_text(piece, path, line)
        part = _columns(piece, arity, fields, path, line) if arity else _nullary_rows(piece, path, line)
        parts.append(part)
        report(len(part))
        line += piece.count(b"\n")
    return Rows(np.concatenate(parts))


def _rows_of_layout(
    path: Path,
    arity: int,
    fields: Fields,
    report: Callable[[int], object],
    layout: Layout,
    relation: Relation | None,
) -> Rows:
    text = b"".join(_pieces(path))
    _check_text(text, path, 1)
    lines: list[int] = []
    parts: list[bytes] = []
    for line, row in layout.rows(path, text.decode(), arity, relation):
        lines.append(line)
        parts += [field.encode() + b"\t" for field in row]
    bounds = np.concatenate([[0], np.cumsum([len(part) for part in parts], dtype=np.int64)]).astype(np.int64)
    ids = fields.intern(np.frombuffer(bytearray(b"".join(parts)), dtype=np.uint8), bounds).reshape(-1, arity)
    report(len(ids))
    return Rows(ids, np.array(lines, dtype=np.int64))


def _pieces(path: Path) -> Iterator[bytes]:
    """Yield the text of a file in pieces of whole lines."""
    try:
        with path.open("rb") as file:
            while piece := file.read(PIECE) + file.readline():
                piece = piece if piece.endswith(b"\n") else piece + b"\n"
                piece = piece.replace(b"\r\n", b"\n") if b"\r" in piece else piece
                yield piece.removeprefix(_BOM)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error


def _check_text(piece: bytes, path: Path, line: int) -> None:
    try:
        if not piece.isascii():
            piece.decode()
    except UnicodeDecodeError as error:
        line += piece.count(b"\n", 0, error.start)
        raise InputError(f"{path}:{line}: is not UTF-8 text") from error


def _columns(piece: bytes, arity: int, fields: Fields, path: Path, line: int) -> Ids:
    text = np.frombuffer(bytearray(piece), dtype=np.uint8)
    ends = np.flatnonzero((text == _TAB) | (text == _LINE_FEED))
    _check_counts(text[ends] == _LINE_FEED, arity, path, line)
    text[ends] = _TAB  # so that a field is the same in every column
    return fields.intern(text, np.append(np.int64(0), ends + 1)).reshape(-1, arity)


def _check_counts(is_last: npt.NDArray[np.bool_], arity: int, path: Path, line: int) -> None:
    """Raise InputError for the first line that does not have `arity` fields.

    `is_last`: for each field of a piece of the file, whether it is the last field of its line. `line`: the number of
    the first line of the piece.
    """
    counts = np.diff(np.flatnonzero(is_last), prepend=-1)
    wrong = np.flatnonzero(counts != arity)
    if wrong.size:
        raise InputError(f"{path}:{line + wrong[0]}: the line has {counts[wrong[0]]} fields, {path.stem} has {arity}")


def _nullary_rows(piece: bytes, path: Path, line: int) -> Ids:
    lines = piece.splitlines()
    for number, text in enumerate(lines, line):
        if text != b"()":
            raise InputError(f"{path}:{number}: {path.stem} has no columns, so the line must be ()")
    return np.empty((len(lines), 0), dtype=np.int32)
