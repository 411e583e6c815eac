"""XML literals.

An rdf:XMLLiteral is the balanced content of an element: text, elements, comments. Its value is exclusive canonical XML
with comments (RDF Concepts of 2004, section 5.1, which OWL 2 refers to). The form of empty tags, the order of
attributes and the way of escaping a character make no difference. As in RDF 1.1, a lexical form need not be canonical.

Cost: a parse, about 20 microseconds; the parser is imported with the first XML literal. A document type cannot be
declared inside an element, so a literal cannot define entities that expand. The canonical form takes a step for each
element around each element; a literal that would take more than `_MOST` of them, a fifth of a second, has no known
value.
"""

from __future__ import annotations

from functools import cache
from io import StringIO
from typing import Any

from kgreason.datatypes.value import XML, UnreadError, Value

_OPEN, _CLOSE = "<r>", "</r>"
_MOST = 10_000_000


def xml(lexical: str) -> Value:
    """Return the value of a lexical form of rdf:XMLLiteral. Raises UnreadError if that takes too long."""
    from xml.etree.ElementTree import ParseError, XMLParser

    out = StringIO()
    parser = XMLParser(target=_writer()(out.write, with_comments=True))
    try:
        parser.feed(f"{_OPEN}{lexical}{_CLOSE}")
        parser.close()
    except ParseError as error:
        raise ValueError(f"expected balanced XML content ({error})") from None
    return Value(XML, out.getvalue()[len(_OPEN) : -len(_CLOSE)])


@cache
def _writer() -> Any:
    """Return a class of writers of canonical XML that count their steps."""
    from xml.etree.ElementTree import C14NWriterTarget

    class Writer(C14NWriterTarget):
        """Raises UnreadError after too many steps: for each name one for each element and each namespace around it."""

        def __init__(self, write: Any, **options: Any) -> None:
            super().__init__(write, **options)
            self._declared = self._steps = self._depth = 0
            self._around: list[int] = []

        def start_ns(self, prefix: str, uri: str) -> None:
            self._declared += 1
            super().start_ns(prefix, uri)

        def start(self, tag: str, attrs: Any) -> None:
            self._around.append(1 + self._declared)
            self._depth, self._declared = self._depth + self._around[-1], 0
            self._steps += self._depth * (1 + len(attrs))
            if self._steps > _MOST:
                raise UnreadError
            super().start(tag, attrs)

        def end(self, tag: str) -> None:
            self._depth -= self._around.pop()
            super().end(tag)

    return Writer
