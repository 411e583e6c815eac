"""The edits of a transaction as *steps*: small pieces that the thread of the writer carries out without a parser.

    body, lines of JSON -> check_lines: each line is an edit -> a file of steps -> carry_out: a transaction

A line may have 64 MB, and to parse that many lists takes Python some seconds, in which nothing else of the process
runs. So a query process, which can be killed, turns a long body into steps (`Pool.check`), and a thread a short one.

A step is a sequence of values of `marshal`: a verb and its options, then pieces of at most some thousand facts or about
a megabyte of N-Quads lines, then None. Only this server reads the file, which is in the folder of its bodies.

Law: the steps change a transaction as the lines say, in their order. Between two pieces the transaction can be ended.
Cost: of the lines, a copy.
"""

from __future__ import annotations

import json
import marshal
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from kgreason.errors import InputError, RdfSyntaxError
from kgreason.graph.input.terms import term_of
from kgreason.graph.shapes.shapes_editor import triples_of_lines
from kgreason.graph.transaction import Transaction
from kgreason.interrupts import let_out
from kgreason.store.oxigraph.update import Term
from kgreason.store.oxigraph.update import pieces as pieces_of_lines

_LONGEST = 1 << 26
"""The largest line, in bytes."""
_DEEPEST = 100
"""The largest number of triple terms in one N-Quads line."""
_FACTS_OF_PIECE = 10_000
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
"""Half of a character in JSON. Alone, without its other half, it is no text."""
RULES = ("add_rules", "remove_rules", "unload_rules")
SHAPES = ("add_shapes", "remove_shapes")
_FACTS = ("insert", "delete", "upsert")
_QUADS = ("add", "remove")


class Step(NamedTuple):
    """An edit: its verb, the other members of its line, and its pieces, which can be read once."""

    verb: str
    options: dict[str, Any]
    pieces: Iterator[Any]


def check_lines(body: Path, file: Path) -> None:
    """Check that each line of a body is an edit, and write the edits to a file as steps.

    Raises InputError for a line that is not an edit, RdfSyntaxError for triples of shapes.
    """
    with body.open("rb") as lines, file.open("wb") as out:
        for number, text in enumerate(iter(partial(lines.readline, _LONGEST), b""), 1):
            verb, line = _edit(text, number)
            value = line.pop(verb)
            for each in ((verb, line), *([] if value is None else _pieces(verb, value)), None):
                marshal.dump(each, out)


def steps(file: Path) -> Iterator[Step]:
    """Yield the steps in a file."""
    with file.open("rb") as source:
        while source.peek(1):
            verb, options = marshal.load(source)
            pieces = iter(partial(marshal.load, source), None)
            yield Step(verb, options, pieces)
            for _ in pieces:  # those that nobody has read
                pass


def carry_out(tx: Transaction, file: Path) -> None:
    """Add the edits of a file of steps to a transaction. Raises the errors of the edits."""
    for verb, options, pieces in steps(file):
        if verb in _QUADS:
            _edit_quads(tx, verb, pieces)
            tx.remember_prefixes(options.get("prefixes", {}))
        elif verb in RULES:
            _edit_rules(tx, verb, next(pieces, None), **options)
        elif verb in SHAPES:
            _edit_shapes(tx, verb, pieces)
        else:
            relation = tx.relation(options["relation"], options.get("arity"))
            getattr(relation, verb)(_facts(pieces))


def terms_of(texts: Iterable[str]) -> tuple[Term, ...]:
    """Turn N-Triples texts into terms. Raises InputError for a text that is not a term."""
    return tuple(term_of(_check_nesting(text)) for text in texts)


def _edit(text: bytes, number: int) -> tuple[str, dict[str, Any]]:
    """Return the verb of a line, such as "add", and the line as an object. Raises InputError if it is not an edit."""
    try:
        line = json.loads(text)
        if _SURROGATE.search(text):
            json.dumps(line, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise InputError(f"line {number} of the transaction is not Unicode: {error.reason}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"line {number} of the transaction is not JSON") from error
    verbs = (*_QUADS, *RULES, *SHAPES, *_FACTS) if isinstance(line, dict) else ()
    verb = next((verb for verb in verbs if verb in line), None)
    if verb is None or not _is_edit(verb, line):
        raise InputError(f"line {number} of the transaction is not an edit")
    return verb, {name: line[name] for name in (verb, *_OPTIONS) if name in line}


_OPTIONS = ("syntax", "source", "file", "relation", "arity", "prefixes")


def _is_edit(verb: str, line: dict[str, Any]) -> bool:
    """Whether the values in a line have the types that an edit with this verb needs."""
    arity, value = line.get("arity"), line[verb]
    texts = (line.get(key, "") for key in ("syntax", "source", "file", "relation"))
    if not all(isinstance(text, str) for text in texts) or not (arity is None or type(arity) is int):
        return False
    prefixes = line.get("prefixes", {})
    if not isinstance(prefixes, dict) or not all(isinstance(namespace, str) for namespace in prefixes.values()):
        return False
    if verb == "remove_shapes" and value is None:
        return True
    if verb not in _FACTS:
        return isinstance(value, str) or (verb == "remove_rules" and value is None and bool(line.get("file")))
    is_table = isinstance(value, list) and all(isinstance(row, list) for row in value)
    return is_table and "relation" in line and all(isinstance(term, str) for row in value for term in row)


def _pieces(verb: str, value: Any) -> Iterator[Any]:
    if verb in RULES:
        yield value
    elif verb in _FACTS:
        yield from _parts(value)
    elif verb in _QUADS:
        yield from pieces_of_lines(_check_nesting(value).encode())
    else:
        yield from _parts(sorted(triples_of_lines(_check_nesting(value).encode())))


def _parts(facts: list[Any]) -> Iterator[list[Any]]:
    """Yield parts of a list; of an empty list one empty part."""
    for begin in range(0, len(facts) or 1, _FACTS_OF_PIECE):
        yield facts[begin : begin + _FACTS_OF_PIECE]


def _check_nesting(text: str) -> str:
    """Return the text unchanged. Raises InputError if its triple terms are nested too deeply for the parser's stack."""
    if text.count("<<") > _DEEPEST and any(line.count("<<") > _DEEPEST for line in text.splitlines()):
        raise InputError("the triple terms are nested too deeply")
    return text


def _edit_quads(tx: Transaction, verb: str, pieces: Iterable[bytes]) -> None:
    before = 0
    for piece in pieces:
        let_out()
        try:
            (tx.add_lines if verb == "add" else tx.remove_lines)(piece)
        except RdfSyntaxError as error:
            if error.line is None or not before:
                raise
            raise RdfSyntaxError(error.source, before + error.line, error.column, error.problem) from error
        before += piece.count(b"\n")


def _facts(pieces: Iterable[list[list[str]]]) -> Iterator[tuple[Term, ...]]:
    for piece in pieces:
        let_out()
        yield from map(terms_of, piece)


def _edit_shapes(tx: Transaction, verb: str, pieces: Iterator[list[tuple[str, str, str]]]) -> None:
    first = next(pieces, None)
    if first is None and verb == "remove_shapes":
        tx.shapes.clear()
        return
    triples = set(first or ())
    for piece in pieces:
        let_out()
        triples.update(piece)
    removed, added = ((), triples) if verb == "add_shapes" else (triples, ())
    tx.shapes.replace(removed, added)


def _edit_rules(
    tx: Transaction, verb: str, text: Any, source: str = "the body", file: str | None = None, syntax: Any = "datalog"
) -> None:
    if verb == "remove_rules":
        tx.remove_rules(text, source, file=file, syntax=syntax)
    elif verb == "unload_rules":
        tx.remove_parsed_rules(tx.parse_rules(text, source, syntax))
    elif file:
        tx.add_parsed_rules(replace(rule, file=file) for rule in tx.parse_rules(text, source, syntax))
    else:
        tx.add_rules(text, source, syntax=syntax)
