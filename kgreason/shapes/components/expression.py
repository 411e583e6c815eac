"""sh:expression: an expression that is to be true for each value node (SHACL-AF, 5)."""

from __future__ import annotations

from kgreason.shapes.inference.expressions import NodeExpressions
from kgreason.shapes.vocabulary import TRUE
from kgreason.shapes.writer import Writer
from kgreason.terms.quoting import quote


def expression(writer: Writer, parameter: str) -> None:
    """The only value of the expression for each value node is true."""
    nodes = f"shacl_runs({quote(f'{writer.node} {parameter}')}, ?x)"

    def ask(shape: str, body: str) -> str:
        writer.add("sh-filterShape", f"shacl_focus({shape}, ?v) :- {body} .")
        return "shacl_fails"

    writer.add("sh-expression", f"{nodes.replace('?x', writer.value)} :- {', '.join([writer.focus, *writer.values])} .")
    expressions = NodeExpressions(f"{writer.node} {parameter}", nodes, writer.graph, writer.paths, writer.add, ask)
    value = expressions.value(parameter, "?w").replace("?x", writer.value)
    writer.violation("expression", parameter, [*writer.values, f"NOT {value.replace('?w', TRUE)}"], value=writer.value)
    other = [*writer.values, value, f"FILTER(!sameTerm(?w, {TRUE}))"]
    writer.violation("expression", parameter, other, value=writer.value)
