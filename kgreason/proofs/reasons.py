"""`reasons`: the rule and the axioms that derive each of some triples, without the rest of their proofs.

    :tom a :Animal        cax-sco, from the axiom :Cat rdfs:subClassOf :Animal

Cost: one backward run of the rules for each triple.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from kgreason.materialize.materializer import Materializer
from kgreason.proofs.same_as import facts_of
from kgreason.proofs.search import preferred
from kgreason.rules.formatter import format_rule
from kgreason.rules.model import Triple, triple


class Reason(NamedTuple):
    """The rule that derives a triple: its name, its text, and the axioms that it was translated from."""

    rule: str
    text: str
    axioms: tuple[Triple, ...]


def reasons(live: Materializer, triples: Iterable[Triple]) -> dict[Triple, Reason]:
    """The reason of each inferred triple of the present state, also while a change is pending."""
    facts = facts_of(live)
    found = {each: preferred(triple(*each), facts) for each in triples}
    return {
        each: Reason(way.rule.name, format_rule(way.rule), tuple(way.rule.sources))
        for each, way in found.items()
        if way is not None
    }
