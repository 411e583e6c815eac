r"""Language tags keep the letters in which they were written, though pyoxigraph makes them small.

pyoxigraph's parsers, its constructors and its store turn `"colour"@en-GB` into `"colour"@en-gb`. RDF 1.1 allows this
(Concepts, section 3.3), since both literals have one value. kgreason keeps the text. So a tag with capital letters
travels through a parser inside of another tag, a *carrier*, which has the bytes of the tag as hexadecimal digits:

    "colour"@en-GB    with_carriers ->    "colour"@x-<mark>-656e2d47-42-<mark>    with_tags ->    "colour"@en-GB

`with_carriers` replaces what looks like a tag and stands where a tag may stand: behind a quotation mark, or first on a
line, since a comment may come between. This may also be in a string or a comment. `with_tags` does the opposite with
what the parser gives. So texts other than tags stay the same. The mark is drawn anew for each process, so that a text
has it only by a chance of one to 36**8; and a carrier in a text can become nothing but a language tag.

Laws: `with_tags(with_carriers(text)) == text`, unless the text has the mark. A tag that pyoxigraph refuses gets no
carrier, so pyoxigraph refuses it as ever, and `column_of_user` tells where. Cost: a search for `@`, and a look-up
for each tag with a capital letter.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from io import BytesIO
from itertools import chain, islice
from string import ascii_letters, ascii_lowercase, digits
from typing import IO, TypeAlias, cast

import pyoxigraph
from pyoxigraph import BaseDirection, BlankNode, Literal, NamedNode, Quad, RdfFormat, Triple

Term: TypeAlias = NamedNode | BlankNode | Literal | Triple
_Parts: TypeAlias = tuple[str, str, BaseDirection | None]
"""Value, language tag and base direction of a literal."""

_SUBTAG = 8
"""The letters that a part of a tag may have (BCP 47)."""
_MARK = "".join(secrets.choice(ascii_lowercase + digits) for _ in range(_SUBTAG))
_WORD = _MARK.encode()
_BEGIN = f"x-{_MARK}-"
_WRITTEN = rb"(?=[a-z0-9-]*[A-Z])[A-Za-z]+(?:-[A-Za-z0-9]+)*"
"""A language tag with a capital letter."""
_TAG = re.compile(_WRITTEN)
_CAPITALS = re.compile(rb"@(?<=[\"' \t\r\n]@)(%b)" % _WRITTEN)
_CARRIER = re.compile(rb"x-%b-([0-9a-f-]+?)-%b" % (_WORD, _WORD))
_STRING = re.compile(rb'("(?:[^"\\\n]|\\.)*+(?:"[ \t]*)?)(?:@([A-Za-z]+(?:-[A-Za-z0-9]+)*))?')
"""A string of N-Quads with its tag. A string without an end is taken whole, so each byte is looked at once."""
_LETTERS = f"{ascii_letters}{digits}-".encode()
_LONGEST = 1 << 12
"""The letters of a tag that gets a carrier. A longer tag becomes small, and one behind more blanks may do so."""
_FAR = 1 << 12
"""`parse_quads` parses lines by themselves if no tag with a capital letter is within so many bytes around them."""
_PIECE = 1 << 16
_SOME = 1_000
"""Quads whose tags are put back together."""


def has_capitals(text: str) -> bool:
    """Whether a term, given as N-Triples text, is a literal whose language tag has a capital letter.

    >>> has_capitals('"A"@en'), has_capitals('"a"@EN')
    (False, True)
    """
    return '"@' in text and with_small_tag(text) != text


def with_small_tag(text: str) -> str:
    """Return a literal, given as N-Triples text, with its language tag in small letters; any other term as it is.

    >>> with_small_tag('"A"@en-GB')
    '"A"@en-gb'
    """
    if not text.startswith('"'):
        return text
    end = text.rindex('"') + 1
    return text[:end] + text[end:].lower() if text.startswith("@", end) else text


def with_carriers(text: bytes) -> bytes:
    """Return an RDF text with carriers in place of language tags that have capital letters."""
    return _CAPITALS.sub(_carrier_of_match, text) if _CAPITALS.search(text) else text


def carrier(tag: str) -> str:
    """Return the carrier of a language tag. Returns a tag that is small or invalid as it is."""
    return _carrier_of(tag.encode()).decode() if tag.isascii() else tag


def with_tags(text: bytes) -> bytes:
    """Return a text that a parser gave, with the tags of carriers in their places."""
    return _CARRIER.sub(_tag_of_match, text) if _WORD in text else text


def _carrier_of_match(found: re.Match[bytes]) -> bytes:
    return b"@" + _carrier_of(found[1]) if _may_be_tag(found) else found[0]


def _may_be_tag(found: re.Match[bytes]) -> bool:
    """Whether a match of `_CAPITALS` is behind a quotation mark, or the first on its line."""
    text, at = found.string, found.start() - 1
    while at > 0 and text[at] in b" \t":
        at -= 1
    return text[at] in b"\"'\r\n"


@lru_cache(1 << 10)
def _carrier_of(tag: bytes) -> bytes:
    if len(tag) > _LONGEST or not _TAG.fullmatch(tag):
        return tag
    try:
        Literal("", language=tag.decode())
    except ValueError:
        return tag
    number = tag.hex()
    parts = "-".join(number[at : at + _SUBTAG] for at in range(0, len(number), _SUBTAG))
    return f"x-{_MARK}-{parts}-{_MARK}".encode()


def _tag_of_match(found: re.Match[bytes]) -> bytes:
    try:
        tag = bytes.fromhex(found[1].replace(b"-", b"").decode())
    except ValueError:
        return found[0]
    return tag if _carrier_of(tag) == found[0] else found[0]


class CarrierStream:
    """A binary stream whose text has carriers (`with_carriers`). Only one thread reads it."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream, self._ready, self._rest = stream, BytesIO(), b""

    def read(self, size: int = -1) -> bytes:
        """Read up to `size` bytes."""
        while not (found := self._ready.read(size)):
            piece = self._stream.read(_PIECE)
            text = self._rest + piece
            if not text:
                return b""
            cut = _cut_position(text) if piece else len(text)
            self._rest, self._ready = text[cut:], BytesIO(with_carriers(text[:cut]))
        return found


def _cut_position(text: bytes) -> int:
    """Return where the end of a piece begins that may be a part of a tag, with the byte before it and its blanks.

    A tag comes after a quotation mark, or first on its line (`_may_be_tag`). So a piece is cut there or at its end.
    """
    letters = text.rstrip(_LETTERS)
    before = (letters[:-1] if letters.endswith(b"@") else text).rstrip(b" \t")
    cut = len(before) - 1 if before.endswith((b'"', b"'", b"\r", b"\n")) else len(text)
    return cut if len(text) - cut <= _LONGEST else len(text)


def column_of_user(line: bytes, at: int) -> int:
    """Return the column, from 1, in the text of a user, for the column `at` in the same line with carriers."""
    before = line.decode(errors="replace")[: at - 1].encode()
    return len(with_tags(before).decode()) + 1


def correct_error(error: SyntaxError, line: bytes | None) -> None:
    """Make a parser's error about a text with carriers one about the text of the user.

    `line` is the line of the error, with carriers. Without it the error loses its column.
    """
    if _MARK in error.msg:
        error.msg = with_tags(error.msg.encode(errors="replace")).decode()
    if error.offset:
        error.offset = None if line is None else column_of_user(line, error.offset)


@contextmanager
def correct_errors(text: Callable[[], bytes]) -> Iterator[None]:
    """Within the block, errors of a parser are about the text of the user. `text` returns the text with carriers."""
    try:
        yield
    except SyntaxError as error:
        lines = text().split(b"\n")
        correct_error(error, lines[error.lineno - 1] if error.lineno and error.lineno <= len(lines) else None)
        raise


def canonical_lines(text: bytes, form: RdfFormat | None) -> bytes:
    """Parse an RDF text. Returns canonical N-Quads lines with language tags as written. Raises SyntaxError."""
    text = with_carriers(text)
    with correct_errors(lambda: text):
        return with_tags(pyoxigraph.serialize(pyoxigraph.parse(text, form), format=RdfFormat.N_QUADS) or b"")


def parse_quads(lines: bytes, *, lenient: bool = False) -> Iterator[Quad]:
    """Parse N-Quads lines. Yields quads of pyoxigraph whose language tags are as written. Raises SyntaxError.

    Cost: that of the parser, but for the lines with a capital letter in a tag, and lines close to them.
    """
    parts = _parts_of(lines)
    if not any(is_tagged for _, _, is_tagged in parts):
        return pyoxigraph.parse(lines, RdfFormat.N_QUADS, lenient=lenient)
    return chain.from_iterable(_quads_of_part(lines, *part, lenient) for part in parts)


def _parts_of(lines: bytes) -> list[tuple[int, int, bool]]:
    """Divide lines into parts. Returns where each part begins and ends, and whether it may have tags with capitals."""
    parts, begun, ended = list[tuple[int, int, bool]](), 0, 0
    for found in _CAPITALS.finditer(lines):
        if found.start() < ended or not _may_be_tag(found):
            continue
        start = lines.rfind(b"\n", 0, found.start()) + 1
        if start > ended + _FAR:
            parts += [(begun, ended, True), (ended, start, False)]
            begun = start
        ended = lines.find(b"\n", found.end()) + 1 or len(lines)
    return [part for part in (*parts, (begun, ended, True), (ended, len(lines), False)) if part[0] < part[1]]


def _quads_of_part(lines: bytes, start: int, end: int, is_tagged: bool, lenient: bool) -> Iterator[Quad]:
    text = lines[start:end]
    text = _STRING.sub(_with_carrier, text) if is_tagged else text
    found = pyoxigraph.parse(text, RdfFormat.N_QUADS, lenient=lenient)
    try:
        with correct_errors(lambda: text):
            yield from _all_without_carriers(found) if is_tagged else found
    except SyntaxError as error:
        error.lineno = error.lineno and error.lineno + lines.count(b"\n", 0, start)
        raise


def _with_carrier(found: re.Match[bytes]) -> bytes:
    """Return a string with its tag. Only the tag gets a carrier: the value of a term cannot be restored."""
    return found[1] + b"@" + _carrier_of(found[2]) if found[2] else found[0]


def _all_without_carriers(found: Iterator[Quad]) -> Iterator[Quad]:
    return chain.from_iterable(map(without_carriers, iter(lambda: list(islice(found, _SOME)), [])))


def without_carriers(some: Sequence[Quad]) -> Iterator[Quad]:
    """Yield quads that a parser gave, with language tags in place of their carriers."""
    literals = list(dict.fromkeys(each for quad in some if (each := _literal(quad.object)) is not None))
    found = dict(zip(literals, _literals_with_tags([_literal_parts(each) for each in literals]), strict=True))
    for quad in some:
        object_ = _with_literals(found, quad.object) if found else quad.object
        yield quad if object_ is quad.object else Quad(quad.subject, quad.predicate, object_, quad.graph_name)


def literal_with_tag(value: str, tag: str) -> Literal:
    """Return a literal of pyoxigraph with a language tag as written. Raises ValueError for an invalid tag."""
    literal = Literal(value, language=tag)  # raises ValueError
    return literal if literal.language == tag else _literals_with_tags([(value, tag, None)])[0]


def with_small_tags(term: Term) -> Term:
    """Return a term with its language tags in small letters, as Oxigraph has it in its store."""
    if isinstance(term, Triple):
        return Triple(term.subject, term.predicate, with_small_tags(term.object))
    if isinstance(term, Literal) and term.language and not term.language.islower():
        return Literal(term.value, language=term.language, direction=term.direction)
    return term


def _literal(term: Term) -> Literal | None:
    """Return the literal that a term is or contains, if its tag is a carrier."""
    while isinstance(term, Triple):
        term = term.object
    return term if isinstance(term, Literal) and (term.language or "").startswith(_BEGIN) else None


def _literal_parts(literal: Literal) -> _Parts:
    return literal.value, with_tags((literal.language or "").encode()).decode(), literal.direction


def _with_literals(found: Mapping[Literal, Literal], term: Term) -> Term:
    if isinstance(term, Triple):
        return Triple(term.subject, term.predicate, _with_literals(found, term.object))
    return found.get(term, term) if isinstance(term, Literal) else term


def _literals_with_tags(parts: Sequence[_Parts]) -> list[Literal]:
    """Return literals with tags as written. Of all that pyoxigraph offers, only JSON-LD without checks makes them."""
    said = [
        {"@value": value, "@language": tag} | ({"@direction": direction.value} if direction else {})
        for value, tag, direction in parts
    ]
    document = json.dumps({"@id": "a:", "a:": said}, ensure_ascii=False)
    return [cast(Literal, quad.object) for quad in pyoxigraph.parse(document, RdfFormat.JSON_LD, lenient=True)]
