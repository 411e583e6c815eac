"""`use_shapes` and `focus_nodes` of pySHACL, as edits of the targets of a shapes graph.

    use_shapes                 the targets of all other shapes go
    use_shapes, focus_nodes    all targets go; each shape that is used gets the nodes as targets
    focus_nodes                each shape keeps those of its focus nodes

For the last one the engine says what the focus nodes are: a node shape with the same targets that allows no node has a
result for each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from rdflib.graph import Graph
from rdflib.namespace import RDF, RDFS, SH
from rdflib.term import Node, URIRef

from kgreason.bridges.rdflib.terms import Triple

Results = Callable[[Iterable[Triple]], Iterable[tuple[Node, Node]]]
"""Validates against a shapes graph: shape and focus node of each result."""

_TARGETS = (SH.targetNode, SH.targetClass, SH.targetSubjectsOf, SH.targetObjectsOf, SH.target)


def with_chosen_targets(shapes: Graph, names: Iterable[str], nodes: Iterable[str], results: Results) -> set[Triple]:
    """Return the triples of a shapes graph with the targets that are asked for. `results` validates the data graph."""
    used, focus = {_iri(shapes, name) for name in names}, {_iri(shapes, name) for name in nodes}
    everything = set(shapes)
    targets = {triple for triple in everything if _is_target(triple, everything)}
    if used and focus:
        return everything - targets | {(shape, SH.targetNode, node) for shape in used for node in focus}
    if used:
        return everything - {triple for triple in targets if triple[0] not in used}
    if focus:
        nothing = {(shape, SH["in"], RDF.nil) for shape, _, _ in targets}
        kinds = {(shape, RDF.type, SH.NodeShape) for shape, _, _ in targets}
        classes = {triple for triple in everything if triple[1] == RDFS.subClassOf}
        found = results(targets | nothing | kinds | classes)
        return everything - targets | {(shape, SH.targetNode, node) for shape, node in found if node in focus}
    return everything


def _is_target(triple: Triple, everything: set[Triple]) -> bool:
    """Whether a triple makes targets; a class that is a shape is its own target."""
    subject, predicate, class_ = triple
    if predicate != RDF.type:
        return predicate in _TARGETS
    kinds = {SH.NodeShape, SH.PropertyShape}
    return class_ not in kinds and any((subject, RDF.type, kind) in everything for kind in kinds)


def _iri(shapes: Graph, name: str) -> URIRef:
    """Return the IRI that a name stands for: an IRI, or prefix:local with a prefix of the shapes graph."""
    if isinstance(name, URIRef) or name.lower().startswith(("http:", "https:", "urn:", "file:")):
        return URIRef(name)
    try:
        return shapes.namespace_manager.expand_curie(name)
    except ValueError:
        return URIRef(name)
