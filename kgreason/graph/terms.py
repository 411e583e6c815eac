"""What a user may hand over as quads: text in Turtle or TriG, rows of terms, and the values of pyoxigraph.

A document's blank nodes are its own: text that is added gets fresh ones. A row's are the graph's, under the labels that
queries and dumps show, and so are those of text that is taken away.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from io import BytesIO
from types import MappingProxyType
from typing import TypeAlias

import numpy as np
import pyoxigraph
from pyoxigraph import NamedNode, Quad, QuerySolution, RdfFormat, Triple

from kgreason.engine.layout import Int32
from kgreason.errors import InputError, RdfSyntaxError
from kgreason.rules.model import Triple as TripleOfTexts
from kgreason.store.update import Term
from kgreason.terms.dictionary import Dictionary

Row: TypeAlias = tuple[object, ...]
Item: TypeAlias = str | Row | Triple | Quad | QuerySolution
"""Turtle or TriG text; three or four terms, in N-Triples syntax or of pyoxigraph; a triple, quad or solution of it."""

TEXT = "<text>"
_WORDS = {3: "three", 4: "four"}
_NO_PREFIXES: Mapping[str, str] = MappingProxyType({})


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
        parts.append(of_lines(_utf8("".join(map(_line, rows))), dictionary, "row"))
        if len(parts[-1]) != len(rows):
            raise InputError("a row of terms is more than one row, or none: a term has to be a single one")
    return np.concatenate(parts)


def triple_of(item: Item, prefixes: Mapping[str, str] = _NO_PREFIXES) -> TripleOfTexts:
    """The one triple that text in Turtle or a row of terms says; blank nodes keep their labels. Raises InputError.

    Of a quad it is the triple. A row may be a generalised triple, which text cannot say.
    """
    if not isinstance(item, str):
        item = item.triple if isinstance(item, Quad) else item
        subject, predicate, object_ = map(_settled, _terms(item, 3))
        return subject, predicate, object_
    _utf8(item)
    lines = [f"@prefix {prefix}: <{namespace}> ." for prefix, namespace in prefixes.items()]
    stop = "" if item.rstrip().endswith(".") else " ."
    try:
        found = list(pyoxigraph.parse("\n".join([*lines, item + stop]), RdfFormat.TURTLE))
    except SyntaxError as error:
        raise InputError(f"{item}: not a triple: {error.msg}") from error
    if len(found) != 1:
        raise InputError(f"{item}: {len(found)} triples, where one is asked for")
    return text_of(found[0].subject), text_of(found[0].predicate), text_of(found[0].object)


def _settled(term: object) -> str:
    """The text of a term, which may be text itself, as the dictionary has it."""
    return text_of(term_of(term) if isinstance(term, str) else term)


def text_of(term: object) -> str:
    """The N-Triples text of a term of pyoxigraph."""
    return f"<<( {' '.join(map(text_of, term))} )>>" if isinstance(term, Triple) else str(term)


def term_of(text: str) -> Term:
    """A term in N-Triples syntax as a value of pyoxigraph. Raises InputError."""
    _utf8(text)
    try:
        [quad] = pyoxigraph.parse(f"<a:> <a:> {text} <b:> .", RdfFormat.N_QUADS)
        if quad.graph_name != NamedNode("b:"):  # the text goes on behind the term
            raise ValueError(text)
    except (SyntaxError, ValueError) as error:
        raise InputError(f"{text}: not a term in N-Triples syntax") from error
    found: Term = quad.object
    return found


def of_lines(lines: bytes, dictionary: Dictionary, source: str = TEXT) -> Int32:
    """N-Quads lines as quads int32[n, 4]; blank nodes keep their labels. Raises RdfSyntaxError."""
    return _encoded(lines, RdfFormat.N_QUADS, dictionary, source)


def of_canonical(lines: bytes, dictionary: Dictionary) -> Int32:
    """Canonical N-Quads lines, which are not parsed again, as quads int32[n, 4]; blank nodes keep their labels."""
    from kgreason.rdf.tokens import encode  # a kernel, which terms alone do not need

    return np.ascontiguousarray(encode(lines, dictionary).T)


def _utf8(text: str) -> bytes:
    """Raises InputError for text that no file can have."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise InputError(f"{text!a}: what stands at {error.start} is no character (a lone surrogate)") from error


def _of_text(text: str, dictionary: Dictionary, *, fresh: bool) -> Int32:
    if not fresh:
        return _encoded(_utf8(text), RdfFormat.TRIG, dictionary, TEXT)
    from kgreason.rdf.reader import read_stream

    batches = read_stream(BytesIO(_utf8(text)), dictionary, syntax="trig", source=TEXT, owner=uuid.uuid4().hex)
    return np.concatenate([np.empty((0, 4), dtype=np.int32), *(np.stack(batch, axis=1) for batch in batches)])


def _encoded(text: bytes, form: RdfFormat, dictionary: Dictionary, source: str) -> Int32:
    try:
        lines = pyoxigraph.serialize(pyoxigraph.parse(text, form), format=RdfFormat.N_QUADS) or b""
    except SyntaxError as error:
        raise RdfSyntaxError(source, error.lineno, error.offset, error.msg) from error
    return of_canonical(lines, dictionary)


def _line(item: Item) -> str:
    """A row of terms as a line of N-Quads."""
    return " ".join(text for text in map(text_of, _terms(item, 3, 4)) if text not in ("", "DEFAULT")) + " .\n"


def _terms(item: Item, *counts: int) -> Row:
    """The terms of a row. Raises InputError for what is none."""
    terms = tuple(item) if isinstance(item, (Triple, Quad, QuerySolution, tuple, list)) else ()
    if len(terms) not in counts:
        raise InputError(f"{item!r}: neither text nor a row of {' or '.join(_WORDS[count] for count in counts)} terms")
    return terms
