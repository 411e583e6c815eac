"""What a user may hand over as quads: text in Turtle or TriG, rows of terms, and the values of pyoxigraph.

A document's blank nodes are its own: text that is added gets fresh ones. A row's are the graph's, under the labels that
queries and dumps show, and so are those of text that is taken away.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from io import BytesIO
from typing import TypeAlias

import numpy as np
import pyoxigraph
from pyoxigraph import Quad, RdfFormat, Triple

from kgreason.engine.layout import Int32
from kgreason.errors import InputError, RdfSyntaxError
from kgreason.rdf.reader import read_stream
from kgreason.rdf.tokens import encode
from kgreason.terms.dictionary import Dictionary

Row: TypeAlias = tuple[object, ...]
Item: TypeAlias = str | Row | Triple | Quad
"""Turtle or TriG text; three or four terms, in N-Triples syntax or of pyoxigraph; a Triple or Quad of pyoxigraph."""

TEXT = "<text>"


def quads_of(items: Iterable[Item], dictionary: Dictionary, *, fresh: bool) -> Int32:
    """Items as quads int32[n, 4], graph 0 being the default one; `fresh` renames the blank nodes of texts.

    Raises RdfSyntaxError, which names the text's line or the row's number; InputError for what is no row.
    """
    parts = [np.empty((0, 4), dtype=np.int32)]
    rows: list[Item] = []
    for item in items:
        if isinstance(item, str):
            parts.append(_of_text(item, dictionary, fresh=fresh))
        else:
            rows.append(item)
    if rows:
        parts.append(of_lines("".join(map(_line, rows)).encode(), dictionary, "row"))
        if len(parts[-1]) != len(rows):
            raise InputError("a row of terms is more than one row, or none: a term has to be a single one")
    return np.concatenate(parts)


def of_lines(lines: bytes, dictionary: Dictionary, source: str = TEXT) -> Int32:
    """N-Quads lines as quads int32[n, 4]; blank nodes keep their labels. Raises RdfSyntaxError."""
    return _encoded(lines, RdfFormat.N_QUADS, dictionary, source)


def of_canonical(lines: bytes, dictionary: Dictionary) -> Int32:
    """Canonical N-Quads lines, which are not parsed again, as quads int32[n, 4]; blank nodes keep their labels."""
    return np.ascontiguousarray(encode(lines, dictionary).T)


def _of_text(text: str, dictionary: Dictionary, *, fresh: bool) -> Int32:
    if not fresh:
        return _encoded(text.encode(), RdfFormat.TRIG, dictionary, TEXT)
    batches = read_stream(BytesIO(text.encode()), dictionary, syntax="trig", source=TEXT, owner=uuid.uuid4().hex)
    return np.concatenate([np.empty((0, 4), dtype=np.int32), *(np.stack(batch, axis=1) for batch in batches)])


def _encoded(text: bytes, form: RdfFormat, dictionary: Dictionary, source: str) -> Int32:
    try:
        lines = pyoxigraph.serialize(pyoxigraph.parse(text, form), format=RdfFormat.N_QUADS) or b""
    except SyntaxError as error:
        raise RdfSyntaxError(source, error.lineno, error.offset, error.msg) from error
    return of_canonical(lines, dictionary)


def _line(item: Item) -> str:
    """A row of terms as a line of N-Quads."""
    terms = tuple(item) if isinstance(item, (Triple, Quad, tuple, list)) else ()
    if len(terms) not in (3, 4):
        raise InputError(f"{item!r}: neither text nor a row of three or four terms")
    texts = [f"<<( {term} )>>" if isinstance(term, Triple) else str(term) for term in terms]
    return " ".join(text for text in texts if text not in ("", "DEFAULT")) + " .\n"
