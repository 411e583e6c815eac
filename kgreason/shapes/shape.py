"""`Shape`: a shape with its path and targets, and how shapes refer to each other. `shapes_of` reads them.

A shape counts if it has a target, or if a shape that counts refers to it. Others have no effect, whatever they say.

    is_reported   what a node violates is a result: for targets, and for what sh:property reaches from them
    is_asked      other shapes ask whether a node conforms: sh:node, sh:not, sh:and, sh:or, sh:xone, qualified shapes,
                  and what sh:property reaches from them

Laws: a shape whose sh:deactivated is true counts, and says nothing. No shape asks through sh:not, sh:xone or a
qualified shape whether it conforms itself: such shapes have no meaning in one order, and are refused.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field

from kgreason.errors import ShapesError
from kgreason.interrupts import let_out
from kgreason.rules.model import Triple
from kgreason.shapes.graph import ShapesGraph
from kgreason.shapes.paths import Path, path_of
from kgreason.shapes.vocabulary import TRUE, sh
from kgreason.terms import vocabulary as v

_TARGETS = ("targetClass", "targetNode", "targetSubjectsOf", "targetObjectsOf", "target")
TARGETS = frozenset(map(sh, _TARGETS))
"""The predicates that name targets."""
_LISTS = ("and", "or", "xone")
_OF_SAME_NODES = ("property", "node", "not", *_LISTS)
"""The parameters of a node shape whose shapes validate the focus nodes themselves."""
_NEGATIVE = ("not", "xone", "qualifiedValueShape", "filterShape")
_ONLY_OF_PROPERTIES = ("minCount", "maxCount", "uniqueLang", "lessThan", "lessThanOrEquals")
_IRIS = (
    *("datatype", "equals", "disjoint", "lessThan", "lessThanOrEquals"),
    *("severity", "targetClass", "targetSubjectsOf", "targetObjectsOf"),
)
_UNSUPPORTED = ("js", "values")
_MOST_SIBLINGS = 1000


@dataclass(slots=True, eq=False)
class Shape:
    """A shape. `path` is None for a node shape. `targets` are pairs of the kind of a target and its term.

    `uses` has for each use by another shape the parameter, such as "property", and the other shape.
    """

    node: str
    path: Path | None
    targets: list[tuple[str, str]]
    severity: str
    is_deactivated: bool
    uses: list[tuple[str, Shape]] = field(default_factory=list)
    is_reported: bool = False
    is_asked: bool = False
    is_condition: bool = False
    """Whether something else than a shape asks: the condition of a rule, or an expression."""

    @property
    def same_nodes(self) -> Shape | None:
        """The outermost node shape that validates the same nodes: each shape from there on is used once, by the last.

        None if there is none, for example if a property shape leads to the nodes.
        """
        found, shape = None, self
        while len(shape.uses) == 1 and not shape.targets and not shape.is_condition:
            ((kind, shape),) = shape.uses
            if kind not in _OF_SAME_NODES or shape.path is not None:
                break
            found = shape
        return found


def shapes_of(graph: ShapesGraph, conditions: Iterable[str] = (), *, reporting: bool = True) -> dict[str, Shape]:
    """Return the shapes that count, by their nodes. Raises ShapesError.

    `conditions` are shapes that rules or expressions ask. If not `reporting`, targets make no shape count.
    """
    shapes: dict[str, Shape] = {}
    asked = set(conditions)
    own = own_targets(graph) if reporting else set[str]()
    for node in sorted((_roots(graph) | own if reporting else set[str]()) | asked):
        _read(graph, node, shapes, own)
    for shape in shapes.values():
        shape.is_condition = shape.node in asked
        if not reporting:
            shape.targets.clear()
        for kind, other in references(graph, shape) if not shape.is_deactivated else ():
            shapes[other].uses.append((kind, shape))
    for shape in shapes.values():
        if shape.targets:
            _mark(shape, "is_reported", graph, shapes, ())
        if shape.is_condition or any(kind != "property" for kind, _ in shape.uses):
            _mark(shape, "is_asked", graph, shapes, ())
    _check_circles(graph, shapes)
    return shapes


def references(graph: ShapesGraph, shape: Shape) -> Iterator[tuple[str, str]]:
    """Yield the shapes to which a shape refers, each with the parameter."""
    let_out()
    for kind in ("property", "node", "not", "qualifiedValueShape"):
        yield from ((kind, other) for other in graph.objects(shape.node, sh(kind)))
    for kind in _LISTS:
        for head in graph.objects(shape.node, sh(kind)):
            yield from ((kind, other) for other in dict.fromkeys(graph.members(head)))
    for node in graph.objects(shape.node, sh("expression")):
        yield from (("filterShape", other) for other in _filters(graph, node))
    yield from (("sibling", other) for other in siblings(graph, shape.node))


def _filters(graph: ShapesGraph, node: str) -> list[str]:
    """Return the shapes that an expression asks."""
    found, waiting, seen = dict[str, None](), [node], {node}
    for each in waiting:
        let_out()
        found |= dict.fromkeys(graph.objects(each, sh("filterShape")))
        for _, _, term in graph.about(each):
            if term.startswith("_:") and term not in seen and term not in found:
                seen.add(term)
                waiting.append(term)
    return list(found)


def siblings(graph: ShapesGraph, node: str) -> list[str]:
    """Return the sibling shapes of a property shape whose sh:qualifiedValueShapesDisjoint is true (SHACL, 4.7.3)."""
    if graph.one(node, "qualifiedValueShapesDisjoint") != TRUE:
        return []
    own = graph.objects(node, sh("qualifiedValueShape"))
    parents = graph.subjects(sh("property"), node)
    beside = (other for parent in parents for other in graph.objects(parent, sh("property")))
    shapes = (shape for other in beside for shape in graph.objects(other, sh("qualifiedValueShape")))
    found = [shape for shape in dict.fromkeys(shapes) if shape not in own]
    if len(found) > _MOST_SIBLINGS:
        raise ShapesError(f"{node}: the shape has more than {_MOST_SIBLINGS:,} sibling shapes")
    return found


def twins(graph: ShapesGraph) -> tuple[dict[str, str], list[Triple]]:
    """Return shapes with the targets of others, each with its original, and their triples.

    Nothing conforms to them, so their results are the targets.
    """
    own = own_targets(graph)
    names = {f"<urn:kgreason:twin:{place}>": node for place, node in enumerate(sorted(_roots(graph) | own))}
    found = [(name, sh(kind), term) for name, node in names.items() for kind, term in targets_of(graph, node, own)]
    return names, [*found, *((name, sh("in"), v.RDF_NIL) for name in names)]


def _roots(graph: ShapesGraph) -> set[str]:
    """Return the shapes that name targets."""
    return {subject for subject, predicate, _ in graph.triples if predicate in TARGETS}


def own_targets(graph: ShapesGraph) -> set[str]:
    """Return the shapes that are classes, so that their instances are targets (SHACL, 2.1.3.3)."""
    classes = {node for class_ in (v.RDFS_CLASS, v.OWL_CLASS) for node in graph.instances(class_)}
    shapes = {node for kind in ("NodeShape", "PropertyShape") for node in graph.instances(sh(kind))}
    return {node for node in classes & shapes if node.startswith("<")}


def targets_of(graph: ShapesGraph, node: str, own: Container[str]) -> list[tuple[str, str]]:
    """Return the targets of a shape, each with its kind. The shapes `own` are classes."""
    targets = [(kind, term) for kind in _TARGETS for term in graph.objects(node, sh(kind))]
    return list(dict.fromkeys([*targets, *([("targetClass", node)] if node in own else [])]))


def _read(graph: ShapesGraph, node: str, shapes: dict[str, Shape], own: set[str]) -> None:
    """Read a shape, and the shapes to which it refers. The shapes `own` are classes."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        if node in shapes:
            continue
        if node.startswith('"'):
            raise ShapesError(f"{node}: a literal is not a shape")
        path = graph.one(node, "path")
        targets = targets_of(graph, node, own)
        is_off = graph.one(node, "deactivated") == TRUE
        severity = graph.one(node, "severity") or sh("Violation")
        read = None if path is None else path_of(graph, path, node)
        shape = Shape(node, read, targets, severity, is_off)
        shapes[node] = shape
        if not is_off:
            _check(graph, shape)
            waiting += [other for _, other in references(graph, shape)]


def _check(graph: ShapesGraph, shape: Shape) -> None:
    """Raise ShapesError for parameters that the shape cannot have, or that kgreason does not support."""
    for name in _ONLY_OF_PROPERTIES if shape.path is None else ():
        if graph.objects(shape.node, sh(name)):
            raise ShapesError(f"{shape.node}: a node shape cannot have sh:{name}")
    for name in _UNSUPPORTED:
        if graph.objects(shape.node, sh(name)):
            raise ShapesError(f"{shape.node}: sh:{name} is not supported")
    for name in _IRIS:
        for value in graph.objects(shape.node, sh(name)):
            if not value.startswith("<"):
                raise ShapesError(f"{shape.node}: sh:{name} needs an IRI; got {value}")
    for other in graph.objects(shape.node, sh("property")):
        if not graph.objects(other, sh("path")):
            raise ShapesError(f"{other}: a value of sh:property must have a sh:path")


def _mark(shape: Shape, flag: str, graph: ShapesGraph, shapes: dict[str, Shape], above: tuple[Shape, ...]) -> None:
    """Set a flag of a shape, and of the shapes that sh:property reaches from it."""
    if shape in above:
        raise ShapesError(f"{shape.node}: sh:property leads back to the shape, so its results would never end")
    if getattr(shape, flag):
        return  # by another way: what is below has its flag, and no circle
    setattr(shape, flag, True)
    for other in graph.objects(shape.node, sh("property")) if not shape.is_deactivated else ():
        _mark(shapes[other], flag, graph, shapes, (*above, shape))


def _check_circles(graph: ShapesGraph, shapes: dict[str, Shape]) -> None:
    below = {node: [] if shape.is_deactivated else list(references(graph, shape)) for node, shape in shapes.items()}
    circles = _circles({node: [other for _, other in others] for node, others in below.items()})
    for node, others in below.items():
        for kind, other in others:
            if kind in _NEGATIVE and circles[node] == circles[other]:
                raise ShapesError(f"{node}: sh:{kind} leads back to the shape, so whether it conforms has no answer")


def _circles(below: dict[str, list[str]]) -> dict[str, str]:
    """Return for each node one of those that it reaches and that reach it: the same one for all of these."""
    above: dict[str, list[str]] = {node: [] for node in below}
    for node, others in below.items():
        for other in others:
            above[other].append(node)
    ended, seen = list[str](), set[str]()
    for node in below:
        ended += _walk(node, below, seen)
    found, placed = dict[str, str](), set[str]()
    for node in reversed(ended):
        found |= dict.fromkeys(_walk(node, above, placed), node)
    return found


def _walk(start: str, graph: dict[str, list[str]], seen: set[str]) -> list[str]:
    """Return the nodes that `start` reaches, each after those that are new from it, and add them to `seen`."""
    if start in seen:
        return []
    seen.add(start)
    ended, waiting = list[str](), [(start, iter(graph[start]))]
    while waiting:
        let_out()
        node, others = waiting[-1]
        fresh = next((other for other in others if other not in seen), None)
        if fresh is None:
            ended.append(node)
            waiting.pop()
        else:
            seen.add(fresh)
            waiting.append((fresh, iter(graph[fresh])))
    return ended
