"""The constraint components of SHACL Core, each as its textual definition says (SHACL, section 4).

A component takes a site and the value of its mandatory parameter, and yields results.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from rdflib.namespace import SH
from rdflib.term import BNode, Literal, Node, URIRef

from tests.oracle.shacl import values
from tests.oracle.shacl.paths import Path, members
from tests.oracle.shacl.result import Result

if TYPE_CHECKING:
    from tests.oracle.shacl.validator import Validator


class Site(NamedTuple):
    """A focus node at a shape, and the value nodes of the shape there."""

    validator: Validator
    focus: Node
    shape: Node
    path: Path | None
    nodes: set[Node]

    def result(self, component: str, value: Node | None = None, path: Path | None = None) -> Result:
        """Return a result of the shape at this focus node."""
        component_iri: Node = SH[f"{component}ConstraintComponent"]
        severity, messages = self.parameter(SH.severity, SH.Violation), frozenset(self.parameters(SH.message))
        return Result(self.focus, path or self.path, value, self.shape, component_iri, severity, messages)

    def results(self, component: str, nodes: Iterable[Node]) -> Iterator[Result]:
        """Yield a result for each node, with it as the value."""
        return (self.result(component, node) for node in nodes)

    def parameters(self, name: Node) -> list[Node]:
        return list(self.validator.shapes.objects(self.shape, name))

    def parameter(self, name: Node, default: Any = None) -> Any:
        return next(iter(self.parameters(name)), default)

    def values(self, predicate: Node) -> set[Node]:
        """The values of a property at the focus node, in the data graph."""
        return set(self.validator.data.objects(self.focus, predicate))

    def members(self, node: Node) -> list[Node]:
        return members(self.validator.shapes, node)


Component: TypeAlias = Callable[["Site", Node], Iterator[Result]]


# Value type


def class_(site: Site, parameter: Node) -> Iterator[Result]:
    of_class = site.validator.is_instance
    return site.results("Class", [n for n in site.nodes if isinstance(n, Literal) or not of_class(n, parameter)])


def datatype(site: Site, parameter: Node) -> Iterator[Result]:
    def matches(node: Node) -> bool:
        return isinstance(node, Literal) and values.datatype(node) == parameter and not values.is_ill_typed(node)

    return site.results("Datatype", [node for node in site.nodes if not matches(node)])


_KINDS = {
    URIRef: {SH.IRI, SH.BlankNodeOrIRI, SH.IRIOrLiteral},
    BNode: {SH.BlankNode, SH.BlankNodeOrIRI, SH.BlankNodeOrLiteral},
    Literal: {SH.Literal, SH.BlankNodeOrLiteral, SH.IRIOrLiteral},
}


def node_kind(site: Site, parameter: Node) -> Iterator[Result]:
    return site.results("NodeKind", [node for node in site.nodes if parameter not in _KINDS[type(node)]])


# Cardinality


def min_count(site: Site, parameter: Node) -> Iterator[Result]:
    if len(site.nodes) < int(str(parameter)):
        yield site.result("MinCount")


def max_count(site: Site, parameter: Node) -> Iterator[Result]:
    if len(site.nodes) > int(str(parameter)):
        yield site.result("MaxCount")


# Value range: a comparison that is an error does not return true


def min_exclusive(site: Site, parameter: Node) -> Iterator[Result]:
    return site.results("MinExclusive", [v for v in site.nodes if not values.is_less(parameter, v)])


def min_inclusive(site: Site, parameter: Node) -> Iterator[Result]:
    return site.results("MinInclusive", [v for v in site.nodes if not values.is_less_or_equal(parameter, v)])


def max_exclusive(site: Site, parameter: Node) -> Iterator[Result]:
    return site.results("MaxExclusive", [v for v in site.nodes if not values.is_less(v, parameter)])


def max_inclusive(site: Site, parameter: Node) -> Iterator[Result]:
    return site.results("MaxInclusive", [v for v in site.nodes if not values.is_less_or_equal(v, parameter)])


# Strings


def min_length(site: Site, parameter: Node) -> Iterator[Result]:
    least = int(str(parameter))
    return site.results("MinLength", [v for v in site.nodes if isinstance(v, BNode) or len(str(v)) < least])


def max_length(site: Site, parameter: Node) -> Iterator[Result]:
    most = int(str(parameter))
    return site.results("MaxLength", [v for v in site.nodes if isinstance(v, BNode) or len(str(v)) > most])


_FLAGS = {"i": re.IGNORECASE, "s": re.DOTALL, "m": re.MULTILINE, "x": re.VERBOSE}


def pattern(site: Site, parameter: Node) -> Iterator[Result]:
    flags = str(site.parameter(SH.flags, ""))
    text = re.escape(str(parameter)) if "q" in flags else str(parameter)
    expression = re.compile(text, sum(_FLAGS[flag] for flag in flags if flag != "q"))
    wrong = [v for v in site.nodes if isinstance(v, BNode) or not expression.search(str(v))]
    return site.results("Pattern", wrong)


def matches_range(tag: str | None, language_range: str) -> bool:
    """SPARQL's langMatches: basic filtering of RFC 4647."""
    if not tag:
        return False
    tag, language_range = tag.lower(), language_range.lower()
    return language_range == "*" or tag == language_range or tag.startswith(f"{language_range}-")


def language_in(site: Site, parameter: Node) -> Iterator[Result]:
    ranges = list(map(str, site.members(parameter)))

    def matches(node: Node) -> bool:
        return isinstance(node, Literal) and any(matches_range(node.language, each) for each in ranges)

    return site.results("LanguageIn", [node for node in site.nodes if not matches(node)])


def unique_lang(site: Site, parameter: Node) -> Iterator[Result]:
    if is_true(parameter):
        tags = Counter(node.language.lower() for node in site.nodes if isinstance(node, Literal) and node.language)
        for count in tags.values():
            if count > 1:
                yield site.result("UniqueLang")


# Pairs of properties


def equals(site: Site, parameter: Node) -> Iterator[Result]:
    return site.results("Equals", site.nodes ^ site.values(parameter))


def disjoint(site: Site, parameter: Node) -> Iterator[Result]:
    return site.results("Disjoint", site.nodes & site.values(parameter))


def less_than(site: Site, parameter: Node) -> Iterator[Result]:
    others = site.values(parameter)
    return site.results("LessThan", [a for a in site.nodes for b in others if not values.is_less(a, b)])


def less_than_or_equals(site: Site, parameter: Node) -> Iterator[Result]:
    others = site.values(parameter)
    wrong = [a for a in site.nodes for b in others if not values.is_less_or_equal(a, b)]
    return site.results("LessThanOrEquals", wrong)


# Logic


def not_(site: Site, parameter: Node) -> Iterator[Result]:
    return site.results("Not", [v for v in site.nodes if site.validator.conforms(v, parameter)])


def and_(site: Site, parameter: Node) -> Iterator[Result]:
    return site.results("And", [v for v in site.nodes if _count(site, v, parameter) < len(site.members(parameter))])


def or_(site: Site, parameter: Node) -> Iterator[Result]:
    return site.results("Or", [v for v in site.nodes if _count(site, v, parameter) == 0])


def xone(site: Site, parameter: Node) -> Iterator[Result]:
    return site.results("Xone", [v for v in site.nodes if _count(site, v, parameter) != 1])


def _count(site: Site, node: Node, shapes: Node) -> int:
    """To how many shapes of a list a node conforms. A shape that stands in it twice counts twice."""
    return sum(site.validator.conforms(node, each) for each in site.members(shapes))


# Shapes


def node(site: Site, parameter: Node) -> Iterator[Result]:
    return site.results("Node", [v for v in site.nodes if not site.validator.conforms(v, parameter)])


def property_(site: Site, parameter: Node) -> Iterator[Result]:
    for each in site.nodes:
        yield from site.validator.results(each, parameter)


def qualified(site: Site, parameter: Node) -> Iterator[Result]:
    validator = site.validator
    siblings = _siblings(site, parameter)
    number = sum(
        validator.conforms(v, parameter) and not any(validator.conforms(v, each) for each in siblings)
        for v in site.nodes
    )
    for least in site.parameters(SH.qualifiedMinCount):
        if number < int(str(least)):
            yield site.result("QualifiedMinCount")
    for most in site.parameters(SH.qualifiedMaxCount):
        if number > int(str(most)):
            yield site.result("QualifiedMaxCount")


def _siblings(site: Site, parameter: Node) -> set[Node]:
    if not any(map(is_true, site.parameters(SH.qualifiedValueShapesDisjoint))):
        return set()
    shapes = site.validator.shapes
    return {
        sibling
        for parent in shapes.subjects(SH.property, site.shape)
        for each in shapes.objects(parent, SH.property)
        for sibling in shapes.objects(each, SH.qualifiedValueShape)
    } - {parameter}


# Others


def closed(site: Site, parameter: Node) -> Iterator[Result]:
    if not is_true(parameter):
        return
    validator = site.validator
    allowed = {
        path
        for each in site.parameters(SH.property)
        for path in validator.shapes.objects(each, SH.path)
        if isinstance(path, URIRef)
    }
    for each in site.parameters(SH.ignoredProperties):
        allowed |= {member for member in site.members(each) if isinstance(member, URIRef)}
    for node in site.nodes:
        for predicate, value in validator.data.predicate_objects(node):
            if predicate not in allowed:
                assert isinstance(predicate, URIRef)
                yield site.result("Closed", value, predicate)


def has_value(site: Site, parameter: Node) -> Iterator[Result]:
    if parameter not in site.nodes:
        yield site.result("HasValue")


def in_(site: Site, parameter: Node) -> Iterator[Result]:
    allowed = site.members(parameter)
    return site.results("In", [v for v in site.nodes if v not in allowed])


def is_true(node: Node) -> bool:
    """Whether a parameter is the term `true`. "1"^^xsd:boolean has its value and is another term."""
    return isinstance(node, Literal) and str(node) == "true" and values.datatype(node).endswith("#boolean")


COMPONENTS: dict[Node, Component] = {
    SH["class"]: class_,
    SH.datatype: datatype,
    SH.nodeKind: node_kind,
    SH.minCount: min_count,
    SH.maxCount: max_count,
    SH.minExclusive: min_exclusive,
    SH.minInclusive: min_inclusive,
    SH.maxExclusive: max_exclusive,
    SH.maxInclusive: max_inclusive,
    SH.minLength: min_length,
    SH.maxLength: max_length,
    SH.pattern: pattern,
    SH.languageIn: language_in,
    SH.uniqueLang: unique_lang,
    SH.equals: equals,
    SH.disjoint: disjoint,
    SH.lessThan: less_than,
    SH.lessThanOrEquals: less_than_or_equals,
    SH["not"]: not_,
    SH["and"]: and_,
    SH["or"]: or_,
    SH.xone: xone,
    SH.node: node,
    SH.property: property_,
    SH.qualifiedValueShape: qualified,
    SH.closed: closed,
    SH.hasValue: has_value,
    SH["in"]: in_,
}
