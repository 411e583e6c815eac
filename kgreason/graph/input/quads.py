"""Quads as a user may pass them: text in Turtle or TriG, rows of terms, and the values of pyoxigraph.

Blank nodes: a text that is added is a document of its own, so its blank nodes become fresh ones. The blank nodes of a
row, and of a text that is removed, name blank nodes of the graph, by the labels that queries and dumps show. The module
`terms` says which terms a row may have.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import BytesIO
from textwrap import shorten
from typing import IO, Any, TypeAlias, cast

import numpy as np
import pyoxigraph
from pyoxigraph import DefaultGraph, Quad, QuerySolution, RdfFormat, Triple

from kgreason.errors import InputError, InputTypeError, RdfSyntaxError
from kgreason.graph.input.frames import FrameMapping, is_frame, lines_of
from kgreason.graph.input.rdflib_graph import is_graph, lines_of_graph
from kgreason.graph.input.terms import (
    NO_PREFIXES,
    PLACES,
    Prefixes,
    UserTerm,
    term_of,
    term_of_rdflib,
    term_text,
    term_text_at,
    text_of,
    utf8,
)
from kgreason.rdf.counting_stream import BUFFER, CountingStream, long_tokens
from kgreason.rdf.formats import formats
from kgreason.rdf.problem import problem_of, undeclared_prefix
from kgreason.rules.model import Triple as TripleOfTexts
from kgreason.sparql.problems import is_update, place_of_query
from kgreason.terms.dictionary import Dictionary
from kgreason.terms.prefixes import USUAL
from kgreason.terms.prefixes import undeclared_message as of_prefix
from kgreason.terms.tags import CarrierStream, canonical_lines, correct_error, parse_quads, with_tags
from kgreason.zset.columns import Int32

Row: TypeAlias = tuple[UserTerm, ...] | list[UserTerm]
Item: TypeAlias = str | Row | Triple | Quad | QuerySolution
"""Turtle or TriG text; three or four terms (`terms`); a triple, quad or solution of pyoxigraph."""
Table: TypeAlias = Any
"""A frame of pandas, Polars or Arrow (`frames`), or a graph of rdflib (`rdflib_graph`)."""

TEXT = "<text>"
_WORDS = {3: "three terms (subject, predicate, object)", 4: "four terms (with the name of a graph)"}
_FOUR = re.compile(r"(?:<[^<>]*>\s+|[\w-]*:\S*\s+|a\s+){3}(?:<[^<>]*>|[\w-]*:\S*)\s*\.?\s*")
_FILE = re.compile(r"\S+\.(\w+)(?:\.(?:gz|bz2|xz))?")
_RULE_FILES = ("dl", "rules", "datalog")


def quads_of(
    items: Iterable[Item | Table],
    dictionary: Dictionary,
    *,
    fresh: bool,
    prefixes: Prefixes = NO_PREFIXES,
    mapping: FrameMapping | None = None,
) -> Int32:
    """Return the quads of items, int32[n, 4]; graph 0 is the default graph.

    With `fresh` the blank nodes of texts become new blank nodes, otherwise they keep their labels. `mapping` says what
    the rows of frames mean.

    Raises RdfSyntaxError, with the line, for a text that does not parse. Raises RdfSyntaxError, with the number of the
    row, for a term of a row that is invalid or cannot stand at its place. Raises InputError if a row does not have
    three or four terms. Raises InputTypeError for an item that is neither text nor a row, and for a value that is not a
    term.
    """
    parts = [np.empty((0, 4), dtype=np.int32)]
    rows: list[str] = []
    has_frame = False
    for item in items:
        if isinstance(item, str) and term_of_rdflib(item) is None:
            parts.append(_quads_of_text(item, dictionary, prefixes, fresh=fresh))
        elif isinstance(item, (tuple, list)):
            rows.append(_numbered_line(len(rows) + 1, item, prefixes))
        elif is_frame(item):
            has_frame = True
            parts += [quads_of_canonical_lines(lines, dictionary) for lines in lines_of(item, mapping or {}, prefixes)]
        elif is_graph(item):
            parts += [quads_of_lines(lines, dictionary, "row") for lines in lines_of_graph(item)]
        else:
            rows.append(_numbered_line(len(rows) + 1, item, prefixes))
    if rows:
        parts.append(quads_of_lines(utf8("".join(rows)), dictionary, "row"))
        if len(parts[-1]) != len(rows):
            raise InputError("a text in a row holds more or less than one term; pass one term at each place")
    if mapping and not has_frame:
        raise InputTypeError(
            f"{', '.join(mapping)}: only a frame takes these arguments; pass one of pandas, Polars or Arrow"
        )
    return np.concatenate(parts)


def check_items(items: Iterable[Item], *, prefixes: Prefixes = NO_PREFIXES) -> None:
    """Raise the error of `quads_of` that items call for, as far as no kernel is needed to see it."""
    from kgreason.rdf.reader import check_stream

    rows = 0
    for item in items:
        if isinstance(item, str) and term_of_rdflib(item) is None:
            with _explain_errors(item, prefixes):
                check_stream(BytesIO(_with_prefixes(item, prefixes)), syntax="trig", source=TEXT)
        elif not (is_frame(item) or is_graph(item)):
            rows += 1
            _numbered_line(rows, item, prefixes)


def triple_of(item: Item, prefixes: Prefixes = NO_PREFIXES) -> TripleOfTexts:
    """Return the terms of the triple in a Turtle text or a row of terms; blank nodes keep their labels.

    For a quad of pyoxigraph, returns its triple. A row may be a generalised triple; a text cannot. Raises InputError if
    the item is not exactly one triple.
    """
    if not isinstance(item, str):
        item = item.triple if isinstance(item, Quad) else item
        terms = zip(_terms(item, 3), PLACES, strict=False)
        subject, predicate, object_ = (text_of(term_of(term_text(term, place, prefixes))) for term, place in terms)
        return subject, predicate, object_
    utf8(item)
    stop = "" if item.rstrip().endswith(".") else " ."
    try:
        found = list(
            parse_quads(
                canonical_lines(f"{_declarations({**USUAL, **prefixes})}\n{item}{stop}".encode(), RdfFormat.TURTLE)
            )
        )
    except SyntaxError as error:
        raise _not_a_triple_error(item, error) from error
    if len(found) != 1:
        raise InputError(f"{item}: {len(found)} triples; pass exactly one")
    return text_of(found[0].subject), text_of(found[0].predicate), text_of(found[0].object)


def _not_a_triple_error(item: str, error: SyntaxError) -> InputError:
    """Make the error for a text that is not a triple, from the parser's `error`.

    The parser got a line of prefixes before the text, so line 1 of the text is line 2 in `error`.
    """
    prefix = undeclared_prefix(error)
    if prefix in ("http", "https", "urn", "file"):
        return InputError(f"{item}: not a triple: an IRI is written in angle brackets, as <http://example.org/tom>")
    if prefix is not None:
        return InputError(f"{item}: {of_prefix(prefix, 'argument')}")
    if not item.strip() or problem_of(error).startswith("the triple before ."):  # it was put behind
        return InputError(f"{item or repr(item)}: not a triple: it needs a subject, a predicate and an object")
    if _FOUR.fullmatch(item):
        return InputError(f"{item}: four terms; leave out the name of the graph: a triple has three terms")
    line = f"line {error.lineno - 1}, " if error.lineno and error.lineno > 2 else ""
    place = f" at {line}column {error.offset}" if error.lineno and error.lineno > 1 else ""
    return InputError(f"{item}: not a triple{place}: {problem_of(error)}")


def quad_of(item: Item, prefixes: Prefixes = NO_PREFIXES) -> tuple[UserTerm, ...]:
    """Return subject, predicate, object and graph of an item that is one triple or quad.

    For a triple the graph is DefaultGraph(). Raises InputError for any other item.
    """
    if isinstance(item, str) and term_of_rdflib(item) is None:
        return *triple_of(item, prefixes), DefaultGraph()
    terms = _terms(item, 3, 4)
    graph = DefaultGraph() if len(terms) == 3 or terms[3] == "" else terms[3]
    subject, predicate, object_ = (
        term_text_at(term, place, prefixes) for term, place in zip(terms, PLACES[:3], strict=False)
    )
    return subject, predicate, object_, cast(UserTerm, graph)


def _declarations(prefixes: Prefixes) -> str:
    return " ".join(f"@prefix {prefix}: <{namespace}> ." for prefix, namespace in prefixes.items())


def quads_of_lines(lines: bytes, dictionary: Dictionary, source: str = TEXT) -> Int32:
    """Return the quads of N-Quads lines, int32[n, 4]; blank nodes keep their labels. Raises RdfSyntaxError.

    `source` is the name of the lines in messages.
    """
    return _quads_of_document(lines, RdfFormat.N_QUADS, dictionary, source)


def quads_of_canonical_lines(lines: bytes, dictionary: Dictionary) -> Int32:
    """Read canonical N-Quads lines without a parser. Returns the quads, int32[n, 4]; blank nodes keep their labels."""
    from kgreason.rdf.tokens import encode  # a kernel: imported only when it is needed

    return np.ascontiguousarray(encode(lines, dictionary).T)


def _quads_of_text(text: str, dictionary: Dictionary, prefixes: Prefixes, *, fresh: bool) -> Int32:
    read = _with_prefixes(text, prefixes)
    with _explain_errors(text, prefixes):
        if not fresh:
            return _quads_of_document(read, RdfFormat.TRIG, dictionary, TEXT)
        from kgreason.rdf.reader import read_stream

        batches = read_stream(BytesIO(read), dictionary, syntax="trig", source=TEXT, owner=uuid.uuid4().hex)
        return np.concatenate([np.empty((0, 4), dtype=np.int32), *(np.stack(batch, axis=1) for batch in batches)])


def _with_prefixes(text: str, prefixes: Prefixes) -> bytes:
    return utf8(f"{_declarations(prefixes)}\n{text}" if prefixes else text)


@contextmanager
def _explain_errors(text: str, prefixes: Prefixes) -> Iterator[None]:
    """A context in which the error of a parser for `text` gets a message that fits it."""
    try:
        yield
    except RdfSyntaxError as error:
        raise _explain(error, text, 1 if prefixes else 0) from error


def _explain(error: RdfSyntaxError, text: str, before: int) -> RdfSyntaxError:
    """Return a parser's `error` with a message that fits what the user may have meant by `text`.

    The parser got `before` lines of prefixes before the text, so the line in the result is lower by `before`.
    """
    line = None if error.line is None else error.line - before
    problem = _mistake_message(text.strip())
    if problem is None and isinstance(error.__cause__, SyntaxError):
        problem = problem_of(error.__cause__, "text")
    return RdfSyntaxError(error.source, line, error.column, problem or error.problem)


def _mistake_message(text: str) -> str | None:
    """Return a message for a text that looks like a file name, a term, rules or a query; None if it may be Turtle."""
    if len(text.split()) == 1:
        file = _FILE.fullmatch(text)
        if file and file[1].lower() in formats():
            return f"{text!r} is the name of a file; to load the file, call load({text!r})"
        if file and file[1].lower() in _RULE_FILES:
            return f"{text!r} is the name of a file; to add its rules, call load_rules({text!r}) in a transaction"
        return f"{text!r} is not Turtle text; pass the terms of a triple as one tuple: (subject, predicate, object)"
    if ":-" in text:
        return "this text looks like rules, not like triples; add rules with add_rules(text) in a transaction"
    if is_update(text):
        return "this is a SPARQL Update, not Turtle text: use `update` for it"
    return "this is a SPARQL query, not Turtle text: use `query` for it" if place_of_query(text) is not None else None


def _quads_of_document(text: bytes, form: RdfFormat, dictionary: Dictionary, source: str) -> Int32:
    try:
        lines = canonical_lines(text, form) if len(text) < BUFFER else _canonical_of_long_text(text, form, source)
    except SyntaxError as error:
        raise RdfSyntaxError(source, error.lineno, error.offset, problem_of(error)) from error
    return quads_of_canonical_lines(lines, dictionary)


def _canonical_of_long_text(text: bytes, form: RdfFormat, source: str) -> bytes:
    """Parse a text so long that it may have a token too long for the parser. Returns canonical N-Quads lines.

    `form` is the syntax of the text. `source` is its name in messages. Raises LimitError if a token is too long.
    """
    counted = CountingStream(cast(IO[bytes], CarrierStream(BytesIO(text))))
    with long_tokens(counted, source):
        try:
            quads = pyoxigraph.parse(cast(IO[bytes], counted), form)
            return with_tags(pyoxigraph.serialize(quads, format=RdfFormat.N_QUADS) or b"")
        except SyntaxError as error:
            correct_error(error, counted.text_of(error.lineno) if error.lineno else None)
            raise


def _numbered_line(number: int, item: Item, prefixes: Prefixes) -> str:
    try:
        return _line(item, prefixes)
    except InputTypeError:
        raise
    except InputError as error:
        raise RdfSyntaxError(f"row {number}", None, None, str(error)) from error


def _line(item: Item, prefixes: Prefixes) -> str:
    if isinstance(item, (Triple, Quad)):
        texts = [text_of(term) for term in item if not isinstance(term, DefaultGraph)]
    else:
        terms = _terms(item, 3, 4)
        named = len(terms) == 4 and not (terms[3] == "" or isinstance(terms[3], DefaultGraph))
        texts = [term_text_at(terms[place], PLACES[place], prefixes) for place in range(3 + named)]
    return f"{' '.join(texts)} .\n"


def _terms(item: object, *counts: int) -> tuple[object, ...]:
    """Return the terms of a row. `counts` are the allowed numbers of terms.

    Raises InputTypeError if the item is not a row, InputError for another number of terms.
    """
    wanted = " or ".join(_WORDS[count] for count in counts)
    if not isinstance(item, (Triple, Quad, QuerySolution, tuple, list)):
        raise InputTypeError(f"pass Turtle text, or a tuple of {wanted}; got {item!r} ({type(item).__name__})")
    terms: tuple[object, ...] = tuple(item)
    if terms and isinstance(terms[0], (tuple, list)):
        raise InputTypeError(
            f"{shorten(repr(item), 80)}: a {type(item).__name__} of triples; pass each triple as an argument of its own"
        )
    if any(isinstance(term, dict) for term in terms):
        raise InputTypeError(
            f"{shorten(repr(item), 80)}: a list of dicts; pass a frame, such as pandas.DataFrame(rows)"
        )
    if len(terms) not in counts:
        raise InputError(f"{item!r}: a tuple of {len(terms)} terms; pass {wanted}")
    return terms
