"""`SameAsFacts`: translates proofs over representatives into proofs by the W3C's rules for owl:sameAs.

A *link* is a triple `x owl:sameAs y`. The *primary* of a clique is the representative that stands for all its members.

The engine has facts `eq_rep(y, x)`: x is a representative of y. Users see links instead, and the triples of all equal
terms. So this module makes three translations:

    the engine has                                    users see
    a fact eq_rep(y, x)                               the link y owl:sameAs x
    a derivation by a rule of representatives.dl      a derivation by eq-sym, eq-trans or eq-rep-*
    a triple over representatives                     also its images, derived from it by eq-rep-*

For one step of the engine, a translated proof may need two more steps, by eq-sym and eq-trans. So this module
multiplies the engine's stamps by three, which leaves room for both steps. Then each fact has a derivation from facts
with smaller stamps, and no proof runs in a circle (`proofs.search`).

Cost: a few look-ups for each link of a proof.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from kgreason.materialize.materializer import Materializer
from kgreason.materialize.same_as.representatives import GROUP, Equality
from kgreason.proofs.engine_facts import EngineFacts, without_hidden
from kgreason.proofs.notation import is_hidden
from kgreason.proofs.search import CHOSEN, Derivation, State
from kgreason.rules.model import DATA, Atom, Rule, triple
from kgreason.rules.parser import ruleset
from kgreason.terms.vocabulary import OWL_SAME_AS

_STEPS = 3
_REP, _ROOT = "eq_rep", "eq_root"


def facts_of(materializer: Materializer) -> EngineFacts | SameAsFacts:
    """Return the facts of a graph as users see them, for `prove`."""
    facts = EngineFacts(materializer)
    return SameAsFacts(facts, materializer.equality) if materializer.equality else facts


class SameAsFacts:
    """The facts of a graph as users see them, and their derivations by the W3C's rules for owl:sameAs; for `prove`."""

    def __init__(self, facts: EngineFacts, equality: Equality) -> None:
        self._facts, self._equality = facts, equality

    def _follows(self, fact: Atom) -> bool:
        return self._is_fact(fact) or any(True for _ in self._derivations(fact))

    def state(self, fact: Atom) -> State:
        """Return whether a fact that users see is asserted, and its stamp."""
        states = [self._engine_state(fact)] if self._is_fact(fact) else []
        if states and states[0].asserted:
            return states[0]
        states += (State(False, stamp) for stamp, _ in self._derivations(fact))
        return min(states, key=lambda state: state.stamp)

    def derivations(self, fact: Atom) -> Iterator[Derivation]:
        """Yield every derivation of a fact that users see."""
        found = list(self._engine_derivations(fact)) if self._is_fact(fact) else []
        found += (derivation for _, derivations in self._derivations(fact) for derivation in derivations)
        return (derivation for derivation in dict.fromkeys(found) if fact not in derivation.body)

    def _is_fact(self, fact: Atom) -> bool:
        return self._facts.row(fact) >= 0

    def _engine_state(self, fact: Atom) -> State:
        asserted, stamp = self._facts.state(fact)
        return State(asserted, _STEPS * stamp)

    def _engine_derivations(self, fact: Atom) -> Iterator[Derivation]:
        return map(_derivation, self._facts.derivations(fact))

    def _derivations(self, fact: Atom) -> Iterator[tuple[int, list[Derivation]]]:
        """Yield the derivations of a triple by the W3C's rules for owl:sameAs that this module adds to the engine's.

        Only links, and images that are not facts of the engine, have such derivations. Each item is the stamp that some
        derivations give the triple, with these derivations.
        """
        if fact.relation is not None:
            return
        if fact.is_link:
            yield from self._link_derivations(fact)
        elif not self._is_fact(fact):
            yield from self._image_derivation(fact)

    def _link_derivations(self, fact: Atom) -> Iterator[tuple[int, list[Derivation]]]:
        left, _, right = map(str, fact.terms)
        for one, other in ((left, right), (right, left)):
            reached = Atom("eq_rep", (other, one))
            if self._is_fact(reached):
                stamp = self._engine_state(reached).stamp
                if one == left:
                    yield stamp, list(self._engine_derivations(reached))
                else:
                    yield stamp + 1, [_symmetric_derivation(fact)]
        if left != right and self._is_fact(link(right, left)):
            yield self._engine_state(link(right, left)).stamp + 1, [_symmetric_derivation(fact)]
        yield from self._through_root(left, right)

    def _through_root(self, left: str, right: str) -> Iterator[tuple[int, list[Derivation]]]:
        """Yield the derivation of `left owl:sameAs right` by eq-trans, with the stamp that the link gets.

        The premises are `left owl:sameAs primary` and `primary owl:sameAs right`, with the primary of their clique.
        """
        primary = self._primary(left)
        if primary == self._primary(right) and self._is_fact(Atom("eq_rep", (primary, primary))):
            body = link(left, primary), link(primary, right)
            if link(left, right) not in body:
                stamp = max(self.state(part).stamp for part in body)
                yield stamp + 1, [Derivation(owl_rl_rule("eq-trans"), body)]

    def _image_derivation(self, fact: Atom) -> Iterator[tuple[int, list[Derivation]]]:
        """Yield the derivation of an image by a rule eq-rep-*, with the stamp that the image gets.

        The premises are a link, and the triple with a primary in place of the first term that is not a primary.
        """
        for column, name in enumerate(("eq-rep-s", "eq-rep-p", "eq-rep-o")):
            term = str(fact.terms[column])
            if (primary := self._primary(term)) != term:
                body = link(primary, term), Atom(None, (*fact.terms[:column], primary, *fact.terms[column + 1 :]))
                if self._follows(body[1]):
                    yield max(self.state(part).stamp for part in body) + 1, [Derivation(owl_rl_rule(name), body)]
                return

    def _primary(self, term: str) -> str:
        """Return the primary of the term's clique; the term itself if it is in no clique."""
        return self._equality.primary(term)


def link(left: str, right: str) -> Atom:
    """Return the triple `left owl:sameAs right`."""
    return triple(left, OWL_SAME_AS, right)


def _symmetric_derivation(fact: Atom) -> Derivation:
    return Derivation(owl_rl_rule("eq-sym"), (Atom(None, fact.terms[::-1]),))


@cache
def owl_rl_rule(name: str) -> Rule:
    """Return a rule of OWL 2 RL by its name."""
    return next(without_hidden(rule) for rule in ruleset("owl2rl").rules if rule.name == name)


def _as_link(atom: Atom) -> Atom:
    return link(str(atom.terms[0]), str(atom.terms[1])) if atom.relation == "eq_rep" else atom


def _derivation(derivation: Derivation) -> Derivation:
    """Translate a derivation of the engine for users, with links in place of facts of eq_rep."""
    rule, body = derivation
    if rule == CHOSEN:
        return Derivation(rule, tuple(map(_as_link, body)))
    if rule.group == GROUP:
        return _w3c_derivation(rule, body)
    if not rule.reads_links:
        return derivation
    premises, told = iter(body), []
    for atom in rule.body:
        if is_hidden(atom):
            continue
        premise = next(premises)
        is_told = atom.is_link and premise.relation is not None
        told.append(link(str(premise.terms[0]), str(next(premises).terms[0])) if is_told else premise)
    return Derivation(rule, tuple(told))


def _w3c_derivation(rule: Rule, body: tuple[Atom, ...]) -> Derivation:
    """Translate a derivation by a rule of representatives.dl into one by the W3C rule that it stands for.

    `body` has the two facts of the rule's body. At least one of them is a fact of eq_rep or eq_root.
    """
    of, row = sorted(body, key=lambda atom: atom.relation not in (_REP, _ROOT))
    member, root = str(of.terms[0]), str(of.terms[-1])
    if row.relation not in (None, DATA, _REP):  # a fact of a relation
        told = tuple(
            triple(atom.terms[0], OWL_SAME_AS, atom.terms[1]) if atom.relation == _REP else atom for atom in rule.body
        )
        return Derivation(replace(rule, body=told), (link(member, root), row))
    left, _, right = map(str, row.terms)
    if rule.name in ("eq-ref-subject", "eq-ref-object"):
        other = right if left == member else left
        return Derivation(owl_rl_rule("eq-trans"), (link(member, other), link(other, member)))
    if rule.name == "eq-trans":
        return Derivation(owl_rl_rule("eq-trans"), (link(root, member), row))
    if rule.name == "eq-sym":
        if member == root:
            return Derivation(owl_rl_rule("eq-sym"), (row,))
        return Derivation(owl_rl_rule("eq-trans"), (link(root, member), link(member, left)))
    return Derivation(owl_rl_rule(rule.name), (link(member, root), row))
