"""What a user may hand over as quads: text in Turtle or TriG, rows of terms, and the values of pyoxigraph.

A document's blank nodes are its own: text that is added gets fresh ones. A row's are the graph's, under the labels that
queries and dumps show, and so are those of text that is taken away. The terms of a row are those of `user_terms`.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from io import BytesIO
from textwrap import shorten
from typing import IO, TypeAlias, cast

import numpy as np
import pyoxigraph
from pyoxigraph import DefaultGraph, Quad, QuerySolution, RdfFormat, Triple

from kgreason.engine.memory.layout import Int32
from kgreason.errors import InputError, InputTypeError, RdfSyntaxError
from kgreason.graph.input.terms import (
    NO_PREFIXES,
    PLACES,
    Prefixes,
    UserTerm,
    fitting,
    of_rdflib,
    term_of,
    text_of,
    utf8,
    written,
)
from kgreason.rdf.counted import Counted, long_tokens
from kgreason.rdf.problem import problem_of, undeclared
from kgreason.rules.model import Triple as TripleOfTexts
from kgreason.terms.dictionary import Dictionary

Row: TypeAlias = tuple[UserTerm, ...] | list[UserTerm]
Item: TypeAlias = str | Row | Triple | Quad | QuerySolution
"""Turtle or TriG text; three or four terms (`user_terms`); a triple, quad or solution of pyoxigraph."""

TEXT = "<text>"
_WORDS = {3: "three", 4: "four"}


def quads_of(items: Iterable[Item], dictionary: Dictionary, *, fresh: bool, prefixes: Prefixes = NO_PREFIXES) -> Int32:
    """Items as quads int32[n, 4], graph 0 being the default one; `fresh` renames the blank nodes of texts.

    Raises RdfSyntaxError, which names the text's line, or the row's number where a term is none or cannot stand there;
    InputError for a row of another length; InputTypeError for what is neither text nor a row, and no term.
    """
    parts = [np.empty((0, 4), dtype=np.int32)]
    rows: list[str] = []
    for item in items:
        if isinstance(item, str) and of_rdflib(item) is None:
            parts.append(_of_text(item, dictionary, prefixes, fresh=fresh))
        else:
            rows.append(_numbered(len(rows) + 1, item, prefixes))
    if rows:
        parts.append(of_lines(utf8("".join(rows)), dictionary, "row"))
        if len(parts[-1]) != len(rows):
            raise InputError("a row of terms is more than one row, or none: a term has to be a single one")
    return np.concatenate(parts)


def triple_of(item: Item, prefixes: Prefixes = NO_PREFIXES) -> TripleOfTexts:
    """The one triple that text in Turtle or a row of terms says; blank nodes keep their labels.

    Of a quad it is the triple. A row may be a generalised triple, which text cannot say. Raises InputError.
    """
    if not isinstance(item, str):
        item = item.triple if isinstance(item, Quad) else item
        terms = zip(_terms(item, 3), PLACES, strict=False)
        subject, predicate, object_ = (text_of(term_of(written(term, place, prefixes))) for term, place in terms)
        return subject, predicate, object_
    utf8(item)
    stop = "" if item.rstrip().endswith(".") else " ."
    try:
        found = list(pyoxigraph.parse(f"{_declared(prefixes)}\n{item}{stop}", RdfFormat.TURTLE))
    except SyntaxError as error:
        raise _no_triple(item, error) from error
    if len(found) != 1:
        raise InputError(f"{item}: {len(found)} triples, where one is asked for")
    return text_of(found[0].subject), text_of(found[0].predicate), text_of(found[0].object)


def _no_triple(item: str, error: SyntaxError) -> InputError:
    """The error of text that is no triple; `error` counts one line more, that of the prefixes."""
    prefix = undeclared(error)
    if prefix in ("http:", "https:", "urn:", "file:"):
        return InputError(f"{item}: not a triple: an IRI is written in angle brackets, as <http://example.org/tom>")
    if prefix is not None:
        example = f"{prefix[:-1]}=http://example.org/"
        return InputError(
            f"{item}: the prefix {prefix} is not known; say what it stands for, as in --prefix {example}"
            " (in Python: prefixes={...})"
        )
    problem = problem_of(error)
    if problem.startswith(". is not a valid"):  # the full stop that was put behind the text
        return InputError(f"{item}: not a triple: it has to have a subject, a predicate and an object")
    line = f"line {error.lineno - 1}, " if error.lineno and error.lineno > 2 else ""
    place = f" at {line}column {error.offset}" if error.lineno and error.lineno > 1 and item.strip() else ""
    return InputError(f"{item}: not a triple{place}: {problem}")


def quad_of(item: Item, prefixes: Prefixes = NO_PREFIXES) -> tuple[UserTerm, ...]:
    """The terms of the one triple or quad that an item says: the fourth is DefaultGraph() where it names no graph.

    Raises InputError.
    """
    if isinstance(item, str) and of_rdflib(item) is None:
        return *triple_of(item, prefixes), DefaultGraph()
    terms = _terms(item, 3, 4)
    graph = DefaultGraph() if len(terms) == 3 or terms[3] == "" else terms[3]
    subject, predicate, object_ = (
        fitting(term, place, prefixes) for term, place in zip(terms, PLACES[:3], strict=False)
    )
    return subject, predicate, object_, cast(UserTerm, graph)


def _declared(prefixes: Prefixes) -> str:
    """Prefixes as Turtle declares them, on one line."""
    return " ".join(f"@prefix {prefix}: <{namespace}> ." for prefix, namespace in prefixes.items())


def of_lines(lines: bytes, dictionary: Dictionary, source: str = TEXT) -> Int32:
    """N-Quads lines as quads int32[n, 4]; blank nodes keep their labels. Raises RdfSyntaxError."""
    return _encoded(lines, RdfFormat.N_QUADS, dictionary, source)


def of_canonical(lines: bytes, dictionary: Dictionary) -> Int32:
    """Canonical N-Quads lines, which are not parsed again, as quads int32[n, 4]; blank nodes keep their labels."""
    from kgreason.rdf.tokens import encode  # a kernel, which terms alone do not need

    return np.ascontiguousarray(encode(lines, dictionary).T)


def _of_text(text: str, dictionary: Dictionary, prefixes: Prefixes, *, fresh: bool) -> Int32:
    read = utf8(f"{_declared(prefixes)}\n{text}" if prefixes else text)
    try:
        if not fresh:
            return _encoded(read, RdfFormat.TRIG, dictionary, TEXT)
        from kgreason.rdf.reader import read_stream

        batches = read_stream(BytesIO(read), dictionary, syntax="trig", source=TEXT, owner=uuid.uuid4().hex)
        return np.concatenate([np.empty((0, 4), dtype=np.int32), *(np.stack(batch, axis=1) for batch in batches)])
    except RdfSyntaxError as error:
        raise _explained(error, text, 1 if prefixes else 0) from error


def _explained(error: RdfSyntaxError, text: str, before: int) -> RdfSyntaxError:
    """The error of a text that was read with lines before it; says so where the text is a single term."""
    line = None if error.line is None else error.line - before
    problem = error.problem
    if len(text.split()) == 1:
        problem = f"{text!r} is no Turtle text; pass the terms of a triple as one tuple: (subject, predicate, object)"
    return RdfSyntaxError(error.source, line, error.column, problem)


def _encoded(text: bytes, form: RdfFormat, dictionary: Dictionary, source: str) -> Int32:
    counted = Counted(BytesIO(text))
    try:
        with long_tokens(counted, source):
            quads = pyoxigraph.parse(cast(IO[bytes], counted), form)
            lines = pyoxigraph.serialize(quads, format=RdfFormat.N_QUADS) or b""
    except SyntaxError as error:
        raise RdfSyntaxError(source, error.lineno, error.offset, problem_of(error)) from error
    return of_canonical(lines, dictionary)


def _numbered(number: int, item: Item, prefixes: Prefixes) -> str:
    """A row as a line. Raises RdfSyntaxError with the row's number for terms that do not fit."""
    try:
        return _line(item, prefixes)
    except InputTypeError:
        raise
    except InputError as error:
        raise RdfSyntaxError("row", number, None, str(error)) from error


def _line(item: Item, prefixes: Prefixes) -> str:
    """A row of terms as a line of N-Quads."""
    if isinstance(item, (Triple, Quad)):
        texts = [text_of(term) for term in item if not isinstance(term, DefaultGraph)]
    else:
        terms = _terms(item, 3, 4)
        named = len(terms) == 4 and not (terms[3] == "" or isinstance(terms[3], DefaultGraph))
        texts = [fitting(terms[place], PLACES[place], prefixes) for place in range(3 + named)]
    return f"{' '.join(texts)} .\n"


def _terms(item: object, *counts: int) -> tuple[object, ...]:
    """The terms of a row. Raises InputError for another number of them, InputTypeError for what is no row."""
    problem = f"neither text nor a row of {' or '.join(_WORDS[count] for count in counts)} terms"
    if not isinstance(item, (Triple, Quad, QuerySolution, tuple, list)):
        raise InputTypeError(f"{item!r}: {problem}, but of type {type(item).__name__}")
    terms: tuple[object, ...] = tuple(item)
    if terms and isinstance(terms[0], (tuple, list)):
        raise InputTypeError(
            f"{shorten(repr(item), 80)}: rows in a {type(item).__name__}; pass them one by one, as *rows"
        )
    if len(terms) not in counts:
        raise InputError(f"{item!r}: {problem}")
    return terms
