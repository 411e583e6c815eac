"""`plain_owl_xml`: OWL/XML as horned-owl reads it right.

horned-owl's parser of OWL/XML does not know all of XML, and its errors do not say what is missing. `Document` reads the
XML, and `plain_owl_xml` writes it again, with a check of each element (`name_parts`):

    <Literal/>                                   ->   <Literal></Literal>, as for every element; else the parser hangs
    comments, CDATA sections, entities           ->   their text; else the parser adds them to literals
    IRI="#tom", abbreviatedIRI="rdfs:label"      ->   IRI="http://...", and an unknown prefix is an error
    <ClassAssertion> with a class only           ->   an error that names the line and what is missing

A relative IRI is resolved against xml:base, else against the IRI of the ontology, else against the document.

Cost: some microseconds for each element. The document is in memory as a whole, since horned-owl needs it so.
"""

from __future__ import annotations

import io
import re
from itertools import accumulate
from typing import NamedTuple

import pyoxigraph

from kgreason.errors import RdfSyntaxError
from kgreason.rdf.xml.document import Document, name_parts
from kgreason.rdf.xml.literal import XML
from kgreason.rdf.xml.parts import KINDS, NEEDED, TEXTS, problem_of_content
from kgreason.rdf.xml.text import LINES_BEFORE
from kgreason.terms.prefixes import USUAL

OWL = "http://www.w3.org/2002/07/owl#"
BLANK = "urn:x-kgreason:blank:"
"""An anonymous individual is written as an IRI that begins so; see `owl`."""
_DEEPEST = 250
"""The largest depth of elements. horned-owl recurses for each element inside an element."""
_IRIS = ("IRI", "datatypeIRI", "facet", "ontologyIRI", "versionIRI")
_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_CARDINALITY = re.compile("0*[0-9]{1,9}")
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\r": "&#13;"})


class PlainXml(NamedTuple):
    """OWL/XML in UTF-8. `starts` and `lines` are where its start tags begin, and their lines in the document read."""

    text: bytes
    starts: list[int]
    lines: list[int]


class _Open(NamedTuple):
    """An open element: its name, its first line, its base IRI, and a letter for each child that has ended."""

    name: str
    line: int
    base: str | None
    content: list[str]


def plain_owl_xml(document: bytes, file: str, base: str | None) -> PlainXml:
    """Write a document of OWL/XML again as plain XML. `file` is its name in messages, `base` its IRI.

    Raises RdfSyntaxError with file and line.
    """
    writer = _Writer(document, file, base)
    return writer.write()


def problem_of_label(label: str) -> str:
    """Say why an anonymous individual cannot have a label, or return ""."""
    try:
        pyoxigraph.BlankNode(label)
    except ValueError:
        return f"_:{label} is no name of an anonymous individual: write a letter or digit, and then letters, digits, _"
    return ""


class _Writer:
    """Hears of the parts of the document and writes them."""

    def __init__(self, document: bytes, file: str, base: str | None) -> None:
        self._document = Document(io.BytesIO(document), file, self)
        self._file = file
        self._out: list[str] = []
        self._starts: list[int] = []
        self._lines: list[int] = []
        self._open = [_Open("", 1, base, [])]
        self._prefixes = dict(USUAL)
        self._resolved: dict[tuple[str, str | None], str] = {}
        self._text: list[str] | None = None

    def write(self) -> PlainXml:
        """Read the document to its end."""
        while self._document.advance():
            pass
        pieces = [piece.encode() for piece in self._out]
        ends = [0, *accumulate(map(len, pieces))]
        return PlainXml(b"".join(pieces), [ends[each] for each in self._starts], self._lines)

    def start(self, name: str, attributes: list[str]) -> None:
        """Write a start tag, with absolute IRIs."""
        iri, local, _ = name_parts(name)
        if iri != OWL or local not in KINDS:
            raise self._document.error(f"{local} is no element of OWL/XML; its elements are in the namespace {OWL}")
        if len(self._open) > _DEEPEST:
            raise self._document.error(f"elements are nested deeper than {_DEEPEST}")
        if self._text is not None:
            raise self._document.error(f"{local} is inside {self._open[-1].name}, which can have text only")
        given = {name_parts(each)[:2]: value for each, value in zip(attributes[::2], attributes[1::2], strict=True)}
        base = self._open[-1].base
        if (XML, "base") in given:
            base = self._absolute_iri(given[XML, "base"], base)
        elif local == "Ontology" and given.get(("", "ontologyIRI")):
            base = self._absolute_iri(given["", "ontologyIRI"], base)
        line = self._document.parser.CurrentLineNumber - LINES_BEFORE
        self._open.append(_Open(local, line, base, []))
        self._text = [] if local in TEXTS else None
        written = self._attributes(local, given, base)
        if local == "AnonymousIndividual":
            self._write_individual(written["nodeID"].removeprefix("_:"))
        else:
            self._tag(local, written)

    def _tag(self, local: str, attributes: dict[str, str]) -> None:
        """Write a start tag. A prefix is kept and not written, because no abbreviated IRI is written."""
        if local == "Prefix":
            self._prefixes[attributes.get("name", "")] = attributes["IRI"]
            return
        self._starts.append(len(self._out))
        self._lines.append(self._open[-1].line)
        written = "IRI" if local == "AbbreviatedIRI" else local
        declared = f' xmlns="{OWL}"' if len(self._open) == 2 else ""
        values = "".join(f' {name}="{value.translate(_ESCAPES)}"' for name, value in attributes.items())
        self._out.append(f"<{written}{declared}{values}>")

    def _write_individual(self, label: str) -> None:
        """Write an anonymous individual, as a whole, by its IRI."""
        if problem := problem_of_label(label):
            raise self._document.error(problem)
        checked = self._absolute_iri(BLANK + label, None).translate(_ESCAPES)
        is_value = self._open[-2].name in ("Annotation", "AnnotationAssertion")
        written = f"<IRI>{checked}</IRI>" if is_value else f'<NamedIndividual IRI="{checked}"></NamedIndividual>'
        self._out.append(written)

    def _attributes(self, local: str, given: dict[tuple[str, str], str], base: str | None) -> dict[str, str]:
        """Return the attributes to write. Raises RdfSyntaxError if one is missing."""
        found = {}
        for (iri, name), value in given.items():
            if not iri and name == "abbreviatedIRI":
                found["IRI"] = self._full_iri(value)
            elif not iri:
                found[name] = self._absolute_iri(value, base) if name in _IRIS else value
            elif (iri, name) == (XML, "lang") and value:
                found["xml:lang"] = value
        needed = NEEDED.get(local)
        if needed and needed not in found:
            raise self._document.error(f"{local} has no attribute {needed}")
        if needed == "cardinality" and not _CARDINALITY.fullmatch(found[needed].strip()):
            raise self._document.error(f"the cardinality {found[needed]!r} is no number of at most nine digits")
        return found

    def _full_iri(self, name: str) -> str:
        prefix, _, local = name.strip().partition(":")
        if prefix not in self._prefixes:
            raise self._document.error(
                f'the prefix {prefix}: is not declared; write <Prefix name="{prefix}" IRI="..."/>'
            )
        return self._prefixes[prefix] + local

    def _absolute_iri(self, iri: str, base: str | None) -> str:
        """Resolve an IRI. Raises RdfSyntaxError for an invalid IRI."""
        key = iri, None if _ABSOLUTE.match(iri) else base
        if key not in self._resolved:
            if re.search(r'[\x00-\x20<>"{}|\\^`]', iri):
                raise self._document.error(f"the IRI {iri!r} has a character that no IRI can have")
            try:
                (triple,) = pyoxigraph.parse(f"<{iri}> <a:> <a:> .", pyoxigraph.RdfFormat.TURTLE, base_iri=key[1])
            except (SyntaxError, ValueError) as error:
                raise self._document.error(f"the IRI {iri!r} is invalid, or relative and without a base") from error
            self._resolved[key] = triple.subject.value
        return self._resolved[key]

    def end(self, _name: str) -> None:
        """Write an end tag, if the content of the element is right."""
        name, line, base, content = self._open.pop()
        if problem := problem_of_content(name, "".join(content)):
            raise RdfSyntaxError(self._file, line, None, problem)
        self._open[-1].content.append(KINDS[name])
        if self._text is not None:
            self._out.append(self._content(name, "".join(self._text), base).translate(_ESCAPES))
            self._text = None
        if name not in ("Prefix", "AnonymousIndividual"):
            self._out.append(f"</{'IRI' if name == 'AbbreviatedIRI' else name}>")

    def _content(self, name: str, text: str, base: str | None) -> str:
        """Return the text to write for the text of an element."""
        if name == "Literal":
            return text
        if not text.strip():
            raise self._document.error(f"{name} is empty")
        return self._full_iri(text) if name == "AbbreviatedIRI" else self._absolute_iri(text.strip(), base)

    def text(self, text: str) -> None:
        """Keep text, or check that it is blank."""
        if self._text is not None:
            self._text.append(text)
        elif text.strip():
            line = self._document.parser.CurrentLineNumber - LINES_BEFORE - text.lstrip().count("\n")
            raise RdfSyntaxError(
                self._file, line, None, f"the text {text.strip()[:40]!r} is not in a literal or an IRI"
            )

    def namespace(self, prefix: str | None, iri: str | None) -> None:
        """Leave a namespace out: the elements that are written need only one."""

    def comment(self, text: str) -> None:
        """Leave a comment out."""

    def instruction(self, target: str, text: str) -> None:
        """Leave a processing instruction out."""
