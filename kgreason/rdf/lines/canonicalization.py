r"""`canonical_lines`: turns lines of N-Triples or N-Quads into canonical N-Quads text, most of them without a parser.

Most lines of such files are canonical already. A kernel tells these *plain* lines by their bytes, at memory speed and
without the GIL; they stay as they are. pyoxigraph parses and writes the other lines.

    plain                                          not plain, so pyoxigraph decides
    <http://e/a> <http://e/b> "x"@en .             two spaces, tabs, comments, \r\n, no line feed at the end
    _:a <http://e/b> <http://e/c%20d> _:graph .    "x"@en-GB, triple terms, IRIs with letters such as é, \u escapes

Law: the text and the errors are those of pyoxigraph for the whole file. A plain line is one quad, complete and valid,
and pyoxigraph would write it byte for byte so. So pyoxigraph may begin anew behind it. If pyoxigraph finds an error in
some lines, UnparsedError is raised, and the caller gives pyoxigraph the file from these lines on.

Cost: a plain line takes a twentieth of the time of parsing. Lines that are not plain take the time of parsing, and so
do plain lines less than `_LEAST` bytes behind them.

`Blocks` cuts the text at line ends, so that threads can read the blocks at the same time. Invariant: a block has whole
lines, and the blocks together are the text without its VERSION directives. While blocks are in work, `rest` still has
the text from the first block that is not `note_done`. Some blocks of `BLOCK` bytes are in memory.
"""

from __future__ import annotations

import io
import re
from collections import deque
from collections.abc import Iterator
from typing import IO, NamedTuple, cast

import numpy as np
import numpy.typing as npt
import pyoxigraph

from kgreason.compiled import inline, kernel
from kgreason.rdf.counting_stream import BUFFER
from kgreason.rdf.lines.skipped_lines import BadLine
from kgreason.rdf.problem import problem_of
from kgreason.terms.interning import Bytes
from kgreason.terms.tags import canonical_lines as parsed

BLOCK = 1 << 21
"""The number of bytes in a block, up to the end of a line."""


_VERSION = re.compile(rb"""^[ \t]*VERSION[ \t]*(?:"[^"'\r\n\\]*"|'[^"'\r\n\\]*')[ \t]*(?=\r?$|\#)""", re.MULTILINE)
"""The directive of N-Triples 1.2 and N-Quads 1.2, which pyoxigraph does not know. It says what the text may have."""


class Rest(NamedTuple):
    """The rest of a text, and the number of lines before it."""

    text: IO[bytes]
    before: int


class Blocks:
    """The text of a stream in blocks. One thread at a time may use it."""

    def __init__(self, text: io.BufferedReader) -> None:
        self._text, self._lines = text, 0
        self._given: deque[bytes] = deque()

    def __iter__(self) -> Iterator[bytes]:
        """Yield the blocks. Raises UnparsedError at a line that may be longer than the parser allows."""
        while block := self._text.read(BLOCK):
            block += b"" if block.endswith(b"\n") else self._text.readline(BUFFER - len(block))
            if b"VERSION" in block:
                block = _VERSION.sub(b"", block)
            self._given.append(block)
            if len(block) == BUFFER:
                raise UnparsedError
            yield block

    def note_done(self) -> int:
        """Note that the quads of the first block not yet done have been taken. Returns how many lines are before it."""
        before = self._lines
        self._lines += self._given.popleft().count(b"\n")
        return before

    def rest(self) -> Rest:
        """Return the text from the first block on that is not done."""
        return Rest(cast(IO[bytes], _Joined(io.BytesIO(b"".join(self._given)), self._text)), self._lines)


class _Joined:
    """Two streams, one after the other."""

    def __init__(self, first: IO[bytes], second: IO[bytes]) -> None:
        self._first, self._second = first, second

    def read(self, size: int = -1) -> bytes:
        """Read up to `size` bytes."""
        return self._first.read(size) or self._second.read(size)


_LEAST = 1 << 12
"""The least number of bytes for one call of pyoxigraph. A call costs as much as parsing some ten lines."""


class UnparsedError(Exception):
    """Raised if pyoxigraph finds an error in some lines, or finds that their last statement goes on."""


def canonical_lines(lines: bytes, name: str, bad: list[BadLine] | None = None) -> bytes:
    """Return whole lines in the format `name`, `nt` or `nq`, as canonical N-Quads text.

    The last line may lack its line feed. Raises UnparsedError. With `bad` it does not raise, but leaves out each
    malformed line, and adds the line to `bad`.
    """
    lines = lines if lines.endswith(b"\n") else lines + b"\n"  # kernels stop at line feeds
    view, has_graphs, is_utf_8 = np.frombuffer(lines, np.uint8), name == "nq", _is_utf_8(lines)
    parts, at = list[bytes](), 0
    while at < len(lines):
        end = _skip_plain(view, at, has_graphs, is_utf_8)
        if end - at == len(lines):
            return lines
        parts.append(lines[at:end])
        at = _skip_others(view, end, has_graphs, is_utf_8)
        if at > end:
            if bad is None:
                parts.append(_parse(lines[end:at], name))
            else:
                parts.append(_sound_lines(lines[end:at], name, bad, 1 + lines.count(b"\n", 0, end)))
    return b"".join(parts)


def _parse(lines: bytes, name: str) -> bytes:
    """Return lines as canonical N-Quads text, by pyoxigraph."""
    try:
        return parsed(lines, pyoxigraph.RdfFormat.from_extension(name))
    except (SyntaxError, MemoryError) as error:
        raise UnparsedError from error


def _sound_lines(lines: bytes, name: str, bad: list[BadLine], first: int) -> bytes:
    """Do the same as `_parse`, but leave out malformed lines. `first` is the number of the first line."""
    try:
        return _parse(lines, name)
    except UnparsedError:
        parts = []
        for number, line in enumerate(lines.split(b"\n")):
            try:
                parts.append(_parse(line, name))
            except UnparsedError as error:
                cause = error.__cause__
                problem = problem_of(cause) if isinstance(cause, SyntaxError) else "the line is too long"
                bad.append(BadLine(first + number, problem))
        return b"".join(parts)


def _is_utf_8(lines: bytes) -> bool:
    try:
        return lines.isascii() or bool(lines.decode())
    except UnicodeDecodeError:
        return False


_IRI, _HOST, _LABEL, _SCHEME, _LETTER, _DIGIT, _HEX = (1 << place for place in range(7))


def _classes() -> npt.NDArray[np.uint8]:
    """Return for each byte the classes of characters that it belongs to: uint8[256]."""
    letters, digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", "0123456789"
    host = f"{letters}{digits}-._~!$&'()*+,;="
    members = {
        _IRI: f"{host}:@/?",
        _HOST: host,
        _LABEL: f"{letters}{digits}_",
        _SCHEME: f"{letters}{digits}+-.",
        _LETTER: letters,
        _DIGIT: digits,
        _HEX: f"{digits}abcdefABCDEF",
    }
    classes = np.zeros(256, np.uint8)
    for number, text in members.items():
        classes[np.frombuffer(text.encode(), np.uint8)] |= np.uint8(number)
    return classes


_CLASSES = _classes()
_LINE_FEED, _SPACE, _QUOTE, _HASH, _PERCENT, _STOP, _SLASH, _QUESTION = 10, 32, 34, 35, 37, 46, 47, 63
_COLON, _LESS, _GREATER, _AT, _BACKSLASH, _CARET, _UNDERSCORE, _DELETE = 58, 60, 62, 64, 92, 94, 95, 127


@inline
def _skip(text: Bytes, at: int, members: int) -> int:
    """Return the position of the first byte, from `at` on, that is not of one of the classes `members`."""
    while _CLASSES[text[at]] & members:
        at += 1
    return at


@inline
def _skip_authority(text: Bytes, at: int) -> int:
    """Return the position after the host and port that begin at `at`."""
    at = _skip(text, at, _HOST)
    return _skip(text, at + 1, _DIGIT) if text[at] == _COLON else at


@inline
def _skip_plain_iri(text: Bytes, at: int) -> int:
    """Return the position after the absolute IRI in `<>` that begins at `at`; 0 if it is not plain."""
    if text[at] != _LESS or not _CLASSES[text[at + 1]] & _LETTER:
        return 0
    at = _skip(text, at + 1, _SCHEME)
    if text[at] != _COLON:
        return 0
    at += 1
    if text[at] == _SLASH and text[at + 1] == _SLASH:
        at = _skip_authority(text, at + 2)
        is_ended = text[at] == _SLASH or text[at] == _QUESTION or text[at] == _HASH or text[at] == _GREATER
        if not is_ended:
            return 0
    has_fragment = False
    while text[at] != _GREATER:
        if text[at] == _PERCENT:
            if not (_CLASSES[text[at + 1]] & _HEX and _CLASSES[text[at + 2]] & _HEX):
                return 0
            at += 3
        elif text[at] == _HASH and not has_fragment:
            has_fragment = True
            at += 1
        elif _CLASSES[text[at]] & _IRI:
            at += 1
        else:
            return 0
    return at + 1


@inline
def _skip_plain_node(text: Bytes, at: int) -> int:
    """Return the position after the IRI or blank node that begins at `at`; 0 if it is not plain."""
    if text[at] != _UNDERSCORE:
        return _skip_plain_iri(text, at)
    if text[at + 1] != _COLON or not _CLASSES[text[at + 2]] & _LABEL:
        return 0
    return _skip(text, at + 2, _LABEL)


@inline
def _skip_plain_string(text: Bytes, at: int, is_utf_8: bool) -> int:
    """Return the position after the quoted string that begins at `at`; 0 if it is not plain."""
    at += 1
    while text[at] != _QUOTE:
        byte = text[at]
        if byte == _BACKSLASH:
            at += 1
            byte = text[at]
            is_kept = byte == _QUOTE or byte == _BACKSLASH or byte == 110 or byte == 114 or byte == 116  # n, r and t
            if not is_kept:
                return 0
        elif (
            byte < _SPACE
            or byte == _DELETE
            or (byte > _DELETE and not is_utf_8)
            or (byte == 0xEF and text[at + 1] == 0xBF)
        ):
            return 0
        at += 1
    return at + 1


@inline
def _skip_plain_literal(text: Bytes, at: int, is_utf_8: bool) -> int:
    """Return the position after the literal that begins at `at`; 0 if it is not plain."""
    at = _skip_plain_string(text, at, is_utf_8)
    if at == 0:
        return 0
    if text[at] == _AT:
        end = at + 1
        while 97 <= text[end] <= 122:
            end += 1
        return end if 2 <= end - at - 1 <= 3 else 0
    if text[at] != _CARET:
        return at
    if text[at + 1] != _CARET:
        return 0
    at = _skip_plain_iri(text, at + 2)
    # xsd:string is left out, and rdf:langString is an error
    is_string = at > 0 and text[at - 2] == 103 and text[at - 3] == 110 and text[at - 4] == 105
    return 0 if is_string else at


@inline
def _skip_plain_line(text: Bytes, at: int, has_graphs: bool, is_utf_8: bool) -> int:
    """Return the position after the line that begins at `at`; 0 if the line is not plain."""
    at = _skip_plain_node(text, at)
    if at == 0 or text[at] != _SPACE:
        return 0
    at = _skip_plain_iri(text, at + 1)
    if at == 0 or text[at] != _SPACE:
        return 0
    at += 1
    at = _skip_plain_literal(text, at, is_utf_8) if text[at] == _QUOTE else _skip_plain_node(text, at)
    if at == 0 or text[at] != _SPACE:
        return 0
    if has_graphs and text[at + 1] != _STOP:
        at = _skip_plain_node(text, at + 1)
        if at == 0 or text[at] != _SPACE:
            return 0
    return at + 3 if text[at + 1] == _STOP and text[at + 2] == _LINE_FEED else 0


@kernel
def _skip_plain(text: Bytes, at: int, has_graphs: bool, is_utf_8: bool) -> int:
    """Return the position of the first line, from `at` on, that is not plain, or the end of the text.

    `text` has whole lines. `has_graphs`: whether a line may have a graph. `is_utf_8`: whether the text is UTF-8.
    """
    while at < text.size:
        end = _skip_plain_line(text, at, has_graphs, is_utf_8)
        if end == 0:
            return at
        at = end
    return at


@kernel
def _skip_others(text: Bytes, at: int, has_graphs: bool, is_utf_8: bool) -> int:
    """Return the position of the first plain line that is at least `_LEAST` bytes behind `at`, or the end of the text.

    The arguments are those of `_skip_plain`.
    """
    least = at + _LEAST
    while at < text.size and (at < least or _skip_plain_line(text, at, has_graphs, is_utf_8) == 0):
        while text[at] != _LINE_FEED:
            at += 1
        at += 1
    return at
