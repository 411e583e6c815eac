"""What kgreason and owlrl say differently of an ontology, by class of difference, each with its reason.

A difference is no list of triples: a class has a predicate, and every triple that one of the two lacks has to be in a
class.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeAlias

from tests.oracle import vocabulary as v
from tests.oracle.graph import Triple
from tests.oracle.vocabulary import DISJOINT_WITH as DISJOINT

Triples: TypeAlias = set[Triple]

_BELOW = {
    v.SUB_CLASS_OF: v.SUB_CLASS_OF,
    v.EQUIVALENT_CLASS: v.SUB_CLASS_OF,
    v.SUB_PROPERTY_OF: v.SUB_PROPERTY_OF,
    v.EQUIVALENT_PROPERTY: v.SUB_PROPERTY_OF,
}
"""The predicate that says of what a triple is about that it is below another."""


@dataclass(frozen=True)
class Closures:
    """What is said of an ontology: by kgreason, by kgreason with the groups that are off by default, by owlrl."""

    ours: Triples
    switched: Triples
    theirs: Triples

    @cached_property
    def circles(self) -> set[tuple[str, str]]:
        """What is below something that is below it in turn, with the predicate that says so."""
        return {(s, p) for s, p, o in self.theirs if p in _BELOW.values() and s != o and (o, p, s) in self.theirs}


class Difference(NamedTuple):
    """A class of triples, and why one of the two says them."""

    reason: str
    holds: Callable[[Triple, Closures], bool]


def _is_itself(triple: Triple, *predicates: str) -> bool:
    return triple[0] == triple[2] and triple[1] in predicates


def _is_datatype(term: str) -> bool:
    return term.startswith((f"<{v.XSD}", f"<{v.RDF}", f"<{v.RDFS}"))


THEIRS = {
    "literal as a subject": Difference(
        "a generalised triple, which kgreason derives inside and never shows", lambda t, _: t[0].startswith('"')
    ),
    "equal to itself": Difference("eq-ref is off by default", lambda t, _: _is_itself(t, v.SAME_AS)),
    "switched off": Difference(
        "prp-ap, cls-thing, cls-nothing1, scm-cls, scm-op, scm-dp and what follows from them: groups off by default",
        lambda t, all_: t in all_.switched,
    ),
    "datatype": Difference(
        "dt-type1 says of every datatype of the profile that it is one",
        lambda t, _: t[1:] == (v.TYPE, v.DATATYPE) and _is_datatype(t[0]),
    ),
    "disjoint datatypes": Difference(
        "owlrl's own: a datatype that a literal has is disjoint with others, which no table says",
        lambda t, _: t[1] == DISJOINT and _is_datatype(t[0]) and _is_datatype(t[2]),
    ),
    "any property": Difference(
        "owlrl's own: it uses scm-op for every rdf:Property, the table for owl:ObjectProperty alone",
        lambda t, all_: (
            _is_itself(t, v.SUB_PROPERTY_OF, v.EQUIVALENT_PROPERTY) and (t[0], v.TYPE, v.PROPERTY) in all_.theirs
        ),
    ),
}
"""What owlrl says alone."""

OURS = {
    "below itself in a circle": Difference(
        "owlrl's fault: of two that are below each other each is below itself (scm-sco, scm-spo), and equivalent to it",
        lambda t, all_: t[1] in _BELOW and _is_itself(t, t[1]) and (t[0], _BELOW[t[1]]) in all_.circles,
    ),
}
"""What kgreason says alone."""


def counts(closures: Closures) -> Counter[str]:
    """How many triples are in each class of difference, or in none: `+` what owlrl alone says, `-` kgreason."""
    found: Counter[str] = Counter()
    for sign, alone, classes in (
        ("+", closures.theirs - closures.ours, THEIRS),
        ("-", closures.ours - closures.theirs, OURS),
    ):
        found.update(f"{sign} {_class(triple, classes, closures)}" for triple in alone)
    return found


def _class(triple: Triple, classes: dict[str, Difference], closures: Closures) -> str:
    """The first class that a triple is in; the triple where it is in none."""
    return next((name for name, each in classes.items() if each.holds(triple, closures)), " ".join(triple))
