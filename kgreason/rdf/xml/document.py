"""`Document`: Expat reads the text of an XML document and calls a handler.

    <e:p xml:lang="en">a&b;<![CDATA[c]]></e:p>   ->   start("http://e/ p e", [...]), text("a...c"), end("http://e/ p e")

Expat resolves entities, character references, CDATA sections, default attributes and namespaces, and normalises line
ends and attributes. A name has the parts namespace, local name and prefix, with `SEPARATOR` between them; a name in no
namespace has no separator.

Nothing is fetched: a reference to an external entity is an error, and an external DTD is skipped. An entity that only
such a DTD declares is an error too. Entities and default attributes cannot be used to fill the memory: `Document`
counts what the handler hears of, if the DTD declares more than short entities without references. It also limits how
many entities contain entities, because Expat recurses for each of them. Besides, Expat has a limit of its own: it does
not count default attributes.

Cost: Expat takes about 10 ns for a byte, and each call of the handler some 300 ns; counting takes 200 ns more.
"""

from __future__ import annotations

import re
from typing import IO, Protocol
from xml.parsers import expat
from xml.parsers.expat import errors

from kgreason.errors import RdfSyntaxError
from kgreason.rdf.xml.text import LINES_BEFORE, text_of

SEPARATOR = "\x01"
"""Stands between the parts of a name. No XML document can contain this character."""
_NESTED = 1_000
_TIMES, _FREE = 10, 8 << 20
"""What a document says may be ten times as long as the document, and 8 MiB are free."""
_SHORT = 100
"""An entity of so many characters, as the namespaces of many ontologies are, need not be counted."""
_REFERENCE = re.compile(r"&([^\s#&;<>\"']+);")
_HIDDEN = re.compile(r"(<!--).*?(-->|\Z)|(<!\[CDATA\[).*?(\]\]>|\Z)|(<\?).*?(\?>|\Z)", re.DOTALL)
"""A comment, a CDATA section or a processing instruction: no reference is in it. Its begin and its end are groups."""
_CUT = re.compile(r"(?:<!?-?|<!\[[CDAT]*|&[^\s#&;<>\"']*)\Z")
"""What may be the begin of something hidden, or of a reference."""
_NO_LINE_END = re.compile(r"[^\n]+")
_PREDEFINED = ("amp", "lt", "gt", "quot", "apos")
_NOT_DECLARED = "is not declared in this document; kgreason fetches no DTD"
_TOO_LARGE = "the entities and default attributes of this document expand to far more text than the document has"


def name_parts(name: str) -> tuple[str, str, str]:
    """Return namespace, local name and prefix of a name. Namespace and prefix may be empty."""
    if SEPARATOR not in name:
        return "", name, ""
    iri, local, prefix = [*name.split(SEPARATOR), ""][:3]
    return iri, local, prefix


class Handler(Protocol):
    """Hears of the parts of a document, in their order."""

    def start(self, name: str, attributes: list[str]) -> None:
        """Hear of a start tag. `attributes` has names and values in turns, in the order of the document."""

    def end(self, name: str) -> None:
        """Hear of an end tag."""

    def text(self, text: str) -> None:
        """Hear of text. A long text comes in pieces."""

    def namespace(self, prefix: str | None, iri: str | None) -> None:
        """Hear of a namespace that the next start tag declares."""

    def comment(self, text: str) -> None:
        """Hear of a comment."""

    def instruction(self, target: str, text: str) -> None:
        """Hear of a processing instruction."""


class Document:
    """An XML document that is read block by block. `file` is its name in messages.

    The lines that `parser` counts begin `LINES_BEFORE` lines above the document.
    """

    def __init__(self, stream: IO[bytes], file: str, handler: Handler) -> None:
        self._file, self._blocks = file, text_of(stream, file)
        self._block, self._given, self._lines = "", 0, 1
        self._entities, self._nested, self._has_parameters = set(_PREDEFINED), 0, False
        self._unchecked, self._tail = 0, ""
        self._handler, self._is_counting, self._expanded = handler, False, 0
        self.parser = expat.ParserCreate("UTF-8", namespace_separator=SEPARATOR)
        self.parser.namespace_prefixes = self.parser.buffer_text = self.parser.ordered_attributes = True
        self.parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_ALWAYS)
        self.parser.ExternalEntityRefHandler = self._external
        self.parser.SkippedEntityHandler = self._refuse_entity
        self.parser.EntityDeclHandler = self._entity
        self.parser.AttlistDeclHandler = self._attribute
        self.parser.StartElementHandler = handler.start
        self.parser.EndElementHandler = handler.end
        self.parser.CharacterDataHandler = handler.text
        self.parser.StartNamespaceDeclHandler = handler.namespace
        self.parser.CommentHandler = handler.comment
        self.parser.ProcessingInstructionHandler = handler.instruction

    def advance(self) -> int:
        """Read the next block. Returns the number of its characters, 0 at the end. Raises RdfSyntaxError."""
        self._block = next(self._blocks, "")
        encoded = self._block.encode()
        try:
            self.parser.Parse(encoded, not encoded)
        except expat.ExpatError as error:
            raise self._problem(error, encoded) from None
        if self._has_parameters:
            self._check_references(encoded)
        self._given += len(encoded)
        self._lines += self._block.count("\n")
        return len(self._block)

    def error(self, problem: str) -> RdfSyntaxError:
        """Return an error at the place of what the handler hears of."""
        return self._error(self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber, problem)

    def _error(self, line: int, column: int, problem: str) -> RdfSyntaxError:
        return RdfSyntaxError(self._file, max(line - LINES_BEFORE, 1), column + 1, problem)

    def _problem(self, error: expat.ExpatError, block: bytes) -> RdfSyntaxError:
        """Say in plain words what Expat found wrong."""
        what = expat.ErrorString(error.code)
        if what == errors.XML_ERROR_AMPLIFICATION_LIMIT_BREACH:
            problem = _TOO_LARGE
        elif what == errors.XML_ERROR_UNDEFINED_ENTITY:
            tag = block[self.parser.ErrorByteIndex - self._given :].decode("utf-8", "replace")
            names = (found[0] for found in _REFERENCE.finditer(tag) if found[1] not in self._entities)
            problem = f"the entity {next(names, '')} {_NOT_DECLARED}"
        else:
            problem = f"not well-formed XML: {what}"
        return self._error(error.lineno, error.offset, problem)

    def _entity(self, name: str, is_parameter: bool, value: str | None, *_: object) -> None:
        """Hear of the declaration of an entity."""
        if is_parameter:
            if not self._has_parameters:
                self._unchecked = self.parser.CurrentByteIndex - self._given
            self._has_parameters = True
        else:
            self._entities.add(name)
        has_references = value is not None and ("&" in value or "%" in value)
        if has_references or is_parameter or len(value or "") > _SHORT:
            self._count_events()
        self._nested += has_references
        if self._nested > _NESTED:
            raise self.error(f"more than {_NESTED:,} entities contain entities")

    def _attribute(self, _element: str, _name: str, _kind: str, default: str | None, _is_required: bool) -> None:
        """Hear of the declaration of an attribute."""
        if default:
            self._count_events()

    def _count_events(self) -> None:
        """Count from now on what the handler hears of."""
        if self._is_counting:
            return
        self._is_counting = True
        handler = self._handler

        def start(name: str, attributes: list[str]) -> None:
            self._count_characters(sum(map(len, attributes)))
            handler.start(name, attributes)

        def text(text: str) -> None:
            self._count_characters(len(text))
            handler.text(text)

        def namespace(prefix: str | None, iri: str | None) -> None:
            self._count_characters(len(iri or ""))
            handler.namespace(prefix, iri)

        self.parser.StartElementHandler, self.parser.CharacterDataHandler = start, text
        self.parser.StartNamespaceDeclHandler = namespace

    def _count_characters(self, size: int) -> None:
        """Count some characters. Raises RdfSyntaxError if they are too many."""
        self._expanded += size
        if self._expanded > _TIMES * (self._given + len(self._block)) + _FREE:
            raise self.error(_TOO_LARGE)

    def _external(self, context: str | None, _base: str | None, system: str | None, _public: str | None) -> int:
        """Skip an external DTD. Raise RdfSyntaxError for another external entity."""
        if context is not None:
            raise self.error(f"the external entity {system} is not read; kgreason fetches nothing")
        return 1

    def _refuse_entity(self, name: str, is_parameter: bool) -> None:
        if not is_parameter:
            raise self.error(f"the entity &{name}; {_NOT_DECLARED}")

    def _check_references(self, block: bytes) -> None:
        """Look for entities that are not declared: Expat skips them in attributes if there are parameter entities.

        The search begins at the first parameter entity. What a block leaves unfinished waits for the next block.
        """
        first, rest = block[: self._unchecked].decode(), self._tail + block[self._unchecked :].decode()
        line = self._lines + first.count("\n") - self._tail.count("\n")
        self._unchecked, self._tail = 0, ""
        shown = _HIDDEN.sub(self._line_ends, rest)
        if not self._tail and block and (cut := _CUT.search(shown)):
            self._tail = cut[0]
        for reference in _REFERENCE.finditer(shown):
            if reference[1] not in self._entities:
                line += shown.count("\n", 0, reference.start())
                raise self._error(line, 0, f"the entity {reference[0]} {_NOT_DECLARED}")

    def _line_ends(self, found: re.Match[str]) -> str:
        """Return the line ends of something hidden. If it has no end, its begin and last characters are kept."""
        start, end = (each for each in found.groups() if each is not None)
        if not end:
            self._tail = start + found[0][len(start) :][-2:]
        return _NO_LINE_END.sub("", found[0])
