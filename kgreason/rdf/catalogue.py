"""`Catalogue`: where the documents are that `owl:imports` names. Files alone; nothing is ever fetched.

    a folder              every RDF file in it, under the IRIs that it declares (`declared`), and its catalog-v001.xml
    catalog-v001.xml      an OASIS XML catalog, as Protégé writes it (`xml_catalog`); any file that ends in .xml
    a map                 JSON, {"http://e/a": "a.ttl"}: paths are relative to it; any file that ends in .json

What a map or an XML catalog says of an IRI goes before what files declare. Two files of a folder that declare the IRI
which is asked for are an error: an XML catalog in the folder has to say which one is meant.

Cost: maps and XML catalogs are read when they are opened; a folder is listed, and the headers of its new files read,
each time that an IRI is looked for.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path
from typing import Self

from kgreason.errors import InputError
from kgreason.rdf.declared import Declared, declared
from kgreason.rdf.formats import format_of
from kgreason.rdf.xml_catalog import XmlCatalog

File = str | PathLike[str]
Finder = Callable[[str], Path | None]

XML_CATALOG = "catalog-v001.xml"
"""The file that says where the imports of the ontologies beside it are; Protégé's name for it."""


class Catalogue:
    """Which file is the document of an IRI; use `Catalogue.open` or `Catalogue.of`."""

    def __init__(self, finder: Finder, folder: Path | None = None) -> None:
        self._finder, self._folder = finder, folder

    @classmethod
    def open(cls, path: File) -> Self:
        """The catalogue that a folder, an XML catalog or a map is. Raises InputError, which names file and line."""
        path = Path(path)
        if path.is_dir():
            entries = path / XML_CATALOG
            return cls(_finder(entries) if entries.is_file() else _nowhere, path)
        return cls(_finder(path))

    @classmethod
    def of(cls, documents: Mapping[str, File]) -> Self:
        """The catalogue that has these files under these IRIs, which are written without angle brackets."""
        return cls({iri: Path(path) for iri, path in documents.items()}.get)

    def find(self, iri: str) -> Path | None:
        """The file of the document with an IRI, a constant such as `<http://e/a>`; None where there is none.

        A file that an entry names may be missing. Raises InputError where two files declare the IRI.
        """
        return self._finder(iri[1:-1]) or self._declaring(iri)

    def unread(self) -> list[str]:
        """A line for each file of the folder that does not parse, whose ontology may be unknown for that reason."""
        return [each.problem for each in self._headers().values() if each.problem]

    def _declaring(self, iri: str) -> Path | None:
        found = [path for path, header in self._headers().items() if iri in header.iris]
        if len(found) > 1:
            files = " and ".join(map(str, found[:2]))
            raise InputError(f"{iri}: {files} both declare it; {XML_CATALOG} beside them has to say which one it is")
        return found[0] if found else None

    def _headers(self) -> dict[Path, Declared]:
        """What each RDF file of the folder declares."""
        files = sorted(self._folder.iterdir()) if self._folder and self._folder.is_dir() else []
        return {path: declared(path) for path in files if _is_document(path)}


def _nowhere(_iri: str) -> None:
    """No entry fits."""


def _finder(path: Path) -> Finder:
    """Who knows the entries of a file. Raises InputError."""
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
    """The files of a map. Raises InputError."""
    try:
        found = json.loads(path.read_text("utf-8-sig"))
    except json.JSONDecodeError as error:
        raise InputError(f"{path}:{error.lineno}:{error.colno}: {error.msg}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is not UTF-8 text") from error
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error
    if not isinstance(found, dict):
        raise InputError(f"{path}: a map is a JSON object of IRIs and paths")
    return {iri: _entry(path, iri, target) for iri, target in found.items()}


def _entry(path: Path, iri: str, target: object) -> Path:
    if not isinstance(target, str):
        raise InputError(f"{path}: {iri}: {json.dumps(target)} is not the path of a file")
    return path.parent / target
