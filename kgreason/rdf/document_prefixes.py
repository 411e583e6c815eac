"""`DocumentPrefixes`: the prefixes that documents declare.

    @prefix ex: <http://e/> .        xmlns:ex="http://e/"        "@context": {"ex": "http://e/"}

Law: if documents declare a prefix several times, the first declaration counts. Cost: a look at each parser when its
document was read; nothing for a triple.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, TypeVar


class _HasPrefixes(Protocol):
    @property
    def prefixes(self) -> Mapping[str, str]: ...


Parser = TypeVar("Parser", bound=_HasPrefixes)


class DocumentPrefixes(list[_HasPrefixes]):
    """The parsers of documents, for the prefixes that they find. One thread at a time may use it."""

    def watch(self, parser: Parser) -> Parser:
        """Return a parser as it is. Its prefixes count, as far as it has read when somebody asks for them."""
        self.append(parser)
        return parser

    def prefixes(self) -> dict[str, str]:
        """Return the prefixes of all documents so far, from prefix to namespace."""
        prefixes: dict[str, str] = {}
        for parser in self:
            for prefix, namespace in parser.prefixes.items():
                prefixes.setdefault(prefix, namespace)
        return prefixes
