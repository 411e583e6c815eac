"""Update or Bootstrap: the choice of Zhao et al., *Towards Elastic Incrementalization for Datalog*.

Work is counted in rewrites extended, so that the choice is the same on every machine; that of a Bootstrap also counts
its facts, each of which it hashes. The next Bootstrap's is foreseen from the last one's, by the number of facts.

    nothing leaves      an Update meets the new derivations alone, a Bootstrap all of them: Update, unless more is
                        asserted than there is (looking at the stamps of all facts makes an Update the dearer way)
    something leaves    derivations are taken back, and others looked for: an Update may extend a share of a Bootstrap's
                        work; one that would extend more is dropped, and Bootstrap runs

What is dropped was done in vain. So an Update is not even tried where a quarter of all facts leave, or where it would
extend more than its share if each fact that leaves took as much as those of the last large Update did. A forecast that
is followed cannot be checked: it counts half the next time. A few facts are always tried.

Law: a commit extends no more rewrites than an Update, or those of a Bootstrap and `FRACTION` of what it foresaw.
Measured on LUBM and on closures: a rewrite that takes back costs two to three of a Bootstrap, so that an Update that
extends a third of a Bootstrap's work takes about as long.
"""

from __future__ import annotations

FRACTION = 0.3
"""The share of a Bootstrap's work that an Update may extend, where something leaves, before Bootstrap takes over."""
FEW = 4_096
"""A change of fewer facts, or of less work, is an Update that is tried whatever is foreseen."""
_TELLING = 64
"""What fewer facts took that left says nothing of the next."""


class Elastic:
    """What the last Bootstrap and the last Updates took, and what that says of the next commit."""

    def __init__(self) -> None:
        self._per_fact: float | None = None
        self._per_leaving = 0.0

    def evaluated(self, work: int, facts: int) -> None:
        """A Bootstrap of this work has left so many facts."""
        self._per_fact = work / max(facts, 1)

    def updated(self, leaving: int, rewrites: int) -> None:
        """An Update has extended so many rewrites, or was dropped after them; so many asserted facts were to leave."""
        if leaving >= _TELLING:
            self._per_leaving = rewrites / leaving

    def work(self, facts: int) -> int | None:
        """What a Bootstrap of so many facts is foreseen to take; None while there was none."""
        return None if self._per_fact is None else round(self._per_fact * facts)

    def share(self, facts: int) -> int:
        """How many rewrites an Update of a graph of so many facts may extend where something leaves."""
        return int(FRACTION * (self.work(facts) or 0))

    def tries(self, asserted: int, leaving: int, facts: int) -> bool:
        """Whether to try an Update that asserts so many facts and takes so many asserted ones away."""
        if self._per_fact is None:
            return False
        if asserted > max(facts, FEW) or leaving > max(facts // 4, FEW):
            return False
        if leaving < _TELLING or self._per_leaving * leaving <= max(self.share(facts), FEW):
            return True
        self._per_leaving /= 2
        return False
