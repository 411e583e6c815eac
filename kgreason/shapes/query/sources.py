"""What surrounds a query in the shapes graph: its prefixes, and the parameters of a component or a type of targets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from math import prod

from kgreason.datatypes.literals import parts_of_literal
from kgreason.errors import ShapesError
from kgreason.interrupts import let_out
from kgreason.shapes.graph import ShapesGraph
from kgreason.shapes.vocabulary import TRUE, sh
from kgreason.terms import vocabulary as v

_MOST = 1000
"""How many combinations of values a node may give to the parameters of a component."""
_LOCAL = re.compile(r"[\w-]+(?=>$)")


def query_of(graph: ShapesGraph, node: str, name: str) -> str | None:
    """Return the text of a query of a node, the value of `sh:select` and the like; None if it has none."""
    text = graph.one(node, name)
    return None if text is None else parts_of_literal(text).lexical


def prefixes_of(graph: ShapesGraph, node: str) -> Iterator[tuple[str, str]]:
    """Yield the prefixes of a query: what sh:declare says, also of the ontologies that owl:imports names."""
    waiting = graph.objects(node, sh("prefixes"))[:]
    seen = set(waiting)
    for ontology in waiting:
        let_out()
        waiting += (fresh := [each for each in graph.objects(ontology, f"<{v.OWL}imports>") if each not in seen])
        seen.update(fresh)
        for declared in graph.objects(ontology, sh("declare")):
            prefix, space = graph.one(declared, "prefix"), graph.one(declared, "namespace")
            if prefix is None or space is None:
                raise ShapesError(f"{declared}: sh:declare needs a sh:prefix and a sh:namespace")
            yield parts_of_literal(prefix).lexical, parts_of_literal(space).lexical


def arguments(graph: ShapesGraph, holder: str, node: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the values that a node gives to the parameters of `holder`, a component or a type of targets.

    The first of each pair is the value of the first parameter that is not optional. An optional parameter without a
    value has the text "". Raises ShapesError if there are too many.
    """
    given = [(name, graph.objects(node, path), is_optional) for name, path, is_optional in _parameters(graph, holder)]
    if not given or not all(values for _, values, is_optional in given if not is_optional):
        return
    names = [name for name, _, _ in given]
    first = next((name for name, _, is_optional in given if not is_optional), names[0])
    several = [values or [""] for _, values, _ in given]
    if (count := prod(map(len, several))) > _MOST:
        shown = f"{count:,}" if count < 1 << 64 else "more than 2^64"
        raise ShapesError(
            f"{node}: the parameters of {holder} have {shown} combinations of values; at most {_MOST:,} are allowed"
        )
    for choice in product(*several):
        let_out()
        constants = dict(zip(names, choice, strict=True))
        yield constants[first], constants


def _parameters(graph: ShapesGraph, component: str) -> Iterator[tuple[str, str, bool]]:
    """Yield the parameters of a component: the variable, the predicate, and whether it is optional."""
    for node in graph.objects(component, sh("parameter")):
        path = graph.one(node, "path")
        local = _LOCAL.search(path or "")
        if path is None or local is None:
            raise ShapesError(f"{component}: a parameter must have a sh:path that is an IRI")
        yield local[0], path, graph.one(node, "optional") == TRUE
