"""`with_written_tags`: the quads of a JSON-LD document, with language tags as they are written.

pyoxigraph's parser makes tags small. Without checks it keeps them, but then it also gives quads with invalid IRIs and
tags. So the document is parsed both ways at the same time, and each checked quad gets its tag from the unchecked one.

Invariant: the checked quads, with small tags, are a part of the unchecked quads with small tags, in the same order. The
labels of a document are the same in both; a node without a label gets one that is drawn anew (`_DRAWN`). A quad that is
only unchecked has a term or a label that no checked quad has. So the first unchecked quad that fits is the right one.
Cost: twice the parsing, for a document that may have a tag.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from typing import IO, cast

import pyoxigraph
from pyoxigraph import BlankNode, Literal, Quad, RdfFormat

from kgreason.rdf.json_ld.document import JsonLd

_DRAWN = re.compile("[a-f][0-9a-f]{15,31}")
"""A label that pyoxigraph gives a blank node without a label: a number of 128 bits, without zeros before it."""


class SharedText:
    """A document that two parsers read. Only one thread reads it.

    What one parser has read is kept until the other one has read it. If the document has no tag, nothing is kept.
    """

    def __init__(self, document: JsonLd) -> None:
        self._document = document
        self._kept: tuple[deque[bytes], deque[bytes]] = deque(), deque()
        self.checked, self.unchecked = (cast(IO[bytes], _Reader(self, number)) for number in range(2))

    def read(self, number: int, size: int) -> bytes:
        """Read up to `size` bytes for the parser `number`, 0 or 1."""
        own, other = self._kept[number], self._kept[1 - number]
        if not own:
            piece = self._document.read(size)
            if self._document.may_have_tags:
                other.append(piece)
            return piece
        piece = own.popleft()
        if 0 <= size < len(piece):
            own.appendleft(piece[size:])
            piece = piece[:size]
        return piece


class _Reader:
    def __init__(self, both: SharedText, number: int) -> None:
        self._both, self._number = both, number

    def read(self, size: int = -1) -> bytes:
        return self._both.read(self._number, size)


def with_written_tags(quads: Iterator[Quad], document: JsonLd, text: SharedText, base: str | None) -> Iterator[Quad]:
    """Yield `quads`, which a parser reads from `text.checked`, with language tags as they are written."""
    unchecked = None
    for quad in quads:
        if not document.may_have_tags:
            yield quad
            continue
        if unchecked is None:
            unchecked = pyoxigraph.parse(text.unchecked, RdfFormat.JSON_LD, base_iri=base, lenient=True)
        found = next((each for each in unchecked if _are_same_quads(each, quad)), quad)
        is_tagged = isinstance(found.object, Literal) and found.object.language
        yield Quad(quad.subject, quad.predicate, found.object, quad.graph_name) if is_tagged else quad


def _are_same_quads(one: Quad, other: Quad) -> bool:
    """Whether two quads are the same but for the letters of a language tag and the drawn labels of blank nodes."""
    return all(map(_are_same_terms, map(_in_small_letters, one), map(_in_small_letters, other)))


def _in_small_letters(term: object) -> object:
    """Return what two literals with the same tag in other letters have in common; any other term as it is."""
    if isinstance(term, Literal) and term.language:
        return term.value, term.language.lower(), term.direction
    return term


def _are_same_terms(one: object, other: object) -> bool:
    return one == other or (_is_drawn_label(one) and _is_drawn_label(other))


def _is_drawn_label(term: object) -> bool:
    return isinstance(term, BlankNode) and _DRAWN.fullmatch(term.value) is not None
