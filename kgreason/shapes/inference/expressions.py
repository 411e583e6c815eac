"""`NodeExpressions`: node expressions (SHACL-AF, 6) as rules.

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
_KINDS = ("path", "filterShape", "intersection", "union", "distinct", "minus", "exists", "if")
_REFUSED = ("limit", "offset", "orderBy", "groupConcat")


class NodeExpressions:
    """Writes the expressions of one rule or constraint of `shape`.

    `name` tells its expressions from those of others; `nodes` is the atom that holds for the nodes `?x` for which
    they are evaluated. `ask` is called with each shape that an expression asks, and the atoms that bind `?v` to the
    nodes; it returns the relation of the nodes that do not conform.
    """

    def __init__(
        self,
        shape: str,
        name: str,
        nodes: str,
        graph: ShapesGraph,
        paths: Paths,
        add: Callable[[str, str], None],
        ask: Callable[[str, str], str],
    ) -> None:
        self._name, self._nodes, self._graph, self._paths, self._add = name, nodes, graph, paths, add
        self._ask, self._known, self._shape = ask, set[str](), shape
        self._unfinished = set[str]()

    def term(self, node: str, variable: str) -> tuple[str, list[str]]:
        """Return the term that is a value of an expression, and the atoms that hold for it."""
        if node == sh("this"):
            return "?x", []
        return (variable, [self.value(node, variable)]) if node.startswith("_:") else (node, [])

    def value(self, node: str, end: str, start: str = "?x") -> str:
        """Return the atom that holds if `end` is a value of an expression for `start`. Raises ShapesError."""
        key = quote(f"{self._name} {node}")
        if node in self._unfinished:
            raise ShapesError(f"{self._shape}: the expression {node} contains itself")
        if node not in self._known:
            self._unfinished.add(node)
            self._define(node, key)
            self._unfinished.remove(node)
            self._known.add(node)
        return f"shacl_value({key}, {start}, {end})"

    def _define(self, node: str, key: str) -> None:
        graph = self._graph
        if not node.startswith("_:"):
            return self._rule(key, self.term(node, "?v")[0])
        for name in _REFUSED:
            if graph.objects(node, sh(name)):
                raise ShapesError(f"{node}: sh:{name} is not supported in an expression, because no rule says it")
        for name in _KINDS:
            if (parameter := graph.one(node, name)) is not None:
                return self._of_kind(name, key, parameter, graph.one(node, "nodes") or sh("this"), node)
        for name, call in _AGGREGATES.items():
            if (parameter := graph.one(node, name)) is not None:
                return self._aggregate(key, name, call, self.value(parameter, "?v"))
        raise ShapesError(f"{node}: not an expression that is supported; functions are not")

    def _of_kind(self, name: str, key: str, parameter: str, nodes: str, node: str) -> None:
        """Define an expression of a kind; `nodes` is its sh:nodes."""
        match name:
            case "path":
                start, atoms = self.term(nodes, "?n")
                body = ", ".join([self._nodes, *atoms])
                path = path_of(self._graph, parameter, self._name).normal_form()
                self._rule(key, "?v", *atoms, self._paths.follow(path, body, start, "?v"))
            case "filterShape":
                inner = self.value(nodes, "?v")
                fails = self._ask(parameter, f"{self._nodes}, {inner}")
                self._rule(key, "?v", inner, f"NOT {fails}({parameter}, ?v)")
            case "intersection":
                members = self._graph.members(parameter)
                if not members:
                    raise ShapesError(f"{self._shape}: sh:intersection of the expression {node} needs a member")
                self._rule(key, "?v", *[self.value(each, "?v") for each in members])
            case "union":
                for each in self._graph.members(parameter):
                    self._rule(key, "?v", self.value(each, "?v"))
            case "distinct":
                self._rule(key, "?v", self.value(parameter, "?v"))
            case "minus":
                self._rule(key, "?v", self.value(nodes, "?v"), f"NOT {self.value(parameter, '?v')}")
            case "exists":
                self._rule(key, TRUE, self.value(parameter, "?v"))
                self._rule(key, _FALSE, f"NOT EXISTS ?v IN ({self.value(parameter, '?v')})")
            case "if":
                self._if(node, key, parameter)

    def _if(self, node: str, key: str, condition: str) -> None:
        """The condition holds if `true` is its value; without sh:then or sh:else there is no value."""
        holds = self.value(condition, TRUE)
        for name, test in (("then", holds), ("else", f"NOT {holds}")):
            if (inner := self._graph.one(node, name)) is not None:
                self._rule(key, "?v", test, self.value(inner, "?v"))

    def _rule(self, key: str, value: str, *atoms: str) -> None:
        self._add("sh-expression", f"shacl_value({key}, ?x, {value}) :- {', '.join([self._nodes, *atoms])} .")

    def _aggregate(self, key: str, name: str, call: str, inner: str) -> None:
        self._rule(key, "?n", f"AGGREGATE({inner} ON ?x BIND {call} AS ?n)")
        if name in ("count", "sum"):
            self._rule(key, "0", f"NOT EXISTS ?v IN ({inner})")
