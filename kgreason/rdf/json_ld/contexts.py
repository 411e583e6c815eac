"""`Contexts`: the contexts that JSON-LD documents name by IRI, from files. kgreason never uses the network.

    "@context": "https://schema.org/"      the catalogue names the file
    "@context": "ctx.jsonld"               likewise, or the file lies in the folder of the document or below it
    {"@import": "ctx.jsonld", ...}         likewise; what stands beside @import has priority

A context may name others, as the elements of a list, by @import, or for a term; these are put in as well, and a context
that leads to itself is an error. IRIs in a context are relative to the IRI of its file. As JSON-LD 1.1 has it, @base in
such a file does not count (section 5.1.2 of the API, Context Processing).

A document that came over the network has no folder: then only a file of the catalogue names further files. Cost: each
file is read once for a document. A context of more than `LONGEST` bytes, with all that it names, is an error; so are
contexts that make a document more than `TIMES` times as long as it is, after the first `LONGEST` bytes.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias
from urllib.parse import urljoin, urlsplit

from kgreason.errors import InputError
from kgreason.rdf.xml_catalog import file_of

Finder: TypeAlias = Callable[[str], Path | None]
LONGEST, TIMES = 1 << 24, 10
_CONTEXT, _IMPORT, _BASE = "@context", "@import", "@base"


class Place(NamedTuple):
    """Where a text stands: its IRI, and the folder of its file; None if the text must not name files beside it."""

    iri: str | None
    folder: Path | None


class Contexts:
    """Loads contexts. `find` returns the file of an IRI in angle brackets, as a catalogue does."""

    def __init__(self, find: Finder | None, place: Place) -> None:
        self._find, self._place = find, place
        self._known: dict[str, tuple[Any, int]] = {}
        """The contexts by their IRIs, each with its length."""
        self._put_in, self._limit = 0, LONGEST

    def resolve(self, context: Any, length: int) -> Any:
        """Return a context with the contexts that it names in it. Returns the same object if it names none.

        `length` is how many bytes of the document were read. Raises InputError.
        """
        self._limit = LONGEST + TIMES * length
        return self._resolve(context, self._place, ())

    def _resolve(self, context: Any, place: Place, above: tuple[str, ...]) -> Any:
        if isinstance(context, str):
            return self._resolve_document(context, place, above)
        if isinstance(context, list):
            parts = [self._resolve(each, place, above) for each in context]
            if all(part is each for part, each in zip(parts, context, strict=True)):
                return context
            return [each for part in parts for each in (part if isinstance(part, list) else [part])]
        return self._resolve_object(context, place, above) if isinstance(context, dict) else context

    def _resolve_object(self, context: dict[str, Any], place: Place, above: tuple[str, ...]) -> Any:
        found = {key: self._resolve_term(value, place, above) for key, value in context.items()}
        if isinstance(context.get(_IMPORT), str):
            imported = self._resolve_document(found.pop(_IMPORT), place, above)
            if not isinstance(imported, dict):
                raise InputError(f"{context[_IMPORT]}: @import needs a context that is one JSON object")
            return imported | found
        return context if all(found[key] is value for key, value in context.items()) else found

    def _resolve_term(self, value: Any, place: Place, above: tuple[str, ...]) -> Any:
        """Return a definition of a term with the context of the term whole."""
        if not isinstance(value, dict) or _CONTEXT not in value:
            return value
        inner = self._resolve(value[_CONTEXT], place, above)
        return value if inner is value[_CONTEXT] else value | {_CONTEXT: inner}

    def _resolve_document(self, reference: str, place: Place, above: tuple[str, ...]) -> Any:
        iri = urljoin(place.iri or "", reference)
        if iri in above:
            raise InputError(f"the context <{iri}> names itself: {' -> '.join((*above, iri))}")
        if iri not in self._known:
            path = self._file(iri, reference, place)
            name = str(path) if self._place.folder else f"<{iri}>"  # who sent the document learns no path
            whole = self._resolve(_read(path, name), Place(iri, path.parent), (*above, iri))
            length = len(json.dumps(whole))
            if length > LONGEST:
                raise InputError(f"the context <{iri}> has more than {LONGEST:,} bytes with the contexts that it names")
            self._known[iri] = _without_base(whole), length
        found, length = self._known[iri]
        self._put_in += 0 if above else length  # what a file names is part of its length
        if self._put_in > self._limit:
            problem = f"the contexts that are named have more than {self._limit:,} bytes"
            raise InputError(f"{problem}, each counted as often as it is named; name them once for the whole document")
        return found

    def _file(self, iri: str, reference: str, place: Place) -> Path:
        path = (self._find(f"<{iri}>") if self._find else None) or _file_beside(reference, place.folder)
        if path is None:
            where = "neither in a catalogue nor in the folder of the document, and kgreason never uses the network"
            raise InputError(
                f"the context <{iri}> is {where}; name its file in a catalogue, or put it into the document"
            )
        return path


def _file_beside(reference: str, folder: Path | None) -> Path | None:
    """Return the file in `folder`, or below it, that a reference names; None if it names none."""
    if folder is None or urlsplit(reference).scheme not in ("", "file"):
        return None
    home = folder.resolve()
    path = file_of(urljoin(f"{home.as_uri()}/", reference))
    return path if path and path.resolve().is_relative_to(home) and path.is_file() else None


def _without_base(context: Any) -> Any:
    if isinstance(context, list):
        return [_without_base(each) for each in context]
    return {key: each for key, each in context.items() if key != _BASE} if isinstance(context, dict) else context


def _read(path: Path, name: str) -> Any:
    """Return the context in a file. Raises InputError, with the name of the file and the line."""
    if path.exists() and not path.is_file():
        raise InputError(f"{name}: is no file")
    try:
        with path.open("rb") as file:
            text = file.read(LONGEST + 1)
        if len(text) > LONGEST:
            raise InputError(f"{name}: a context may have {LONGEST:,} bytes")
        document = json.loads(text.decode("utf-8-sig"))
    except json.JSONDecodeError as error:
        raise InputError(f"{name}:{error.lineno}:{error.colno}: {error.msg}") from error
    except (UnicodeDecodeError, RecursionError) as error:
        raise InputError(f"{name}: is not JSON in UTF-8") from error
    except OSError as error:
        raise InputError(f"{name}: {error.strerror or error}") from error
    if not isinstance(document, dict) or _CONTEXT not in document:
        raise InputError(f"{name}: is no JSON-LD context: a JSON object with @context")
    return document[_CONTEXT]
