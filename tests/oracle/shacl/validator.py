"""Validation by definition: SHACL, section 3.4. Each method is one of its sentences.

Cost: whatever it takes. Nothing is kept from one focus node to the next.
"""

from __future__ import annotations

from collections.abc import Iterator

from rdflib.graph import Graph
from rdflib.namespace import RDF, RDFS, SH
from rdflib.term import Node

from tests.oracle.shacl import paths, sparql
from tests.oracle.shacl.components import COMPONENTS, Component, Site, is_true
from tests.oracle.shacl.result import Failure, Result


class Validator:
    """Validates a data graph against a shapes graph. A misreading is a subclass, or has a component of its own."""

    components: dict[Node, Component] = COMPONENTS

    def __init__(self, data: Graph, shapes: Graph) -> None:
        self.data, self.shapes = data, shapes
        self._open = set[tuple[Node, Node]]()
        sparql.check(shapes)

    def report(self) -> list[Result]:
        """The union of the results of all focus nodes of all shapes."""
        return [
            result
            for shape in self.targeted_shapes()
            for focus in self.focus_nodes(shape)
            for result in self.results(focus, shape)
        ]

    def targeted_shapes(self) -> set[Node]:
        """Return the shapes that may have targets; the others produce no results of their own."""
        declared = {
            shape
            for predicate in (SH.targetClass, SH.targetNode, SH.targetSubjectsOf, SH.targetObjectsOf, SH.target)
            for shape in self.shapes.subjects(predicate)
        }
        return declared | {shape for shape in self.shapes.subjects(RDF.type) if self.is_class(shape)}

    def is_class(self, shape: Node) -> bool:
        """Whether a shape is a target of its own: it is declared as a shape and as a class."""
        types = self.types(self.shapes, shape)
        return RDFS.Class in types and bool({SH.NodeShape, SH.PropertyShape} & types)

    def focus_nodes(self, shape: Node) -> set[Node]:
        """The target of a shape."""
        classes = {*self.shapes.objects(shape, SH.targetClass), *([shape] if self.is_class(shape) else [])}
        found = set(self.shapes.objects(shape, SH.targetNode))
        for each in classes:
            found |= self.instances(each)
        for predicate in self.shapes.objects(shape, SH.targetSubjectsOf):
            found |= set(self.data.subjects(predicate))
        for predicate in self.shapes.objects(shape, SH.targetObjectsOf):
            found |= set(self.data.objects(None, predicate))
        for target in self.shapes.objects(shape, SH.target):
            found |= sparql.targets(self.data, self.shapes, target)
        return found

    def instances(self, of: Node) -> set[Node]:
        """The SHACL instances of a class in the data graph."""
        return {node for node in self.data.subjects(RDF.type) if self.is_instance(node, of)}

    def is_instance(self, node: Node, of: Node) -> bool:
        return of in self.types(self.data, node)

    def types(self, graph: Graph, node: Node) -> set[Node]:
        """The SHACL types of a node: its values for rdf:type and their superclasses."""
        return paths.ends(graph, ("sequence", RDF.type, ("zeroOrMore", RDFS.subClassOf)), node)

    def results(self, focus: Node, shape: Node) -> list[Result]:
        """The results of a focus node against all constraints of a shape."""
        if self.is_deactivated(shape):
            return []
        if (focus, shape) in self._open:
            raise Failure(f"{shape} is recursive at {focus}")
        self._open.add((focus, shape))
        try:
            site = self.site(focus, shape)
            return [*self._core(site), *sparql.results(site)]
        finally:
            self._open.discard((focus, shape))

    def _core(self, site: Site) -> Iterator[Result]:
        for parameter, component in self.components.items():
            for each in self.shapes.objects(site.shape, parameter):
                yield from component(site, each)

    def is_deactivated(self, node: Node) -> bool:
        return any(map(is_true, self.shapes.objects(node, SH.deactivated)))

    def site(self, focus: Node, shape: Node) -> Site:
        """Return where the constraints of a shape are validated, with its value nodes."""
        path = self.shapes.value(shape, SH.path)
        if path is None:
            return Site(self, focus, shape, None, {focus})
        read = paths.read(self.shapes, path)
        return Site(self, focus, shape, read, paths.ends(self.data, read, focus))

    def conforms(self, node: Node, shape: Node) -> bool:
        """Conformance checking: no results, whatever their severity."""
        return not self.results(node, shape)
