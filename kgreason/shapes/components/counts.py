"""Components that count the value nodes of a focus node (SHACL, 4.2, 4.4.5, 4.7.3).

A group without a match has no count, so "fewer than n" has a rule of its own for none. Value nodes are a set: equal
terms count once, by however many ways the path leads to them.
"""

from __future__ import annotations

import re

from kgreason.errors import ShapesError
from kgreason.shapes.shape import siblings
from kgreason.shapes.vocabulary import TRUE
from kgreason.shapes.writer import Writer
from kgreason.terms import vocabulary as v


def number(writer: Writer, name: str, parameter: str) -> int:
    """Return the number in a parameter. Raises ShapesError if it is not an xsd:integer, of 18 digits at most."""
    found = re.fullmatch(rf'"([+-]?[0-9]{{1,18}})"\^\^{re.escape(v.XSD_INTEGER)}', parameter)
    if not found:
        shown = parameter if len(parameter) < 100 else f"{parameter[:50]}..."
        raise ShapesError(f"{writer.node}: sh:{name} needs an xsd:integer of at most 18 digits; got {shown}")
    return int(found[1])


def min_count(writer: Writer, parameter: str) -> None:
    """There are so many value nodes at least."""
    _require_fewer(writer, "minCount", parameter, str(writer.path))


def max_count(writer: Writer, parameter: str) -> None:
    """There are so many value nodes at most."""
    _require_more(writer, "maxCount", parameter, str(writer.path))


def _require_fewer(writer: Writer, name: str, parameter: str, counted: str) -> None:
    least = number(writer, name, parameter)
    if least > 0:
        writer.violation(name, parameter, [f"NOT EXISTS ?v IN ({counted})"])
    if least > 1:
        writer.violation(name, parameter, [_count(writer, counted), f"FILTER(?n < {least})"])


def _require_more(writer: Writer, name: str, parameter: str, counted: str) -> None:
    most = number(writer, name, parameter)
    if most < 1:
        writer.violation(name, parameter, [counted] if most == 0 else [])
    else:
        writer.violation(name, parameter, [_count(writer, counted), f"FILTER(?n > {most})"])


def _count(writer: Writer, counted: str) -> str:
    return f"AGGREGATE({writer.focus}, {counted} ON ?x BIND COUNT(DISTINCT ?v) AS ?n)"


def unique_lang(writer: Writer, parameter: str) -> None:
    """No two value nodes have the same language. Only the term true says so, not "1"^^xsd:boolean."""
    if parameter != TRUE:
        return
    head = f"shacl_language({writer.node}, ?x, ?v, ?l)"
    body = f'{writer.focus}, {writer.path}, BIND(LCASE(LANG(?v)) AS ?l), FILTER(?l != "")'
    writer.add("sh-uniqueLang", f"{head} :- {body} .")
    count = f"AGGREGATE({head} ON ?x, ?l BIND COUNT(DISTINCT ?v) AS ?n)"
    writer.violation("uniqueLang", parameter, [count, "FILTER(?n > 1)"], detail="?l")


def qualified(writer: Writer, parameter: str) -> None:
    """So many value nodes conform to a shape, and to none of its siblings if they are to be disjoint."""
    node = writer.node
    others = [f"shacl_fails({other}, {writer.value})" for other in siblings(writer.graph, node)]
    body = [writer.focus, *writer.values, *others, f"NOT shacl_fails({parameter}, {writer.value})"]
    head = f"shacl_qualifies({node}, ?x, {writer.value})"
    writer.add("sh-qualifiedValueShape", f"{head} :- {', '.join(body)} .")
    head = f"shacl_qualifies({node}, ?x, ?v)"
    for name, rule in (("qualifiedMinCount", _require_fewer), ("qualifiedMaxCount", _require_more)):
        if (count := writer.graph.one(node, name)) is not None:
            rule(writer, name, count, head)
