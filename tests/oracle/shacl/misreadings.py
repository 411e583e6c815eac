"""The specification misread: the naive validator with one sentence read wrongly, and a small pair that gives it away.

Each is a slip that is easily made. A graph must agree with the naive validator on each pair (`tests/shapes`), and the
misreading must not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from rdflib.namespace import RDF, SH
from rdflib.term import BNode, Literal, Node

from tests.oracle.shacl import components, paths, values
from tests.oracle.shacl.components import COMPONENTS, Component, Site
from tests.oracle.shacl.drawn import Pair
from tests.oracle.shacl.result import Result
from tests.oracle.shacl.validator import Validator


class Misreading(NamedTuple):
    """A validator that misreads a sentence, and a pair of which it makes another report."""

    validator: type[Validator]
    pair: Pair


MISREADINGS: list[Misreading] = []
"""All of them, in the order in which they are defined here."""
_HAND = """:hand sh:targetNode :a ; sh:property :one , :two .
    :one sh:path :p ; sh:qualifiedValueShape :c ; sh:qualifiedMinCount 1 ; sh:qualifiedValueShapesDisjoint true .
    :two sh:path :p ; sh:qualifiedValueShape :d ; sh:qualifiedMinCount 1 . :c sh:class :C . :d sh:class :D ."""


def _misreading(
    data: str, shapes: str, parameter: Node | None = None, changed: Component | None = None
) -> Callable[[Any], Any]:
    """Keep a misreading with the pair of graphs that gives it away.

    The misreading is a validator, or a component for a parameter, or a function of the results of a component.
    """

    def keep(wrong: Any) -> Any:
        validator = wrong
        if parameter is not None:
            component = wrong if changed is None else lambda site, value: iter(wrong(site, list(changed(site, value))))
            validator = type(wrong.__name__, (Validator,), {"components": {**COMPONENTS, parameter: component}})
        MISREADINGS.append(Misreading(validator, Pair((data,), (shapes,))))
        return wrong

    return keep


# Targets and value nodes


@_misreading(":C rdfs:subClassOf :D . :a a :C .", ":s sh:targetClass :D ; sh:nodeKind sh:Literal .")
class DirectTypes(Validator):
    """A class has the nodes as instances that say so themselves: rdfs:subClassOf is not followed."""

    def is_instance(self, node: Node, of: Node) -> bool:
        return (node, RDF.type, of) in self.data


@_misreading(":a :p 1 .", ":s sh:targetNode :a ; sh:node :t . :t sh:targetNode :b ; sh:nodeKind sh:Literal .")
class NestedTargets(Validator):
    """A shape that another one refers to looks at its own targets alone."""

    def conforms(self, node: Node, shape: Node) -> bool:
        return node not in self.focus_nodes(shape) or super().conforms(node, shape)


@_misreading(":a :p 1 .", ":s sh:targetNode :b ; sh:path :p ; sh:minCount 1 .")
class SubjectsAlone(Validator):
    """A focus node that is in no triple of the data graph is none."""

    def focus_nodes(self, shape: Node) -> set[Node]:
        return super().focus_nodes(shape) & set(self.data.all_nodes())


@_misreading(":a :p 1 .", ":s sh:targetObjectsOf :p ; sh:path [ sh:zeroOrMorePath :p ] ; sh:minCount 1 ; sh:class :C .")
class LiteralsEndNoPath(Validator):
    """Zero steps lead from nodes to themselves, but not from literals."""

    def site(self, focus: Node, shape: Node) -> Site:
        site = super().site(focus, shape)
        is_start = site.path is not None and isinstance(focus, Literal)
        return site._replace(nodes=site.nodes - {focus}) if is_start else site


@_misreading(
    ":a :p 1 ; :q 1 .", ":s sh:targetNode :a ; sh:path [ sh:alternativePath ( :p :q ) ] ; sh:maxCount 1 .", SH.maxCount
)
def _values_by_route(site: Site, parameter: Node) -> Iterator[Result]:
    """Value nodes are counted as often as parts of an alternative lead to them."""
    path = site.path
    routes = path[1:] if isinstance(path, tuple) and path[0] == "alternative" else [path]
    count = sum(len(paths.ends(site.validator.data, each, site.focus)) for each in routes if each is not None)
    if count > int(str(parameter)):
        yield site.result("MaxCount")


# Results and conformance


@_misreading(":a :p 1 .", ":s sh:targetNode :a ; sh:node :t . :t sh:nodeKind sh:Literal ; sh:severity sh:Info .")
class MildResultsConform(Validator):
    """A node with results of severity sh:Info or sh:Warning conforms."""

    def conforms(self, node: Node, shape: Node) -> bool:
        return all(each.severity in (SH.Info, SH.Warning) for each in self.results(node, shape))


@_misreading(
    ":a :p 1 .", ":s sh:targetNode :a ; sh:severity sh:Info ; sh:property :t . :t sh:path :p ; sh:maxCount 0 ."
)
class ParentsSeverity(Validator):
    """A property shape without a severity has the one of its parent."""

    def results(self, focus: Node, shape: Node) -> list[Result]:
        severity = self.shapes.value(shape, SH.severity)
        found = super().results(focus, shape)
        return [each._replace(severity=severity or each.severity) for each in found]


@_misreading(":a :p 1 .", ":s sh:targetNode :a ; sh:node :t . :t sh:nodeKind sh:Literal ; sh:deactivated true .")
class DeactivatedTargets(Validator):
    """A deactivated shape is switched off where it has targets; where another one refers to it, it still counts."""

    def conforms(self, node: Node, shape: Node) -> bool:
        deactivated = list(self.shapes.objects(shape, SH.deactivated))
        for each in deactivated:
            self.shapes.remove((shape, SH.deactivated, each))
        try:
            return super().conforms(node, shape)
        finally:
            for each in deactivated:
                self.shapes.add((shape, SH.deactivated, each))


@_misreading(
    ":a :p :b ; :q :b .",
    """:s sh:targetNode :a ; sh:property :t . :t sh:path [ sh:alternativePath ( :p :q ) ] ;
                sh:property :u , :v . :u sh:path :r ; sh:minCount 1 . :v sh:path :r ; sh:property :u .
                :w sh:targetNode :a ; sh:property :x . :x sh:path :p ; sh:class :C , :D .""",
    SH.property,
    components.property_,
)
@_misreading(
    ":a :p 3 ; :q 1 , 2 .", ":s sh:targetNode :a ; sh:path :p ; sh:lessThan :q .", SH.lessThan, components.less_than
)
def _once(site: Site, results: list[Result]) -> list[Result]:
    """Equal results are one."""
    return list(dict.fromkeys(results))


# Components


@_misreading(":a :p 'x' .", ":s sh:targetNode :a ; sh:path :p ; sh:minExclusive 1 .", SH.minExclusive)
def _error_conforms(site: Site, parameter: Node) -> Iterator[Result]:
    """A comparison that is an error is no violation."""
    return site.results("MinExclusive", [v for v in site.nodes if values.is_less(parameter, v) is False])


@_misreading(":a :p '01'^^xsd:integer .", ":s sh:targetNode :a ; sh:path :p ; sh:hasValue 1 .", SH.hasValue)
def _has_equal_value(site: Site, parameter: Node) -> Iterator[Result]:
    """sh:hasValue looks for a literal with the same value."""
    assert isinstance(parameter, Literal)
    literals = [each for each in site.nodes if isinstance(each, Literal)]
    if values.value(parameter) not in map(values.value, literals):
        yield site.result("HasValue")


@_misreading(":a :p '1'^^xsd:byte .", ":s sh:targetNode :a ; sh:path :p ; sh:datatype xsd:integer .", SH.datatype)
def _derived_datatypes(site: Site, parameter: Node) -> Iterator[Result]:
    """An xsd:byte is an xsd:integer."""
    bounded = {literal for literal in site.nodes if isinstance(literal, Literal) and _is_integer(literal)}
    return (each for each in components.datatype(site, parameter) if each.value not in bounded)


def _is_integer(literal: Literal) -> bool:
    return (values.value(literal) or [""])[0] == "number" and "." not in str(literal)


@_misreading(":a :p 'x'^^xsd:integer .", ":s sh:targetNode :a ; sh:path :p ; sh:datatype xsd:integer .", SH.datatype)
def _ill_typed(site: Site, parameter: Node) -> Iterator[Result]:
    """An ill-typed literal has its datatype all the same."""
    return site.results("Datatype", [v for v in site.nodes if getattr(v, "datatype", None) != parameter])


@_misreading(":a :p [] .", ":s sh:targetNode :a ; sh:path :p ; sh:minLength 0 .", SH.minLength)
def _length_of_blank_nodes(site: Site, parameter: Node) -> Iterator[Result]:
    """A blank node has no length that could be too small."""
    return (each for each in components.min_length(site, parameter) if not isinstance(each.value, BNode))


@_misreading(":a :p 'x'@en-GB .", ":s sh:targetNode :a ; sh:path :p ; sh:languageIn ( 'en' ) .", SH.languageIn)
def _tags_as_written(site: Site, parameter: Node) -> Iterator[Result]:
    """`en` matches `en` alone, not en-GB."""
    ranges = [str(each).lower() for each in site.members(parameter)]
    return site.results(
        "LanguageIn", [v for v in site.nodes if (getattr(v, "language", "") or "").lower() not in ranges]
    )


@_misreading(
    ":a :p 'x'@en , 'y'@en .", ":s sh:targetNode :a ; sh:path :p ; sh:uniqueLang '1'^^xsd:boolean .", SH.uniqueLang
)
def _one_is_true(site: Site, parameter: Node) -> Iterator[Result]:
    """ "1"^^xsd:boolean switches sh:uniqueLang on."""
    return components.unique_lang(site, Literal(True) if str(parameter) == "1" else parameter)


@_misreading(
    ":a :p 'x'@en , 'y'@en , 'z'@de .", ":s sh:targetNode :a ; sh:path :p ; sh:uniqueLang true .", SH.uniqueLang
)
def _result_for_each_value(site: Site, parameter: Node) -> Iterator[Result]:
    """sh:uniqueLang has a result for each value whose language another one has, not for each language."""
    tags = [each.language for each in site.nodes if isinstance(each, Literal) and each.language]
    return (site.result("UniqueLang") for tag in tags if tags.count(tag) > 1)


@_misreading(":a :p 1 ; :q 1 , 2 .", ":s sh:targetNode :a ; sh:path :p ; sh:equals :q .", SH.equals)
def _equals_one_way(site: Site, parameter: Node) -> Iterator[Result]:
    """sh:equals has the values that are missing at the other property alone."""
    return site.results("Equals", site.nodes - site.values(parameter))


@_misreading(":a a :C ; :p 1 .", ":s sh:targetNode :a ; sh:closed true ; sh:property [ sh:path :p ] .", SH.closed)
def _closed_allows_types(site: Site, parameter: Node) -> Iterator[Result]:
    """A closed shape allows rdf:type."""
    return (each for each in components.closed(site, parameter) if each.path != RDF.type)


@_misreading(":a :p 1 .", ":s sh:targetNode :a ; sh:or () .", SH["or"])
def _empty_or_conforms(site: Site, parameter: Node) -> Iterator[Result]:
    """sh:or of nothing is satisfied."""
    return components.or_(site, parameter) if site.members(parameter) else iter(())


@_misreading(
    ":a :p 1 .",
    """:s sh:targetNode :a ; sh:xone ( :i :j :k ) .
                :i sh:nodeKind sh:IRI . :j sh:minLength 1 . :k sh:maxLength 99 .""",
    SH.xone,
)
def _odd(site: Site, parameter: Node) -> Iterator[Result]:
    """sh:xone is exclusive or, pair by pair: an odd number of shapes conforms."""
    conforms, members = site.validator.conforms, site.members(parameter)
    wrong = [v for v in site.nodes if not sum(conforms(v, each) for each in members) % 2]
    return site.results("Xone", wrong)


@_misreading(":a :p :x . :x a :C , :D .", _HAND, SH.qualifiedValueShape)
def _siblings_count(site: Site, parameter: Node) -> Iterator[Result]:
    """sh:qualifiedValueShapesDisjoint is not looked at."""
    number = sum(site.validator.conforms(v, parameter) for v in site.nodes)
    for least in site.parameters(SH.qualifiedMinCount):
        if number < int(str(least)):
            yield site.result("QualifiedMinCount")


@_misreading(":a :p :x , :y . :x a :C . :y a :D .", _HAND, SH.qualifiedValueShape)
def _own_shape_is_sibling(site: Site, parameter: Node) -> Iterator[Result]:
    """A shape is a sibling of its own, so nothing ever counts."""
    for least in site.parameters(SH.qualifiedMinCount):
        if int(str(least)) > 0:
            yield site.result("QualifiedMinCount")
