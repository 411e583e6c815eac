"""SHACL-SPARQL: sh:sparql, and constraint components that are written in SPARQL (SHACL, part 2).

rdflib evaluates the queries. Pre-binding is the definition of the appendix: each basic graph pattern and GRAPH of the
algebra is joined with the table of the pre-bound variables.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from rdflib.graph import Dataset, Graph
from rdflib.namespace import OWL, RDF, RDFS, SH
from rdflib.plugins.sparql.algebra import translateQuery, traverse
from rdflib.plugins.sparql.evaluate import evalQuery
from rdflib.plugins.sparql.parser import parseQuery
from rdflib.plugins.sparql.parserutils import CompValue
from rdflib.plugins.sparql.sparql import Query
from rdflib.term import Literal, Node, URIRef, Variable

from tests.oracle.shacl import paths
from tests.oracle.shacl.components import Site, is_true
from tests.oracle.shacl.result import Failure, Result

_SHAPES_GRAPH = URIRef("urn:shapes-graph")
_ALWAYS = {"this", "shapesGraph", "currentShape"}
_FORBIDDEN = {"MinusGraphPattern": "MINUS", "ServiceGraphPattern": "SERVICE", "InlineData": "VALUES"}
_EXISTS = ("Builtin_EXISTS", "Builtin_NOTEXISTS")


class Validation(NamedTuple):
    """A query with all that its results need."""

    text: str
    component: Node
    constraint: Node | None
    messages: list[Node]
    parameters: Mapping[str, Node]


def check(shapes: Graph) -> None:
    """Raise Failure for a query of the shapes graph that may not be used with pre-binding."""
    for constraint in set(shapes.objects(None, SH.sparql)):
        for text in _texts(shapes, constraint, SH.select):
            _query(text.replace("$PATH", "<urn:p>"), _ALWAYS)
    for component in _components(shapes):
        names = {name for name, _ in _parameters(shapes, component)}
        for predicate in (SH.validator, SH.nodeValidator, SH.propertyValidator):
            for validator in shapes.objects(component, predicate):
                for text in _texts(shapes, validator, SH.select):
                    _query(text.replace("$PATH", "<urn:p>"), _ALWAYS | names)
                for text in _texts(shapes, validator, SH.ask):
                    _query(text, _ALWAYS | names | {"value"})


def results(site: Site) -> Iterator[Result]:
    """Yield the results of all constraints of a shape that are written in SPARQL."""
    shapes = site.validator.shapes
    for constraint in site.parameters(SH.sparql):
        if not site.validator.is_deactivated(constraint):
            (text,) = _texts(shapes, constraint, SH.select)
            messages = list(shapes.objects(constraint, SH.message))
            yield from _select(site, Validation(text, SH.SPARQLConstraintComponent, constraint, messages, {}))
    for component in _components(shapes):
        for parameters in _declared(site, component):
            yield from _component(site, component, parameters)


def _component(site: Site, component: Node, parameters: Mapping[str, Node]) -> Iterator[Result]:
    """Yield the results of a component, by the validator for the kind of the shape."""
    shapes = site.validator.shapes
    own = SH.nodeValidator if site.path is None else SH.propertyValidator
    validator = shapes.value(component, own) or shapes.value(component, SH.validator)
    if validator is None:
        return
    messages = list(shapes.objects(validator, SH.message)) or list(shapes.objects(component, SH.message))
    for text in _texts(shapes, validator, SH.select):
        yield from _select(site, Validation(text, component, None, messages, parameters))
    for text in _texts(shapes, validator, SH.ask):
        for node in site.nodes:
            bound = {**_bindings(site), **parameters, "value": node}
            if not _evaluate(site, text, bound)["askAnswer"]:
                solution = {"this": site.focus, "value": node}
                yield _result(site, Validation(text, component, None, messages, parameters), solution)


def _select(site: Site, validation: Validation) -> Iterator[Result]:
    text = validation.text
    if site.path is not None:
        text = re.sub(r"[$?]PATH\b", lambda _: paths.sparql(site.path), text)  # type: ignore[arg-type]
    bound = {**_bindings(site), **validation.parameters}
    for row in _evaluate(site, text, bound)["bindings"]:
        solution = {str(name): value for name, value in row.items()}
        if "this" not in solution:
            continue  # rdflib makes a group of nothing of no solutions
        failure = solution.get("failure")
        if failure is not None and is_true(failure):
            raise Failure("a solution binds ?failure to true")
        yield _result(site, validation, solution)


def _result(site: Site, validation: Validation, solution: Mapping[str, Node]) -> Result:
    """Return the result for a solution; the first bound value is used."""
    path = solution.get("path")
    value = solution.get("value", site.focus if site.path is None else None)
    messages = [solution["message"]] if "message" in solution else validation.messages
    texts = {**validation.parameters, **solution}
    return site.result("SPARQL", value, path if isinstance(path, URIRef) else None)._replace(
        focus=solution["this"],
        component=validation.component,
        constraint=validation.constraint,
        messages=frozenset(_fill(each, texts) for each in messages) or frozenset(site.parameters(SH.message)),
    )


def _fill(message: Node, texts: Mapping[str, Node]) -> Node:
    assert isinstance(message, Literal)
    text = re.sub(r"\{[?$](\w+)\}", lambda name: str(texts.get(name[1], name[0])), str(message))
    return Literal(text, lang=message.language)


def _bindings(site: Site) -> dict[str, Node]:
    return {"this": site.focus, "currentShape": site.shape, "shapesGraph": _SHAPES_GRAPH}


def targets(data: Graph, shapes: Graph, target: Node) -> set[Node]:
    """Return the nodes that a target of SPARQL selects (SHACL-AF, 3.1)."""
    (text,) = _texts(shapes, target, SH.select)
    return {row["this"] for row in data.query(text)}  # type: ignore[index,call-overload]


def constructed(site: Site, rule: Node) -> set[tuple[Node, Node, Node]]:
    """Return what a SPARQL rule makes for a focus node (SHACL-AF, 8.6): triples of RDF only."""
    (text,) = _texts(site.validator.shapes, rule, SH.construct)
    found = _evaluate(site, text, {"this": site.focus})["graph"]
    return {triple for triple in found if not isinstance(triple[0], Literal) and isinstance(triple[1], URIRef)}


def _evaluate(site: Site, text: str, bound: Mapping[str, Node]) -> Any:
    """Evaluate a query with pre-bound variables."""
    query = _insert(_query(text, set(bound)), bound)
    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):  # rdflib uses what it deprecates
        answer = evalQuery(_dataset(site), query, {})
        return {**answer, "bindings": list(answer.get("bindings", ()))}


def _dataset(site: Site) -> Dataset:
    """Return the data graph as the default graph, and the shapes graph beside it."""
    dataset = Dataset()
    for triple in site.validator.data:
        dataset.default_graph.add(triple)
    for triple in site.validator.shapes:
        dataset.graph(_SHAPES_GRAPH).add(triple)
    return dataset


# Components and their parameters


def _components(shapes: Graph) -> set[Node]:
    """Return the components that are declared in the shapes graph."""
    classes = ("sequence", RDF.type, ("zeroOrMore", RDFS.subClassOf))
    return {
        each for each in shapes.subjects(SH.parameter) if SH.ConstraintComponent in paths.ends(shapes, classes, each)
    }


def _parameters(shapes: Graph, component: Node) -> Iterator[tuple[str, Node]]:
    """Yield name and declaration of each parameter of a component."""
    for declaration in shapes.objects(component, SH.parameter):
        (predicate,) = shapes.objects(declaration, SH.path)
        name = re.search(r"[\w.-]*$", str(predicate))
        assert name
        yield name[0], declaration


def _declared(site: Site, component: Node) -> Iterator[dict[str, Node]]:
    """Yield the parameters of each constraint of this component at a shape."""
    shapes, found, several = site.validator.shapes, dict[str, Node](), None
    declarations = dict(_parameters(shapes, component))
    for name, declaration in declarations.items():
        values = site.parameters(next(shapes.objects(declaration, SH.path)))
        if values:
            found[name] = values[0]
            several = (name, values)
        elif not any(map(is_true, shapes.objects(declaration, SH.optional))):
            return
    if several and len(declarations) == 1:
        name, values = several
        yield from ({name: value} for value in values)
    elif several:
        yield found


# Queries


def _texts(shapes: Graph, node: Node, predicate: Node) -> list[str]:
    """Return the queries of a constraint or validator, with its prefixes."""
    reached = paths.ends(shapes, ("sequence", SH.prefixes, ("zeroOrMore", OWL.imports), SH.declare), node)
    prefixes = {(str(shapes.value(each, SH.prefix)), str(shapes.value(each, SH.namespace))) for each in reached}
    head = "".join(f"PREFIX {prefix}: <{namespace}>\n" for prefix, namespace in sorted(prefixes))
    return [head + str(text) for text in shapes.objects(node, predicate)]


def _query(text: str, prebound: set[str]) -> Query:
    """Parse a query. Raises Failure if it is not SPARQL, or breaks a restriction of pre-binding."""
    try:
        tree = parseQuery(text)
        traverse(tree, visitPre=lambda part: _restrict(part, prebound))
        query = translateQuery(tree)
    except Failure:
        raise
    except Exception as error:  # rdflib raises bare exceptions for clashing variables
        raise Failure(f"{error}: {text}") from error
    for returned in _subqueries(query.algebra):
        if not returned >= prebound - {"shapesGraph", "currentShape"}:
            raise Failure(f"a subquery does not return all pre-bound variables: {text}")
    return query


def _restrict(part: Any, prebound: set[str]) -> None:
    if isinstance(part, CompValue):
        if part.name in _FORBIDDEN or "valuesClause" in part:
            raise Failure(f"{_FORBIDDEN.get(part.name, 'VALUES')} is not allowed")
        variable = part.var if part.name == "Bind" else part.evar
        if variable is not None and str(variable) in prebound:
            raise Failure(f"AS ?{variable} is not allowed")


def _subqueries(algebra: CompValue) -> list[set[str]]:
    """Return the variables that each subquery returns."""
    found = list[set[str]]()

    def visit(part: Any) -> None:
        if isinstance(part, CompValue):
            if part.name == "Project":
                found.append(set(map(str, part.PV)))
            elif part.name in _EXISTS:
                traverse(part.graph, visitPre=visit)

    traverse(algebra, visitPre=visit)
    return found[1:]


def _insert(query: Query, bound: Mapping[str, Node]) -> Query:
    """Values insertion: join each basic graph pattern and each GRAPH with the table of the bindings."""
    row = {Variable(name): value for name, value in bound.items()}

    def join(part: Any) -> Any:
        if isinstance(part, CompValue) and part.name in ("BGP", "Graph"):
            table = CompValue("ToMultiSet", p=CompValue("values", res=[row]))
            return CompValue("Join", p1=table, p2=part, lazy=True)
        if isinstance(part, CompValue) and part.name in _EXISTS:
            part.graph = traverse(part.graph, visitPost=join)  # rdflib keeps its algebra as an attribute
        return None

    query.algebra = traverse(query.algebra, visitPost=join)
    return query
