r"""`IriTemplate`: an IRI with the names of columns in braces, and its values for the rows of a batch.

    http://e/{id}        the values of the column `id`, with all characters percent-encoded that R2RML calls unsafe
    {+iri}               the values as they are (RFC 6570, reserved expansion): whole IRIs, or parts with `/` and `#`
    http://e/\{x\}       braces that are part of the IRI

Safe characters are letters and digits of any script, and `-._~` (`iunreserved` of RFC 3987; R2RML, section 7.3). Text
is put in as it is, other values by their lexical forms. A whole number in a column of floats has no point: pandas makes
a column of integers to floats if a value is missing.

Laws: a row in which a column of the template is missing has no value. What a template gives is an IRI, or an error that
names column, row and value. Cost: Arrow kernels and NumPy; Python looks at a value only if it has a character beyond
ASCII that no IRI may have, or if it may break the IRI and is no common IRI.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds
from pyoxigraph import NamedNode

from kgreason.errors import InputError
from kgreason.mapping.lexical_forms import TEXT, ColumnValues, texts, wrong_value_error

_PART = re.compile(r"\\([{}\\])|\{(\+?)([^{}]+)\}|([{}])|([^{}\\]+|\\)")
_FREE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(?://[^/?#]*[/?#]|(?!//)).*", re.DOTALL)
"""Behind such a beginning every text of safe characters keeps an IRI an IRI."""
_SEGMENT = r"(%[0-9A-Fa-f]{2}|[A-Za-z0-9._~:@!$&'()*+,;=-])"
_COMMON = (
    rf"^[A-Za-z][A-Za-z0-9+.-]*:(//[A-Za-z0-9._~-]+(:[0-9]+)?|{_SEGMENT}+)(/{_SEGMENT}*)*"
    rf"([?]({_SEGMENT}|[/?])*)?(#({_SEGMENT}|[/?])*)?$"
)
"""IRIs that need no closer look."""
_FOREIGN = "\x80-\x9f\ue000-\uf8ff\ufdd0-\ufdef\ufff0-\uffff\U000e0000-\U000e0fff\U000f0000-\U0010ffff" + "".join(
    f"{chr(plane + 0xFFFE)}{chr(plane + 0xFFFF)}" for plane in range(0x10000, 0xF0000, 0x10000)
)
"""The characters beyond ASCII that `iunreserved` does not have."""
_UNSAFE = re.compile(rf"[\x00-,/:-@\[-^`{{-\x7f{_FOREIGN}]")
_IS_SAFE = np.array([code >= 0x80 or chr(code).isalnum() or chr(code) in "-._~" for code in range(256)])
_HEX = np.frombuffer(b"".join(b"%%%02X" % code for code in range(256)), dtype=np.uint8).reshape(256, 3)


@dataclass(frozen=True, slots=True)
class Hole:
    """A place of a template that the values of `column` fill: percent-encoded, or as they are if `is_whole`."""

    column: str
    is_whole: bool


@dataclass(frozen=True, slots=True)
class IriTemplate:
    """An IRI with holes. `parts` are texts and holes, in order. Without a hole it is one IRI for all rows."""

    parts: tuple[str | Hole, ...]

    @property
    def columns(self) -> list[str]:
        """The columns that the template names, in order, each once."""
        return list(dict.fromkeys(part.column for part in self.parts if isinstance(part, Hole)))

    @property
    def example(self) -> str:
        """The IRI with values that are IRIs as a whole, or the letter x. It is an IRI if the template is good."""
        first, *rest = self.parts or ("",)
        whole = isinstance(first, Hole) and first.is_whole
        start = "http://example.org/" if whole else "x" if isinstance(first, Hole) else first
        return start + "".join("x" if isinstance(part, Hole) else part for part in rest)

    def fill(self, columns: Sequence[ColumnValues], count: int) -> pa.Array:
        """Return the IRIs of `count` rows in angle brackets; a missing value gives null.

        `columns` are the columns of the template (`columns`), in this order. Raises InputError.
        """
        by_name = dict(zip(self.columns, columns, strict=True))
        pieces: list[Any] = ["<"]
        for part in self.parts:
            pieces.append(_piece(by_name[part.column], part.is_whole) if isinstance(part, Hole) else part)
        pieces.append(">")
        if not columns:
            return pa.repeat(pa.scalar("".join(pieces), TEXT), count)
        filled = pc.binary_join_element_wise(*(_scalar(piece) for piece in pieces), _scalar(""))
        if not self._fits_any_value():
            _check(filled, columns[0])
        return filled

    def _fits_any_value(self) -> bool:
        """Whether any values make this template an IRI."""
        first = self.parts[0]
        holes = [part for part in self.parts if isinstance(part, Hole)]
        return isinstance(first, str) and bool(_FREE.fullmatch(first)) and not any(hole.is_whole for hole in holes)


def template(text: str) -> IriTemplate:
    """Read a template. Raises InputError for a brace without its partner."""
    return IriTemplate(tuple(_join(_parts(text))))


def has_holes(text: str) -> bool:
    """Whether a text has a brace, so that it can only be a template."""
    return "{" in text or "}" in text


def _parts(text: str) -> Iterator[str | Hole]:
    for found in _PART.finditer(text):
        escaped, plus, column, brace, plain = found.groups()
        if brace:
            raise InputError(
                f"{text}: a {brace} alone; a column is written as {{name}}, and the character as \\{brace}"
            )
        yield Hole(column, bool(plus)) if column else escaped or plain


def _join(parts: Iterator[str | Hole]) -> Iterator[str | Hole]:
    text = ""
    for part in parts:
        if isinstance(part, str):
            text += part
            continue
        if text:
            yield text
        yield part
        text = ""
    if text:
        yield text


def _scalar(piece: Any) -> Any:
    return pa.scalar(piece, TEXT) if isinstance(piece, str) else piece


def _piece(column: ColumnValues, is_whole: bool) -> pa.Array:
    values = texts(column)
    if kinds.is_floating(column.values.type):
        values = pc.replace_substring_regex(values, r"^(-?[0-9]+)\.0$", r"\1")
    return values if is_whole else percent_encoded(values)


def percent_encoded(values: pa.Array) -> pa.Array:
    """Percent-encode all characters of texts (large_string) that are not safe.

    >>> percent_encoded(pa.array(["a b/ü", None], TEXT)).to_pylist()
    ['a%20b%2Fü', None]
    """
    if pc.any(pc.match_substring_regex(values, f"[{_FOREIGN}]")).as_py():
        return pa.array(
            [text and _UNSAFE.sub(lambda found: quote(found[0], ""), text) for text in values.to_pylist()], TEXT
        )
    _, offsets, data = values.buffers()
    if data is None or not len(values):
        return values
    ends = np.frombuffer(offsets, dtype=np.int64)[values.offset : values.offset + len(values) + 1]
    read = np.frombuffer(data, dtype=np.uint8)[ends[0] : ends[-1]]
    is_safe = _IS_SAFE[read]
    if is_safe.all():
        return values
    lengths = np.where(is_safe, 1, 3)
    starts = np.concatenate(([0], np.cumsum(lengths)))
    written = np.empty(starts[-1], dtype=np.uint8)
    written[starts[:-1][is_safe]] = read[is_safe]
    places = starts[:-1][~is_safe]
    for digit in range(3):
        written[places + digit] = _HEX[read[~is_safe], digit]
    found = pa.Array.from_buffers(
        TEXT, len(values), [None, pa.py_buffer(starts[ends - ends[0]].astype(np.int64)), pa.py_buffer(written)]
    )
    return pc.if_else(values.is_valid(), found, pa.scalar(None, TEXT)) if values.null_count else found


def _check(filled: pa.Array, column: ColumnValues) -> None:
    """Raise InputError for the first of the filled templates that is not an IRI."""
    inner = pc.utf8_slice_codeunits(filled, 1, -1)
    strange = pc.fill_null(pc.invert(pc.match_substring_regex(inner, _COMMON)), False)
    for place in np.flatnonzero(strange.to_numpy(zero_copy_only=False)).tolist():
        iri = inner[place].as_py()
        try:
            NamedNode(iri)
        except ValueError as error:
            raise wrong_value_error(column, place, f"<{iri}> is not an IRI: {error}") from error
