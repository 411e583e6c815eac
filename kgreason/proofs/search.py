"""`prove`, `derivations`: proofs found by running rules backwards (docs/architecture.md, The algorithm of a commit).

A derivation is *counted* if all facts of its body have a smaller stamp than its head. A fact that is not asserted has a
counted derivation, so following counted ones goes down in stamps and ends in asserted facts: no proof is stored, none
runs in a circle.

Of the derivations of a fact the one whose largest stamp is smallest is taken (a counted one, then), of several the
shortest, of these the first by name and facts: a graph always gives the same proof. A fact is looked at once, however
often it is used.

Cost: one backward run of the rules for each fact of the proof.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol

from kgreason.proofs.proof import Proof
from kgreason.rules.model import Atom, Rule


class Derivation(NamedTuple):
    """A rule, and the facts that its body is in one use of it."""

    rule: Rule
    body: tuple[Atom, ...]


class State(NamedTuple):
    """Whether a fact is asserted, and its stamp."""

    asserted: bool
    stamp: int


class Facts(Protocol):
    """The present facts, as a proof needs them; every fact asked about is present."""

    def state(self, fact: Atom) -> State:
        """What is known of a fact."""
        ...

    def derivations(self, fact: Atom) -> Iterable[Derivation]:
        """Every derivation of a fact from present facts."""
        ...


def prove(fact: Atom, facts: Facts) -> Proof:
    """The proof of a present fact, down to asserted ones."""
    return _Search(facts).prove(fact)


def prove_each(wanted: Iterable[Atom], facts: Facts) -> list[Proof]:
    """The proofs of present facts, which share what they have in common."""
    search = _Search(facts)
    return [search.prove(fact) for fact in wanted]


def derivations(fact: Atom, facts: Facts) -> list[Proof]:
    """A proof for every derivation of a present fact, counted or not, in the order in which `prove` prefers them.

    An asserted fact may have derivations as well; its being asserted is none of them. `Proof.uses(fact)` tells those
    which say no more than that the fact follows from itself.
    """
    search = _Search(facts)
    ordered = sorted(facts.derivations(fact), key=search.rank)
    return [Proof(fact, rule, tuple(search.prove(premise) for premise in body)) for rule, body in ordered]


class _Search:
    """The proofs found so far."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._proofs: dict[Atom, Proof] = {}
        self._states: dict[Atom, State] = {}

    def prove(self, fact: Atom) -> Proof:
        chosen: dict[Atom, Derivation | None] = {}  # of the facts on the way from `fact` to the one that is looked at
        waiting = [fact]
        while waiting:
            head = waiting[-1]
            if head not in chosen and head not in self._proofs:
                derivation = self._choose(head)
                if derivation is not None and not chosen.keys().isdisjoint(derivation.body):
                    self._prove_from_below(head)
                else:
                    chosen[head] = derivation
            derivation = chosen.get(head)
            missing = [part for part in derivation.body if part not in self._proofs] if derivation else []
            if missing and head not in self._proofs:
                waiting += reversed(missing)
            else:
                waiting.pop()
                self._conclude(head, chosen.pop(head, None))
        return self._proofs[fact]

    def _prove_from_below(self, fact: Atom) -> None:
        """Prove a fact whose preferred derivation runs in a circle, from asserted facts up.

        Stamps see to it that this is needed seldom: for facts over representatives alone, whose stamps are worked out
        from those of others. Cost: every derivation of every fact that the fact may follow from.
        """
        known: dict[Atom, list[Derivation]] = {}
        waiting = [fact]
        while waiting:
            head = waiting.pop()
            if head in known or head in self._proofs:
                continue
            if self._state(head).asserted:
                self._conclude(head, None)
                continue
            known[head] = sorted(self._facts.derivations(head), key=self.rank)
            waiting += [part for derivation in known[head] for part in derivation.body]
        while fact not in self._proofs:
            before = len(self._proofs)
            for head, ways in known.items():
                way = next((way for way in ways if all(part in self._proofs for part in way.body)), None)
                if way is not None:
                    self._conclude(head, way)
            assert len(self._proofs) > before, f"{fact}: a fact that nothing derives"

    def _conclude(self, fact: Atom, derivation: Derivation | None) -> None:
        if fact in self._proofs:
            return
        if derivation is None:
            self._proofs[fact] = Proof(fact)
        else:
            self._proofs[fact] = Proof(fact, derivation.rule, tuple(self._proofs[part] for part in derivation.body))

    def _choose(self, fact: Atom) -> Derivation | None:
        """The derivation to follow, None for a fact that is asserted."""
        if self._state(fact).asserted:
            return None
        return min(self._facts.derivations(fact), key=self.rank)

    def rank(self, derivation: Derivation) -> tuple[int, int, str, tuple[tuple[str, tuple[str, ...]], ...]]:
        """What comes first is preferred."""
        facts = tuple((atom.relation or "", tuple(map(str, atom.terms))) for atom in derivation.body)
        return self._stamp(derivation), len(derivation.body), derivation.rule.name, facts

    def _stamp(self, derivation: Derivation) -> int:
        """The largest stamp of a body: -1 for an empty one, which needs no fact at all."""
        return max((self._state(fact).stamp for fact in derivation.body), default=-1)

    def _state(self, fact: Atom) -> State:
        if fact not in self._states:
            self._states[fact] = self._facts.state(fact)
        return self._states[fact]
