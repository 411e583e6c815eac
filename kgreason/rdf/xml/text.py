"""`text_of`: the text of an XML document, whatever its encoding (XML 1.0, section 4.3.3 and appendix F).

    byte order mark  ->  UTF-8, UTF-16, UTF-32
    zero bytes between "<" and "?"  ->  UTF-16 without the mark
    <?xml version="1.0" encoding="ISO-8859-1"?>  ->  any encoding that Python knows
    otherwise  ->  UTF-8

A line with a declaration of our own, which names no encoding, comes before the text, and blanks stand for the XML
declaration of the document. So a place in the text is one line below the place in the document. A document that uses
parameter entities is not declared as standalone, because Expat would refuse the entities that these declare.

Cost: memory for one block. Text in UTF-8 is read at the speed of copying.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import IO

from kgreason.errors import RdfSyntaxError
from kgreason.rdf.formats import encoding_of

LINES_BEFORE = 1
"""How many lines come before the text of the document."""
_DECLARATION = '<?xml version="1.0" standalone="%s"?>\n'
"""Standalone, so that Expat reports each entity that is not declared."""
_BLOCK = 1 << 20
"""The number of bytes for one call of Expat. At each call, Expat reads an unfinished token from its start again."""
_HEAD = 1 << 10
_ENCODING = re.compile(rb"""<\?xml[^>]*?\sencoding\s*=\s*["']([^"'>]*)["']""")
_DECLARED = re.compile(r"""\A<\?xml\s+version\s*=\s*(["'])1\.\d+\1(?:\s+\w+\s*=\s*(?:"[\w.-]+"|'[\w.-]+'))*\s*\?>""")
_BLANK = re.compile(r"[^\n]")
_PARAMETERS = re.compile(r"<!DOCTYPE[^>\[]*\[.*?%[\w.:-]+;", re.DOTALL)
_ALIASES = {"unicode-1-1-utf-8": "utf-8"}
_NO_CHARACTERS = ("idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape", "utf-7")
"""Codecs of Python that are no encodings of files."""


def text_of(stream: IO[bytes], file: str) -> Iterator[str]:
    """Yield the text of an XML document in blocks. `file` is its name in messages.

    Raises RdfSyntaxError, with a line, for an unknown encoding and for bytes that are not in the encoding.
    """
    head = b""
    while len(head) < _HEAD and (read := stream.read(_BLOCK)):
        head += read
    encoding = _encoding(head, file)
    decoder, line = codecs.getincrementaldecoder(encoding)(), 1
    block, first = head, True
    while True:
        try:
            text = decoder.decode(block, not block)
        except UnicodeDecodeError as error:
            before = error.object[: error.start].decode(encoding, "replace")
            raise RdfSyntaxError(file, line + before.count("\n"), None, _encoding_mistake(encoding, error)) from error
        line += text.count("\n")
        yield _with_declaration(text) if first else text
        if not block:
            return
        block, first = stream.read(_BLOCK), False


def _encoding(head: bytes, file: str) -> str:
    """Return Python's name of the encoding of a document with these first bytes. Raises RdfSyntaxError."""
    name, declared = encoding_of(head), _ENCODING.match(head)
    if name != "utf-8" or not declared:
        return name
    told = declared[1].decode("ascii", "replace")
    try:
        name = codecs.lookup(_ALIASES.get(told.lower(), told)).name
        is_known = name not in _NO_CHARACTERS and bytes(declared[0]).decode(name) == declared[0].decode("ascii")
    except (LookupError, UnicodeError, ValueError):
        is_known = False
    if not is_known:
        problem = f'the encoding "{told}", which the first line names, is unknown or not that of the file'
        raise RdfSyntaxError(file, 1, None, f"{problem}; save the file in the encoding UTF-8")
    return name


def _encoding_mistake(encoding: str, error: UnicodeDecodeError) -> str:
    """Say that a byte is not in the encoding of its document."""
    byte = f"the byte 0x{error.object[error.start]:02X}"
    if encoding.startswith("utf-8"):
        return (
            f"this is not UTF-8 ({byte}): save the file in the encoding UTF-8, or name its encoding in the first line"
        )
    return f"{byte} is not in the encoding {encoding} of the file"


def _with_declaration(text: str) -> str:
    """Return the beginning of a document with our declaration before it, and without its own."""
    text = text.removeprefix("\ufeff")
    is_standalone = "no" if _PARAMETERS.search(text) else "yes"
    return _DECLARATION % is_standalone + _DECLARED.sub(lambda own: _BLANK.sub(" ", own[0]), text, count=1)
