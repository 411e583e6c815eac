"""`RdfXml`: RDF/XML as Oxigraph's parser reads it right.

Oxigraph's parser knows RDF, but little of XML. `Document` reads the XML, and `RdfXml` writes it again in UTF-8 without
entities, comments, processing instructions and CDATA sections. It also does what the parser leaves out (RDF 1.1 XML
Syntax; the numbers are its sections):

    xml:lang=""                          no language; the parser refuses it      ->   xml:lang="x-..." (`no_language`)
    about, ID, resource, parseType, type without a namespace (6.1.4)             ->   rdf:about ...
    rdf:parseType="Literal", and each unknown word for it (7.2.17, 7.2.20)       ->   canonical text, rdf:XMLLiteral
    rdf:datatype="...rdf:langString" and xml:lang="en"                           ->   xml:lang="en"
    xml:lang="en-GB", which the parser makes small                               ->   its carrier (`terms.tags`)
    attributes that the grammar does not allow at their place (7.2.11, 7.2.18)   ->   an error
    an error of the parser, which has no line                                    ->   `line`

Law: without these, the document that is written has the same elements, attributes and texts. Each piece that the parser
reads belongs to one line of the document, so `line` is the line of the parser's error.

Cost: about as much as Oxigraph's parser. A block of the document is in memory, not the document.
"""

from __future__ import annotations

import secrets
from collections import deque
from typing import IO, NamedTuple

from pyoxigraph import BlankNode, Literal, NamedNode, Quad, Triple

from kgreason.errors import RdfSyntaxError
from kgreason.rdf.xml.document import Document, name_parts
from kgreason.rdf.xml.literal import XML, CanonicalXml, qualified_name
from kgreason.rdf.xml.text import LINES_BEFORE
from kgreason.terms.tags import carrier

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
ITS = "http://www.w3.org/2005/11/its"
_TEXT = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"})
_VALUE = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}
)
_OLD = ("about", "ID", "resource", "parseType", "type")
_OF_RDF = (*_OLD, "datatype", "nodeID")
_PARSE_TYPES = ("Resource", "Collection", "Triple")
"""The W3C's tests of RDF 1.2 have the parser ignore a Triple in a document without rdf:version."""
_ANYWHERE = ("ID", "nodeID", "version")
_OF_NODES = ("about", *_ANYWHERE)
_OF_PROPERTIES = ("resource", "datatype", "parseType", "annotation", "annotationNodeID", *_ANYWHERE)
_NO_PROPERTIES = {*_OF_NODES, *_OF_PROPERTIES, "RDF", "Description", "li", "bagID", "aboutEach", "aboutEachPrefix"}
"""Names of RDF that are no properties in an attribute (RDF 1.1 XML Syntax, 6.2.9). Each has its places, or none."""
_BESIDE_TEXT = ("ID", "datatype", "parseType", "annotation", "annotationNodeID", "version")
_NODES, _PROPERTIES, _TEXT_ONLY = range(3)
_INSIDE = (_PROPERTIES, _NODES, _NODES)
"""What is inside an element, by what the element is."""
_TAGGED = (f"{RDF}langString", f"{RDF}dirLangString")
_SHAPES = 10_000
_Attributes = dict[tuple[str, str], tuple[str, str]]
"""By namespace and local name: prefix and value."""
Term = NamedNode | BlankNode | Literal | Triple


_Twelve = tuple[bool, str]
"""What RDF 1.2 adds: whether rdf:version is 1.2, and its:dir, which counts in RDF 1.2 only."""
_Scope = tuple[int, str, _Twelve, str]
"""What holds inside an open element: nodes, properties or text; xml:lang; what RDF 1.2 adds; and the end tag."""


class _Shape(NamedTuple):
    """A start tag without its values.

    `pattern` is the tag with `%s` for each value. `language` and `datatype` are the positions of the values of xml:lang
    and rdf:datatype, or -1. A `plain` tag needs nothing but its values, an `odd` tag needs more than these two.
    `is_rdf`: the element is rdf:RDF. `problems` says, for a node and for a property, which attribute must not be there.
    """

    pattern: str
    end: str
    is_plain: bool
    problems: tuple[str, str, str]
    is_odd: bool
    is_rdf: bool
    language: int
    datatype: int


class RdfXml:
    """A stream of RDF/XML in UTF-8 for Oxigraph's parser. `file` is the name of the document in messages.

    `line` is the line of the document from which the last piece came.
    """

    def __init__(self, stream: IO[bytes], file: str) -> None:
        self.line = 1
        self.prefixes: dict[str, str] = {}
        """The prefixes that the document has declared so far. The first declaration of a prefix counts."""
        self._document = Document(stream, file, self)
        self._parser = self._document.parser
        self._pieces: deque[tuple[int, bytes]] = deque()
        self._out: list[str] = []
        self._out_line = 1
        self._problem: RdfSyntaxError | None = None
        self._has_ended = self._after_end = False
        self._scopes: list[_Scope] = [(_NODES, "", (False, ""), "")]
        self._shapes: dict[str | tuple[str, ...], _Shape] = {}
        self._prefixes, self._free = {"xml", "xmlns"}, 0
        self._declared: list[str] = []
        self._literal: CanonicalXml | None = None
        self._no_language = ""

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes, at most `size`, of one line of the document. b"" is the end."""
        while not self._pieces:
            if self._problem is not None:
                raise self._problem
            if self._has_ended:
                return b""
            self._advance()
        line, piece = self._pieces.popleft()
        self.line = line - LINES_BEFORE
        if 0 < size < len(piece):
            parts = [(line, piece[at : at + size]) for at in range(size, len(piece), size)]
            self._pieces.extendleft(reversed(parts))
            return piece[:size]
        return piece

    def restore(self, quad: Quad) -> Quad:
        """Return a quad that the parser has read, without the language that stands for no language."""
        if not self._no_language:
            return quad
        subject, predicate, object_ = quad.triple
        return Quad(subject, predicate, self._without_language(object_), quad.graph_name)

    def _without_language(self, term: Term) -> Term:
        if isinstance(term, Triple):
            return Triple(term.subject, term.predicate, self._without_language(term.object))
        is_ours = isinstance(term, Literal) and term.language == self._no_language
        return Literal(term.value) if is_ours else term

    def _advance(self) -> None:
        """Read the next block of the document. An error is kept until the parser has read what is before it."""
        try:
            self._has_ended = not self._document.advance()
        except RdfSyntaxError as error:
            self._problem = error
        self._end_piece(self._out_line)

    def _end_piece(self, line: int) -> None:
        """End a piece. The next one comes from a line of the document."""
        if self._out:
            self._pieces.append((self._out_line, "".join(self._out).encode()))
            self._out.clear()
        self._out_line = line

    def start(self, name: str, attributes: list[str]) -> None:
        """Write a start tag."""
        if self._literal is not None:
            self._out.append(self._literal.start(name, attributes).translate(_TEXT))
            return
        line = self._parser.CurrentLineNumber
        if line != self._out_line:
            self._end_piece(line)
        self._after_end = False
        values = attributes[1::2]
        key = (name, *attributes[::2]) if values else name
        shape = self._shapes.get(key) or self._shape_of(key)
        pattern, end, is_plain, problems = shape[:4]
        inside, language, twelve, _ = self._scopes[-1]
        if problems[inside]:
            raise self._document.error(problems[inside])
        if is_plain:
            self._scopes.append((_INSIDE[inside], language, twelve, end))
        elif not self._enter_tag(shape, values):
            self._start_odd(name, attributes, shape)
            return
        if values or self._declared:
            pattern = self._start_tag(pattern, values)
        self._out.append(pattern)

    def _enter_tag(self, shape: _Shape, values: list[str]) -> bool:
        """Enter a tag that is not plain. Returns False if the tag is odd."""
        inside, language, twelve, _ = self._scopes[-1]
        if shape.language >= 0:
            language = values[shape.language] = carrier(values[shape.language])
        is_odd = shape.is_odd or (shape.language >= 0 and not language)
        if is_odd or (shape.datatype >= 0 and values[shape.datatype] in _TAGGED):
            return False
        inner = _NODES if shape.is_rdf else _TEXT_ONLY if shape.datatype >= 0 else _INSIDE[inside]
        self._scopes.append((inner, language, twelve, shape.end))
        return True

    def _start_tag(self, pattern: str, values: list[str]) -> str:
        """Return a start tag with the values of its attributes and the namespaces that it declares."""
        for value in values:
            if "&" in value or "<" in value or '"' in value or not value.isprintable():
                values = [value.translate(_VALUE) for value in values]
                break
        tag = pattern % tuple(values)
        if self._declared:
            tag = f"{tag[:-1]}{''.join(self._declared)}>"
            self._declared.clear()
        return tag

    def _shape_of(self, names: str | tuple[str, ...]) -> _Shape:
        """Make the shape of a start tag with the names of an element and its attributes, and keep it."""
        if len(self._shapes) >= _SHAPES:
            self._shapes.clear()
        shape = self._shapes[names] = _shape((names,) if isinstance(names, str) else names)
        return shape

    def _start_odd(self, name: str, attributes: list[str], shape: _Shape) -> None:
        """Write a start tag that Oxigraph's parser would not read right."""
        place, outer, (is_twelve, direction), _ = self._scopes[-1]
        language, inside = outer, _NODES if shape.is_rdf else _INSIDE[place]
        given: _Attributes = {}
        for each, value in zip(attributes[::2], attributes[1::2], strict=True):
            iri, local, prefix = name_parts(each)
            if not iri:
                if local.lower().startswith("xml"):
                    continue
                iri, prefix = RDF, self._rdf_prefix(local)
            if (iri, local) in given:
                raise self._document.error(f"the attribute {local} is there twice, with and without a prefix")
            given[iri, local] = prefix, value
        if (XML, "lang") in given:
            language = carrier(given.pop((XML, "lang"))[1])
            if language or outer:
                given[XML, "lang"] = "xml", language or self._stand_in_language()
        is_twelve = is_twelve or given.get((RDF, "version"), ("", ""))[1] == "1.2"
        twelve = is_twelve, given.get((ITS, "dir"), ("", direction))[1]
        if problem := _attribute_mistakes(list(given))[place]:  # with the attributes that had no namespace
            raise self._document.error(problem)
        if (RDF, "datatype") in given:
            inside = _TEXT_ONLY
            self._check_tagged(given, language, twelve)
        if (RDF, "parseType") in given:
            inside = self._parse_type(given)
        self._scopes.append((inside, language, twelve, shape.end))
        tag = "".join(f' {prefix}:{local}="%s"' for (_, local), (prefix, _) in given.items())
        self._out.append(self._start_tag(f"<{qualified_name(name)}{tag}>", [value for _, value in given.values()]))

    def _rdf_prefix(self, local: str) -> str:
        """Return a prefix for an attribute without a namespace that RDF/XML once allowed. Raises RdfSyntaxError."""
        if local not in _OLD:
            known = f"rdf:{local}" if local in _OF_RDF else f"a prefix, such as ex:{local}"
            raise self._document.error(f"the attribute {local} is in no namespace: write {known}")
        while f"rdf{self._free}" in self._prefixes:  # prefixes are never taken out
            self._free += 1
        prefix = f"rdf{self._free}"
        declaration = f' xmlns:{prefix}="{RDF}"'
        if declaration not in self._declared:
            self._declared.append(declaration)
        return prefix

    def _stand_in_language(self) -> str:
        """Return the language tag that stands for no language."""
        self._no_language = self._no_language or f"x-{secrets.token_hex(4)}"
        return self._no_language

    def _check_tagged(self, given: _Attributes, language: str, twelve: _Twelve) -> None:
        """Take the datatype of a literal with a language tag away. Raises RdfSyntaxError if it has no language."""
        datatype = given[RDF, "datatype"][1]
        if datatype not in _TAGGED:
            return
        needed: list[tuple[str, str | bool]] = [("xml:lang", language)]
        if datatype == f"{RDF}dirLangString":
            needed += [("its:dir", twelve[1]), ('rdf:version="1.2"', twelve[0])]
        for what, value in needed:
            if not value:
                raise self._document.error(f"the datatype rdf:{datatype.removeprefix(RDF)} needs {what}")
        del given[RDF, "datatype"]

    def _parse_type(self, given: _Attributes) -> int:
        """Look at rdf:parseType. Returns what is inside the element."""
        prefix, word = given[RDF, "parseType"]
        if word not in _PARSE_TYPES:
            del given[RDF, "parseType"]
            given[RDF, "datatype"] = prefix, f"{RDF}XMLLiteral"
            self._literal = CanonicalXml()
        return _PROPERTIES if word == "Resource" else _NODES

    def end(self, name: str) -> None:
        """Write an end tag."""
        if self._literal is not None:
            if self._literal.depth:
                self._out.append(self._literal.end(name).translate(_TEXT))
                return
            self._literal = None
        self._after_end = True
        self._out.append(self._scopes.pop()[3])

    def text(self, text: str) -> None:
        """Write text. Blanks after an end tag say nothing."""
        if self._literal is not None:
            text = self._literal.text(text)
        elif self._after_end and text.isspace():
            return
        if "&" in text or "<" in text or ">" in text or "\r" in text:
            text = text.translate(_TEXT)
        self._out.append(text)

    def namespace(self, prefix: str | None, iri: str | None) -> None:
        """Keep a declaration for the next start tag."""
        if self._literal is None and prefix != "xml":
            self._prefixes.add(prefix or "")
            if iri:
                self.prefixes.setdefault(prefix or "", iri)
            self._declared.append(f' xmlns{":" if prefix else ""}{prefix or ""}="{(iri or "").translate(_VALUE)}"')

    def comment(self, text: str) -> None:
        """Write a comment of a literal."""
        if self._literal is not None:
            self._out.append(self._literal.comment(text).translate(_TEXT))

    def instruction(self, target: str, text: str) -> None:
        """Write a processing instruction of a literal."""
        if self._literal is not None:
            self._out.append(self._literal.instruction(target, text).translate(_TEXT))


def _shape(names: tuple[str, ...]) -> _Shape:
    """Return the shape of a start tag with the names of an element and its attributes."""
    iri, name, _ = name_parts(names[0])
    attributes = [name_parts(name) for name in names[1:]]
    known = [(iri, local) for iri, local, _ in attributes]
    is_rdf = (iri, name) == (RDF, "RDF")
    is_odd = any(
        not iri or (iri, local) in ((RDF, "parseType"), (RDF, "version"), (ITS, "dir")) for iri, local in known
    )
    language = known.index((XML, "lang")) if (XML, "lang") in known else -1
    datatype = known.index((RDF, "datatype")) if (RDF, "datatype") in known else -1
    tag = qualified_name(names[0])
    return _Shape(
        f"<{tag}" + "".join(f' {prefix}:{local}="%s"' for _, local, prefix in attributes) + ">",
        f"</{tag}>",
        not is_rdf and not is_odd and language < 0 and datatype < 0,
        _attribute_mistakes(known) if iri else (f"the element {name} is in no namespace",) * 3,
        is_odd,
        is_rdf,
        language,
        datatype,
    )


def _attribute_mistakes(attributes: list[tuple[str, str]]) -> tuple[str, str, str]:
    """Say which attribute is wrong for a node, for a property, and inside text. "" if none is wrong.

    `attributes` are pairs of namespace and local name.
    """
    ours = [local for iri, local in attributes if iri == RDF]
    no_node = [local for local in ours if local in _NO_PROPERTIES and local not in _OF_NODES]
    no_property = [local for local in ours if local in _NO_PROPERTIES and local not in _OF_PROPERTIES]
    if beside := next((local for local in ("parseType", "datatype") if local in ours), ""):
        free = [each for each in attributes if each[0] not in (XML, ITS, "") and each[0] != RDF]
        no_property += [local for local in ours if local not in _BESIDE_TEXT] + [local for _, local in free]
    return (
        f"the attribute rdf:{no_node[0]} is not allowed on a node" if no_node else "",
        f"the attribute {no_property[0]} is not allowed on a property{' with rdf:' + beside if beside else ''}"
        if no_property
        else "",
        "an element cannot be inside a property with rdf:datatype",
    )
