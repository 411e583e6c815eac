"""SPARQL constraints (SHACL, 5) and constraint components of the shapes graph (SHACL, 6)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product

from kgreason.datatypes.literals import unescaped
from kgreason.errors import ShapesError
from kgreason.shapes.graph import ShapesGraph
from kgreason.shapes.query.compiler import Body, Compiler
from kgreason.shapes.query.forms import ask, select
from kgreason.shapes.query.groups import Exists, Triples
from kgreason.shapes.shape import TRUE
from kgreason.shapes.vocabulary import NONE, sh
from kgreason.shapes.writer import Writer
from kgreason.terms import vocabulary as v

_LOCAL = re.compile(r"[\w-]+(?=>$)")


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
    for component in writer.graph.instances(sh("ConstraintComponent")):
        for first, constants in arguments(writer.graph, component, writer.node):
            _validate(writer, component, first, constants)


def arguments(graph: ShapesGraph, holder: str, node: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the values that a node gives to the parameters of `holder`, a component or a type of targets.

    The first of each pair is the value of the first parameter that is not optional. An optional parameter without a
    value has the text "".
    """
    given = [(name, graph.objects(node, path), is_optional) for name, path, is_optional in _parameters(graph, holder)]
    if not given or not all(values for _, values, is_optional in given if not is_optional):
        return
    names = [name for name, _, _ in given]
    first = next((name for name, _, is_optional in given if not is_optional), names[0])
    for choice in product(*(values or [""] for _, values, _ in given)):
        constants = dict(zip(names, choice, strict=True))
        yield constants[first], constants


def _parameters(graph: ShapesGraph, component: str) -> Iterator[tuple[str, str, bool]]:
    """Yield the parameters of a component: the variable, the predicate, and whether it is optional."""
    for node in graph.objects(component, sh("parameter")):
        path = graph.one(node, "path")
        local = _LOCAL.search(path or "")
        if path is None or local is None:
            raise ShapesError(f"{component}: a parameter must have a sh:path that is an IRI")
        yield local[0], path, graph.one(node, "optional") == TRUE


def _validate(writer: Writer, component: str, parameter: str, constants: dict[str, str]) -> None:
    """Add the rules of the validator of a component."""
    graph, kind = writer.graph, "nodeValidator" if writer.path is None else "propertyValidator"
    validator = graph.one(component, kind) or graph.one(component, "validator")
    if validator is None:
        return
    if (text := graph.one(validator, "select")) is not None:
        _select(writer, component, parameter, text, validator, constants)
    elif (text := graph.one(validator, "ask")) is not None:
        is_node = writer.path is None
        compiler = _compiler(writer, validator, {**constants, **({"value": "?this"} if is_node else {})})
        group = ask(unescaped(text).lexical, validator)
        values = () if is_node else (Triples(["?this", "$PATH", "?value"]),)
        for body in compiler.bodies((*values, Exists(group, is_negated=True)), ["value"]):
            _result(writer, component, parameter, body)
    else:
        raise ShapesError(f"{validator}: a validator needs a sh:select or a sh:ask")


def _select(
    writer: Writer, name: str, parameter: str, text: str, node: str, constants: dict[str, str]
) -> None:
    """Add the rules of a SELECT query of the constraint or validator `node`."""
    form = select(unescaped(text).lexical, node)
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


def prefixes_of(graph: ShapesGraph, node: str) -> Iterator[tuple[str, str]]:
    """Yield the prefixes of a query: what sh:declare says, also of the ontologies that owl:imports names."""
    waiting = graph.objects(node, sh("prefixes"))[:]
    for ontology in waiting:
        waiting += [each for each in graph.objects(ontology, f"<{v.OWL}imports>") if each not in waiting]
        for declared in graph.objects(ontology, sh("declare")):
            prefix, space = graph.one(declared, "prefix"), graph.one(declared, "namespace")
            if prefix is None or space is None:
                raise ShapesError(f"{declared}: sh:declare needs a sh:prefix and a sh:namespace")
            yield unescaped(prefix).lexical, unescaped(space).lexical
