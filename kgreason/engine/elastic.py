"""Update or Bootstrap: the choice of Zhao et al., *Towards Elastic Incrementalization for Datalog*.

Work is counted in rewrites extended, so that the choice is the same on every machine; that of a Bootstrap also counts
its facts, each of which it hashes. What the next Bootstrap will take is foreseen: the last one's work, less the share
of the facts that have left since, and what Updates took for the facts that have come.

    what leaves     its derivations are taken back, and others looked for: an Update may extend `FRACTION` of a
                    Bootstrap's work for that (on LUBM and on closures such a rewrite costs two to three of a
                    Bootstrap's, so that at a third both take as long)
    what arrives    an Update meets new derivations alone: it may extend a Bootstrap's work, which grows by the fact
                    (it meets no more derivations, but more that end in nothing where a join starts at the wrong end)

An Update that would extend more is dropped, and Bootstrap runs. What is dropped was done in vain; so it is not even
tried where more facts arrive than a Bootstrap takes work, or where the facts that leave would take more than they may,
if each took what those of the last `TELLING` or more did. A forecast that is followed cannot be checked: it counts less
the next time. What a budget leaves no Bootstrap for is tried in any case.

Law: where one `apply` is a commit, it extends no more rewrites than Bootstrap does, and 1 + `FRACTION` times what was
foreseen for it by the facts that it ends with. Cost: a few numbers a commit.
"""

from __future__ import annotations

FRACTION = 0.3
"""The share of a Bootstrap's work that an Update may extend for what leaves."""
FEW = 4_096
"""So many facts may always arrive by Update, and so many rewrites are never too many to try."""
TELLING = 64
"""What fewer facts took that left says nothing of the next."""
DOUBT = 0.75
"""What a forecast that was followed counts the next time."""


class Elastic:
    """What was learnt of a graph's work: of a Bootstrap's (None while there was none), and for a fact that leaves."""

    def __init__(self, work: int | None = None) -> None:
        self.work = work
        self._per_leaving = 0.0

    def save(self) -> tuple[int | None, float]:
        """What was learnt, to `restore` when a commit is rolled back."""
        return self.work, self._per_leaving

    def restore(self, saved: tuple[int | None, float]) -> None:
        """Forget what was learnt since."""
        self.work, self._per_leaving = saved

    def is_hopeless(self, arriving: int, leaving: int) -> bool:
        """Whether an Update for so many asserted and retracted facts would be dropped by all that was learnt."""
        work = self.work or 0
        forecast = self._per_leaving * leaving if leaving >= TELLING else 0
        return arriving > max(work, FEW) or forecast > max(FRACTION * work, FEW)

    def doubt(self) -> None:
        """A forecast was followed: it counts less the next time."""
        self._per_leaving *= DOUBT

    def for_leaving(self) -> int:
        """The rewrites that an Update may extend for what leaves."""
        return int(FRACTION * (self.work or 0))

    def for_arriving(self, growth: float) -> int:
        """Those for what arrives, once the facts are `growth` times as many."""
        return int(growth * (self.work or 0))

    def took_back(self, leaving: int, rewrites: int) -> None:
        """An Update has extended so many rewrites to take so many asserted facts away, or was dropped after them."""
        if leaving >= TELLING:
            self._per_leaving = rewrites / leaving

    def shrank(self, share: float) -> None:
        """A share of the facts has left."""
        self.work = int((self.work or 0) * (1 - share))

    def grew(self, facts: int, rewrites: int) -> None:
        """So many facts have come by an Update, or come back, after so many rewrites."""
        self.work = (self.work or 0) + facts + rewrites
