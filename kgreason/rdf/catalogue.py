"""`Catalogue`: finds the file of a document that `owl:imports` names. It never uses the network.

A catalogue is one of:

    a folder              each RDF file in it, by the IRIs that it declares (`declared_iris`), and its catalog-v001.xml
    an XML catalog        an OASIS catalog, such as Protégé's catalog-v001.xml (`xml_catalog`); any file ending in .xml
    a map                 JSON, {"http://e/a": "a.ttl"}, with paths relative to the map; any file ending in .json

The entries of a map or an XML catalog have priority over the declarations in files. If two files of a folder declare
the same IRI, to look this IRI up is an error; an XML catalog in the folder must say which file is meant.

Cost: a map or an XML catalog is read once, when it is opened. Each look-up in a folder lists the folder and reads the
headers of its new files.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path
from typing import Self

from kgreason.errors import InputError
from kgreason.rdf.declared_iris import Declared, declared_iris
from kgreason.rdf.formats import format_of
from kgreason.rdf.xml_catalog import XmlCatalog

File = str | PathLike[str]
Finder = Callable[[str], Path | None]

XML_CATALOG = "catalog-v001.xml"
"""Protégé's name for the XML catalog of a folder, which names the files for the imports of the folder's ontologies."""


class Catalogue:
    """The files of documents, by their IRIs. Make one with `Catalogue.open` or `Catalogue.of`."""

    def __init__(self, finder: Finder, folder: Path | None = None) -> None:
        self._finder, self._folder = finder, folder

    @classmethod
    def open(cls, path: File) -> Self:
        """Open a folder, an XML catalog or a map as a catalogue. Raises InputError with file and line."""
        path = Path(path)
        if path.is_dir():
            entries = path / XML_CATALOG
            return cls(_finder(entries) if entries.is_file() else _find_nothing, path)
        return cls(_finder(path))

    @classmethod
    def of(cls, documents: Mapping[str, File]) -> Self:
        """Make a catalogue from a mapping of IRIs (without angle brackets) to files."""
        return cls({iri: Path(path) for iri, path in documents.items()}.get)

    def find(self, iri: str) -> Path | None:
        """Return the file of the document with this IRI, such as `<http://e/a>`.

        None if the catalogue does not know the IRI. A map or an XML catalog may name a file that is missing. Raises
        InputError if two files declare the IRI.
        """
        return self._finder(iri[1:-1]) or self._file_declaring(iri)

    def unread(self) -> list[str]:
        """Return a message for each file of the folder that cannot be read to its end.

        The IRI of such a file may be unknown.
        """
        return [each.problem for each in self._headers().values() if each.problem]

    def _file_declaring(self, iri: str) -> Path | None:
        found = [path for path, header in self._headers().items() if iri in header.iris]
        if len(found) > 1:
            files = " and ".join(map(str, found[:2]))
            raise InputError(f"{iri}: both {files} declare this IRI; name the right file in {XML_CATALOG} beside them")
        return found[0] if found else None

    def _headers(self) -> dict[Path, Declared]:
        """Return the IRIs that each RDF file of the folder declares, by file."""
        files = sorted(self._folder.iterdir()) if self._folder and self._folder.is_dir() else []
        return {path: declared_iris(path) for path in files if _is_document(path)}


def _find_nothing(_iri: str) -> None:
    """Find nothing: the `find` of a catalogue that has neither a map nor an XML catalog."""


def _finder(path: Path) -> Finder:
    """Read an XML catalog or a map. Returns the function that finds a file by its IRI. Raises InputError."""
    if path.suffix == ".xml":
        return XmlCatalog(path).find
    if path.suffix == ".json":
        return _read_map(path).get
    problem = (
        "a catalogue is a folder, an XML catalog (.xml) or a map (.json)"
        if path.exists()
        else "No such file or directory"
    )
    raise InputError(f"{path}: {problem}")


def _is_document(path: Path) -> bool:
    try:
        format_of(path)
    except InputError:
        return False
    return path.name != XML_CATALOG and path.is_file()


def _read_map(path: Path) -> dict[str, Path]:
    """Read a map, which is a JSON object from IRIs to files. Raises InputError."""
    try:
        text = path.read_text("utf-8-sig")
        found = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"{path}:{error.lineno}:{error.colno}: {error.msg}") from error
    except UnicodeDecodeError as error:
        line = 1 + error.object.count(b"\n", 0, error.start)
        raise InputError(f"{path}:{line}: is not UTF-8 text") from error
    except RecursionError as error:
        raise InputError(f"{path}:1: the text is nested too deeply") from error
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error
    if not isinstance(found, dict):
        raise InputError(f'{path}:1: must be a JSON object from IRIs to paths, such as {{"http://e/a": "a.ttl"}}')
    return {iri: _entry(path, text, iri, target) for iri, target in found.items()}


def _entry(path: Path, text: str, iri: str, target: object) -> Path:
    """Return the file of an entry of the map `path`, whose text is `text`. Raises InputError."""
    if not isinstance(target, str):
        line = 1 + text.count("\n", 0, max(text.find(json.dumps(iri, ensure_ascii=False)), 0))
        raise InputError(f"{path}:{line}: the path for {iri} must be a string, not {json.dumps(target)}")
    return path.parent / target
