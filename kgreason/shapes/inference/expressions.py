"""`Expressions`: node expressions (SHACL-AF, 6) as rules.

    sh:this, an IRI, a literal       a term
    [ sh:path ex:p ; sh:nodes E ]    shacl_value(expression, ?x, ?v), for the nodes ?x of an atom

Each expression is a relation between a node and its values. Values are a set, so sh:distinct changes nothing. What no
rule says is refused by name: an order, a part of a sequence, functions.
"""

from __future__ import annotations

from collections.abc import Callable

from kgreason.errors import ShapesError
from kgreason.shapes.graph import ShapesGraph
from kgreason.shapes.paths import Paths, path_of
from kgreason.shapes.vocabulary import TRUE, sh
from kgreason.terms import vocabulary as v
from kgreason.terms.quoting import quote

_AGGREGATES = {"count": "COUNT(DISTINCT ?v)", "min": "MIN(?v)", "max": "MAX(?v)", "sum": "SUM(?v)"}
_FALSE = f'"false"^^{v.XSD_BOOLEAN}'
_REFUSED = ("limit", "offset", "orderBy", "groupConcat")


class Expressions:
    """Writes the expressions of one rule or constraint.

    `name` tells its expressions from those of others; `nodes` is the atom that holds for the nodes `?x` for which they
    are evaluated. `ask` is called with each shape that an expression asks, and the atoms that bind `?v` to the nodes; it
    returns the relation of the nodes that do not conform.
    """

    def __init__(
        self,
        name: str,
        nodes: str,
        graph: ShapesGraph,
        paths: Paths,
        add: Callable[[str, str], None],
        ask: Callable[[str, str], str],
    ) -> None:
        self._name, self._nodes, self._graph, self._paths, self._add = name, nodes, graph, paths, add
        self._ask, self._known = ask, set[str]()

    def term(self, node: str, variable: str) -> tuple[str, list[str]]:
        """Return the term that is a value of an expression, and the atoms that hold for it."""
        if node == sh("this"):
            return "?x", []
        return (variable, [self.value(node, variable)]) if node.startswith("_:") else (node, [])

    def value(self, node: str, end: str) -> str:
        """Return the atom that holds if `end` is a value of an expression. Raises ShapesError."""
        key = quote(f"{self._name} {node}")
        if node not in self._known:
            self._known.add(node)
            self._define(node, key)
        return f"shacl_value({key}, ?x, {end})"

    def _define(self, node: str, key: str) -> None:
        graph = self._graph
        term, _ = self.term(node, "?v") if not node.startswith("_:") else ("", [])
        if term:
            return self._rule(key, term)
        for name in _REFUSED:
            if graph.objects(node, sh(name)):
                raise ShapesError(f"{node}: sh:{name} is not supported in an expression, because no rule says it")
        if (path := graph.one(node, "path")) is not None:
            start, atoms = self.term(self._nodes_of(node), "?n")
            body = ", ".join([self._nodes, *atoms])
            return self._rule(key, "?v", *atoms, self._paths.follow(path_of(graph, path).normal(), body, start, "?v"))
        if (shape := graph.one(node, "filterShape")) is not None:
            inner = self.value(self._nodes_of(node), "?v")
            fails = self._ask(shape, f"{self._nodes}, {inner}")
            return self._rule(key, "?v", inner, f"NOT {fails}({shape}, ?v)")
        if (head := graph.one(node, "intersection")) is not None:
            return self._rule(key, "?v", *[self.value(each, "?v") for each in graph.members(head)])
        if (head := graph.one(node, "union")) is not None:
            for each in graph.members(head):
                self._rule(key, "?v", self.value(each, "?v"))
            return None
        if (inner := graph.one(node, "distinct")) is not None:
            return self._rule(key, "?v", self.value(inner, "?v"))
        if (inner := graph.one(node, "minus")) is not None:
            nodes = self.value(self._nodes_of(node), "?v")
            return self._rule(key, "?v", nodes, f"NOT {self.value(inner, '?v')}")
        if (inner := graph.one(node, "exists")) is not None:
            self._rule(key, TRUE, self.value(inner, "?v"))
            return self._rule(key, _FALSE, f"NOT EXISTS ?v IN ({self.value(inner, '?v')})")
        if (condition := graph.one(node, "if")) is not None:
            return self._if(node, key, condition)
        for name, call in _AGGREGATES.items():
            if (inner := graph.one(node, name)) is not None:
                return self._aggregate(key, name, call, self.value(inner, "?v"))
        raise ShapesError(f"{node}: not an expression that is supported; functions are not")

    def _rule(self, key: str, value: str, *atoms: str) -> None:
        self._add("sh-expression", f"shacl_value({key}, ?x, {value}) :- {', '.join([self._nodes, *atoms])} .")

    def _nodes_of(self, node: str) -> str:
        return self._graph.one(node, "nodes") or sh("this")

    def _aggregate(self, key: str, name: str, call: str, inner: str) -> None:
        self._rule(key, "?n", f"AGGREGATE({inner} ON ?x BIND {call} AS ?n)")
        if name in ("count", "sum"):
            self._rule(key, "0", f"NOT EXISTS ?v IN ({inner})")

    def _if(self, node: str, key: str, condition: str) -> None:
        """The condition holds if `true` is its value; without sh:then or sh:else there is no value."""
        holds = self.value(condition, TRUE)
        for name, test in (("then", holds), ("else", f"NOT {holds}")):
            if (inner := self._graph.one(node, name)) is not None:
                self._rule(key, "?v", test, self.value(inner, "?v"))
