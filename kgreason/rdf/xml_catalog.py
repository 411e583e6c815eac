"""OASIS XML catalogs (https://www.oasis-open.org/committees/entity/spec.html), such as Protégé's catalog-v001.xml.

    <uri name="http://e/a" uri="a.ttl"/>                                     one IRI
    <rewriteURI uriStartString="http://e/lib/" rewritePrefix="lib/"/>        all IRIs with this start; longest wins
                                                                             (and no file outside this folder)
    <uriSuffix uriSuffix="/b.owl" uri="b.owl"/>                              all IRIs with this end; longest wins
    <nextCatalog catalog="others/catalog-v001.xml"/>                         used if no entry here fits
    <group xml:base="lib/"> ... </group>                                     entries with a base of their own

Entries for external entities (`system`, `public` ...) are skipped: they are not about ontologies. kgreason never uses
the network. So if the entry for an IRI names a web address, or anything else but a file, the catalog has no document
for this IRI. A catalog that declares entities is an error: a catalog needs no entities, and with entities a small
document can expand to a very large one.

Cost: the file is read once.
"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urljoin, urlsplit
from xml.parsers import expat

from kgreason.errors import InputError

_NAMESPACE = "urn:oasis:names:tc:entity:xmlns:xml:catalog"
_BASE = "http://www.w3.org/XML/1998/namespace base"


class XmlCatalog:
    """The entries of an XML catalog, and of the catalogs that its `nextCatalog` entries name.

    `seen` has the catalogs that lead to this one by their `nextCatalog` entries. These catalogs are not read again.
    Raises InputError with file and line.
    """

    def __init__(self, path: Path, seen: frozenset[Path] = frozenset()) -> None:
        self._path, self._seen = path, seen | {path.resolve()}
        self._uris: dict[str, str] = {}
        self._prefixes: dict[str, str] = {}
        self._suffixes: dict[str, str] = {}
        self._next: list[XmlCatalog] = []
        self._bases = [path.resolve().as_uri()]
        self._parser = expat.ParserCreate(namespace_separator=" ")
        self._parse()

    def find(self, iri: str) -> Path | None:
        """Return the file for an IRI without angle brackets, or None if no entry fits. The file may not exist."""
        if (uri := self._rewrite(iri)) is not None:
            return file_of(uri)
        return next((path for each in self._next if (path := each.find(iri)) is not None), None)

    def _rewrite(self, iri: str) -> str | None:
        if iri in self._uris:
            return self._uris[iri]
        if prefix := max(filter(iri.startswith, self._prefixes), key=len, default=""):
            return _path_within(self._prefixes[prefix], iri[len(prefix) :])
        return self._suffixes.get(max(filter(iri.endswith, self._suffixes), key=len, default=""))

    def _parse(self) -> None:
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.EntityDeclHandler = self._refuse
        try:
            self._parser.Parse(self._path.read_bytes(), True)
        except expat.ExpatError as error:
            raise InputError(f"{self._path}:{error.lineno}: {expat.ErrorString(error.code)}") from error
        except OSError as error:
            raise InputError(f"{self._path}: {error.strerror}") from error

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if len(self._bases) == 1 and name != f"{_NAMESPACE} catalog":
            raise self._error("this is not an XML catalog of OASIS: the root element must be `catalog`")
        self._bases.append(urljoin(self._bases[-1], attributes.get(_BASE, "")))
        self._add_entry(name.removeprefix(f"{_NAMESPACE} "), attributes)

    def _end(self, _name: str) -> None:
        self._bases.pop()

    def _add_entry(self, kind: str, attributes: dict[str, str]) -> None:
        def value(name: str) -> str:
            if name not in attributes:
                raise self._error(f"the element {kind} needs the attribute {name}")
            return attributes[name]

        if kind == "uri":
            self._uris.setdefault(value("name"), self._absolute(value("uri")))
        elif kind == "rewriteURI":
            self._prefixes.setdefault(value("uriStartString"), self._absolute(value("rewritePrefix")))
        elif kind == "uriSuffix":
            self._suffixes.setdefault(value("uriSuffix"), self._absolute(value("uri")))
        elif kind == "nextCatalog":
            self._read_next_catalog(self._absolute(value("catalog")))

    def _absolute(self, uri: str) -> str:
        return urljoin(self._bases[-1], uri)

    def _read_next_catalog(self, uri: str) -> None:
        path = file_of(uri)
        if path is None or path.resolve() in self._seen:
            return
        if not path.is_file():
            raise self._error(f"the catalog {path}, named by nextCatalog, does not exist")
        self._next.append(XmlCatalog(path, self._seen))

    def _refuse(self, *_: object) -> None:
        raise self._error("a catalog must not declare entities")

    def _error(self, problem: str) -> InputError:
        return InputError(f"{self._path}:{self._parser.CurrentLineNumber}: {problem}")


def _path_within(start: str, rest: str) -> str | None:
    """Return `start` and `rest` in one; None if `rest` leads out of the folder that `start` names, such as by `..`."""
    path, home = file_of(start + rest), file_of(start)
    if path is None or home is None:
        return start + rest
    folder = home if start.endswith("/") else home.parent
    is_within = "\0" not in str(path) and path.resolve().is_relative_to(folder.resolve())
    return start + rest if is_within else None


def file_of(uri: str) -> Path | None:
    """Return the path in a `file:` URI; None for any other URI."""
    from urllib.request import url2pathname

    parts = urlsplit(uri)
    return Path(url2pathname(parts.path)) if parts.scheme == "file" else None
