"""A validation report as triples, in W3C's form (SHACL, 3.6): for pyoxigraph, and as a graph of rdflib."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pyoxigraph import BlankNode, Literal, NamedNode, Triple

from kgreason.shapes.paths import Path
from kgreason.shapes.result import Result
from kgreason.shapes.vocabulary import SH
from kgreason.terms import vocabulary as v

if TYPE_CHECKING:
    import rdflib

_KINDS = {"^": "inversePath", "*": "zeroOrMorePath", "+": "oneOrMorePath", "?": "zeroOrOnePath"}
_TYPE, _FIRST, _REST, _NIL = (NamedNode(iri[1:-1]) for iri in (v.RDF_TYPE, v.RDF_FIRST, v.RDF_REST, v.RDF_NIL))


def report_triples(
    results: Sequence[Result],
    conforms: bool,
    paths: Mapping[str, Path | None],
) -> Iterator[Triple]:
    """Yield the triples of the report with these results. `paths` are the paths of the shapes."""
    top = BlankNode()
    yield Triple(top, _TYPE, _sh("ValidationReport"))
    yield Triple(top, _sh("conforms"), Literal(conforms))
    nodes = [BlankNode() for _ in results]
    yield from (Triple(top, _sh("result"), node) for node in nodes)
    for node, each in zip(nodes, results, strict=True):
        yield Triple(node, _TYPE, _sh("ValidationResult"))
        for name, term in _parts(each):
            yield Triple(node, _sh(name), term)
        if isinstance(each.path, NamedNode):
            yield Triple(node, _sh("resultPath"), each.path)
        elif each.path is not None and (path := paths[str(each.source_shape)]):
            found = list[Triple]()
            end = _path(path, found)
            yield Triple(node, _sh("resultPath"), end)
            yield from found


def _parts(result: Result) -> Iterator[tuple[str, Any]]:
    """Yield the terms that W3C's form says of a result, each with its name, but for the path."""
    yield "focusNode", result.focus
    yield "resultSeverity", result.severity
    yield "sourceShape", result.source_shape
    yield "sourceConstraintComponent", result.component
    if result.component == _sh("SPARQLConstraintComponent"):
        yield "sourceConstraint", result.parameter
    if result.value is not None:
        yield "value", result.value
    yield from (("resultMessage", message) for message in result.messages)


def rdflib_graph(triples: Iterable[Triple]) -> rdflib.Graph:
    """Return the triples of a report as a graph of rdflib. Needs rdflib."""
    import rdflib

    graph, known = rdflib.Graph(), dict[Any, Any]()
    graph.bind("sh", rdflib.Namespace(SH))

    def term(each: Any) -> Any:
        found = known.get(each)
        if found is None:
            found = known[each] = _term(each)
        return found

    graph.addN((term(each.subject), term(each.predicate), term(each.object), graph) for each in triples)
    return graph


def _term(term: Any) -> Any:
    import rdflib

    if isinstance(term, NamedNode):
        return rdflib.URIRef(term.value)
    if isinstance(term, BlankNode):
        return rdflib.BNode(term.value)
    if term.language:
        return rdflib.Literal(term.value, lang=term.language)
    is_string = term.datatype.value == str(rdflib.XSD.string)
    datatype = None if is_string else rdflib.URIRef(term.datatype.value)
    return rdflib.Literal(term.value, datatype=datatype, normalize=False)


def _path(path: Path, found: list[Triple]) -> NamedNode | BlankNode:
    """Add the triples of a path to `found`. Returns its node."""
    if not path.kind:
        return NamedNode(path.predicate[1:-1])
    parts = [_path(part, found) for part in path.parts]
    if path.kind == "/":
        return _list(parts, found)
    node = BlankNode()
    if path.kind in _KINDS:
        found.append(Triple(node, _sh(_KINDS[path.kind]), parts[0]))
    else:
        found.append(Triple(node, _sh("alternativePath"), _list(parts, found)))
    return node


def _list(members: Sequence[Any], found: list[Triple]) -> NamedNode | BlankNode:
    """Add the triples of a list to `found`. Returns its first cell."""
    rest: NamedNode | BlankNode = _NIL
    for member in reversed(members):
        cell = BlankNode()
        found += [Triple(cell, _FIRST, member), Triple(cell, _REST, rest)]
        rest = cell
    return rest


def _sh(name: str) -> NamedNode:
    return NamedNode(SH + name)
