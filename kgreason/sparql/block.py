"""`block`: the quads of a block of an update, such as the braces after INSERT DATA.

A block `{ ... GRAPH g { ... } ... }` is almost TriG, so Oxigraph's TriG parser reads it: with prefixes, lists, blank
node property lists and triple terms, and with literals kept as they are written. The differences are rewritten:
triples outside of GRAPH get braces of their own, `TRUE` becomes `true`, and a variable becomes an IRI that stands for
it. A list that stands alone, as in `{ ( 1 2 ) . }`, gets a predicate and an object; their triple is left out later.

    { ?s a :C GRAPH :g { ?s :p 1 } . }    ->    { <...s> a :C } GRAPH :g { <...s> :p 1 } { }

Cost: about 10 microseconds a triple.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pyoxigraph
from pyoxigraph import NamedNode, Quad, RdfFormat

from kgreason.rdf.counting_stream import BUFFER, is_full
from kgreason.rdf.problem import problem_of
from kgreason.sparql.source import Rewritten, Source
from kgreason.sparql.template import Template, placeholder
from kgreason.sparql.tokens import TOKEN
from kgreason.store.oxigraph.update import OURS
from kgreason.terms.tags import correct_errors, parse_quads, with_carriers, with_tags

_INSIDE_GRAPH = 2
_BLANK_NAME = re.compile(r"\s*(_:|\[)")
_COMMENT = re.compile(r"#[^\r\n]*")
_STRDT = "write BIND(STRDT(?text, ?datatype) AS ?literal) in WHERE, and ?literal here"
_ALONE = NamedNode(f"{OURS}alone")
_MAY_STAND_ALONE = re.compile(r"[.{}](?:\s|#[^\r\n]*[\r\n])*\(")
_DATATYPE = re.compile(r"\s*\^\^\s*")


@dataclass(frozen=True, slots=True)
class Block:
    """A block of quads in an update, and the same quads as TriG.

    `source` is the update, and `start` the index of the block in it. `trig` is a prologue (PREFIX and BASE) and the
    rewritten block. `variables` has each variable name of the block, and the index in `source` where it is first used.
    `labels` has the same for the labels of blank nodes.
    """

    source: Source
    start: int
    trig: Rewritten
    variables: dict[str, int]
    labels: dict[str, int]
    lists: list[int]
    """Where in `source` a list ends that is the subject of no triple."""

    def rows(self) -> bytes:
        """Return the quads as N-Quads lines. Each call makes new blank nodes. Raises QueryError."""
        text = self._text()
        with self._problems(text):
            return _lines(self._parse(text, rename_blank_nodes=True))

    def template(self) -> Template:
        """Return the quads as a template. Raises QueryError."""
        text = self._text()
        with self._problems(text):
            found = self._parse(text)
            found = parse_quads(_lines(found), lenient=True) if with_tags(text) != text else found
            return Template(tuple(found), tuple(self.variables))

    def _text(self) -> bytes:
        """Return the TriG text with carriers. They do not leave this module."""
        return with_carriers(str(self.trig).encode())

    def _parse(self, text: bytes, *, rename_blank_nodes: bool = False) -> Iterable[Quad]:
        found = pyoxigraph.parse(text, RdfFormat.TRIG, rename_blank_nodes=rename_blank_nodes)
        return (quad for quad in found if quad.predicate != _ALONE) if self.lists else found

    @contextmanager
    def _problems(self, text: bytes) -> Iterator[None]:
        try:
            with correct_errors(lambda: text):
                yield
        except MemoryError as error:
            if not is_full(error):
                raise
            raise self.source.error(self.start, f"a literal of this block has more than {BUFFER:,} bytes") from None
        except SyntaxError as error:
            at = self.trig.origin(error.lineno or 1, error.offset or 1)
            raise self.source.error(at, problem_of(error, "update")) from None
        except RecursionError:
            raise self.source.error(self.start, "triple terms are nested too deeply in this block") from None


def _lines(found: Iterable[Quad]) -> bytes:
    return with_tags(pyoxigraph.serialize(found, format=RdfFormat.N_QUADS) or b"")


def block(source: Source, start: int, end: int, prologue: str) -> Block:
    """Rewrite the block `source.text[start:end]`, which includes its outer braces, as TriG. Raises QueryError.

    `prologue` has the PREFIX and BASE declarations that hold in the block.
    """
    found = Block(source, start, Rewritten(source), {}, {}, list(_lists_alone(source.text, start, end)))
    found.trig.put(f"{prologue}\n", start)
    done, depth, last, lists = start, 0, start, deque(found.lists)
    for token in TOKEN.finditer(source.text, start, end - 1):
        if token["skip"] and token[0].startswith("#"):
            continue
        if token["variable"] and _DATATYPE.fullmatch(_without_comments(source.text[last : token.start()])):
            raise source.error(token.start(), f"a datatype is an IRI, and {token[0]} is a variable: {_STRDT}")
        last = token.end()
        while lists and lists[0] <= token.start():
            found.trig.copy(done, lists[0])
            done = lists.popleft()
            found.trig.put(f" {_ALONE} {_ALONE} ", done)
        depth += (token.lastgroup == "open") - (token.lastgroup == "close")
        if depth > _INSIDE_GRAPH:
            raise source.error(token.start(), "a GRAPH cannot contain another block")
        if (text := _rewrite(token, found)) is not None:
            found.trig.copy(done, token.start())
            found.trig.put(text, token.start())
            done = token.end()
    for each in lists:
        found.trig.copy(done, each)
        found.trig.put(f" {_ALONE} {_ALONE} ", each)
        done = each
    found.trig.copy(done, end)
    return found


def _lists_alone(text: str, start: int, end: int) -> Iterator[int]:
    """Yield the index after each list of the block `text[start:end]` that is a statement by itself."""
    if not _MAY_STAND_ALONE.search(text, start, end):
        return
    depth, is_alone, before, last = 0, False, "{", start
    for at, sign in _signs(text, start, end):
        if sign in "([":
            if not depth:
                is_alone = sign == "(" and before in "{}."
            depth += 1
        elif sign in ")]":
            depth -= 1
            is_alone = is_alone and (depth > 0 or before + sign != "()")  # the empty list is a term, and no statement
        elif not depth:
            if is_alone and before == ")" and sign in "{}.g":
                yield last
            is_alone = False
        before, last = sign, at + 1


def _signs(text: str, start: int, end: int) -> Iterator[tuple[int, str]]:
    """Yield the signs of a block and their indexes: brackets, braces and full stops; `g` for GRAPH, `t` for any other.

    Comments and white space are left out.
    """
    done = start
    for token in TOKEN.finditer(text, start, end):
        yield from (
            (at, sign if (sign := text[at]) in "([.])" else "t")
            for at in range(done, token.start())
            if not text[at].isspace()
        )
        done = token.end()
        if token["open"] or token["close"]:
            yield token.start(), text[token.start()]
        elif not token[0].startswith("#"):
            yield token.start(), "g" if token[0].upper() == "GRAPH" else "t"


def _without_comments(text: str) -> str:
    """Return a text without comments. The text must be one between two tokens, so each `#` begins a comment."""
    return _COMMENT.sub(" ", text)


def _rewrite(token: re.Match[str], found: Block) -> str | None:
    """Return the text that replaces a token of the block in TriG, or None if the token stays as it is.

    If the token is a variable or a blank node label, adds it to `found.variables` or `found.labels`.
    """
    match token.lastgroup:
        case "variable":
            found.variables.setdefault(token[0][1:], token.start())
            return str(placeholder(token[0][1:]))
        case "close":
            return f"}}{token['after']} {{"
        case "name":
            return _keyword(token, found)
    return None


def _keyword(token: re.Match[str], found: Block) -> str | None:
    word = token[0]
    if word.startswith("_:"):
        found.labels.setdefault(word, token.start())
    elif word.upper() == "GRAPH":
        if _BLANK_NAME.match(found.source.text, token.end()):
            raise found.source.error(token.end(), "a blank node cannot name a graph in an update")
        return "} GRAPH"
    return f"{word.lower()} " if word.upper() in ("TRUE", "FALSE") else None  # the space keeps a full stop apart
