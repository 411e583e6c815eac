"""`write`: write quads in a format of RDF, so that every reader of this format reads the same quads.

Some formats cannot say every quad, and Oxigraph's serializers then write text that nobody reads:

    RDF/XML     characters that XML 1.0 does not have (U+0000 to U+001F but for tab and line ends, U+FFFE, U+FFFF),
                predicates that do not end in an XML name, such as <http://e/1>
    JSON-LD     triple terms
    N3          triple terms, and strings with a base direction

Such a quad is an error that names its term. RDF/XML gets carriage returns as `&#xD;`, because an XML parser turns the
character itself into a line feed, and blank nodes whose label begins with a digit get another label.

Law: what `write` writes is read back as an isomorphic graph. Cost: that of the serializer; for the formats above, a
look at each quad in Python.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache, partial
from typing import IO, TypeAlias, cast
from uuid import uuid4
from xml.parsers import expat

import pyoxigraph
from pyoxigraph import BlankNode, Literal, NamedNode, Quad, QueryTriples, RdfFormat, Triple

from kgreason.errors import InputError
from kgreason.terms.vocabulary import RDF_TYPE

Row: TypeAlias = Quad | Triple
_NO_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NO_NAME = "in RDF/XML a predicate must end in an XML name, such as the knows of <http://e/knows>"
_NOTHING, _TYPE = NamedNode("urn:nothing"), NamedNode(RDF_TYPE[1:-1])


def write(rows: Iterable[Row], out: IO[bytes], syntax: str, prefixes: Mapping[str, str] | None = None) -> None:
    """Write quads or triples to `out` in the format `syntax`, a suffix such as `ttl`. `prefixes` shorten IRIs.

    Raises InputError, which names the term or the prefix that the format cannot say. Then a part may be written.
    """
    if syntax == "rdf":
        for prefix in prefixes or {}:
            _check_prefix(prefix)
        file = _XmlFile(out)
        _serialize(map(partial(_row_for_xml, type_=file.type), rows), cast(IO[bytes], file), syntax, prefixes)
        file.end()
    else:
        _serialize(_check_each(rows, syntax) if syntax in _UNSAID else rows, out, syntax, prefixes)


def write_results(triples: QueryTriples, out: IO[bytes], syntax: str) -> None:
    """Write the triples that a query found, as `write` does; Oxigraph writes them itself if no triple needs a look."""
    if syntax in _UNSAID or syntax == "rdf":
        write(triples, out, syntax)
    else:
        triples.serialize(out, RdfFormat.from_extension(syntax))


def _serialize(rows: Iterable[Row], out: IO[bytes], syntax: str, prefixes: Mapping[str, str] | None) -> None:
    try:
        pyoxigraph.serialize(
            cast(Iterable[Quad], rows), out, RdfFormat.from_extension(syntax), prefixes=dict(prefixes or {})
        )
    except ValueError as error:
        raise InputError(f"the graph cannot be written as {syntax}: {error}") from error


def _check_each(rows: Iterable[Row], syntax: str) -> Iterator[Row]:
    for row in rows:
        term = row.object
        if isinstance(term, Triple) or (syntax == "n3" and isinstance(term, Literal) and term.direction):
            raise _unwritable_error(syntax, term)
        yield row


_UNSAID = {"n3": "Notation3 has no such term", "jsonld": "JSON-LD has no triple terms"}


def _unwritable_error(syntax: str, term: object, why: str = "") -> InputError:
    text = f"<<( {term} )>>" if isinstance(term, Triple) else str(term)
    return InputError(f"the graph cannot be written as {syntax}: {text}: {why or _UNSAID[syntax]}")


def _row_for_xml(row: Row, type_: NamedNode) -> Row:
    """Return a row as Oxigraph can write it, with blank nodes whose labels are XML names. Raises InputError.

    `type_` takes the place of rdf:type if the class cannot be the name of an element.
    """
    if problem := _problem_of_predicate(row.predicate.value):
        raise _unwritable_error("rdf", row.predicate, problem)
    subject, predicate, term = _relabel(cast(NamedNode | BlankNode, row.subject)), row.predicate, row.object
    if predicate == _TYPE and isinstance(term, NamedNode) and not _is_xml_element(term.value):
        predicate = type_
    if isinstance(term, Literal):
        if found := _NO_XML.search(term.value):
            raise _unwritable_error("rdf", term, f"XML 1.0 does not have the character U+{ord(found[0]):04X}")
    elif isinstance(term, Triple):
        term = cast(Triple, _row_for_xml(term, type_))
    else:
        term = _relabel(term)
    if isinstance(row, Quad):
        return Quad(subject, predicate, term, row.graph_name)
    return Triple(subject, predicate, term)


def _relabel(term: NamedNode | BlankNode) -> NamedNode | BlankNode:
    """Return the term; a blank node whose label begins with a digit or with _ gets one _ more, so all stay apart."""
    if isinstance(term, BlankNode) and (term.value[0].isdigit() or term.value[0] == "_"):
        return BlankNode(f"_{term.value}")
    return term


@lru_cache(maxsize=100_000)
def _problem_of_predicate(iri: str) -> str:
    """Say why RDF/XML cannot have this predicate, or return ""."""
    try:
        return "" if iri in _elements(Triple(_NOTHING, NamedNode(iri), Literal(""))) else _NO_NAME
    except OSError:
        return "RDF/XML reserves this name, so it cannot be a predicate"


@lru_cache(maxsize=100_000)
def _is_xml_element(iri: str) -> bool:
    """Whether the element that Oxigraph writes for an instance of this class is XML."""
    return bool(_elements(Triple(_NOTHING, _TYPE, NamedNode(iri))))


def _elements(triple: Triple) -> list[str]:
    """Return the names of the elements that Oxigraph writes for a triple, as expat reads them; none if it cannot."""
    names: list[str] = []
    parser = expat.ParserCreate(namespace_separator="\n")
    parser.StartElementHandler = lambda name, _attributes: names.append(name.replace("\n", ""))
    try:
        parser.Parse(pyoxigraph.serialize([triple], format=RdfFormat.RDF_XML) or b"", True)
    except expat.ExpatError:
        return []
    return names


def _check_prefix(prefix: str) -> None:
    if not fits_xml(prefix):
        raise InputError(f"the graph cannot be written as rdf: XML cannot have the prefix {prefix}")


def fits_xml(prefix: str) -> bool:
    """Whether XML can have a prefix."""
    try:
        expat.ParserCreate(namespace_separator=" ").Parse(f"<a xmlns{prefix and ':'}{prefix}='http://e/'/>", True)
    except expat.ExpatError:
        return False
    return True


class _XmlFile:
    """A file that gets the RDF/XML of Oxigraph, and writes what Oxigraph cannot.

    Carriage returns, which are in literals alone, become `&#xD;`. The predicate `type` becomes rdf:type: Oxigraph makes
    an element of the class of an instance, also if the IRI of the class does not end in an XML name.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._rest = file, b""
        namespace = f"urn:uuid:{uuid4()}:"
        self.type = NamedNode(f"{namespace}type")
        name, declared = b"(?:oxprefix:)?type", b"xmlns(?::oxprefix)?"  # a prefix, if there is a default namespace
        self._tag = re.compile(b'<%s %s="%s"' % (name, declared, re.escape(namespace.encode())))

    def write(self, piece: bytes) -> int:
        """Write a piece. Its last tag waits for the next piece, or for `end`."""
        text = self._rest + piece
        at = max(text.rfind(b"<"), 0)
        self._rest = text[at:]
        self._file.write(self._escape(text[:at]))
        return len(piece)

    def flush(self) -> None:
        """Flush the file."""
        self._file.flush()

    def end(self) -> None:
        """Write the last tag."""
        self._file.write(self._escape(self._rest))

    def _escape(self, text: bytes) -> bytes:
        return self._tag.sub(b"<rdf:type", text.replace(b"\r", b"&#xD;"))
