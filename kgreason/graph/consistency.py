"""`Consistency`: the contradictions of the last commit, and those that a pending change raises.

A change raises a contradiction if the graph did not have it before the change. Two contradictions are the same if they
have the same rule, and the same terms or the same facts. Terms that the change makes equal count as the same term.
Exception: a contradiction of the rule `eq-diff1` is about two terms that are equal and were asserted to be different.
Two of these are the same only if they have the same two terms, so each pair of terms is a contradiction of its own.

Law: a change that raises no contradiction adds none to `KnowledgeGraph.contradictions`. Cost: nothing, unless facts of
`false` appear, or terms become equal in a graph with contradictions. Then it is one pass over the facts, and one more
if the contradictions of the last commit are not known.

Threads: a graph calls this under its lock.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain

import numpy as np

from kgreason.materialize.edit import ContradictionChanges
from kgreason.materialize.materializer import Materializer
from kgreason.materialize.state import SavedState
from kgreason.proofs.contradiction import Contradiction
from kgreason.proofs.contradictions import contradictions

_PAIRS = "eq-diff1"
"""The rule that contradicts pairs of equal terms; `Consistency` compares these terms as they were asserted."""


class Consistency:
    """The contradictions of a materializer's last commit, computed when they are first asked for."""

    def __init__(self, materializer: Materializer) -> None:
        self._materializer = materializer
        self._known: list[Contradiction] | None = None

    def contradictions(self) -> list[Contradiction]:
        """Return the contradictions of the last commit.

        If they are not known yet, this computes them from the present state: then no change may be pending.
        """
        if self._known is None:
            self._known = self._contradictions(self._materializer.save())
        return self._known

    def note_empty(self) -> None:
        """Note that the graph is empty, so that it has no contradictions."""
        self._known = []

    def raised_reader(self, refuted: ContradictionChanges) -> Callable[[], tuple[Contradiction, ...]]:
        """Return a function that returns the contradictions that the pending change raises.

        Call `raised_reader` before the change is accepted or rolled back. The function that it returns calls
        `contradictions`. So call this function after the change was rolled back, or, if `contradictions` was called
        before the change, at any time before the change is accepted. `refuted` says whether the change adds or removes
        facts of `false`, and whether it changes which terms are equal.
        """
        if not (refuted.arrived or (refuted.respelled and self._known)):
            return tuple
        saved = self._materializer.save()
        found = self._contradictions(saved)
        renamed = self._with_primaries(found, saved)  # now, because a rollback forgets new terms
        return lambda: _new_contradictions(
            found, renamed, self.contradictions(), self._with_primaries(self.contradictions(), saved)
        )

    def ended_reader(self, refuted: ContradictionChanges) -> Callable[[], tuple[Contradiction, ...]]:
        """Return a function that returns the contradictions that the pending change ends.

        The rules of `raised_reader` hold: when to call `ended_reader`, and when to call the function that it returns.
        """
        if not (refuted.left or (refuted.respelled and self._known)):
            return tuple
        saved = self._materializer.save()
        found = self._contradictions(saved)
        renamed = self._with_primaries(found, saved)
        return lambda: _new_contradictions(
            self.contradictions(), self._with_primaries(self.contradictions(), saved), found, renamed
        )

    def accept(self, refuted: ContradictionChanges) -> None:
        """Note that the pending change is a commit now. If it affects contradictions, they are computed again."""
        if refuted.arrived or refuted.left or (refuted.respelled and self._known):
            self._known = None

    def _contradictions(self, saved: SavedState) -> list[Contradiction]:
        materializer = self._materializer
        return contradictions(saved, materializer.dictionary, materializer.false_rules)

    def _with_primaries(self, told: Sequence[Contradiction], saved: SavedState) -> list[Contradiction]:
        """Return the contradictions `told`, with the primary of its clique in `saved` in place of each term."""
        dictionary = self._materializer.dictionary
        terms = {term for each in told for term in (*each.terms, *chain.from_iterable(f.terms for f in each.facts))}
        texts = [str(term) for term in terms]
        ids = dictionary.find(texts).astype(np.int32)
        known = [text for text, number in zip(texts, ids.tolist(), strict=True) if number]
        primary = dict(zip(known, dictionary.decode(saved.in_primaries(ids[ids > 0])), strict=True))
        return [each.renamed(lambda term: primary.get(term, term)) for each in told]


def _new_contradictions(
    found: Sequence[Contradiction],
    renamed: Sequence[Contradiction],
    known: Sequence[Contradiction],
    known_renamed: Sequence[Contradiction],
) -> tuple[Contradiction, ...]:
    """Return the contradictions of `found` that are not in `known`."""
    old = {(told.rule, told.terms) for told in known}
    keys = set(chain.from_iterable(map(_keys, known_renamed)))
    return tuple(
        told
        for told, same in zip(found, renamed, strict=True)
        if (told.rule, told.terms) not in old and (told.rule == _PAIRS or keys.isdisjoint(_keys(same)))
    )


def _keys(told: Contradiction) -> set[object]:
    """Return two keys of a contradiction: (rule, terms), and (rule, facts).

    Two contradictions are the same if they share a key.
    """
    return {(told.rule, told.terms), (told.rule, frozenset(told.facts))}
