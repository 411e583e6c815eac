"""`XmlText`: the bytes of an XML document as RDF parsers ought to see them, and whether it is well-formed.

Oxigraph's parser of RDF/XML takes the end of a file for the end of the document, whatever is still open, and leaves
line ends as they are. Here they become line feeds (XML 1.0, section 2.11), and Expat follows along, so that a document
that was cut short is an error in place of half a graph.

Cost: Expat's, a tenth of the parser's.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import IO, Any
from xml.parsers import expat
from xml.parsers.expat import errors

from kgreason.errors import RdfSyntaxError

_UNJUDGED = frozenset([errors.XML_ERROR_UNKNOWN_ENCODING, errors.XML_ERROR_INCORRECT_ENCODING])
"""What Expat cannot read says nothing of the document."""


class XmlText(io.RawIOBase):
    """A stream of an XML document; `file` is its name in messages."""

    def __init__(self, text: IO[bytes], file: str) -> None:
        self._text, self._file = text, file
        self._ends_in_return = False
        self._expat: expat.XMLParserType | None = expat.ParserCreate()
        self._problem: expat.ExpatError | None = None

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Put the next bytes into a buffer; how many, 0 at the end."""
        piece = self._piece(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)

    def _piece(self, size: int) -> bytes:
        """The next bytes, with line feeds alone; none at the end."""
        while read := self._text.read(size):
            piece = read[1:] if self._ends_in_return and read.startswith(b"\n") else read
            self._ends_in_return = read.endswith(b"\r")
            if piece := piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n"):
                self._follow(piece)
                return piece
        self._follow(b"")
        return b""

    def _follow(self, piece: bytes) -> None:
        """Have Expat read on, to the end where nothing is left, unless it found something wrong already."""
        if self._expat is None:
            return
        try:
            self._expat.Parse(piece, not piece)
        except expat.ExpatError as error:
            self._problem = None if errors.messages[error.code] in _UNJUDGED else error
            self._expat = None
        if not piece:
            self._expat = None

    def verdict(self) -> Iterator[Any]:
        """Nothing; raises RdfSyntaxError where what was read is not well-formed."""
        self._piece(1)  # a parser may have stopped ahead of the end
        if self._problem is not None:
            what = expat.ErrorString(self._problem.code)
            raise RdfSyntaxError(
                self._file, self._problem.lineno, self._problem.offset + 1, f"not well-formed XML: {what}"
            )
        yield from ()
