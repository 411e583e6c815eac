"""Property paths of SHACL: read from a shapes graph, evaluated over a data graph, written as SPARQL and as RDF.

A path is an IRI, or a tuple of its kind and its parts: ("sequence", p, q), ("alternative", p, q), ("inverse", p),
("zeroOrMore", p), ("oneOrMore", p), ("zeroOrOne", p). Equal paths are equal values.
"""

from __future__ import annotations

from typing import Any, TypeAlias, cast

from rdflib.graph import Graph
from rdflib.namespace import RDF, SH
from rdflib.term import BNode, Node, URIRef

Path: TypeAlias = "URIRef | tuple[Any, ...]"

_UNARY = {
    SH.inversePath: "inverse",
    SH.zeroOrMorePath: "zeroOrMore",
    SH.oneOrMorePath: "oneOrMore",
    SH.zeroOrOnePath: "zeroOrOne",
}
_SUFFIX = {"zeroOrMore": "*", "oneOrMore": "+", "zeroOrOne": "?"}


def members(graph: Graph, node: Node) -> list[Node]:
    """Return the members of a SHACL list."""
    found = []
    while node != RDF.nil:
        (first,), (rest,) = graph.objects(node, RDF.first), graph.objects(node, RDF.rest)
        found.append(first)
        node = rest
    return found


def read(graph: Graph, node: Node) -> Path:
    """Return the path that a node of a shapes graph stands for. A node that is a list is a sequence, whatever else."""
    if isinstance(node, URIRef):
        return node
    if graph.value(node, RDF.first) is not None:
        return ("sequence", *(read(graph, each) for each in members(graph, node)))
    several = graph.value(node, SH.alternativePath)
    if several is not None:
        return ("alternative", *(read(graph, each) for each in members(graph, several)))
    ((kind, part),) = ((kind, part) for name, kind in _UNARY.items() for part in graph.objects(node, name))
    return kind, read(graph, part)


def ends(graph: Graph, path: Path, start: Node) -> set[Node]:
    """Return the nodes that a path leads to from a node. Zero steps lead to the node itself, in the graph or not."""
    if isinstance(path, URIRef):
        return set(graph.objects(start, path))
    kind, part, *more = path
    if kind == "inverse":
        return starts(graph, part, start)
    if kind == "sequence":
        found = ends(graph, part, start)
        for each in more:
            found = {end for node in found for end in ends(graph, each, node)}
        return found
    if kind == "alternative":
        return {end for each in (part, *more) for end in ends(graph, each, start)}
    if kind == "zeroOrOne":
        return {start} | ends(graph, part, start)
    reached = {start} if kind == "zeroOrMore" else ends(graph, part, start)
    return _closure(graph, part, reached)


def _closure(graph: Graph, path: Path, reached: set[Node]) -> set[Node]:
    new = reached
    while new:
        new = {end for node in new for end in ends(graph, path, node)} - reached
        reached = reached | new
    return reached


def starts(graph: Graph, path: Path, end: Node) -> set[Node]:
    """Return the nodes from which a path leads to a node."""
    if isinstance(path, URIRef):
        return set(graph.subjects(path, end))
    return ends(graph, inverse(path), end)


def inverse(path: Path) -> Path:
    """Return a path that leads back."""
    if isinstance(path, URIRef):
        return "inverse", path
    kind, *parts = path
    if kind == "inverse":
        return cast(Path, parts[0])
    return kind, *map(inverse, reversed(parts) if kind == "sequence" else parts)


def sparql(path: Path) -> str:
    """Return a path as SPARQL writes it."""
    if isinstance(path, URIRef):
        return path.n3()
    kind, *parts = path
    texts = [sparql(each) for each in parts]
    if kind == "inverse":
        return f"(^{texts[0]})"
    if kind in _SUFFIX:
        return f"({texts[0]}{_SUFFIX[kind]})"
    return f"({('/' if kind == 'sequence' else '|').join(texts)})"


def add(graph: Graph, path: Path) -> Node:
    """Add a path to a graph, with nodes of its own, and return its node."""
    if isinstance(path, URIRef):
        return path
    kind, *parts = path
    if kind == "sequence":
        return add_list(graph, [add(graph, each) for each in parts])
    node = BNode()
    if kind == "alternative":
        graph.add((node, SH.alternativePath, add_list(graph, [add(graph, each) for each in parts])))
    else:
        (predicate,) = (name for name, each in _UNARY.items() if each == kind)
        graph.add((node, predicate, add(graph, parts[0])))
    return node


def add_list(graph: Graph, items: list[Node]) -> Node:
    """Add an RDF list to a graph and return its node."""
    rest: Node = RDF.nil
    for item in reversed(items):
        node = BNode()
        graph.add((node, RDF.first, item))
        graph.add((node, RDF.rest, rest))
        rest = node
    return rest
