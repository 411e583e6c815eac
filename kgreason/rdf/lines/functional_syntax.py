"""`separate_axioms`: turns the plain axioms of a document in OWL functional syntax into lines of N-Triples.

    Prefix(:=<http://e/>) Ontology(<http://e/o>              lines of SubClassOf
        SubClassOf(:A ObjectSomeValuesFrom(:p :B))     ->    a document with all that is not plain:
        FunctionalObjectProperty(:p))                            Prefix(..) Ontology(<..> FunctionalObjectProperty(:p))

Plain axioms are most of a large ontology: declarations, SubClassOf, EquivalentClasses and DisjointClasses of two
classes, and annotations of IRIs with simple strings. All else is left to horned-owl, also an axiom with annotations of
its own, or with a name that is not simple. So this module need not know the whole syntax.

Law: the lines, and what horned-owl makes of the rest, are what horned-owl makes of the document (a test compares them).
An axiom that is written twice, once plain and once not, is the exception: its class expressions have two nodes.
Cost: about a microsecond for each word, a quarter of what horned-owl takes.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from kgreason.terms import vocabulary as v

_TOKEN = re.compile(
    r"[ \t\r\n]*(?:([A-Za-z]+)[ \t\r\n]*\(|(\))|(<[^<>\s]*>|[\w.\-]*:[\w.\-]*)"
    r'|("(?:[^"\\]|\\.)*"(?:@[\w\-]+|\^\^(?:<[^<>\s]*>|[\w.\-]*:[\w.\-]*))?)|(=)|(#[^\r\n]*(?=\r?\n|\Z)|\Z))',
    re.DOTALL,
)
_SHORT = re.compile(
    r"[ \t\r\n]*(?:SubClassOf\(([\w.\-]*:[\w.\-]*) ([\w.\-]*:[\w.\-]*)\)"
    r"|Declaration\(([A-Za-z]+)\(([\w.\-]*:[\w.\-]*)\)\))"
)
"""Two axioms, as tools write them. Most lines of most documents are such axioms, and are read in one step."""
_OPEN, _CLOSE, _NAME, _LITERAL, _EQUALS = 1, 2, 3, 4, 5
_PREFIX = re.compile(r"([\w.\-]*):\Z")
_IRI = re.compile(
    r"<[A-Za-z][A-Za-z0-9+.\-]*:(?://[A-Za-z0-9.\-]+(?=[/?#>])|(?!//|[?#>]))(?![^>]*/\.)"
    r"[\w.~/?:@!$&'()*+,;=\-]*(?:#[\w.~/?:@!$&'()*+,;=\-]*)?>\Z",
    re.ASCII,
)
"""An IRI that nobody refuses or changes: no port, no character in `%` notation, no segment that begins with a dot."""
_LOCAL = re.compile(r"\w[\w\-]*(?:\.[\w\-]+)*\Z", re.ASCII)
_NAMED = re.compile(r".*[/#:][A-Za-z_][\w\-]*>\Z", re.ASCII)
"""An IRI that RDF/XML can have as a property."""
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f\x7f]|\\")*"\Z')
_KINDS = {
    "Class": v.OWL_CLASS,
    "ObjectProperty": v.OWL_OBJECT_PROPERTY,
    "DataProperty": v.OWL_DATATYPE_PROPERTY,
    "AnnotationProperty": v.OWL_ANNOTATION_PROPERTY,
    "NamedIndividual": v.OWL_NAMED_INDIVIDUAL,
}
_RESTRICTION = f"<{v.OWL}Restriction>"
_QUANTIFIERS = {"ObjectSomeValuesFrom": v.OWL_SOME_VALUES_FROM, "ObjectAllValuesFrom": v.OWL_ALL_VALUES_FROM}
_LISTS = {"ObjectIntersectionOf": v.OWL_INTERSECTION_OF, "ObjectUnionOf": v.OWL_UNION_OF}
_AXIOMS = {
    "SubClassOf": v.RDFS_SUB_CLASS_OF,
    "EquivalentClasses": v.OWL_EQUIVALENT_CLASS,
    "DisjointClasses": v.OWL_DISJOINT_WITH,
}
_HEAD = ("Import", "Annotation")
"""What an ontology has before its axioms only."""
_PLAIN = frozenset((*_AXIOMS, "Declaration", "AnnotationAssertion"))
_BLANKS = " \t\r\n"
_DOCUMENT = 2
"""So many brackets are open where an axiom ends: that of the document, and its own."""


class Separated(NamedTuple):
    """The plain axioms of a document as lines of N-Triples, and the document without them."""

    lines: str
    rest: str


def separate_axioms(document: str) -> Separated:
    """Separate the plain axioms of a document. A document with an error may come back as it is, or with the error."""
    return _Reader(document).read_to_end()


class _Open(NamedTuple):
    """An open bracket: its keyword, the position of the keyword, and the terms so far."""

    keyword: str
    start: int
    terms: list[str]


class _Reader:
    def __init__(self, document: str) -> None:
        self._document = document
        self._prefixes: dict[str, str] = {}
        self._iris: dict[str, str] = {}
        self._nodes = 0
        self._lines: list[str] = []
        self._fresh: list[str] = []
        self._tokens: list[str] = []
        self._seen: set[str] = set()

    def read_to_end(self) -> Separated:
        """Read the document to its end."""
        document, match, stack = self._document, _TOKEN.match, list[_Open]()
        rest, at, copied, is_plain = list[str](), 0, 0, True
        while True:
            if len(stack) == 1 and stack[0].keyword == "Ontology":
                start = at
                while (short := _SHORT.match(document, at)) is not None and self._add_short_axiom(*short.groups()):
                    at = short.end()
                if at > start:
                    rest.append(document[copied:start].rstrip(_BLANKS))
                    copied = at
            if (found := match(document, at)) is None or (kind := found.lastindex) is None:
                break
            if kind == _OPEN:
                keyword = found[_OPEN]
                if len(stack) == 1:
                    if keyword in _HEAD and copied:
                        return Separated("", document)
                    is_plain = keyword in _PLAIN and stack[0].keyword == "Ontology"
                    self._fresh.clear()
                    self._tokens.clear()
                stack.append(_Open(keyword, found.start(_OPEN), []))
                self._tokens.append(keyword)
            elif kind == _CLOSE:
                if not stack:
                    return Separated("", document)
                closed = stack.pop()
                self._tokens.append(")")
                if len(stack) == 1 and is_plain:
                    if self._add_lines(closed):
                        rest.append(document[copied : closed.start].rstrip(_BLANKS))
                        copied = found.end()
                elif closed.keyword == "Prefix" and not stack:
                    if not self._declares(document[closed.start : found.end()]):
                        return Separated("", document)
                elif is_plain and len(stack) >= _DOCUMENT:
                    term = self._term(closed, stack[-1].keyword)
                    is_plain = bool(term)
                    stack[-1].terms.append(term)
            elif kind in (_NAME, _LITERAL):
                if is_plain and len(stack) >= _DOCUMENT:
                    term = self._iri(found[kind]) if kind == _NAME else self._string(found[kind])
                    is_plain = bool(term)
                    stack[-1].terms.append(term)
                    self._tokens.append(term)
                elif copied and len(stack) < _DOCUMENT:  # a name after an axiom is not one of the ontology
                    return Separated("", document)
            elif kind == _EQUALS:
                is_plain = False
            elif found.end() == len(document):
                break
            at = found.end()
        if stack or found is None:
            return Separated("", document)
        # A line feed ends the comment in front of an axiom.
        return Separated("".join(self._lines), "\n".join([*filter(None, rest), document[copied:]]))

    def _declares(self, text: str) -> bool:
        """Take a prefix from `Prefix(name:=<IRI>)`. Returns whether that is simple, and new."""
        name, _, iri = (part.strip(_BLANKS) for part in text[:-1].partition("(")[2].partition("="))
        found = _PREFIX.match(name)
        if not found or found[1] in self._prefixes or not _IRI.match(iri):
            return False
        self._prefixes[found[1]] = iri[1:-1]
        return True

    def _iri(self, name: str) -> str:
        """Return the IRI of a name, in <>; empty if it is not simple."""
        iri = self._iris.get(name)
        if iri is None:
            prefix, _, local = name.partition(":")
            if name.startswith("<"):
                iri = name
            else:
                iri = f"<{self._prefixes[prefix]}{local}>" if prefix in self._prefixes and _LOCAL.match(local) else ""
            self._iris[name] = iri = iri if _IRI.match(iri) else ""
        return iri

    def _string(self, literal: str) -> str:
        """Return a literal in N-Triples; empty unless it is a simple string."""
        return literal if _STRING.match(literal) else ""

    def _term(self, closed: _Open, around: str) -> str:
        """Return the term that a bracket inside an axiom stands for; empty if it is not plain."""
        keyword, _, terms = closed
        if keyword in _KINDS:
            is_plain = around == "Declaration" and len(terms) == 1 and terms[0].startswith("<")
            return f"{terms[0]} {v.RDF_TYPE} {_KINDS[keyword]} .\n" if is_plain else ""
        if around in ("Declaration", "AnnotationAssertion") or any(term.startswith('"') for term in terms):
            return ""
        if keyword in _QUANTIFIERS and len(terms) == 2 and terms[0].startswith("<"):
            return self._node(_RESTRICTION, f"{v.OWL_ON_PROPERTY} {terms[0]}", f"{_QUANTIFIERS[keyword]} {terms[1]}")
        if keyword in _LISTS and len(terms) > 1:
            list_ = v.RDF_NIL
            for term in reversed(terms):
                list_ = self._node("", f"{v.RDF_FIRST} {term}", f"{v.RDF_REST} {list_}")
            return self._node(v.OWL_CLASS, f"{_LISTS[keyword]} {list_}")
        if keyword == "ObjectComplementOf" and len(terms) == 1:
            return self._node(v.OWL_CLASS, f"{v.OWL_COMPLEMENT_OF} {terms[0]}")
        return ""

    def _node(self, type_: str, *said: str) -> str:
        """Return a new blank node of which this is said. Its label looks invented, see `labels`."""
        self._nodes += 1
        node = f"_:a{self._nodes:019x}"
        if type_:
            self._fresh.append(f"{node} {v.RDF_TYPE} {type_} .\n")
        self._fresh += [f"{node} {each} .\n" for each in said]
        return node

    def _add_short_axiom(self, below: str | None, above: str | None, kind: str | None, name: str | None) -> bool:
        """Add the line of an axiom of `_SHORT`. Returns whether it is plain."""
        subject = self._iri(below or name or "")
        object_ = self._iri(above) if above else _KINDS.get(kind or "")
        if not subject or not object_:
            return False
        self._lines.append(f"{subject} {v.RDFS_SUB_CLASS_OF if above else v.RDF_TYPE} {object_} .\n")
        return True

    def _add_lines(self, axiom: _Open) -> bool:
        """Add the lines of an axiom. Returns whether it is plain."""
        keyword, _, terms = axiom
        if keyword == "Declaration":
            if len(terms) != 1 or not terms[0].endswith("\n"):
                return False
            line = terms[0]
        elif keyword == "AnnotationAssertion":
            if len(terms) != 3 or not _NAMED.match(terms[0]) or not terms[1].startswith("<"):
                return False
            line = f"{terms[1]} {terms[0]} {terms[2]} .\n"
        else:
            if len(terms) != 2 or any(term.startswith('"') or term.endswith("\n") for term in terms):
                return False
            line = f"{terms[0]} {_AXIOMS[keyword]} {terms[1]} .\n"
        if self._fresh:
            tokens = " ".join(self._tokens)
            if tokens in self._seen:  # the same axiom once more, which has no nodes of its own
                return True
            self._seen.add(tokens)
        self._lines += self._fresh
        self._lines.append(line)
        return True
