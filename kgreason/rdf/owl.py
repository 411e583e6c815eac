"""Translate OWL/XML, OWL functional syntax and OBO to RDF/XML, and RDF to functional syntax.

The library horned-owl (the extra `owl`) does the work, but for plain axioms of functional syntax
(`lines.functional_syntax`).

horned-owl 2.0 makes one error: it writes `DisjointClasses(A B C)` as "A disjoint with B" and "A disjoint with C", and
leaves out "B disjoint with C". So kgreason first replaces such an axiom by one axiom for each pair of its classes. The
pairs mean the same as the axiom. The number of pairs grows with the square of the number of classes.

It makes another: it never ends where anonymous individuals lead to each other in a circle. So kgreason gives it an IRI
for each anonymous individual, and `with_blank_nodes` makes blank nodes of these IRIs again.

What `functional_syntax` writes is read back, so that no triple is lost in silence: horned-owl drops triples of RDF that
it does not know, such as the class of an anonymous individual. It drops an owl:AllDisjointClasses, too, so it gets this
axiom as a value of its own model.

OBO is translated as ROBOT does it; `obo.clauses` has what the library leaves out.

Cost: the document is read as a whole. These formats are for ontologies; use other formats for data.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from io import BytesIO
from itertools import combinations
from typing import Any, Literal, cast

import pyoxigraph
from pyoxigraph import BlankNode, NamedNode, Quad, RdfFormat, Triple

from kgreason.errors import InputError, RdfSyntaxError, panics
from kgreason.rdf.lines.functional_syntax import separate_axioms as axioms_of
from kgreason.rdf.obo.clauses import axioms, check
from kgreason.rdf.writing import write
from kgreason.rdf.xml.owl_xml import BLANK, PlainXml, plain_owl_xml, problem_of_label
from kgreason.terms.vocabulary import OWL, RDF, RDF_TYPE

_LINE = re.compile(r"line_col: Pos\(\((\d+), (\d+)\)\)")
_BYTE = re.compile(r"BytePosition\((\d+)\)")
_ANONYMOUS = re.compile(r'<[^>]*>|"(?:[^"\\]|\\.)*"|#[^\n]*|(?<![\w.\-:])_:([^\s()<>"]*)', re.DOTALL)
"""A token of functional syntax in which `_:` may be; the group is the label of an anonymous individual.

The prefix of `GO_:0001` ends in `_:` as well.
"""
_NAMELESS = re.compile(rb'< xmlns="([^"]*)"')
_TYPE, _FIRST, _REST, _MEMBERS = RDF_TYPE[1:-1], f"{RDF}first", f"{RDF}rest", f"{OWL}members"
_ALL_DISJOINT, _NIL = NamedNode(f"{OWL}AllDisjointClasses"), NamedNode(f"{RDF}nil")
_AXIOM, _ANNOTATED = NamedNode(f"{OWL}Axiom"), f"{OWL}annotated"
_OBO_ID = "http://www.geneontology.org/formats/oboInOwl#id"
_NEEDED = {"obo": "the OBO format"}
_EXPECTED = re.compile(r"positives: \[([^\]]*)\]")


def _library(source: str, what: str = "this format") -> Any:
    try:
        import pyhornedowl
    except ImportError as error:
        raise InputError(f"{source}: {what} needs py-horned-owl: pip install 'kgreason[owl]'") from error
    return pyhornedowl


def to_rdf_xml(document: bytes, name: str, source: str, base: str | None) -> bytes:
    """Translate a document in the format `name` (`owx`, `ofn` or `obo`) to RDF/XML.

    `source` is the name of the document in messages, and `base` its IRI. Raises RdfSyntaxError, or InputError if the
    library is not installed.
    """
    pyhornedowl = _library(source, _NEEDED.get(name, "this format"))
    plain = plain_owl_xml(document, source, base) if name == "owx" else PlainXml(document, [], [])
    try:
        text = plain.text.decode()
        if name == "ofn":
            text = _ANONYMOUS.sub(partial(_with_iri, source), text)
        if name == "obo":
            check(text, source)
        with panics(f"{source}: py-horned-owl, which reads this format, cannot read this text"):
            ontology = pyhornedowl.open_ontology_from_string(text, cast(Literal["owx", "ofn", "obo"], name))
            if name == "obo":
                _add_axioms(ontology, text, source)
            _pair_disjoint_classes(ontology)
            written = str(ontology.save_to_string("rdf")).encode()
    except UnicodeDecodeError as error:
        line = document.count(b"\n", 0, error.start) + 1
        raise RdfSyntaxError(source, line, None, "this is not UTF-8: save the file in the encoding UTF-8") from error
    except ValueError as error:
        raise _syntax_error(plain, source, str(error)) from error
    if nameless := _NAMELESS.search(written):
        line = _line_of(nameless[1], document)
        problem = f"the IRI {nameless[1].decode()} of a property or class does not end in a name, as RDF/XML needs it"
        raise RdfSyntaxError(source, line, None, problem)
    return written


def translation(document: bytes, name: str, source: str, base: str | None) -> tuple[bytes, bytes]:
    """Translate a document to lines of N-Triples and to RDF/XML. The parameters and errors are those of `to_rdf_xml`.

    The lines have the plain axioms of functional syntax, and the RDF/XML has all else.
    """
    if name == "ofn":
        _library(source)
        with suppress(RdfSyntaxError, UnicodeDecodeError):  # the error of the whole document has the right line
            lines, rest = axioms_of(document.decode())
            return lines.encode(), to_rdf_xml(rest.encode(), name, source, base)
    return b"", to_rdf_xml(document, name, source, base)


def functional_syntax(rows: Sequence[Triple], prefixes: Mapping[str, str], target: str) -> bytes:
    """Write an ontology in OWL functional syntax. `target` is the name of the file in messages.

    Raises InputError if the library is not installed, or if it would lose a triple: it reads no ontology whose classes
    are not declared, and it drops triples that it does not know, such as the class of a blank node. If what it writes
    with the prefixes cannot be read back, the document has full IRIs.
    """
    rows, apart = _without_disjoint_classes(rows)
    problem = ""
    for known in (prefixes, {}):  # py-horned-owl shortens <http://e/x.> to `:x.`, which nobody can read
        written = _functional_syntax(rows, apart, known, target)
        try:
            lost = _missing_triples(rows, written, target)
        except RdfSyntaxError as error:
            problem = f"cannot be read back ({error})"
            continue
        if not lost:
            return written
        problem = f"would lose {lost.total():,} triples, such as {min(lost)}"
    raise InputError(f"{target}: functional syntax, as py-horned-owl writes it, {problem}; write a .ttl file")


def _functional_syntax(
    rows: Sequence[Triple], apart: Sequence[list[str]], prefixes: Mapping[str, str], target: str
) -> bytes:
    """Write an ontology, and axioms that say that all classes of a list are disjoint. Raises InputError."""
    pyhornedowl, document = _library(target), BytesIO()
    write(rows, document, "rdf")
    try:
        with panics(f"{target}: py-horned-owl cannot write this ontology in functional syntax, write a .ttl file"):
            ontology = pyhornedowl.open_ontology_from_string(document.getvalue().decode(), "rdf")
            for names in apart:
                ontology.add_component(_disjoint_classes([ontology.class_(name) for name in names]), set())
            for prefix, namespace in prefixes.items():
                ontology.prefix_mapping.add_prefix(prefix, namespace)
            return str(ontology.save_to_string("ofn")).encode()
    except ValueError as error:
        raise InputError(f"{target}: functional syntax cannot say this ontology: {error}; write a .ttl file") from error


def _missing_triples(rows: Sequence[Triple], written: bytes, target: str) -> Counter[str]:
    """Return the triples, as texts, that a document in functional syntax lacks. Raises RdfSyntaxError."""
    back = map(with_blank_nodes, pyoxigraph.parse(to_rdf_xml(written, "ofn", target, None), RdfFormat.RDF_XML))
    return _count_triples(rows) - _count_triples([quad.triple for quad in back])


def _without_disjoint_classes(rows: Sequence[Triple]) -> tuple[list[Triple], list[list[str]]]:
    """Take each owl:AllDisjointClasses of named classes out of an ontology. Returns the other triples, and the classes.

    One that has further triples, such as an annotation, stays.
    """
    of_node: dict[Any, dict[str, list[Any]]] = {}
    for row in rows:
        if isinstance(row.subject, BlankNode):
            of_node.setdefault(row.subject, {}).setdefault(row.predicate.value, []).append(row.object)
    gone: set[Any] = set()
    found: list[list[str]] = []
    for node, said in of_node.items():
        if said.get(_TYPE) == [_ALL_DISJOINT] and said.keys() == {_TYPE, _MEMBERS} and len(said[_MEMBERS]) == 1:
            cells, cell = [node], said[_MEMBERS][0]
            names: list[Any] = []
            while cell in of_node and cell not in cells and of_node[cell].keys() - {_TYPE} == {_FIRST, _REST}:
                cells.append(cell)
                names += of_node[cell][_FIRST]
                cell = of_node[cell][_REST][0]
            if cell == _NIL and len(names) == len(cells) - 1 and all(isinstance(name, NamedNode) for name in names):
                gone.update(cells)
                found.append([name.value for name in names])
    return [row for row in rows if row.subject not in gone], found


def _disjoint_classes(classes: list[Any]) -> Any:
    from pyhornedowl.model import DisjointClasses

    return DisjointClasses(classes)


def _count_triples(rows: Sequence[Triple]) -> Counter[str]:
    """Count the triples as texts, with one name for all blank nodes.

    An annotation of an axiom counts once, together with its axiom: several owl:Axiom of one axiom may become one. The
    older owl:distinctMembers says the same as owl:members.
    """
    about: dict[Any, dict[str, str]] = {row.subject: {} for row in rows if row.object == _AXIOM}
    for row in rows:
        if row.subject in about and row.predicate.value.startswith(_ANNOTATED):
            about[row.subject][row.predicate.value] = _shape(row.object)
    plain = (
        " ".join(map(_shape, row)).replace(f"<{OWL}distinctMembers>", f"<{_MEMBERS}>")
        for row in rows
        if row.subject not in about
    )
    of_axioms = {
        f"{' '.join(text for _, text in sorted(about[row.subject].items()))} {row.predicate} {_shape(row.object)}"
        for row in rows
        if row.subject in about and not row.predicate.value.startswith(_ANNOTATED)
    }
    return Counter([*plain, *of_axioms])


def _shape(term: Any) -> str:
    return "_:" if isinstance(term, BlankNode) else str(term)


def _with_iri(source: str, token: re.Match[str]) -> str:
    """Return a token of functional syntax with an IRI for an anonymous individual. Raises RdfSyntaxError."""
    if token[1] is None:
        return token[0]
    if problem := problem_of_label(token[1]):
        raise RdfSyntaxError(source, token.string.count("\n", 0, token.start()) + 1, None, problem)
    return f"<{BLANK}{token[1]}>"


def with_blank_nodes(quad: Quad) -> Quad:
    """Return a quad of a translated document with its blank nodes."""
    subject, predicate, object_ = quad.triple
    return Quad(_without_names(subject), predicate, _without_names(object_))


def _without_names(term: Any) -> Any:
    label = term.value.removeprefix(BLANK) if isinstance(term, NamedNode) and term.value.startswith(BLANK) else ""
    return BlankNode(label) if label and not problem_of_label(label) else term


def _pair_disjoint_classes(ontology: Any) -> None:
    from pyhornedowl.model import DisjointClasses

    for axiom in ontology.get_components():
        classes = axiom.component
        if isinstance(classes, DisjointClasses) and len(classes.first) > 2:
            ontology.remove_component(classes)
            for pair in combinations(classes.first, 2):
                ontology.add_component(DisjointClasses(list(pair)), axiom.ann)


def _add_axioms(ontology: Any, text: str, source: str) -> None:
    """Add the axioms of an OBO document that the library leaves out. Raises RdfSyntaxError."""
    import pyhornedowl.model as model

    told = (axiom.component for axiom in ontology.get_components())
    notes = [each for each in told if isinstance(each, model.AnnotationAssertion)]
    iris = {_literal(each.ann.av): str(each.subject) for each in notes if str(each.ann.ap.first) == _OBO_ID}
    for tag, property_, others in axioms(text, iris, source):
        made: list[Any] = [model.ObjectProperty(model.IRI.parse(iri)) for iri in (property_, *others)]
        whole, *chain = made
        if tag == "equivalent_to":
            ontology.add_component(model.EquivalentObjectProperties([whole, *chain]))
        elif tag == "disjoint_from":
            ontology.add_component(model.DisjointObjectProperties([whole, *chain]))
        else:
            ontology.add_component(model.SubObjectPropertyOf(chain, whole))


def _literal(value: Any) -> str:
    return str(getattr(value, "literal", ""))


def _line_of(iri: bytes, document: bytes) -> int:
    """Return the line where an IRI is first written, at least its last part."""
    at = max(document.find(iri), document.find(re.split(rb"[/#:]", iri)[-1] or iri))
    return document.count(b"\n", 0, max(at, 0)) + 1


def _syntax_error(plain: PlainXml, source: str, message: str) -> RdfSyntaxError:
    if found := _EXPECTED.search(message):
        problem = f"expected {found[1]}"
    else:
        problem = message.removeprefix("Failed to open ontology: ")
    if place := _LINE.search(message):
        return RdfSyntaxError(source, int(place[1]), int(place[2]), problem)
    if place := _BYTE.search(message):
        tag = max(bisect_right(plain.starts, int(place[1])) - 1, 0)
        return RdfSyntaxError(source, plain.lines[tag] if plain.lines else 1, None, _BYTE.sub("", problem))
    return RdfSyntaxError(source, 1, None, problem)
