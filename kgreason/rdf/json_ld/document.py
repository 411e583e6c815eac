"""`JsonLd`: the text of a JSON-LD document, with the contexts that it names put in (`contexts`).

    {"@context": "ctx.jsonld",        ->        {"@context": {"name": "http://schema.org/name"},
     "name": "x"}                                "name": "x"}

Only the values of @context change; all other bytes, line ends included, stay. Type maps are written in another way
(`type_maps`) in documents of at most `SMALL` bytes, and then lines are lost as well.

Law: the value of a JSON literal never changes. A document with @json may name a context by IRI only in the first
object that it opens, since another @context may stand in such a literal.

Cost: a search for a word in each line; values of @context are parsed as JSON. Documents of at most `SMALL` bytes are in
memory as a whole.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from io import BytesIO
from typing import IO

from kgreason.errors import InputError, RdfSyntaxError
from kgreason.rdf.json_ld.contexts import Contexts
from kgreason.rdf.json_ld.nesting import ShallowJson
from kgreason.rdf.json_ld.type_maps import HAS_TYPE_MAP, without_type_maps

SMALL = 1 << 24
"""The largest document, in bytes, that is held as a whole."""
_LINE = 1 << 16
_KEY = re.compile(rb'"@context"\s*(?::\s*|\Z)')
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+("?)|[\[\]{}]', re.DOTALL)
_JSON = b'"@json"'
_LANGUAGE = b"language"


class JsonLd:
    """A binary stream with the text of a document. `file` is the name of the document in messages."""

    def __init__(self, text: IO[bytes], contexts: Contexts, file: str) -> None:
        self._text, self._contexts, self._file = ShallowJson(text, file), contexts, file
        self._has_json = self._has_changed = False
        self._opened = 0
        """How many braces were opened before, those in strings included."""
        self._pieces: Iterator[bytes] | None = None
        self._piece: IO[bytes] = BytesIO()
        self.may_have_tags = True
        """Whether the text may have a language tag; decided when the first piece was read."""
        self.has_lines = True
        """Whether the text has the lines of the document."""

    def read(self, size: int = -1) -> bytes:
        """Read up to `size` bytes. Raises RdfSyntaxError for a context."""
        self._pieces = self._pieces or self._start()
        while not (found := self._piece.read(size)):
            piece = next(self._pieces, b"")
            if not piece:
                return b""
            self._piece = BytesIO(piece)
        return found

    def _start(self) -> Iterator[bytes]:
        """Return the pieces of the text. A small document is read as a whole."""
        parts, length = list[bytes](), 0
        while length <= SMALL and (part := self._text.read(SMALL)):
            parts.append(part)
            length += len(part)
        head = b"".join(parts)
        if length > SMALL:
            return self._with_whole_contexts(_Rest(head, self._text))
        self._has_json = _JSON in head
        text = b"".join(self._with_whole_contexts(BytesIO(head)))
        if HAS_TYPE_MAP.search(text):
            text = without_type_maps(text, self._file)
            self.has_lines = False
        self.may_have_tags = _LANGUAGE in text or b"\\u" in text
        return iter((text,))

    def _with_whole_contexts(self, text: IO[bytes] | _Rest) -> Iterator[bytes]:
        """Yield the text in pieces, with whole contexts."""
        line, rest = 1, b""
        while more := text.readline(_LINE):
            rest += more
            self._note_json(_JSON in rest, line)
            while key := _KEY.search(rest):
                if key.end() == len(rest):
                    more = _read_to_text(text)
                    rest += more
                    if not more.strip():
                        break
                    continue
                rest, end = self._read_value(text, rest, key.end())
                line += rest.count(b"\n", 0, key.end())
                self._opened += rest.count(b"{", 0, key.end())
                yield rest[: key.end()] + self._context(rest[key.end() : end], line)
                line += rest.count(b"\n", key.end(), end)
                self._opened += rest.count(b"{", key.end(), end)
                rest = rest[end:]
            if rest.endswith(b"\n") or len(rest) > 2 * _LINE:
                kept = b"" if rest.endswith(b"\n") else rest[-len('"@context"') :]
                piece = rest[: len(rest) - len(kept)]
                line += piece.count(b"\n")
                self._opened += piece.count(b"{")
                rest = kept
                yield piece
        yield rest

    def _note_json(self, is_there: bool, line: int) -> None:
        """Note whether the text has @json. Raises RdfSyntaxError if a context changed that a JSON literal may have."""
        self._has_json = self._has_json or is_there
        if self._has_json and self._has_changed:
            problem = "in a document with @json only its outer @context may name a context: write the others in full"
            raise RdfSyntaxError(self._file, line, None, problem)

    def _read_value(self, text: IO[bytes] | _Rest, rest: bytes, at: int) -> tuple[bytes, int]:
        """Read on until `rest` has the whole JSON value that begins at `at`. Returns `rest`, and the value's end."""
        wanted = _LINE
        while (end := _end_of_value(rest, at)) is None:
            length = len(rest)
            while len(rest) - length < wanted and (more := text.readline(_LINE)):
                rest += more
            if len(rest) == length:
                return rest, length  # the parser will say what is wrong
            wanted *= 2
        return rest, end

    def _context(self, text: bytes, line: int) -> bytes:
        """Return the text of a context, as one line with the line feeds of `text` behind it if the context changes."""
        try:
            context = json.loads(text)
        except (ValueError, RecursionError):
            return text  # the parser says what is wrong
        is_first = self._opened == 1
        try:
            whole = self._contexts.resolve(context, self._text.length)
        except InputError as error:
            raise RdfSyntaxError(self._file, line, None, str(error)) from error
        except RecursionError as error:
            raise RdfSyntaxError(self._file, line, None, "the context is nested too deeply") from error
        if whole is context:
            return text
        self._has_changed = self._has_changed or not is_first
        found = json.dumps(whole).encode()
        self._note_json(_JSON in found, line)
        return found + b"\n" * text.count(b"\n")


def _read_to_text(text: IO[bytes] | _Rest) -> bytes:
    """Read lines to the first that is not blank."""
    lines = [text.readline(_LINE)]
    while lines[-1] and not lines[-1].strip():
        lines.append(text.readline(_LINE))
    return b"".join(lines)


class _Rest:
    """The text `head`, and then the rest of a stream."""

    def __init__(self, head: bytes, text: ShallowJson) -> None:
        self._parts: list[BytesIO | ShallowJson] = [BytesIO(head), text]

    def readline(self, size: int) -> bytes:
        """Read up to `size` bytes, at most to the end of a line; a line may come in two parts."""
        while self._parts:
            if isinstance(self._parts[0], BytesIO):
                if line := self._parts[0].readline(size):
                    return line
            elif piece := self._parts[0].read(SMALL):
                self._parts.insert(0, BytesIO(piece))
                continue
            self._parts.pop(0)
        return b""


def _end_of_value(text: bytes, at: int) -> int | None:
    """Return the end of the JSON value that begins at `at`; None if the text ends before."""
    depth = 0
    for token in _TOKEN.finditer(text, at):
        if depth == 0 and token.start() > at:
            return at  # a number, or null
        if token[0].startswith(b'"') and not token[1]:
            return None
        depth += (token[0] in b"[{") - (token[0] in b"]}")
        if depth <= 0:
            return token.end()
    return None
