r"""Language tags keep the letters in which they were written, though pyoxigraph makes them small.

pyoxigraph's parsers, its constructors and its store turn `"colour"@en-GB` into `"colour"@en-gb`. RDF 1.1 allows this
(Concepts, section 3.3), since both literals have one value. kgreason keeps the text. So a tag with capital letters
travels through a parser inside of another tag, a *carrier*, which has the bytes of the tag as hexadecimal digits:

    "colour"@en-GB      carried ->      "colour"@x-<mark>-656e2d47-42-<mark>      restored ->      "colour"@en-GB

`carried` replaces what looks like a tag wherever it stands, also in a string, an IRI or a comment. `restored` does the
opposite with what the parser gives. So texts other than tags stay the same. The mark is drawn anew for each process,
and no text has it.

Laws: `restored(carried(text)) == text`. A tag that pyoxigraph refuses gets no carrier, so pyoxigraph refuses it as
ever, and `column` tells where. Cost: a search for `@`, and a look-up for each tag with a capital letter.
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
from string import ascii_lowercase, digits
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
_CAPITALS = re.compile(rb"@(?=[a-z0-9-]*[A-Z])([A-Za-z]+(?:-[A-Za-z0-9]+)*)")
_CARRIER = re.compile(rb"x-%b-([0-9a-f-]+?)-%b" % (_WORD, _WORD))
_STRING = re.compile(rb'("(?:[^"\\\n]|\\.)*+")(@[A-Za-z0-9-]+)?')
_OPEN = re.compile(rb"@[A-Za-z0-9-]*\Z")
_LONGEST = 1 << 12
"""A longer tag may become small if it lies at the border of two pieces of a stream."""
_PIECE = 1 << 16
_SOME = 1_000
"""Quads whose tags are put back together."""
_TAGGED = re.compile(r'("(?:[^"\\]|\\.)*+"@)([A-Za-z0-9-]+)')


def has_capitals(text: str) -> bool:
    """Whether a term, given as N-Triples text, is or contains a literal whose language tag has a capital letter.

    >>> has_capitals('"A"@en'), has_capitals('"a"@EN')
    (False, True)
    """
    return '"@' in text and small(text) != text


def small(text: str) -> str:
    """Return a term, given as N-Triples text, with its language tags in small letters, as Oxigraph shows the term.

    >>> small('"A"@en-GB')
    '"A"@en-gb'
    """
    if text.startswith('"'):
        end = text.rindex('"') + 1
        return text[:end] + text[end:].lower() if text.startswith("@", end) else text
    return _TAGGED.sub(lambda found: found[1] + found[2].lower(), text) if text.startswith("<<(") else text


def carried(text: bytes) -> bytes:
    """Return an RDF text with carriers in place of language tags that have capital letters."""
    return _CAPITALS.sub(_carrier, text) if _CAPITALS.search(text) else text


def carrier(tag: str) -> str:
    """Return the carrier of a language tag. Returns a tag that is small or invalid as it is."""
    return carried(f"@{tag}".encode(errors="replace")).decode()[1:] if tag.isascii() else tag


def restored(text: bytes) -> bytes:
    """Return a text that a parser gave, with the tags of carriers in their places."""
    return _CARRIER.sub(_tag, text) if _WORD in text else text


def _carrier(found: re.Match[bytes]) -> bytes:
    return b"@" + (_carrier_of(found[1]) if len(found[1]) <= _LONGEST else found[1])


@lru_cache(1 << 10)
def _carrier_of(tag: bytes) -> bytes:
    try:
        Literal("", language=tag.decode())
    except ValueError:
        return tag
    number = tag.hex()
    parts = "-".join(number[at : at + _SUBTAG] for at in range(0, len(number), _SUBTAG))
    return f"x-{_MARK}-{parts}-{_MARK}".encode()


def _tag(found: re.Match[bytes]) -> bytes:
    try:
        return bytes.fromhex(found[1].replace(b"-", b"").decode())
    except ValueError:
        return found[0]


class Carried:
    """A binary stream with `carried` text. Only one thread reads it."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream, self._ready, self._rest = stream, BytesIO(), b""

    def read(self, size: int = -1) -> bytes:
        """Read up to `size` bytes."""
        while not (found := self._ready.read(size)):
            piece = self._stream.read(_PIECE)
            text = self._rest + piece
            if not text:
                return b""
            cut = _OPEN.search(text, max(0, len(text) - _LONGEST)) if piece else None
            self._rest = text[cut.start() :] if cut else b""
            self._ready = BytesIO(carried(text[: cut.start()] if cut else text))
        return found


def column(line: bytes, at: int) -> int:
    """Return the column, from 1, in the text of a user, for the column `at` in the same line with carriers."""
    before = line.decode(errors="replace")[: at - 1].encode()
    return len(restored(before).decode()) + 1


def correct(error: SyntaxError, line: bytes | None) -> None:
    """Make a parser's error about a text with carriers one about the text of the user.

    `line` is the line of the error, with carriers. Without it the error loses its column.
    """
    error.msg = restored(error.msg.encode(errors="replace")).decode() if _MARK in error.msg else error.msg
    if error.offset:
        error.offset = None if line is None else column(line, error.offset)


@contextmanager
def corrected(text: Callable[[], bytes]) -> Iterator[None]:
    """Within the block, errors of a parser are about the text of the user. `text` returns the text with carriers."""
    try:
        yield
    except SyntaxError as error:
        lines = text().split(b"\n")
        correct(error, lines[error.lineno - 1] if error.lineno and error.lineno <= len(lines) else None)
        raise


def canonical(text: bytes, form: RdfFormat | None) -> bytes:
    """Parse an RDF text. Returns canonical N-Quads lines with language tags as written. Raises SyntaxError."""
    text = carried(text)
    with corrected(lambda: text):
        return restored(pyoxigraph.serialize(pyoxigraph.parse(text, form), format=RdfFormat.N_QUADS) or b"")


def quads(lines: bytes, *, lenient: bool = False) -> Iterator[Quad]:
    """Parse N-Quads lines. Yields quads of pyoxigraph whose language tags are as written. Raises SyntaxError."""
    text = _STRING.sub(_with_carrier, lines) if _CAPITALS.search(lines) else lines
    found = pyoxigraph.parse(text, RdfFormat.N_QUADS, lenient=lenient)
    return found if text is lines else chain.from_iterable(map(opened, iter(lambda: list(islice(found, _SOME)), [])))


def _with_carrier(found: re.Match[bytes]) -> bytes:
    """Return a string with its tag. Only the tag gets a carrier: the value of a term cannot be restored."""
    return found[1] + carried(found[2]) if found[2] else found[0]


def opened(some: Sequence[Quad]) -> Iterator[Quad]:
    """Yield quads that a parser gave, with language tags in place of their carriers."""
    literals = list(dict.fromkeys(each for quad in some if (each := _literal(quad.object)) is not None))
    found = dict(zip(literals, _tagged([_parts(each) for each in literals]), strict=True))
    for quad in some:
        object_ = _with(found, quad.object) if found else quad.object
        yield quad if object_ is quad.object else Quad(quad.subject, quad.predicate, object_, quad.graph_name)


def tagged(value: str, tag: str) -> Literal:
    """Return a literal of pyoxigraph with a language tag as written. Raises ValueError for an invalid tag."""
    literal = Literal(value, language=tag)  # raises ValueError
    return literal if literal.language == tag else _tagged([(value, tag, None)])[0]


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


def _parts(literal: Literal) -> _Parts:
    return literal.value, restored((literal.language or "").encode()).decode(), literal.direction


def _with(found: Mapping[Literal, Literal], term: Term) -> Term:
    if isinstance(term, Triple):
        return Triple(term.subject, term.predicate, _with(found, term.object))
    return found.get(term, term) if isinstance(term, Literal) else term


def _tagged(parts: Sequence[_Parts]) -> list[Literal]:
    """Return literals with tags as written. Of all that pyoxigraph offers, only JSON-LD without checks makes them."""
    said = [
        {"@value": value, "@language": tag} | ({"@direction": direction.value} if direction else {})
        for value, tag, direction in parts
    ]
    document = json.dumps({"@id": "a:", "a:": said}, ensure_ascii=False)
    return [cast(Literal, quad.object) for quad in pyoxigraph.parse(document, RdfFormat.JSON_LD, lenient=True)]
