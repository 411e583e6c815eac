"""SHACL-AF by definition: rules (section 8) and node expressions (section 6), for the naive validator.

A misreading is a subclass of `Inference`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rdflib.graph import Graph
from rdflib.namespace import SH, Namespace
from rdflib.term import BNode, Literal, Node, URIRef

from tests.oracle.shacl import paths, sparql
from tests.oracle.shacl.components import Site, is_true
from tests.oracle.shacl.validator import Validator

Triple = tuple[Node, Node, Node]
_TERMS = Namespace(str(SH))
"""SHACL-AF has terms that rdflib does not know."""


class Inference:
    """Makes the triples of the rules of a shapes graph, order by order."""

    def __init__(self, data: Graph, shapes: Graph) -> None:
        self.data, self.shapes = Graph(), shapes
        for triple in data:
            self.data.add(triple)

    def run(self) -> Graph:
        """Return the data with all that the rules make."""
        for order in self.orders():
            made = {triple for rule in order for triple in self.made(*rule)}
            for triple in made:
                self.data.add(triple)
        return self.data

    def orders(self) -> list[list[tuple[Node, Node]]]:
        """The rules, each with its shape, by sh:order; a rule without it has the order 0."""
        every = [(shape, rule) for shape, rule in self.shapes.subject_objects(SH.rule) if not self.is_off(shape, rule)]
        orders = sorted({self.order(rule) for _, rule in every})
        return [[each for each in every if self.order(each[1]) == order] for order in orders]

    def is_off(self, shape: Node, rule: Node) -> bool:
        return any(is_true(value) for node in (shape, rule) for value in self.shapes.objects(node, SH.deactivated))

    def order(self, rule: Node) -> float:
        return float(str(self.shapes.value(rule, SH.order, default=Literal(0))))

    def made(self, shape: Node, rule: Node) -> Iterator[Triple]:
        """What a rule makes, for all nodes for which it runs."""
        validator = Validator(self.data, self.shapes)
        for focus in validator.focus_nodes(shape):
            if self.meets(validator, focus, rule):
                yield from self.triples(validator, focus, shape, rule)

    def meets(self, validator: Validator, focus: Node, rule: Node) -> bool:
        return all(validator.conforms(focus, each) for each in self.shapes.objects(rule, SH.condition))

    def triples(self, validator: Validator, focus: Node, shape: Node, rule: Node) -> Iterable[Triple]:
        if self.shapes.value(rule, SH.construct) is not None:
            return sparql.constructed(Site(validator, focus, shape, None, {focus}), rule)
        parts = [
            values(validator, self.shapes.value(rule, each), focus) for each in (SH.subject, SH.predicate, SH.object)
        ]
        return [
            (s, p, o)
            for s in parts[0]
            for p in parts[1]
            for o in parts[2]
            if not isinstance(s, Literal) and isinstance(p, URIRef)
        ]


def values(validator: Validator, node: Node | None, focus: Node) -> set[Node]:
    """The values of a node expression for a focus node."""
    shapes = validator.shapes
    if node == SH.this:
        return {focus}
    if not isinstance(node, BNode):
        assert node is not None
        return {node}

    def of(name: Node) -> set[Node]:
        return values(validator, shapes.value(node, name, default=SH.this), focus)

    def has(name: Node) -> bool:
        return shapes.value(node, name) is not None

    def several(name: Node) -> list[set[Node]]:
        head = shapes.value(node, name)
        assert head is not None
        return [values(validator, each, focus) for each in paths.members(shapes, head)]

    nodes = of(_TERMS.nodes)
    if (path := shapes.value(node, SH.path)) is not None:
        return {end for start in nodes for end in paths.ends(validator.data, paths.read(shapes, path), start)}
    if (shape := shapes.value(node, _TERMS.filterShape)) is not None:
        return {each for each in nodes if validator.conforms(each, shape)}
    if has(_TERMS.intersection):
        return set.intersection(*several(_TERMS.intersection))
    if has(_TERMS.union):
        return set[Node]().union(*several(_TERMS.union))
    if has(_TERMS.minus):
        return nodes - of(_TERMS.minus)
    if has(_TERMS.exists):
        return {Literal(bool(of(_TERMS.exists)))}
    if has(_TERMS["count"]):
        return {Literal(len(of(_TERMS["count"])))}
    if has(_TERMS["if"]):
        name = _TERMS.then if Literal(True) in of(_TERMS["if"]) else _TERMS["else"]
        return of(name) if has(name) else set()
    raise AssertionError(f"{node}: no expression")


class SeesItsOrder(Inference):
    """Misreading: rules of one order see each other."""

    def run(self) -> Graph:
        for order in self.orders():
            while True:
                before = len(self.data)
                for rule in order:
                    for triple in list(self.made(*rule)):
                        self.data.add(triple)
                if len(self.data) == before:
                    break
        return self.data


class WithoutOrder(Inference):
    """Misreading: sh:order is ignored."""

    def order(self, rule: Node) -> float:
        return 0


class WithoutCondition(Inference):
    """Misreading: sh:condition is ignored."""

    def meets(self, validator: Validator, focus: Node, rule: Node) -> bool:
        return True


class AnyCondition(Inference):
    """Misreading: one of several conditions is enough."""

    def meets(self, validator: Validator, focus: Node, rule: Node) -> bool:
        several = list(self.shapes.objects(rule, SH.condition))
        return not several or any(validator.conforms(focus, each) for each in several)


class NeverOff(Inference):
    """Misreading: sh:deactivated is ignored."""

    def is_off(self, shape: Node, rule: Node) -> bool:
        return False
