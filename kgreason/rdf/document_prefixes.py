"""`DocumentPrefixes`: the prefixes that documents declare.

    @prefix ex: <http://e/> .        xmlns:ex="http://e/"        "@context": {"ex": "http://e/"}

Law: if documents declare a prefix several times, the first declaration counts. Cost: a look at each parser when its
document was read; nothing for a triple.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, TypeVar


class _Declaring(Protocol):
    @property
    def prefixes(self) -> Mapping[str, str]: ...


Parser = TypeVar("Parser", bound=_Declaring)


class DocumentPrefixes:
    """Collects the prefixes of documents while they are read. One thread at a time may use it."""

    def __init__(self) -> None:
        self._parsers: list[_Declaring] = []

    def watch(self, parser: Parser) -> Parser:
        """Return a parser as it is. Its prefixes count, as far as it has read when somebody asks for them."""
        self._parsers.append(parser)
        return parser

    def prefixes(self) -> dict[str, str]:
        """Return the prefixes of all documents so far, from prefix to namespace."""
        prefixes: dict[str, str] = {}
        for parser in self._parsers:
            for prefix, namespace in parser.prefixes.items():
                prefixes.setdefault(prefix, namespace)
        return prefixes
