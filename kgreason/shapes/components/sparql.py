"""SPARQL constraints (SHACL, 5) and constraint components of the shapes graph (SHACL, 6)."""

from __future__ import annotations

from kgreason.datatypes.literals import parts_of_literal
from kgreason.errors import ShapesError
from kgreason.interrupts import let_out
from kgreason.shapes.query.compiler import Body, Compiler
from kgreason.shapes.query.forms import read_ask, read_select
from kgreason.shapes.query.groups import Existence, Triples
from kgreason.shapes.query.sources import arguments, prefixes_of
from kgreason.shapes.vocabulary import NONE, TRUE, sh
from kgreason.shapes.writer import Writer


def sparql(writer: Writer, parameter: str) -> None:
    """Each solution of a SELECT query is a result; `parameter` is the node of the constraint."""
    graph = writer.graph
    if graph.one(parameter, "deactivated") == TRUE:
        return
    text = graph.one(parameter, "select")
    if text is None:
        raise ShapesError(f"{parameter}: a SPARQL constraint needs a sh:select")
    _select(writer, "sparql", parameter, text, parameter, {})


def custom(writer: Writer) -> None:
    """Write the rules of the constraint components of the shapes graph whose parameters the shape has."""
    graph, kind = writer.graph, "nodeValidator" if writer.path is None else "propertyValidator"
    for component in graph.instances(sh("ConstraintComponent")):
        let_out()
        validator = graph.one(component, kind) or graph.one(component, "validator")
        if validator is None:
            continue
        for first, constants in arguments(graph, component, writer.node):
            _validate(writer, component, validator, first, constants)


def _validate(writer: Writer, component: str, validator: str, parameter: str, constants: dict[str, str]) -> None:
    """Add the rules of the validator of a component."""
    graph = writer.graph
    if (text := graph.one(validator, "select")) is not None:
        _select(writer, component, parameter, text, validator, constants)
    elif (text := graph.one(validator, "ask")) is not None:
        is_node = writer.path is None
        compiler = _compiler(writer, validator, {**constants, **({"value": "?this"} if is_node else {})})
        group = read_ask(parts_of_literal(text).lexical, validator)
        values = () if is_node else (Triples(["?this", "$PATH", "?value"]),)
        for body in compiler.bodies((*values, Existence(group, is_negated=True)), ["value"]):
            _result(writer, component, parameter, body)
    else:
        raise ShapesError(f"{validator}: a validator needs a sh:select or a sh:ask")


def _select(writer: Writer, name: str, parameter: str, text: str, node: str, constants: dict[str, str]) -> None:
    """Add the rules of a SELECT query of the constraint or validator `node`."""
    form = read_select(parts_of_literal(text).lexical, node)
    if "this" not in form.names:
        raise ShapesError(f"{node}: sh:select must project $this")
    for body in _compiler(writer, node, constants).select(form):
        _result(writer, name, parameter, body)


def _result(writer: Writer, name: str, parameter: str, body: Body) -> None:
    value = "?q_value" if "value" in body.names else "?x" if writer.path is None else NONE
    path = "?q_path" if "path" in body.names else None
    writer.violation(name, parameter, [body.text] if body.text else [], value=value, path=path, detail=body.row)


def _compiler(writer: Writer, node: str, constants: dict[str, str]) -> Compiler:
    bound = {**constants, "currentShape": writer.node}
    prefixes = dict(prefixes_of(writer.graph, node))
    return Compiler(node, writer.focus, bound, prefixes, writer.paths, writer.add, writer.shape.path)
