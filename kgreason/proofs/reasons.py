"""`reasons`: which rule derives a triple, and from which axioms the rule was translated, without a whole proof.

    :tom a :Animal        cax-sco, from the axiom :Cat rdfs:subClassOf :Animal

Cost: one backward run of the rules for each triple.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from kgreason.materialize.materializer import Materializer
from kgreason.proofs.same_as import facts_of
from kgreason.proofs.search import last_derivation
from kgreason.rules.formatter import format_rule
from kgreason.rules.model import Triple, triple


class Reason(NamedTuple):
    """The rule that derives a triple: its name, its text, and the axioms that it was translated from."""

    rule: str
    text: str
    axioms: tuple[Triple, ...]


def reasons(materializer: Materializer, triples: Iterable[Triple]) -> dict[Triple, Reason]:
    """Return a dict with the reason for each inferred triple among `triples`. Asserted triples are left out.

    All `triples` must be in the graph with its pending changes.
    """
    facts = facts_of(materializer)
    found = {each: last_derivation(triple(*each), facts) for each in triples}
    return {
        each: Reason(way.rule.name, format_rule(way.rule), tuple(way.rule.sources))
        for each, way in found.items()
        if way is not None
    }
