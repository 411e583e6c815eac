"""Which nodes a shape validates: its targets (SHACL, 2.1.3; SHACL-AF, 3), and what other shapes have it validate."""

from __future__ import annotations

from kgreason.errors import ShapesError
from kgreason.shapes.query.compiler import Compiler
from kgreason.shapes.query.forms import read_select
from kgreason.shapes.query.sources import arguments, prefixes_of, query_of
from kgreason.shapes.vocabulary import sh
from kgreason.shapes.writer import Writer, target, target_relation


def write_focus(writer: Writer, writers: dict[str, Writer]) -> None:
    """Add the rules for the focus nodes of a shape. `writers` has the writer of each shape, by its node."""
    shape, node = writer.shape, writer.node
    if shape.same_nodes:
        return
    targets = target(shape)
    write_targets(writer, target_relation(shape))
    if (shape.uses or shape.is_condition) and shape.targets:
        writer.add("sh-focus", f"shacl_focus({node}, ?x) :- {targets} .")
    parents = [parent for kind, parent in shape.uses if kind == "property" and parent.is_reported]
    if parents and shape.targets:
        writer.add("sh-property", f"shacl_reported({node}, ?x, {node}) :- {targets} .")
    for parent in parents:
        _report(writers[parent.node], node)
    if parents:
        writer.add("sh-focus", f"shacl_focus({node}, ?x) :- shacl_reported({node}, ?x, ?via) .")
    for kind, parent in shape.uses:
        if kind != "property" or parent.is_asked:
            above = writers[parent.node]
            name = "qualifiedValueShape" if kind == "sibling" else kind
            head = f"shacl_focus({node}, {above.value})"
            writer.add(f"sh-{name}", f"{head} :- {', '.join([above.focus, *above.values])} .")


def write_targets(writer: Writer, relation: str) -> None:
    """Add the rules that derive `relation(shape, target)` for the targets of a shape."""
    for kind, term in writer.shape.targets:
        _TARGETS[kind](writer, f"{relation}({writer.node}, ", term)


def _report(parent: Writer, node: str) -> None:
    """Add the rule for nodes that sh:property of another shape reaches, whose violations are results."""
    atom, via = parent.report_condition()
    head, body = f"shacl_reported({node}, {parent.value}, ", ", ".join([atom, *parent.values])
    if parent.path is None:
        parent.add("sh-property", f"{head}{via}) :- {body} .")
    else:
        route = f'SKOLEM("shacl", {via}, {parent.node}, ?x)'
        parent.add("sh-property", f"{head}?route) :- {body}, BIND({route} AS ?route) .")


def _class(writer: Writer, head: str, class_: str) -> None:
    writer.add("sh-targetClass", f"{head}?x) :- [?x, a, ?c], {writer.instances(class_)} .")


def _node(writer: Writer, head: str, node: str) -> None:
    writer.add("sh-targetNode", f"{head}{node}) .")


def _subjects(writer: Writer, head: str, predicate: str) -> None:
    writer.add("sh-targetSubjectsOf", f"{head}?x) :- [?x, {predicate}, ?o] .")


def _objects(writer: Writer, head: str, predicate: str) -> None:
    writer.add("sh-targetObjectsOf", f"{head}?x) :- [?s, {predicate}, ?x] .")


def _select(writer: Writer, head: str, node: str) -> None:
    """The targets are the solutions of a query: of `node` itself, or of its type, whose parameters it gives."""
    graph = writer.graph
    if graph.objects(node, sh("select")):
        holders = [(node, dict[str, str]())]
    else:
        types = [each for each in graph.instances(sh("SPARQLTargetType")) if node in graph.instances(each)]
        holders = [(each, constants) for each in types for _, constants in arguments(graph, each, node)]
    if not holders:
        raise ShapesError(f"{writer.node}: sh:target needs a sh:select, or a sh:SPARQLTargetType with its parameters")
    for holder, constants in holders:
        text = query_of(graph, holder, "select")
        if text is None:
            raise ShapesError(f"{holder}: a target of SPARQL needs a sh:select")
        form = read_select(text, holder)
        if "this" not in form.names:
            raise ShapesError(f"{holder}: sh:select must project ?this")
        compiler = Compiler(holder, "", constants, dict(prefixes_of(graph, holder)), writer.paths, writer.add)
        for body in compiler.select(form._replace(is_distinct=True)):
            writer.add("sh-target", f"{head}?x) :- {body.text} .")


_TARGETS = {
    "targetClass": _class,
    "targetNode": _node,
    "targetSubjectsOf": _subjects,
    "targetObjectsOf": _objects,
    "target": _select,
}
