"""sh:expression: an expression that is to be true for each value node (SHACL-AF, 5)."""

from __future__ import annotations

from kgreason.shapes.inference.expressions import NodeExpressions
from kgreason.shapes.vocabulary import TRUE
from kgreason.shapes.writer import Writer
from kgreason.terms.quoting import quote


def expression(writer: Writer, parameter: str) -> None:
    """The only value of the expression for each value node is true."""
    name = f"{writer.node} {parameter}"
    runs = f"shacl_runs({quote(name)}, "

    def ask(shape: str, body: str) -> str:
        writer.add("sh-filterShape", f"shacl_focus({shape}, ?v) :- {body} .")
        return "shacl_fails"

    writer.add("sh-expression", f"{runs}{writer.value}) :- {', '.join([writer.focus, *writer.values])} .")
    expressions = NodeExpressions(writer.node, name, f"{runs}?x)", writer.graph, writer.paths, writer.add, ask)
    is_true = expressions.value(parameter, TRUE, writer.value)
    writer.violation("expression", parameter, [*writer.values, f"NOT {is_true}"], value=writer.value)
    other = [*writer.values, expressions.value(parameter, "?w", writer.value), f"FILTER(!sameTerm(?w, {TRUE}))"]
    writer.violation("expression", parameter, other, value=writer.value)
