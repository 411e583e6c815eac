"""Graphs and datasets of rdflib as a user may pass them.

    graph.add(rdflib_graph)        its triples
    graph.add(rdflib_dataset)      its quads: a graph with a name keeps the name

Blank nodes keep their labels, so the same graph that is passed to `remove` names the same blank nodes. Literals keep
their lexical forms. This does not import rdflib. Cost: rdflib's iteration, and a few microseconds a triple.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from kgreason.errors import InputError
from kgreason.graph.input.terms import term_text_at, utf8

_ROWS = 10_000


def is_graph(item: object) -> bool:
    """Whether an item is a graph or a dataset of rdflib."""
    rdflib: Any = sys.modules.get("rdflib.graph")
    return rdflib is not None and isinstance(item, getattr(rdflib, "Graph", ()))


def lines_of_graph(graph: Any) -> Iterator[bytes]:
    """Yield the quads of a graph or dataset as lines of N-Quads, in chunks. Raises InputError for a term of no RDF."""
    rows: Iterable[tuple[Any, ...]] = _quads(graph) if hasattr(graph, "quads") else graph
    left = iter(rows)
    while chunk := "".join(map(_line, islice(left, _ROWS))):
        yield utf8(chunk)


def _quads(dataset: Any) -> Iterator[tuple[Any, ...]]:
    default = getattr(dataset, "default_graph", None) or dataset.default_context
    for *triple, graph in dataset.quads((None, None, None, None)):
        name = getattr(graph, "identifier", graph)
        yield (*triple,) if name is None or name == default.identifier else (*triple, name)


def _line(row: tuple[Any, ...]) -> str:
    places = ("subject", "predicate", "object", "graph")
    try:
        return " ".join(term_text_at(term, place) for term, place in zip(row, places, strict=False)) + " .\n"
    except InputError as error:
        raise InputError(f"the triple {' '.join(map(repr, row))}: {error}") from error
