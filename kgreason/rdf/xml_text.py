"""`XmlText`: the bytes of an XML document as RDF parsers ought to see them, and whether it is well-formed.

Oxigraph's parser of RDF/XML takes the end of a file for the end of the document, whatever is still open, and leaves
line ends as they are. Here they become line feeds (XML 1.0, section 2.11), and Expat follows along, so that a document
that was cut short is an error in place of half a graph.

Cost: Expat's, a tenth of the parser's.
"""

from __future__ import annotations

import io
from typing import IO, Any
from xml.parsers import expat
from xml.parsers.expat import errors

from kgreason.errors import RdfSyntaxError

_BLOCK = 1 << 20
"""Bytes that Expat is given at once: it looks at all of an unfinished token anew with every piece."""
_UNJUDGED = errors.XML_ERROR_AMPLIFICATION_LIMIT_BREACH
"""What Expat will not read says nothing of the document."""


class XmlText(io.RawIOBase):
    """A stream of an XML document in UTF-8, the one encoding that the parser reads; `file` is its name in messages."""

    def __init__(self, text: IO[bytes], file: str) -> None:
        self._text, self._file = text, file
        self._ends_in_return = False
        self._block, self._given = b"", 0
        self._expat: expat.XMLParserType | None = expat.ParserCreate("UTF-8")  # whatever the document declares
        self._problem: expat.ExpatError | None = None

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Put the next bytes into a buffer; how many, 0 at the end."""
        if self._given == len(self._block):
            self._block, self._given = self._next(), 0
        piece = self._block[self._given : self._given + len(buffer)]
        buffer[: len(piece)] = piece
        self._given += len(piece)
        return len(piece)

    def _next(self) -> bytes:
        """The next block, with line feeds alone; none at the end."""
        while read := self._text.read(_BLOCK):
            block = read[1:] if self._ends_in_return and read.startswith(b"\n") else read
            self._ends_in_return = read.endswith(b"\r")
            if block := block.replace(b"\r\n", b"\n").replace(b"\r", b"\n"):
                self._follow(block)
                return block
        self._follow(b"")
        return b""

    def _follow(self, block: bytes) -> None:
        """Have Expat read on, to the end where nothing is left, unless it found something wrong already."""
        if self._expat is None:
            return
        try:
            self._expat.Parse(block, not block)
        except expat.ExpatError as error:
            self._problem = None if errors.messages[error.code] == _UNJUDGED else error
            self._expat = None
        if not block:
            self._expat = None

    def check(self) -> None:
        """Raise RdfSyntaxError where what was read is not well-formed."""
        while self._next():  # a parser may have stopped ahead of the end
            pass
        if self._problem is not None:
            what = expat.ErrorString(self._problem.code)
            raise RdfSyntaxError(
                self._file, self._problem.lineno, self._problem.offset + 1, f"not well-formed XML: {what}"
            )
