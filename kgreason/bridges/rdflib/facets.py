"""`typed_literals`: which literals of a graph belong to its datatypes with facets (owl:withRestrictions).

No rule of OWL 2 RL says so. `OWLRL_Extension` adds these triples, as owlrl does. Their subjects are literals, so they
are for the rules only.

Cost: a comparison for each literal of the graph and each facet.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress

from rdflib.collection import Collection
from rdflib.graph import Graph
from rdflib.namespace import OWL, RDF
from rdflib.term import Literal, Node, URIRef

from kgreason.bridges.rdflib.terms import Triple, to_text
from kgreason.datatypes.datatype_map import DATATYPE_MAP, is_member, values
from kgreason.datatypes.facets import FACETS
from kgreason.datatypes.value import Value
from kgreason.errors import InputError


def typed_literals(graph: Graph, triples: Iterable[Triple]) -> Iterator[Triple]:
    """Yield `literal rdf:type datatype` for literals of `triples` that belong to a datatype with facets of `graph`.

    A datatype with a facet or a base that kgreason does not know, or with a list that is broken, has no literals.
    """
    datatypes = dict(_datatypes(graph))
    if not datatypes:
        return
    for literal in dict.fromkeys(term for _, _, term in triples if isinstance(term, Literal)):
        found = _value(literal)
        for datatype, (base, limits) in datatypes.items():
            if found is not None and is_member(found, base) and _is_within_limits(found, limits):
                yield literal, RDF.type, datatype


def _is_within_limits(found: Value, limits: list[tuple[str, Value]]) -> bool:
    """Whether a value is within limits. A pattern with an error has no values."""
    with suppress(ValueError):
        return all(FACETS[facet](found, limit) for facet, limit in limits)
    return False


def _datatypes(graph: Graph) -> Iterator[tuple[Node, tuple[str, list[tuple[str, Value]]]]]:
    for datatype, head in graph.subject_objects(OWL.withRestrictions):
        base = graph.value(datatype, OWL.onDatatype, any=True)
        name = f"<{base}>"
        try:
            cells = [pair for cell in Collection(graph, head) for pair in graph.predicate_objects(cell)]
        except ValueError:  # the list goes round in a circle
            continue
        limits = [(f"<{facet}>", _value(limit)) for facet, limit in cells if isinstance(limit, Literal)]
        known = [(facet, limit) for facet, limit in limits if facet in FACETS and limit is not None]
        if isinstance(base, URIRef) and name in DATATYPE_MAP and len(known) == len(cells) > 0:
            yield datatype, (name, known)


def _value(literal: Literal) -> Value | None:
    """Return the value of a literal; None if it has none, or its datatype is unknown."""
    try:
        (found,) = values([to_text(literal)])
    except InputError:
        return None
    return found if isinstance(found, Value) else None
