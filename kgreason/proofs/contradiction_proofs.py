"""Proofs of the contradictions of a graph: each one proves a fact of `false` from asserted facts.

Cost: one pass over the facts, to find the contradictions, then one backward run of the rules for each fact of the
proofs.
"""

from __future__ import annotations

from kgreason.materialize.materializer import Materializer
from kgreason.proofs.contradictions import Mistake, mistakes
from kgreason.proofs.engine_facts import atom_of
from kgreason.proofs.proof import Proof
from kgreason.proofs.same_as import facts_of, link, table_rule
from kgreason.proofs.search import prove_each
from kgreason.rules.model import FALSE, Atom, triple
from kgreason.terms.quoting import quote
from kgreason.terms.vocabulary import OWL_DIFFERENT_FROM


def prove_contradictions(live: Materializer, most: int | None = None) -> list[Proof]:
    """Return a proof for each contradiction, ordered by the rules' names and the terms. `most` limits their number."""
    found = sorted(mistakes(live.save(), live.dictionary, live.false_rules), key=lambda each: each.told)[:most]
    proofs = prove_each([_goal(live, mistake) for mistake in found], facts_of(live))
    told = [_proof(mistake, proof) for mistake, proof in zip(found, proofs, strict=True)]
    return sorted(told, key=lambda proof: proof.fact)


def _goal(live: Materializer, mistake: Mistake) -> Atom:
    """Return the fact to prove for a contradiction: its fact of the relation `false`.

    If the contradiction is that x and y are equal and were asserted to be different, this is `x owl:sameAs y`.
    """
    if mistake.row is None:
        return link(*mistake.told.terms)
    return atom_of(live, mistake.row[mistake.row > 0], is_triple=False)


def _proof(mistake: Mistake, proof: Proof) -> Proof:
    """Return the proof of a contradiction, given the proof of the fact that `_goal` returned for it.

    If this fact is `x owl:sameAs y`, a last step is added: `x owl:sameAs y` and `x owl:differentFrom y` give `false`.
    """
    if mistake.row is not None:
        return proof
    x, y = mistake.told.terms
    fact = Atom(FALSE.relation, (quote(mistake.told.rule), x, y))
    return Proof(fact, table_rule(mistake.told.rule), (proof, Proof(triple(x, OWL_DIFFERENT_FROM, y))))
