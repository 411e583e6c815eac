"""Results as the W3C's report graph, and the comparison of its suite: isomorphism of what the suite looks at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from rdflib.compare import isomorphic
from rdflib.graph import Graph
from rdflib.namespace import RDF, SH, XSD
from rdflib.term import BNode, Literal, Node

from tests.oracle.shacl import paths
from tests.oracle.shacl.result import Result

_OF_A_RESULT = {
    SH.focusNode,
    SH.value,
    SH.resultSeverity,
    SH.sourceConstraint,
    SH.sourceConstraintComponent,
    SH.sourceShape,
}


def graph(results: Iterable[Result]) -> Graph:
    """Return the report graph of some results."""
    found, report = Graph(), BNode()
    results = list(results)
    found.add((report, RDF.type, SH.ValidationReport))
    found.add((report, SH.conforms, Literal("false" if results else "true", datatype=XSD.boolean)))
    for each in results:
        node = BNode()
        found.add((report, SH.result, node))
        found.add((node, RDF.type, SH.ValidationResult))
        properties = {
            SH.focusNode: each.focus,
            SH.value: each.value,
            SH.resultPath: None if each.path is None else paths.add(found, each.path),
            SH.resultSeverity: each.severity,
            SH.sourceConstraint: each.constraint,
            SH.sourceConstraintComponent: each.component,
            SH.sourceShape: each.shape,
        }
        for predicate, value in properties.items():
            if value is not None:
                found.add((node, predicate, value))
        for message in each.messages:
            found.add((node, SH.resultMessage, message))
    return found


def read(report: Graph) -> Counter[Result]:
    """Return the results of a report graph, each with how often it is there. Details are left out."""
    (root,) = report.subjects(RDF.type, SH.ValidationReport)
    return Counter(_result(report, node) for node in report.objects(root, SH.result))


def _result(report: Graph, node: Node) -> Result:
    path = report.value(node, SH.resultPath)
    focus, shape, component, severity = (
        report.value(node, name)
        for name in (SH.focusNode, SH.sourceShape, SH.sourceConstraintComponent, SH.resultSeverity)
    )
    assert focus is not None
    assert shape is not None
    assert component is not None
    assert severity is not None
    return Result(
        focus,
        None if path is None else paths.read(report, path),
        report.value(node, SH.value),
        shape,
        component,
        severity,
        frozenset(report.objects(node, SH.resultMessage)),
        report.value(node, SH.sourceConstraint),
    )


def trimmed(report: Graph, root: Node, messages: frozenset[Node]) -> Graph:
    """Return what the suite looks at: the report at a node, its results, their paths, and some of their messages."""
    found = Graph()
    found += (
        (root, predicate, value) for predicate in (RDF.type, SH.conforms) for value in report.objects(root, predicate)
    )
    for node in report.objects(root, SH.result):
        result = BNode()  # two results may be one blank node in the report of nobody
        found.add((root, SH.result, result))
        found.add((result, RDF.type, SH.ValidationResult))
        for predicate, value in report.predicate_objects(node):
            if predicate == SH.resultPath:
                found.add((result, predicate, paths.add(found, paths.read(report, value))))
            elif predicate in _OF_A_RESULT or (predicate == SH.resultMessage and value in messages):
                found.add((result, predicate, value))
    return found


def is_as_expected(report: Graph, manifest: Graph, expected: Node) -> bool:
    """Whether a report is isomorphic to the one at a node of a manifest, after the rules of the suite."""
    (root,) = report.subjects(RDF.type, SH.ValidationReport)
    messages = frozenset(manifest.objects(None, SH.resultMessage))
    return isomorphic(trimmed(report, root, messages), trimmed(manifest, expected, messages))
