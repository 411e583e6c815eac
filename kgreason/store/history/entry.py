r"""`Entry`: what one commit changed, as the history keeps it; `Head`: the same without the facts.

    28 bytes: KGH1, length and checksum of the head, length and checksum of the body, checksum of this row
    head: JSON: number, time, counts, rules, headers, work, and the length of each section of the body
    body: the sections, one after the other, compressed by zlib

The sections are lines of text. The section `triples 0 2` has the triples that were absent (0) and are asserted (2) now;
1 means inferred. In the same way `facts 0 2` has the facts of relations that were absent and are asserted now. The
sections `removed` and `added` have the quads that the commit retracted and asserted.

Laws: `Entry.parse(*entry.parts()) == entry`. A head can be read without the body behind it. Cost: linear in the lines;
zlib reduces them to between a fifth and a tenth of their size.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO, NamedTuple, Self

from kgreason.store.journal.record import Signed

_MAGIC = b"KGH1"
_ROW = struct.Struct("<4sIIQII")
_LEVEL = 1
"""zlib's fastest level; level 6 takes three times as long and saves a sixth."""


class Count(NamedTuple):
    """The number of asserted triples, and the number of inferred triples."""

    asserted: int
    inferred: int

    def __str__(self) -> str:
        """Return a text such as `3 asserted, 12 inferred`."""
        return f"{self.asserted:,} asserted, {self.inferred:,} inferred"


NONE = Count(0, 0)


@dataclass(frozen=True, slots=True)
class Head:
    """What a commit of the history changed, in numbers.

    - `commit`: its number.
    - `time`: when it was made, as text of xsd:dateTime in UTC.
    - `appeared`, `disappeared`: how many triples appeared and disappeared.
    - `rules`: the user's rules that the commit removed (-1) and added (1), as rule text.
    - `facts`: how many facts of relations appeared, disappeared or turned between asserted and inferred.
    - `quads`: how many quads the commit asserted, and how many it retracted.
    - `headers`: the headers of the commit's transaction.
    - `work`: how the commit was evaluated; the fields of `Work`.
    - `author`: who made it; empty if that is not known, as for commits of older versions.
    """

    commit: int
    time: str
    appeared: Count = NONE
    disappeared: Count = NONE
    rules: Signed = ()
    facts: int = 0
    quads: tuple[int, int] = (0, 0)
    headers: Mapping[str, str] = field(default_factory=dict)
    work: Mapping[str, Any] = field(default_factory=dict)
    author: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the head as an object that `json.dumps` takes."""
        return {
            "commit": self.commit,
            "time": self.time,
            "author": self.author,
            "appeared": self.appeared._asdict(),
            "disappeared": self.disappeared._asdict(),
            "asserted": self.quads[0],
            "retracted": self.quads[1],
            "rules_added": [text for sign, text in self.rules if sign > 0],
            "rules_removed": [text for sign, text in self.rules if sign < 0],
            "facts": self.facts,
            "headers": dict(self.headers),
            "work": dict(self.work),
        }

    @classmethod
    def of_json(cls, told: Mapping[str, Any]) -> Self:
        """Turn the result of `to_json` back into the head.

        In `rules`, the removed rules come before the added rules.
        """
        come, gone = told["rules_added"], told["rules_removed"]
        return cls(
            told["commit"],
            told["time"],
            Count(**told["appeared"]),
            Count(**told["disappeared"]),
            (*((-1, text) for text in gone), *((1, text) for text in come)),
            told["facts"],
            (told["asserted"], told["retracted"]),
            told["headers"],
            told["work"],
            told.get("author", ""),  # older servers do not tell it
        )


@dataclass(frozen=True, slots=True)
class Entry:
    """A commit in the history: its head and its changes.

    `sections` has the changes as lines, by the name of the section (see the module).
    """

    head: Head
    sections: Mapping[str, bytes] = field(default_factory=dict)

    def frame(self) -> bytes:
        """Return the entry as it is written to a file of the history."""
        head, body = self.parts()
        row = _ROW.pack(_MAGIC, len(head), zlib.crc32(head), len(body), zlib.crc32(body), 0)[:-4]
        return row + struct.pack("<I", zlib.crc32(row)) + head + body

    def parts(self) -> tuple[bytes, bytes]:
        """Return the head and the body as bytes."""
        told = self.head
        fields = {name: getattr(told, name) for name in Head.__slots__}
        fields |= {"headers": dict(told.headers), "work": dict(told.work)}
        fields["sections"] = {name: len(lines) for name, lines in self.sections.items()}
        return json.dumps(fields).encode(), zlib.compress(b"".join(self.sections.values()), _LEVEL)

    @classmethod
    def parse(cls, head: bytes, body: bytes) -> Self:
        """Turn the result of `parts` back into the entry. Raises ValueError."""
        fields, start, sections = json.loads(head), 0, {}
        lines = zlib.decompress(body)
        for name, length in fields["sections"].items():
            sections[name] = lines[start : start + length]
            start += length
        return cls(_head_of(fields), sections)


class Place(NamedTuple):
    """Where an entry is in a file.

    `head` is its head, as JSON. `body` is the offset of its body, and `length` and `checksum` are those of the body.
    """

    head: bytes
    body: int
    length: int
    checksum: int

    @property
    def end(self) -> int:
        """The offset of the first byte after the entry."""
        return self.body + self.length

    def read_head(self) -> Head:
        """Read the head from its JSON."""
        return _head_of(json.loads(self.head))

    def read_entry(self, file: BinaryIO) -> Entry:
        """Read the whole entry. Raises ValueError if the body is damaged."""
        file.seek(self.body)
        body = file.read(self.length)
        if len(body) < self.length or zlib.crc32(body) != self.checksum:
            raise ValueError("the entry differs from what was written")
        return Entry.parse(self.head, body)


def entry_place(file: BinaryIO, offset: int) -> Place | None:
    """Return where the entry at an offset is, or None at the end of the file.

    Raises ValueError if there is no whole entry at the offset.
    """
    file.seek(offset)
    row = file.read(_ROW.size)
    if not row:
        return None
    if len(row) < _ROW.size:
        raise ValueError("the file ends in the middle of an entry")
    magic, length, checksum, size, of_body, of_row = _ROW.unpack(row)
    if magic != _MAGIC or zlib.crc32(row[:-4]) != of_row:
        raise ValueError("no entry begins here")
    head = file.read(length)
    if len(head) < length or zlib.crc32(head) != checksum:
        raise ValueError("the entry differs from what was written")
    return Place(head, offset + _ROW.size + length, size, of_body)


def _head_of(fields: dict[str, Any]) -> Head:
    return Head(
        fields["commit"],
        fields["time"],
        Count(*fields["appeared"]),
        Count(*fields["disappeared"]),
        tuple((sign, text) for sign, text in fields["rules"]),
        fields["facts"],
        (fields["quads"][0], fields["quads"][1]),
        fields["headers"],
        fields["work"],
        fields.get("author", ""),
    )
