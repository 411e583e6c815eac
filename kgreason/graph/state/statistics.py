"""Statistics of a saved state.

Cost: one pass over the facts. If the relation `false` has facts, also the search for the mistakes behind them.
"""

from __future__ import annotations

from typing import Any

from kgreason.engine.records import fact_columns
from kgreason.materialize.quads.documents import documents
from kgreason.materialize.relations.facts import count_facts
from kgreason.materialize.schema.rows import TERM_FACTS
from kgreason.materialize.state import SavedState
from kgreason.proofs.contradictions import FalseRules, mistakes
from kgreason.terms.dictionary import Dictionary

COUNTS = "facts", "asserted", "inferred", "hidden", "relations", "named", "imported", "terms", "contradictions", "rules"
"""The names of the counts of a state."""


def statistics(saved: SavedState, dictionary: Dictionary, rules: FalseRules) -> dict[str, Any]:
    """Return the counts of the state `saved` by name. The names are those in `COUNTS`, except "rules".

    `rules` returns the rules that derive `false`.
    """
    saved = saved._replace(others=saved.numbers_of_others())  # listed once for all that is counted below
    is_triple, is_asserted = saved.are_triples(), saved.are_asserted()
    is_rdf = dictionary.are_rdf(fact_columns(saved.records)) & is_triple  # no copy of triples, which may be gigabytes
    asserted, stored = int((is_triple & is_asserted).sum()), int(is_rdf.sum())
    has_images = saved.has_other_triples
    shown = int(
        (dictionary.are_rdf(saved.triples(dictionary, asserted=False)) if has_images else is_rdf & ~is_asserted).sum()
    )
    terms, relations = len(dictionary), dictionary.find(TERM_FACTS)
    about_literals = len(saved.facts_of_relations(relations))
    are_all_triples = bool(is_triple.all())
    return {
        "facts": asserted + shown,
        "asserted": asserted,
        "inferred": shown,
        "hidden": len(saved.records) - stored - about_literals,
        "relations": 0 if are_all_triples else count_facts(saved, dictionary),
        "named": len(saved.named_quads(dictionary)),
        "imported": 0 if saved.quads is None else len(documents(dictionary, saved.quads)),
        "terms": terms,
        "contradictions": 0 if are_all_triples else len(mistakes(saved, dictionary, rules)),
    }
