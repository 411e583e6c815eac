"""`report_graph`: a validation report as triples, in W3C's form (SHACL, 3.6), as a graph of rdflib."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import rdflib
from pyoxigraph import BlankNode, NamedNode
from rdflib.collection import Collection

from kgreason.shapes.paths import Path
from kgreason.shapes.result import Result
from kgreason.shapes.vocabulary import SH

_SH = rdflib.Namespace(SH)
_KINDS = {"^": "inversePath", "*": "zeroOrMorePath", "+": "oneOrMorePath", "?": "zeroOrOnePath"}


def report_graph(results: Sequence[Result], paths: Mapping[str, Path | None]) -> rdflib.Graph:
    """Return the report with these results as a graph. `paths` are the paths of the shapes."""
    graph = rdflib.Graph()
    graph.bind("sh", _SH)
    top = rdflib.BNode()
    graph.add((top, rdflib.RDF.type, _SH.ValidationReport))
    graph.add((top, _SH.conforms, rdflib.Literal(not results)))
    for each in results:
        node = rdflib.BNode()
        graph.add((top, _SH.result, node))
        graph.add((node, rdflib.RDF.type, _SH.ValidationResult))
        graph.add((node, _SH.focusNode, _term(each.focus)))
        graph.add((node, _SH.resultSeverity, _term(each.severity)))
        graph.add((node, _SH.sourceShape, _term(each.source_shape)))
        graph.add((node, _SH.sourceConstraintComponent, _term(each.component)))
        if each.component.value == f"{SH}SPARQLConstraintComponent":
            graph.add((node, _SH.sourceConstraint, _term(each.parameter)))
        if isinstance(each.path, NamedNode):
            graph.add((node, _SH.resultPath, _term(each.path)))
        elif each.path is not None and (path := paths[str(each.source_shape)]):
            graph.add((node, _SH.resultPath, _path(path, graph)))
        if each.value is not None:
            graph.add((node, _SH.value, _term(each.value)))
        for message in each.messages:
            graph.add((node, _SH.resultMessage, _term(message)))
    return graph


def _term(term: Any) -> Any:
    if isinstance(term, NamedNode):
        return rdflib.URIRef(term.value)
    if isinstance(term, BlankNode):
        return rdflib.BNode(term.value)
    if term.language:
        return rdflib.Literal(term.value, lang=term.language)
    is_string = term.datatype.value == str(rdflib.XSD.string)
    datatype = None if is_string else rdflib.URIRef(term.datatype.value)
    return rdflib.Literal(term.value, datatype=datatype, normalize=False)


def _path(path: Path, graph: rdflib.Graph) -> Any:
    """Add the triples of a path. Returns its node."""
    if not path.kind:
        return rdflib.URIRef(path.predicate[1:-1])
    parts = [_path(part, graph) for part in path.parts]
    node = rdflib.BNode()
    if path.kind in _KINDS:
        graph.add((node, _SH[_KINDS[path.kind]], parts[0]))
        return node
    members = rdflib.BNode()
    Collection(graph, members, parts)
    if path.kind == "/":
        return members
    graph.add((node, _SH.alternativePath, members))
    return node
