"""Update or Bootstrap: the choice of Zhao et al., *Towards Elastic Incrementalization for Datalog*.

Work is counted in rewrites extended, so that the choice is the same on every machine. The work of a Bootstrap is its
rewrites plus its facts, because it hashes each fact. The forecast for the next Bootstrap begins as the work of the last
one. If an Update removes a quarter of the facts, the forecast falls by a quarter. If an Update adds facts, the forecast
grows by the number of these facts and by the rewrites that added them.

    facts leave     An Update takes derivations back, and brings facts back that have others. The limit is `FRACTION`
                    times the work of a Bootstrap. (One rewrite of such an Update takes as long as 0.8 to 2 rewrites of
                    a Bootstrap: 0.8 for points-to, 1.2 for an EL completion, 1.5 for a dense closure, and 2 if its
                    Bootstrap runs on two threads. So a dropped Update takes at most as long as a Bootstrap.)
    facts arrive    An Update meets new derivations only. The limit is the work of a Bootstrap, which grows with the
                    facts. (An Update meets no more derivations than a Bootstrap, but it may extend more rewrites that
                    lead to no derivation, where a join starts at the wrong end.)
    rules arrive    A Bootstrap would run the new rules, too. How much work they are nobody knows before. The limit
                    grows as if each of them, or `RULES` if there are more, extended one rewrite for each fact.

An Update that goes past its limit is dropped, and a Bootstrap runs. The dropped work is lost. So an Update is not even
tried in two cases. First: the number of arriving facts is larger than the forecast of a Bootstrap's work. Second: the
forecast for the leaving facts is larger than their limit. This forecast is the number of leaving facts, times the
rewrites for each fact that were measured at the last deletion of `TELLING` or more facts. A forecast that prevents an
Update is never tested. So it is multiplied by `DOUBT` each time it prevents one. If the budget is too small for a
Bootstrap, an Update is tried in any case.

Law: let b be the rewrites of a Bootstrap, f the forecast for the facts at the end of the commit, and r what new rules
add to the limit. A commit with one `apply` extends at most b + r + (1 + `FRACTION`) * f + 2 * `ALWAYS` rewrites. The
number of threads and the room of arrays change no forecast and no choice. Cost: a few numbers for each commit.
"""

from __future__ import annotations

from collections.abc import Callable

FRACTION = 0.5
"""The share of a Bootstrap's work that an Update may extend for leaving facts, unless a graph has another one."""
ALWAYS = 10_000
"""Each of the two limits of an Update is at least 10,000 rewrites: a few milliseconds."""
FEW = 4_096
"""An Update is always tried if at most 4,096 facts arrive and the forecast for the leaving facts is at most 4,096
rewrites."""
TELLING = 64
"""A deletion of fewer than 64 facts is too small to predict the cost of the next one."""
RULES = 16
"""New rules raise the limit of an Update by one rewrite for each fact and rule, for 16 rules at most."""
DOUBT = 0.75
"""A forecast that prevents an Update is multiplied by this factor, because no measurement can correct it."""


class Elastic:
    """Two forecasts for one graph: the work of the next Bootstrap, and an Update's rewrites for one leaving fact.

    `work`: the forecast for the next Bootstrap, its rewrites plus its facts; None before the first Bootstrap.
    `fraction`: what this graph has in the place of `FRACTION`, or None.
    """

    def __init__(self, work: int | None = None) -> None:
        self.work = work
        self.fraction: float | None = None
        self._per_leaving = 0.0

    @property
    def _share(self) -> float:
        return FRACTION if self.fraction is None else self.fraction

    def is_hopeless(self, arriving: int, leaving: int) -> bool:
        """Whether an Update would probably go past its limit and be dropped.

        `arriving`: the number of facts to assert. `leaving`: the number of facts to retract.
        """
        work = self.work or 0
        forecast = self._per_leaving * leaving if leaving >= TELLING else 0
        return arriving > max(work, FEW) or forecast > max(self._share * work, FEW)

    def doubt(self) -> None:
        """Note that the forecast for leaving facts has prevented an Update.

        This lowers the forecast, because it was not tested.
        """
        self._per_leaving *= DOUBT

    def for_leaving(self) -> int:
        """Return how many rewrites an Update may extend to retract facts."""
        return max(ALWAYS, int(self._share * (self.work or 0)))

    def for_arriving(self, facts: int, fresh: int, queued: int, before: int, most: int) -> Callable[[int], int]:
        """Return the `Circuit.limit` of an Update while facts arrive. If half as many arrive, the limit grows by half.

        `facts`, `queued`: the numbers of facts, and of rows in the queue, before the arrival. `fresh`: how many new
        rules read facts. `before`: the rewrites extended before. `most`: what the limit is in any case.
        """
        facts = max(facts, 1)
        work = (self.work or 0) + min(fresh, RULES) * facts
        return lambda queue: min(most, before + max(ALWAYS, int((1 + (queue - queued) / facts) * work)))

    def took_back(self, leaving: int, rewrites: int) -> None:
        """Note that an Update, complete or dropped, extended `rewrites` rewrites to retract `leaving` facts."""
        if leaving >= TELLING:
            self._per_leaving = rewrites / leaving

    def shrank(self, share: float) -> None:
        """Note that facts have left: lower the forecast for a Bootstrap.

        `share`: 0.25 if a quarter of the facts has left.
        """
        self.work = int((self.work or 0) * (1 - share))

    def grew(self, facts: int, rewrites: int) -> None:
        """Note that an Update extended `rewrites` rewrites to add or bring back `facts` facts.

        This raises the forecast for a Bootstrap.
        """
        self.work = (self.work or 0) + facts + rewrites
