"""Proofs of the contradictions of a graph: each one proves a fact of `false` from asserted facts.

Cost: one pass over the facts, to find the contradictions, then one backward run of the rules for each fact of the
proofs. A graph with thousands of contradictions has few causes: `each` asks for a few examples of each cause.
"""

from __future__ import annotations

from collections.abc import Iterable

from kgreason.materialize.materializer import Materializer
from kgreason.proofs.contradiction import Cause, Contradiction
from kgreason.proofs.contradictions import Mistake, mistakes
from kgreason.proofs.engine_facts import atom_of
from kgreason.proofs.proof import Proof
from kgreason.proofs.same_as import facts_of, link, owl_rl_rule
from kgreason.proofs.search import prove_each
from kgreason.rules.model import FALSE, Atom, triple
from kgreason.terms.quoting import quote
from kgreason.terms.vocabulary import OWL_DIFFERENT_FROM


def prove_contradictions(
    materializer: Materializer,
    most: int | None = None,
    each: int | None = None,
    only: Iterable[Contradiction] | None = None,
) -> list[Proof]:
    """Return a proof for each contradiction, ordered by the rules' names and the terms.

    `most` limits their number. `each` limits the number of those that have one cause (`Contradiction.cause`). With
    `only`, just those with the rule and the terms of one of these are proved.
    """
    wanted = None if only is None else {(one.rule, one.terms) for one in only}
    mistaken = mistakes(materializer.save(), materializer.dictionary, materializer.false_rules)
    chosen = (one for one in mistaken if wanted is None or (one.contradiction.rule, one.contradiction.terms) in wanted)
    found = sorted(chosen, key=lambda mistake: mistake.contradiction)[:most]
    if each is not None:
        causes: dict[Cause, list[Mistake]] = {}
        for mistake in found:
            causes.setdefault(mistake.contradiction.cause, []).append(mistake)
        found = [mistake for same in causes.values() for mistake in same[:each]]
    proofs = prove_each([_goal(materializer, mistake) for mistake in found], facts_of(materializer))
    shown = [_proof(mistake, proof) for mistake, proof in zip(found, proofs, strict=True)]
    return sorted(shown, key=lambda proof: proof.fact)


def _goal(materializer: Materializer, mistake: Mistake) -> Atom:
    """Return the fact to prove for a contradiction: its fact of the relation `false`.

    If the contradiction is that x and y are equal and were asserted to be different, this is `x owl:sameAs y`.
    """
    if mistake.row is None:
        return link(*mistake.contradiction.terms)
    return atom_of(materializer, mistake.row[mistake.row > 0], is_triple=False)


def _proof(mistake: Mistake, proof: Proof) -> Proof:
    """Return the proof of a contradiction, given the proof of the fact that `_goal` returned for it."""
    if mistake.row is not None:
        return proof
    x, y = mistake.contradiction.terms
    fact = Atom(FALSE.relation, (quote(mistake.contradiction.rule), x, y))
    return Proof(fact, owl_rl_rule(mistake.contradiction.rule), (proof, Proof(triple(x, OWL_DIFFERENT_FROM, y))))
