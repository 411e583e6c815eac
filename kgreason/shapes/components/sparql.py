"""SPARQL constraints (SHACL, 5) and constraint components of the shapes graph (SHACL, 6), as far as rules say them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product

from kgreason.datatypes.literals import unescaped
from kgreason.errors import ShapesError
from kgreason.shapes.components.select import FOCUS, PATH, VALUE, SelectQuery, ask, bodies, select
from kgreason.shapes.graph import ShapesGraph
from kgreason.shapes.shape import TRUE
from kgreason.shapes.vocabulary import NONE, sh
from kgreason.shapes.writer import Writer
from kgreason.terms import vocabulary as v

_LOCAL = re.compile(r"[\w-]+(?=>$)")
_PATH = re.compile(rf"\[(\?\w+|<[^<>]*>), {PATH}, (\?\w+|<[^<>]*>|_:\w+|\"[^\"]*\"\S*)\]")
_FOCUS = re.compile(rf"\[\?x, {FOCUS}, {FOCUS}\](?:, )?")
_VALUE = re.compile(rf"\[\?x, {VALUE}, \?q_value\]")
_UNBOUND = f'{v.XSD_INTEGER}("")'
"""An expression that errs, as an optional parameter does that a shape does not give."""


def sparql(writer: Writer, parameter: str) -> None:
    """Each solution of a SELECT query is a result; `parameter` is the node of the constraint."""
    graph = writer.graph
    if graph.one(parameter, "deactivated") == TRUE:
        return
    text = graph.one(parameter, "select")
    if text is None:
        raise ShapesError(f"{parameter}: a SPARQL constraint needs a sh:select")
    query = select(unescaped(text).lexical, parameter)
    _select(writer, "sparql", parameter, query, parameter, {})


def custom(writer: Writer) -> None:
    """Write the rules of the constraint components of the shapes graph whose parameters the shape has."""
    graph = writer.graph
    for component in graph.instances(sh("ConstraintComponent")):
        names = list(_parameters(graph, component))
        given = [(name, path, graph.objects(writer.node, path), is_optional) for name, path, is_optional in names]
        if not given or not all(values for _, _, values, is_optional in given if not is_optional):
            continue
        for choice in product(*(values or [""] for _, _, values, _ in given)):
            constants = {name: term or _UNBOUND for (name, _, _, _), term in zip(given, choice, strict=True)}
            first = next(term for (_, _, _, is_optional), term in zip(given, choice, strict=True) if not is_optional)
            _validate(writer, component, first, constants)


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
        _select(writer, component, parameter, select(unescaped(text).lexical, validator), validator, constants)
    elif (text := graph.one(validator, "ask")) is not None:
        group = ask(unescaped(text).lexical, validator)
        where = f"?this {VALUE} ?value . FILTER NOT EXISTS {{ {group} }}"
        query = SelectQuery(where, frozenset(["this", "value"]))
        _select(writer, component, parameter, query, validator, constants)
    else:
        raise ShapesError(f"{validator}: a validator needs a sh:select or a sh:ask")


def _select(
    writer: Writer, name: str, parameter: str, query: SelectQuery, node: str, constants: dict[str, str]
) -> None:
    """Add a rule for each alternative of a query of the constraint or validator `node`."""
    bound = {**constants, "PATH": PATH, "currentShape": writer.node}
    bound = {variable: term for variable, term in bound.items() if re.search(rf"[?$]{variable}\b", query.where)}
    if "_:" in "".join(bound.values()):
        raise ShapesError(f"{node}: a query cannot name a blank node of the shapes graph; give the shape an IRI")
    for body in bodies(query, dict(_prefixes(writer.graph, node)), bound, node):
        text = _FOCUS.sub("", body.text)
        value = body.value
        if writer.path is None:
            text = _VALUE.sub("", text).removeprefix(", ").replace("?q_value", "?x") if VALUE in text else text
            value = "?x" if value in (NONE, "?q_value") and (VALUE in body.text or value == NONE) else value
        text = _VALUE.sub(lambda _: writer.leads_to("?q_value"), text)
        text = _PATH.sub(lambda found: _along(writer, found[1], found[2], node), text)
        atoms = [text.strip(", ")] if text.strip(", ") else []
        writer.violation(name, parameter, atoms, value=value, path=body.path, detail=body.row)


def _along(writer: Writer, start: str, end: str, node: str) -> str:
    if writer.shape.path is None:
        raise ShapesError(f"{node}: $PATH is for property shapes")
    if start != "?x":
        raise ShapesError(f"{node}: $PATH is supported after $this alone")
    return writer.leads_to(end)


def _prefixes(graph: ShapesGraph, node: str) -> Iterator[tuple[str, str]]:
    """Yield the prefixes of a query: what sh:declare says, also of the ontologies that owl:imports names."""
    waiting = graph.objects(node, sh("prefixes"))[:]
    for ontology in waiting:
        waiting += [each for each in graph.objects(ontology, f"<{v.OWL}imports>") if each not in waiting]
        for declared in graph.objects(ontology, sh("declare")):
            prefix, space = graph.one(declared, "prefix"), graph.one(declared, "namespace")
            if prefix is None or space is None:
                raise ShapesError(f"{declared}: sh:declare needs a sh:prefix and a sh:namespace")
            yield unescaped(prefix).lexical, unescaped(space).lexical
