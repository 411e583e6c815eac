"""Update or Bootstrap: the choice of Zhao et al., *Towards Elastic Incrementalization for Datalog*.

Work is counted in rewrites extended, so that the choice is the same on every machine. The work of a Bootstrap counts
its facts as well, because it hashes each of them. The forecast for the next Bootstrap is the work of the last one,
reduced by the share of the facts that have left since, plus the facts that have come by Update and their rewrites.

    facts leave     An Update takes derivations back and looks for others. For this it may extend `FRACTION` of a
                    Bootstrap's work. (On LUBM and on closures such a rewrite costs as much as two or three of a
                    Bootstrap, so that at a third both take the same time.)
    facts arrive    An Update meets new derivations only. It may extend a Bootstrap's work, which grows with the facts.
                    (It meets no more derivations than a Bootstrap, but more rewrites that lead nowhere, where a join
                    starts at the wrong end.)

An Update that goes past its limit is dropped, and Bootstrap runs. The dropped work is lost. So an Update is not even
tried in two cases: more facts arrive than the forecast of a Bootstrap's work; or so many facts leave that they would go
past their limit, at the cost for each fact that was measured when `TELLING` or more facts last left. A forecast that
prevents an Update is never tested, so each use multiplies it by `DOUBT`. If the budget is too small for a Bootstrap, an
Update is tried in any case.

Law: let one `apply` be a commit, and take the forecast for the facts at its end. The commit extends at most the
rewrites of a Bootstrap and 1 + `FRACTION` times the forecast. Cost: a few numbers a commit.
"""

from __future__ import annotations

FRACTION = 0.3
"""The share of a Bootstrap's work that an Update may extend for what leaves."""
FEW = 4_096
"""An Update is always tried if at most so many facts arrive and the leaving facts are forecast to take at most so many
rewrites."""
TELLING = 64
"""A deletion of fewer facts is too small to predict the cost of the next one."""
DOUBT = 0.75
"""The factor on a forecast each time that it prevents an Update: no measurement can correct it then."""


class Elastic:
    """Forecasts for one graph: the work of a Bootstrap (None before the first), and the rewrites for a leaving fact."""

    def __init__(self, work: int | None = None) -> None:
        self.work = work
        self._per_leaving = 0.0

    def save(self) -> tuple[int | None, float]:
        """The forecasts as they are now; `restore` brings them back when a commit is rolled back."""
        return self.work, self._per_leaving

    def restore(self, saved: tuple[int | None, float]) -> None:
        """Set the forecasts to what `save` returned."""
        self.work, self._per_leaving = saved

    def is_hopeless(self, arriving: int, leaving: int) -> bool:
        """Whether an Update for so many asserted and retracted facts is forecast to be dropped."""
        work = self.work or 0
        forecast = self._per_leaving * leaving if leaving >= TELLING else 0
        return arriving > max(work, FEW) or forecast > max(FRACTION * work, FEW)

    def doubt(self) -> None:
        """Lower the forecast for leaving facts, after it has prevented an Update."""
        self._per_leaving *= DOUBT

    def for_leaving(self) -> int:
        """The number of rewrites that an Update may extend for leaving facts."""
        return int(FRACTION * (self.work or 0))

    def for_arriving(self, growth: float) -> int:
        """The number of rewrites that an Update may extend for arriving facts, which grow the facts `growth` times."""
        return int(growth * (self.work or 0))

    def took_back(self, leaving: int, rewrites: int) -> None:
        """Note that an Update, complete or dropped, extended so many rewrites to retract so many asserted facts."""
        if leaving >= TELLING:
            self._per_leaving = rewrites / leaving

    def shrank(self, share: float) -> None:
        """Note that this share of the facts has left."""
        self.work = int((self.work or 0) * (1 - share))

    def grew(self, facts: int, rewrites: int) -> None:
        """Note that so many facts have come, or come back, by an Update of so many rewrites."""
        self.work = (self.work or 0) + facts + rewrites
