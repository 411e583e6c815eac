r"""`Record`: the edit of a commit, as an RDF Patch.

    H commit "7" .
    H strategy "update" .                         how the commit was evaluated
    H time "2026-11-28T09:30:00.000Z" .           when it was made
    H author "ann" .                              who made it, if that is known
    H prefixes "{\"ex\": \"http://e/\"}" .         prefixes that the graph remembers from now on
    H stream "sensors" .                          headers of the caller
    H delete-rule "[?x, <http://e/p>, ?x] ." .    rules, as rule text in a string
    H version "2"^^<http://www.w3.org/2001/XMLSchema#integer> .
    H add-fact "edge(<http://e/a>, <http://e/b>) ." .                  asserted facts of relations (`facts`)
    TX .
    D <http://e/a> <http://e/p> <http://e/b> .    asserted quads, blank nodes by their labels
    A _:b0 <http://e/p> "x"@en <http://e/graph> .
    TC .

RDF Patch (https://jena.apache.org/documentation/rdf-patch/) has no rows for rules and facts of relations. They are
headers, so every reader of RDF Patch can read the text, with one exception: a quad of an imported document has a string
with the document's IRI in place of the graph name (`D <http://e/a> <http://e/p> <http://e/b> "http://e/document" .`).

Version 1 of kgreason's records has no facts of relations. A record with facts says in a header that it has version 2. A
reader of version 1 refuses this header; otherwise it would lose the facts. This module refuses a record of a later
version.

Law: `Record.parse(record.patch()) == record`. Cost: a few microseconds, and one copy of the lines.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Self, TypeAlias

from kgreason.terms.prefixes import prefixes_to_remember
from kgreason.terms.quoting import quote, unquote

if TYPE_CHECKING:
    from kgreason.engine.changes import StrategyRun

Signed: TypeAlias = tuple[tuple[int, str], ...]
"""Texts with the sign 1 (added) or -1 (removed), in the order of the edits."""

_NAME = re.compile(r"[A-Za-z][\w-]*", re.ASCII)
_HEADER = re.compile(r'H (\S+) (".*") \.')
_VERSION = re.compile(r'H version "(\d+)"\^\^<http://www.w3.org/2001/XMLSchema#integer> \.')
_WITH_FACTS = 2
"""The version of records with facts, and the last one that is known."""
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
_VERBS = {1: "add", -1: "delete"}
SIGNED = {f"{verb}-{kind}": (kind, sign) for sign, verb in _VERBS.items() for kind in ("rule", "fact")}
_OURS = {"commit", "strategy", "time", "author", "frame", "version", "prefixes", *SIGNED}
_STRATEGIES: dict[str, StrategyRun] = {"update": "update", "bootstrap": "bootstrap"}


@dataclass(frozen=True, slots=True)
class Record:
    """A commit: its number, and the quads, rules and facts that it removed and added.

    - `removed`, `added`: asserted quads as canonical N-Quads lines. A line without a graph name belongs to the default
      graph.
    - `rules`, `facts`: pairs (sign, text); the sign is -1 for removed and 1 for added. The text of a rule is rule text,
      and that of a fact is made by `facts.fact_text`.
    - `headers`: name -> text that the caller wants to find again, such as a stream and the number of its batch. A name
      has ASCII letters, digits, `_` and `-`, begins with a letter, and must not be one of kgreason's own, as `commit`.
    - `prefixes`: prefix -> namespace, those that the commit adds to the prefixes that the graph remembers.
    - `strategies`: how the steps of the commit were evaluated, one entry for each step; the last entry holds for all
      further steps. It may be empty, as in records of older versions.
    - `time`: when the commit was made, as text of xsd:dateTime in UTC; `author`: who made it. Both may be empty, as in
      records of older versions. In those, callers could give headers of these names any text.
    """

    commit: int
    removed: bytes = b""
    added: bytes = b""
    rules: Signed = ()
    facts: Signed = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    strategies: tuple[StrategyRun, ...] = ()
    time: str = ""
    author: str = ""
    prefixes: Mapping[str, str] = field(default_factory=dict)

    def patch(self) -> bytes:
        """Return the record as an RDF Patch.

        A record of an older version may have headers of the caller with names that are ours now. They are written as
        they were read; a journal takes no new ones (`check_headers`).
        """
        rows = [f'H commit "{self.commit}" .\n']
        if self.strategies:
            rows.append(f'H strategy "{" ".join(self.strategies)}" .\n')
        rows += origin_headers(self.time, self.author)
        rows += _version_headers(self.facts)
        if self.prefixes:
            rows.append(_header("prefixes", json.dumps(dict(self.prefixes), ensure_ascii=False)))
        rows += [_header(name, text) for name, text in self.headers.items()]
        rows += [*_signed_headers("rule", self.rules), *_signed_headers("fact", self.facts)]
        return "".join(rows).encode() + patch_of_changes(self.removed, self.added)

    @classmethod
    def parse(cls, patch: bytes) -> Self:
        """Turn the result of `patch` back into the record. Raises ValueError."""
        header, mark, rows = patch.partition(b"TX .\n")
        if not mark or not rows.endswith(b"TC .\n"):
            raise ValueError("the record has no rows")
        headers: dict[str, str] = {}
        signed: dict[str, list[tuple[int, str]]] = {"rule": [], "fact": []}
        for name, text in _read_headers(header):
            if name in SIGNED:
                kind, sign = SIGNED[name]
                signed[kind].append((sign, text))
            else:
                headers[name] = text
        commit, strategies = int(headers.pop("commit", "")), _strategies(headers.get("strategy", ""))
        if strategies:
            del headers["strategy"]
        signed_at = "", ""
        if _TIME.fullmatch(headers.get("time", "")):
            signed_at = headers.pop("time"), headers.pop("author", "")
        if prefixes := _prefixes(headers.get("prefixes", "")):
            del headers["prefixes"]
        edits = *_lines(rows[:-5]), tuple(signed["rule"]), tuple(signed["fact"])
        return cls(commit, *edits, headers, strategies, *signed_at, prefixes)


def now() -> str:
    """Return the present time, as text of xsd:dateTime in UTC with milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def origin_headers(time: str, author: str) -> list[str]:
    """Return the headers that say when a commit was made and by whom, as rows. An empty text has no row."""
    row = [f'H time "{time}" .\n'] if time else []
    return [*row, _header("author", author)] if author else row


def check_headers(names: Iterable[str]) -> None:
    """Raise ValueError for a name that a header of a commit cannot have."""
    for name in names:
        if name in _OURS or not _NAME.fullmatch(name):
            raise ValueError(
                f"{name}: not a name for a header of a commit; pass a letter and then letters, digits, - or _, and not"
                f" one of kgreason's own names ({', '.join(sorted(_OURS))})"
            )


def _strategies(text: str) -> tuple[StrategyRun, ...]:
    """Return the strategies that `text`, the text of the header `strategy`, names. Any other text gives an empty tuple.

    In older versions, callers could give a header of this name any text.
    """
    words = text.split(" ")
    return tuple(_STRATEGIES[word] for word in words) if _STRATEGIES.keys() >= set(words) else ()


def _prefixes(text: str) -> dict[str, str]:
    """Return the prefixes in `text`, the text of the header `prefixes`. Any other text gives none.

    A text with a prefix that no graph remembers (`prefixes_to_remember`) is another text. In older versions, callers
    could give a header of this name any text.
    """
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    if not isinstance(found, dict) or not all(isinstance(namespace, str) for namespace in found.values()):
        return {}
    return found if prefixes_to_remember({}, found) == found else {}


def patch_of_changes(removed: bytes, added: bytes, facts: Signed = ()) -> bytes:
    """Write one RDF Patch transaction, which removes and adds quads and facts of relations.

    `removed` and `added` are canonical N-Quads lines. `facts` are pairs (sign, text), with -1 to remove and 1 to add.
    """
    headers = "".join([*_version_headers(facts), *_signed_headers("fact", facts)]).encode()
    return b"".join((headers, b"TX .\n", _with_mark(b"D ", removed), _with_mark(b"A ", added), b"TC .\n"))


def _version_headers(facts: Signed) -> list[str]:
    return [f'H version "{_WITH_FACTS}"^^<http://www.w3.org/2001/XMLSchema#integer> .\n'] if facts else []


def _signed_headers(kind: str, texts: Signed) -> list[str]:
    return [_header(f"{_VERBS[sign]}-{kind}", text) for sign, text in texts]


def _header(name: str, text: str) -> str:
    return f"H {name} {quote(text)} .\n"


def _read_headers(rows: bytes) -> Iterator[tuple[str, str]]:
    for row in rows.decode().split("\n")[:-1]:
        if version := _VERSION.fullmatch(row):
            if int(version[1]) > _WITH_FACTS:
                raise ValueError(f"the record has version {version[1]}, which a newer version of kgreason wrote")
            continue
        found = _HEADER.fullmatch(row)
        if found is None:
            raise ValueError(f"{row}: not a header")
        yield found[1], unquote(found[2])


def _with_mark(mark: bytes, lines: bytes) -> bytes:
    return mark + lines[:-1].replace(b"\n", b"\n" + mark) + b"\n" if lines else b""


def _lines(rows: bytes) -> tuple[bytes, bytes]:
    """Split the rows of a transaction: return the lines of its D rows, and the lines of its A rows.

    All D rows must stand before the first A row.
    """
    first = 0 if rows.startswith(b"A ") else rows.find(b"\nA ") + 1 or len(rows)
    return rows[2:first].replace(b"\nD ", b"\n"), rows[first + 2 :].replace(b"\nA ", b"\n")
