"""Random shapes graphs and data graphs: small, from a seed, well-formed and not recursive.

`Knobs` says what may be in them. A shapes graph is a list of statements in Turtle and all its shapes are IRIs, so that
a report names them. A nested shape is new or a finished one, so that no shape refers to itself.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import NamedTuple

PREFIXES = """
@prefix : <http://e/> . @prefix sh: <http://www.w3.org/ns/shacl#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
"""

NODES = (":a", ":b", ":c", ":d", "_:x", "_:y")
PREDICATES = (":p", ":q", ":r")
CLASSES = (":C", ":D", ":E")
STRINGS = ('"a"', '"ab"', '"ba"', '"A1"', '""', '"one"@en', '"two"@EN', '"drei"@de', '"vier"@de-at', '"acht"@de-AT')
NUMBERS = ("1", '"01"^^xsd:integer', "2", "2.0", "2.50", '"3"^^xsd:byte', "1.5e0", '"NaN"^^xsd:double')
OTHERS = (
    "true",
    '"1"^^xsd:boolean',
    '"300"^^xsd:byte',
    '"x"^^xsd:integer',
    '"a"^^:code',
    '"2024-05-01T12:00:00Z"^^xsd:dateTime',
    '"2024-05-01T14:00:00+02:00"^^xsd:dateTime',
    '"2024-05-01T13:00:00"^^xsd:dateTime',
    '"2024-05-03T00:00:00Z"^^xsd:dateTime',
)
LITERALS = STRINGS + NUMBERS + OTHERS
DATATYPES = ("integer", "string", "boolean", "byte", "decimal", "double", "dateTime")
PATTERNS = ("^a", "b$", "[0-9]", "^http", "a.", "^$")
SEVERITIES = ("sh:Info", "sh:Warning", "sh:Violation", ":Grave")
KINDS = ("BlankNode", "IRI", "Literal", "BlankNodeOrIRI", "BlankNodeOrLiteral", "IRIOrLiteral")
SELECTS = (
    "SELECT $this ?value WHERE { $this :p ?value . FILTER (isIRI(?value)) }",
    "SELECT $this WHERE { $this :q ?o . FILTER NOT EXISTS { $this :p ?o } }",
    "SELECT $this (:q AS ?path) ?value WHERE { { $this :q ?value } UNION { ?value :r $this } }",
    "SELECT DISTINCT $this ?value WHERE { $this :p ?o . OPTIONAL { ?o :q ?value } }",
)
SELECTS_OF_A_PATH = (
    "SELECT DISTINCT $this ?value WHERE { $this $PATH ?value . FILTER (isLiteral(?value)) }",
    "SELECT DISTINCT $this ?value WHERE { $this $PATH ?value . FILTER EXISTS { ?value ?p $this } }",
)
MORE_SELECTS = (
    "SELECT $this ?value WHERE { $this :p ?o OPTIONAL { ?o :q ?value FILTER (?value != $this) } FILTER "
    "(!isLiteral(?o)) }",
    "SELECT $this WHERE { $this ?p ?o OPTIONAL { ?o :q ?v OPTIONAL { ?v :r ?w } } FILTER (!bound(?w) && isIRI(?o)) }",
    "SELECT $this ?value WHERE { OPTIONAL { $this :p ?value } OPTIONAL { $this :q ?value } }",
    "SELECT $this (COUNT(?o) AS ?value) WHERE { OPTIONAL { $this :p ?o } } GROUP BY $this HAVING (COUNT(?o) != 1)",
    "SELECT $this (COUNT(DISTINCT ?c) AS ?value) WHERE { $this :p|:q ?o . ?o a ?c } GROUP BY $this",
    "SELECT $this (COUNT(*) + 1 AS ?value) WHERE { { $this :p ?o } UNION { $this :q ?o } UNION { ?o :r $this "
    "} } GROUP BY $this",
    "SELECT $this ?value WHERE { { SELECT $this ?value (COUNT(?x) AS ?n) { $this :p ?value . ?x :q ?y } GROUP "
    "BY $this ?value } FILTER (?n > 2) }",
    "SELECT DISTINCT $this ?value WHERE { $this (:p|^:q)+ ?value }",
    "SELECT DISTINCT $this ?value WHERE { ?value :q* ?x . ?x :p $this }",
    "SELECT $this WHERE { $this :p ?o FILTER NOT EXISTS { ?o :q ?v FILTER NOT EXISTS { ?v :r $this } } }",
    "SELECT $this ?value WHERE { $this :p ?value FILTER EXISTS { { ?value :q ?v } UNION { ?v :r ?value } } }",
    "SELECT $this WHERE { FILTER NOT EXISTS { $this :p/:q* ?v . ?v a :A } }",
    "SELECT $this ?value WHERE { GRAPH $shapesGraph { $currentShape <http://www.w3.org/ns/shacl#targetClass> "
    "?value } FILTER NOT EXISTS { $this a ?value } }",
)
MORE_SELECTS_OF_A_PATH = (
    "SELECT DISTINCT $this ?value WHERE { ?x :p $this ; $PATH ?value . }",
    "SELECT $this (COUNT(DISTINCT ?v) AS ?value) WHERE { $this $PATH ?v } GROUP BY $this HAVING "
    "(COUNT(DISTINCT ?v) > 1)",
    "SELECT DISTINCT $this ?value WHERE { $this $PATH ?o OPTIONAL { ?o :p ?value } }",
)


class Knobs(NamedTuple):
    """What random shapes and data may have. `leave_out` names components by their parameters, such as `sh:pattern`.

    `links` are triples from node to node. `sparql` is how likely a query is, beside 1 for a component. With
    `more_queries` there are also such as pySHACL cannot evaluate.
    """

    shapes: int = 3
    depth: int = 2
    triples: int = 20
    constraints: int = 3
    paths: bool = True
    sparql: int = 1
    more_queries: bool = False
    blank_nodes: bool = True
    empty_lists: bool = True
    links: bool = True
    literals: tuple[str, ...] = LITERALS
    leave_out: frozenset[str] = frozenset()


USUAL = Knobs()


class Pair(NamedTuple):
    """A data graph and a shapes graph, as statements in Turtle."""

    data: tuple[str, ...]
    shapes: tuple[str, ...]

    @property
    def data_text(self) -> str:
        return PREFIXES + "\n".join(self.data)

    @property
    def shapes_text(self) -> str:
        return PREFIXES + "\n".join(self.shapes)


def pair(seed: int, knobs: Knobs = USUAL) -> Pair:
    """Draw a pair."""
    drawn = Random(seed)
    return Pair(tuple(triples(drawn, knobs)), tuple(Shapes(drawn, knobs).statements()))


def triples(drawn: Random, knobs: Knobs = USUAL) -> list[str]:
    """Draw a data graph, without repetition, in a fixed order."""
    return list(dict.fromkeys(triple(drawn, knobs) for _ in range(drawn.randint(2, knobs.triples))))


def triple(drawn: Random, knobs: Knobs = USUAL) -> str:
    kind = drawn.random()
    nodes = _nodes(knobs)[: drawn.randint(1, len(NODES))]  # so the first ones have the most triples
    if kind < 0.1:
        return f"{drawn.choice(CLASSES)} rdfs:subClassOf {drawn.choice(CLASSES)} ."
    if kind < 0.3:
        return f"{drawn.choice(nodes)} a {drawn.choice(CLASSES)} ."
    objects = nodes if knobs.links and drawn.random() < 0.5 else knobs.literals
    return f"{drawn.choice(nodes)} {drawn.choice(PREDICATES)} {drawn.choice(objects)} ."


def _nodes(knobs: Knobs) -> tuple[str, ...]:
    return tuple(node for node in NODES if knobs.blank_nodes or node[0] == ":")


class Shapes:
    """Draws the statements of a shapes graph. Names of shapes begin with `prefix`."""

    def __init__(self, drawn: Random, knobs: Knobs = USUAL, prefix: str = "s") -> None:
        self._drawn, self._knobs, self._prefix = drawn, knobs, prefix
        self._statements = list[str]()
        self._finished = {"node": list[str](), "property": list[str]()}
        self._classes, self._number = list(CLASSES), 0

    def statements(self) -> list[str]:
        for _ in range(self._drawn.randint(1, self._knobs.shapes)):
            shape = self._shape(self._kind(), self._knobs.depth)
            for _ in range(self._drawn.randint(1, 2)):
                self._state(shape, self._target(shape))
        return list(dict.fromkeys(self._statements))

    def _state(self, shape: str, text: str) -> None:
        self._statements.append(f"{shape} {text} .")

    def _kind(self) -> str:
        return self._drawn.choice(("node", "property"))

    def _target(self, shape: str) -> str:
        drawn = self._drawn
        kind = drawn.randrange(6)
        if kind == 0:
            return f"sh:targetNode {drawn.choice((*NODES[:4], *self._knobs.literals, ':nowhere'))}"
        if kind == 1:
            return f"sh:targetSubjectsOf {drawn.choice(PREDICATES)}"
        if kind == 2:
            return f"sh:targetObjectsOf {drawn.choice(PREDICATES)}"
        if kind == 3:
            return "a rdfs:Class, sh:NodeShape" if shape in self._finished["node"] else "a rdfs:Class, sh:PropertyShape"
        return f"sh:targetClass {drawn.choice(CLASSES)}"

    def _shape(self, kind: str, depth: int) -> str:
        """Draw a shape with all shapes below it."""
        drawn = self._drawn
        self._number += 1
        is_class = self._classes and drawn.random() < 0.1  # has instances in the data
        shape = self._classes.pop() if is_class else f":{self._prefix}{self._number}"
        if kind == "property":
            self._state(shape, f"sh:path {self.path()}")
        elif drawn.random() < 0.5:
            self._state(shape, "a sh:NodeShape")
        names = [name for name in self._constraints(kind, depth) if name not in self._knobs.leave_out]
        for name in dict.fromkeys(drawn.sample(names, drawn.randint(1, self._knobs.constraints))):
            for text in self._constraint(shape, kind, name, depth):
                self._state(shape, text)
        if drawn.random() < 0.2:
            self._state(shape, f"sh:severity {drawn.choice(SEVERITIES)}")
        if drawn.random() < 0.1:
            self._state(shape, 'sh:message "wrong", "falsch"@de')
        if drawn.random() < 0.1:
            self._state(shape, f"sh:deactivated {drawn.choice(('true', 'false'))}")
        self._finished[kind].append(shape)
        return shape

    def _constraints(self, kind: str, depth: int) -> list[str]:
        names = list(_SIMPLE)
        if kind == "property":
            names += _SIMPLE_OF_A_PATH
        if depth:
            names += _NESTED
            names += ["sh:qualifiedValueShape"] * (kind == "property")
        return [*names, *["sh:sparql"] * self._knobs.sparql]

    def _constraint(self, shape: str, kind: str, name: str, depth: int) -> list[str]:
        """Draw the statements of a component, without their subject."""
        if name in _LISTS:
            several = (
                self._nested(self._kind(), depth) for _ in range(self._drawn.randint(1 - self._knobs.empty_lists, 3))
            )
            return [f"{name} ( {' '.join(several)} )"]
        if name in ("sh:not", "sh:node", "sh:property"):
            wanted = {"sh:node": "node", "sh:property": "property"}.get(name) or self._kind()
            return [f"{name} {self._nested(wanted, depth)}" for _ in range(self._drawn.choice((1, 1, 2)))]
        if name == "sh:qualifiedValueShape":
            return self._qualified(depth)
        if name == "sh:sparql":
            selects: tuple[str, ...] = SELECTS_OF_A_PATH if kind == "property" else SELECTS
            if self._knobs.more_queries:
                selects += MORE_SELECTS_OF_A_PATH if kind == "property" else MORE_SELECTS
            select = self._drawn.choice(selects)
            self._state(f"{shape}-select", f'sh:select """{select}""" ; sh:prefixes [ {_DECLARED} ]')
            return [f"sh:sparql {shape}-select"]
        return (_SIMPLE | _SIMPLE_OF_A_PATH)[name](self._drawn, self._knobs)

    def _nested(self, kind: str, depth: int) -> str:
        if self._finished[kind] and self._drawn.random() < 0.3:
            return self._drawn.choice(self._finished[kind])
        return self._shape(kind, depth - 1)

    def _qualified(self, depth: int) -> list[str]:
        drawn = self._drawn
        texts = [f"sh:qualifiedValueShape {self._nested(self._kind(), depth)}"]
        bounds = drawn.choice((("Min",), ("Max",), ("Min", "Max")))
        texts += [f"sh:qualified{each}Count {drawn.randint(0, 2)}" for each in bounds]
        if drawn.random() < 0.5:
            texts.append("sh:qualifiedValueShapesDisjoint true")
        return texts

    def path(self, depth: int = 2) -> str:
        drawn = self._drawn
        if not self._knobs.paths or depth == 0 or drawn.random() < 0.55:
            return drawn.choice(PREDICATES)
        kind = drawn.choice(("sequence", "alternativePath", "inversePath", "zeroOrMore", "oneOrMore", "zeroOrOne"))
        if kind in ("sequence", "alternativePath"):
            parts = " ".join(self.path(depth - 1) for _ in range(drawn.choice((2, 2, 3))))
            return f"( {parts} )" if kind == "sequence" else f"[ sh:alternativePath ( {parts} ) ]"
        name = kind if kind == "inversePath" else f"{kind}Path"
        return f"[ sh:{name} {self.path(depth - 1)} ]"


_DECLARED = 'sh:declare [ sh:prefix "" ; sh:namespace "http://e/"^^xsd:anyURI ]'


def _one(name: str, choices: tuple[str, ...]) -> Callable[[Random, Knobs], list[str]]:
    return lambda drawn, knobs: [f"{name} {drawn.choice(choices)}"]


def _term(name: str) -> Callable[[Random, Knobs], list[str]]:
    return lambda drawn, knobs: [f"{name} {drawn.choice((*NODES[:4], *knobs.literals))}"]


def _several(name: str, choices: tuple[str, ...]) -> Callable[[Random, Knobs], list[str]]:
    return lambda drawn, knobs: [f"{name} {' , '.join(drawn.sample(choices, drawn.choice((1, 1, 2))))}"]


def _pattern(drawn: Random, knobs: Knobs) -> list[str]:
    return [f'sh:pattern "{drawn.choice(PATTERNS)}"'] + ['sh:flags "i"'] * (drawn.random() < 0.4)


def _closed(drawn: Random, knobs: Knobs) -> list[str]:
    ignored = " ".join(drawn.sample(("rdf:type", *PREDICATES), drawn.randint(0, 2)))
    closed = drawn.choice(("true", "true", "true", "false"))
    return [f"sh:closed {closed}"] + [f"sh:ignoredProperties ( {ignored} )"] * (drawn.random() < 0.7)


def _in(drawn: Random, knobs: Knobs) -> list[str]:
    return [f"sh:in ( {' '.join(drawn.sample((*NODES[:4], *knobs.literals), drawn.randint(0, 6)))} )"]


def _language_in(drawn: Random, knobs: Knobs) -> list[str]:
    ranges = drawn.sample(('"en"', '"de"', '"DE-at"', '"*"'), drawn.randint(0, 2))
    return [f"sh:languageIn ( {' '.join(ranges)} )"]


_RANGE = (*NUMBERS, '"ab"', "true", '"2024-05-01T12:00:00Z"^^xsd:dateTime', '"2024-05-01T13:00:00"^^xsd:dateTime')


def _bound(name: str) -> Callable[[Random, Knobs], list[str]]:
    return lambda drawn, knobs: [f"{name} {drawn.choice([each for each in _RANGE if each in knobs.literals])}"]


_COUNTS = ("0", "1", "2", "3")

_SIMPLE: dict[str, Callable[[Random, Knobs], list[str]]] = {
    "sh:class": _several("sh:class", CLASSES),
    "sh:datatype": _one("sh:datatype", (*(f"xsd:{each}" for each in DATATYPES), "rdf:langString", ":code")),
    "sh:nodeKind": _one("sh:nodeKind", tuple(f"sh:{each}" for each in KINDS)),
    "sh:minExclusive": _bound("sh:minExclusive"),
    "sh:minInclusive": _bound("sh:minInclusive"),
    "sh:maxExclusive": _bound("sh:maxExclusive"),
    "sh:maxInclusive": _bound("sh:maxInclusive"),
    "sh:minLength": _one("sh:minLength", _COUNTS),
    "sh:maxLength": _one("sh:maxLength", (*_COUNTS, "10")),
    "sh:pattern": _pattern,
    "sh:languageIn": _language_in,
    "sh:equals": _several("sh:equals", PREDICATES),
    "sh:disjoint": _several("sh:disjoint", PREDICATES),
    "sh:closed": _closed,
    "sh:hasValue": _term("sh:hasValue"),
    "sh:in": _in,
}
_SIMPLE_OF_A_PATH: dict[str, Callable[[Random, Knobs], list[str]]] = {
    "sh:minCount": _one("sh:minCount", _COUNTS),
    "sh:maxCount": _one("sh:maxCount", _COUNTS),
    "sh:uniqueLang": _one("sh:uniqueLang", ("true", "true", "false", '"1"^^xsd:boolean')),
    "sh:lessThan": _several("sh:lessThan", PREDICATES),
    "sh:lessThanOrEquals": _several("sh:lessThanOrEquals", PREDICATES),
}
_LISTS = ("sh:and", "sh:or", "sh:xone")
_NESTED = (*_LISTS, "sh:not", "sh:node", "sh:property", "sh:property", "sh:property")
