"""`prove`, `derivations`: proofs found by running rules backwards (docs/architecture/commit.md).

A derivation is *counted* if all facts of its body have a smaller stamp than its head. Every fact that is not asserted
has a counted derivation. So a search along counted derivations meets smaller and smaller stamps, and ends in asserted
facts. No proof runs in a circle, and no proof has to be stored.

For each derivation of a fact, the search takes the largest stamp in its body. It follows the derivation for which this
stamp is smallest, which is a counted one. Among equals it prefers the shortest derivation, then the first by name and
facts. So a graph always gives the same proof. Each fact is searched once, however often it is used.

Cost: one backward run of the rules for each fact of the proof.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol

from kgreason.interrupts import let_out
from kgreason.proofs.proof import Proof
from kgreason.rules.model import Atom, Rule


class Derivation(NamedTuple):
    """A rule, and the facts in place of the atoms of its body."""

    rule: Rule
    body: tuple[Atom, ...]


CHOSEN = Rule((), (), "chosen")
"""In place of a rule, for the value of a MIN, MAX or SAMPLE: a proof shows the row with this value, without a rule."""


class State(NamedTuple):
    """Whether a fact is asserted, and its stamp."""

    asserted: bool
    stamp: int


class Facts(Protocol):
    """The present facts and their derivations. Ask only about present facts."""

    def state(self, fact: Atom) -> State:
        """Return whether a fact is asserted, and its stamp."""
        ...

    def derivations(self, fact: Atom) -> Iterable[Derivation]:
        """Return every derivation of a fact from present facts."""
        ...


def prove(fact: Atom, facts: Facts) -> Proof:
    """Return the proof of a present fact, down to asserted facts."""
    return _Search(facts).prove(fact)


def prove_each(wanted: Iterable[Atom], facts: Facts) -> list[Proof]:
    """Return the proofs of present facts. If two proofs use one fact, they share its subproof."""
    search = _Search(facts)
    return [search.prove(fact) for fact in wanted]


def last_derivation(fact: Atom, facts: Facts) -> Derivation | None:
    """Return the last derivation of the proof that `prove` finds for a present fact, or None for an asserted fact."""
    return _Search(facts).choose(fact)


def derivations(fact: Atom, facts: Facts) -> list[Proof]:
    """Return a proof for each derivation of a present fact, counted or not. The one that `prove` takes comes first.

    An asserted fact may have derivations as well; its assertion is not one of them. In a circular proof the fact
    follows from itself: `Proof.uses(fact)` is True.
    """
    search = _Search(facts)
    ordered = sorted(facts.derivations(fact), key=search.rank)
    return [_proof(fact, rule, map(search.prove, body)) for rule, body in ordered]


def _proof(fact: Atom, rule: Rule, premises: Iterable[Proof]) -> Proof:
    return Proof(fact, None if rule == CHOSEN else rule, tuple(premises))


class _Search:
    """A search for proofs, which keeps the proofs found so far."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._proofs: dict[Atom, Proof] = {}
        self._states: dict[Atom, State] = {}

    def prove(self, fact: Atom) -> Proof:
        chosen: dict[Atom, Derivation | None] = {}  # for the facts on the way from `fact` to `head`
        waiting = [fact]
        while waiting:
            let_out()
            head = waiting[-1]
            if head not in chosen and head not in self._proofs:
                derivation = self.choose(head)
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
        """Prove a fact from asserted facts upwards. Needed if its preferred derivation runs in a circle.

        Such circles are rare. Only `SameAsFacts` has them, because it computes its stamps from stamps of the engine.
        Cost: all derivations of the fact, of the facts in their bodies, and so on down to asserted facts.
        """
        known: dict[Atom, list[Derivation]] = {}
        waiting = [fact]
        while waiting:
            let_out()
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
                let_out()
                way = next((way for way in ways if all(part in self._proofs for part in way.body)), None)
                if way is not None:
                    self._conclude(head, way)
            assert len(self._proofs) > before, f"{fact}: the fact is neither asserted nor derived"

    def _conclude(self, fact: Atom, derivation: Derivation | None) -> None:
        if fact in self._proofs:
            return
        if derivation is None:
            self._proofs[fact] = Proof(fact)
        else:
            self._proofs[fact] = _proof(fact, derivation.rule, (self._proofs[part] for part in derivation.body))

    def choose(self, fact: Atom) -> Derivation | None:
        """Return the derivation of a fact that proofs use, or None for an asserted fact."""
        if self._state(fact).asserted:
            return None
        return min(self._facts.derivations(fact), key=self.rank)

    def rank(self, derivation: Derivation) -> tuple[int, int, str, tuple[tuple[str, tuple[str, ...]], ...]]:
        """Return a sort key. Of the derivations of a fact, proofs use the one with the smallest key."""
        facts = tuple((atom.relation or "", tuple(map(str, atom.terms))) for atom in derivation.body)
        return self._stamp(derivation), len(derivation.body), derivation.rule.name, facts

    def _stamp(self, derivation: Derivation) -> int:
        """Return the largest stamp among the facts of a derivation's body; -1 if the body is empty."""
        return max((self._state(fact).stamp for fact in derivation.body), default=-1)

    def _state(self, fact: Atom) -> State:
        if fact not in self._states:
            self._states[fact] = self._facts.state(fact)
        return self._states[fact]
