"""`Imports`: the rules of other rule sets, which IMPORTS names. Each file is read once.

    IMPORTS <http://example.org/family>     the file that the catalogue has for this IRI
    IMPORTS <family.srl>                    the file beside the one that imports it, if the catalogue has none

The network is never used. A text that comes from no file may come from another machine, whose user must not see the
files of this one. So such a text imports from the catalogue alone. A rule set that imports itself, directly or through
others, is read once.

Cost: that of reading each file.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote, urlsplit

from kgreason.rules.model import Rule
from kgreason.rules.program import Finder


class Imports:
    """The rule sets that one document imports, directly or through others.

    `find` returns the file that the catalogue has for an IRI. `read(file, base)` returns the rules of a file, whose IRI
    is `base`, and of the files that it imports. `path` is the file of the document itself; None if the document comes
    from no file.
    """

    def __init__(self, find: Finder | None, read: Callable[[Path, str], tuple[Rule, ...]], path: Path | None) -> None:
        self._find, self._read = find, read
        self._seen = set() if path is None else {path.resolve()}
        self._is_file = path is not None

    def rules(self, iri: str) -> tuple[Rule, ...] | None:
        """Return the rules of the rule set with this IRI, and of its imports.

        Returns () if the rule set was read before, and None if no file is known for the IRI.
        """
        path = self._find(iri) if self._find else None
        if path is None and self._is_file:
            path = _file_of_iri(iri)
        if path is None:
            return None
        if path.resolve() in self._seen:
            return ()
        self._seen.add(path.resolve())
        before, self._is_file = self._is_file, True
        try:
            return self._read(path, iri[1:-1])
        finally:
            self._is_file = before


def _file_of_iri(iri: str) -> Path | None:
    """Return the file that a `file:` IRI names, or None if this file does not exist."""
    parts = urlsplit(iri[1:-1])
    path = Path(unquote(parts.path))
    return path if parts.scheme == "file" and path.is_file() else None
