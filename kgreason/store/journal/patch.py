r"""RDF Patches that any program may have written: the quads and rules that a text removes and adds in the end.

    H id <uuid:0686c69d-8f89-4496-acb5-744f0157a8db> .      headers are ignored, except those of `record` with rules
    TX .                                                    a transaction: its rows count if TC ends it, not if TA does
    PA "rdf" "http://www.w3.org/1999/02/22-rdf-syntax-ns#" .         prefixes are ignored
    D <http://e/a> <http://e/p> _:b0 .                      N-Quads; blank nodes have the labels of the graph
    A <http://e/a> <http://e/p> <_:b0> <http://e/graph> .   the same node, as Jena writes it
    TC .

The format is that of https://jena.apache.org/documentation/rdf-patch/. A text may hold many patches, one after the
other. A header belongs to the next transaction. Rows outside of a transaction count. A transaction without an end
is an error, because the file is incomplete.

Law: of several rows for one quad the last one wins. Cost: a regular expression for each row, and the RDF parser.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from pyoxigraph import RdfFormat

from kgreason.errors import RdfSyntaxError
from kgreason.store.journal.record import SIGNED
from kgreason.terms.quoting import unquote
from kgreason.terms.tags import canonical_lines

_ROW = re.compile(rb"(H|TX|TC|TA|PA|PD|A|D)(?:[ \t]+(.*?))?[ \t]*\.")
_STRING = re.compile(r'(\S+)[ \t]+("(?:[^"\\]|\\.)*")')
_NODE = re.compile(rb'("(?:[^"\\]|\\.)*")|<(_:[^>]*)>')
_SIGNS = {b"A": 1, b"D": -1}
NO_TERM = "?"
"""Stands for a missing term in a statement, so that the parser reports an error."""


class SignedRule(NamedTuple):
    """A rule, or a fact of a relation, that a patch adds (`sign` 1) or removes (`sign` -1).

    `line` is the number of its line in the patch. The text of a rule ends in a full stop, and that of a fact (`facts`)
    does not.
    """

    line: int
    sign: int
    text: str


class Patch(NamedTuple):
    """The quads that a patch removes and adds, as canonical N-Quads lines, and its rules and facts in their order."""

    removed: bytes
    added: bytes
    rules: tuple[SignedRule, ...]


class _Row(NamedTuple):
    line: int
    sign: int
    statement: bytes


def read_patch(text: bytes, source: str) -> Patch:
    """Add up one or more patches: return what they remove and add in the end.

    `source` is the name of the text in messages. Raises RdfSyntaxError, which names the source and the line.
    """
    reader = _Reader(source)
    for line, row in enumerate(map(bytes.strip, text.split(b"\n")), 1):
        if row and not row.startswith(b"#"):
            reader.read(line, row)
    return reader.patch()


def net_statements(signs: Sequence[int], statements: Sequence[bytes]) -> tuple[bytes, bytes]:
    """Add up N-Quads statements. `signs` says for each whether it removes (-1) or adds (1) its quad; the last one wins.

    Returns the canonical lines of the quads to remove, and those of the quads to add. Raises SyntaxError; its `lineno`
    is the number of the statement, from 1.
    """
    last = dict(zip(_canonical_lines(statements), signs, strict=True))
    removed, added = (b"".join(line + b"\n" for line in last if last[line] == sign) for sign in (-1, 1))
    return removed, added


def _canonical_lines(statements: Sequence[bytes]) -> list[bytes]:
    """Return the canonical line of each statement, without a line feed.

    Raises SyntaxError if one is not a single statement; its `lineno` is the number of the statement, from 1.
    """
    lines = _lines(b"\n".join(statements))
    if len(lines) != len(statements) or any(b"\n" in statement for statement in statements):
        number = next(number for number, statement in enumerate(statements, 1) if not _is_one_statement(statement))
        raise SyntaxError("not a triple or quad", (None, number, None, None))
    return lines


def _lines(text: bytes) -> list[bytes]:
    """Return the canonical lines of N-Quads text, without line feeds. Raises SyntaxError."""
    return canonical_lines(text, RdfFormat.N_QUADS).split(b"\n")[:-1]


def _is_one_statement(statement: bytes) -> bool:
    """Whether a text is a single line of N-Quads that has a statement, not only a comment."""
    return b"\n" not in statement and len(_lines(statement)) == 1


class _Reader:
    """Reads the rows of patches, and keeps the rows that count. Until a transaction ends, its rows are not kept."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._begun: int | None = None
        self._rows: list[_Row] = []
        self._rules: list[SignedRule] = []
        self._kept_rows: list[_Row] = []
        self._kept_rules: list[SignedRule] = []

    def read(self, line: int, row: bytes) -> None:
        found = _ROW.fullmatch(row)
        if found is None:
            raise self._error(line, f"{row[:60].decode(errors='replace')}: not a row of an RDF Patch")
        code, rest = found[1], found[2] or b""
        if code in _SIGNS:
            self._rows.append(_Row(line, _SIGNS[code], _without_brackets(rest) + b" ."))
        elif code == b"H":
            self._header(line, rest)
        elif code == b"TX":
            self._begin(line)
        elif code in (b"TC", b"TA"):
            self._end(line, keep=code == b"TC")

    def _header(self, line: int, rest: bytes) -> None:
        found = _STRING.fullmatch(rest.decode(errors="replace"))
        if found is not None and found[1] in SIGNED:
            kind, sign = SIGNED[found[1]]
            text = self._unquote(line, found[2])
            self._rules.append(
                SignedRule(line, sign, text if kind == "rule" else text.strip().removesuffix(".").strip())
            )

    def _unquote(self, line: int, string: str) -> str:
        try:
            return unquote(string)
        except ValueError as error:
            raise self._error(line, str(error)) from error

    def _begin(self, line: int) -> None:
        if self._begun is not None:
            raise self._error(line, f"a transaction begins inside the transaction of line {self._begun}")
        self._begun = line
        self._kept_rows += self._rows  # they are outside of the transaction; headers before TX belong to it
        self._rows = []

    def _end(self, line: int, *, keep: bool) -> None:
        if self._begun is None:
            raise self._error(line, "a transaction ends here, but none has begun: there is no TX before")
        self._begun = None
        if keep:
            self._keep()
        self._rows, self._rules = [], []

    def _keep(self) -> None:
        self._kept_rows += self._rows
        self._kept_rules += self._rules

    def patch(self) -> Patch:
        if self._begun is not None:
            raise self._error(self._begun, "the transaction that begins here has no end: the file is incomplete")
        self._keep()
        rows = self._kept_rows
        try:
            removed, added = net_statements([row.sign for row in rows], [row.statement for row in rows])
        except SyntaxError as error:
            raise self._error(rows[(error.lineno or 1) - 1].line, message_without_place(error)) from error
        return Patch(removed, added, tuple(self._kept_rules))

    def _error(self, line: int, problem: str) -> RdfSyntaxError:
        return RdfSyntaxError(self._source, line, None, problem)


def _without_brackets(row: bytes) -> bytes:
    """Replace each `<_:label>` in a row of a patch, as Jena writes it, by `_:label`. Strings stay as they are."""
    return _NODE.sub(lambda found: found[1] or found[2], row) if b"<_:" in row else row


def message_without_place(error: SyntaxError) -> str:
    """Return a parser's message without the line and column in it.

    These numbers would be wrong, because the parser counts the lines of its own input, not those of the patch.
    """
    return error.msg.partition(": ")[2] or error.msg
