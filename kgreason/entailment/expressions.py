"""Cardinalities and hasSelf: class expressions that lack rules in the W3C tables, but that can be assumed and shown.

    Counted     p min n C, p max n C, p exactly n C: at least `least` and at most `most` values of p are in C
    Reflexive   p some self

The W3C tables (OWL 2 RL/RDF) have rules only for the maximal cardinalities 0 and 1 (ontology.read.schema_axioms).
Other cardinalities are shown with new individuals as values, or with values that are present. Source: OWL 2 RDF-Based
Semantics, table 5.6. Cost: linear in the triples.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from kgreason.rules.model import Constant, Triple
from kgreason.terms import vocabulary as v

_LEAST = (v.OWL_MIN_CARDINALITY, v.OWL_MIN_QUALIFIED_CARDINALITY, v.OWL_CARDINALITY, v.OWL_QUALIFIED_CARDINALITY)
_MOST = (v.OWL_MAX_CARDINALITY, v.OWL_MAX_QUALIFIED_CARDINALITY, v.OWL_CARDINALITY, v.OWL_QUALIFIED_CARDINALITY)
_QUALIFIED = (v.OWL_MIN_QUALIFIED_CARDINALITY, v.OWL_MAX_QUALIFIED_CARDINALITY, v.OWL_QUALIFIED_CARDINALITY)
_TRUE = frozenset(f'"{spelling}"^^<{v.XSD}boolean>' for spelling in ("true", "1"))
_NUMBER = re.compile(r'"\s*\+?(\d{1,2})\s*"(\^\^.*)?')


@dataclass(frozen=True, slots=True)
class Counted:
    """A cardinality: the class `node` has all things with `least` to `most` values of `property_` in `on_class`.

    `most` is None if there is no upper limit.
    """

    kind: Constant
    node: Constant
    property_: Constant
    least: int
    most: int | None
    on_class: Constant
    sources: tuple[Triple, ...]


@dataclass(frozen=True, slots=True)
class Reflexive:
    """A self restriction: `node` is the class of things that `property_` relates to themselves."""

    kind: Constant
    node: Constant
    property_: Constant
    sources: tuple[Triple, ...]


def restrictions(triples: Iterable[Triple]) -> Iterator[Counted | Reflexive]:
    """Yield the cardinalities and self restrictions that some triples define."""
    by_node: dict[Constant, dict[Constant, list[Constant]]] = defaultdict(lambda: defaultdict(list))
    for subject, predicate, object_ in triples:
        by_node[subject][predicate].append(object_)
    for node, said in by_node.items():
        for property_ in said[v.OWL_ON_PROPERTY]:
            yield from _restrictions_of_node(node, property_, said)


def _restrictions_of_node(
    node: Constant, property_: Constant, said: dict[Constant, list[Constant]]
) -> Iterator[Counted | Reflexive]:
    on_property = (node, v.OWL_ON_PROPERTY, property_)
    for kind in dict.fromkeys((*_LEAST, *_MOST)):
        for literal in said.get(kind, ()):
            counted_in = _on_class(node, kind, said)
            if counted_in and (found := _NUMBER.fullmatch(literal)):
                number, on_class, more = int(found[1]), *counted_in
                bounds = number if kind in _LEAST else 0, number if kind in _MOST else None
                yield Counted(kind, node, property_, *bounds, on_class, ((node, kind, literal), on_property, *more))
    for literal in _TRUE.intersection(said.get(v.OWL_HAS_SELF, ())):
        yield Reflexive(v.OWL_HAS_SELF, node, property_, ((node, v.OWL_HAS_SELF, literal), on_property))


def _on_class(
    node: Constant, count: Constant, said: dict[Constant, list[Constant]]
) -> tuple[Constant, tuple[Triple, ...]] | None:
    """Return the class whose members a cardinality counts, and the triple that names this class.

    `count` is the predicate of the cardinality, such as owl:minCardinality. `said` maps the predicates of the node's
    triples to their objects. For an unqualified cardinality the result is owl:Thing and no triples. Returns None for a
    qualified cardinality if no triple names the class.
    """
    if count not in _QUALIFIED:
        return v.OWL_THING, ()
    found = (
        (class_, ((node, kind, class_),)) for kind in (v.OWL_ON_CLASS, v.OWL_ON_DATA_RANGE) for class_ in said[kind]
    )
    return next(found, None)
