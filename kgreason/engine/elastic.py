"""Update or Bootstrap: the choice of Zhao et al., *Towards Elastic Incrementalization for Datalog*.

Work is counted in rewrites extended, so that the choice is the same on every machine. An Update may extend a share of
the rewrites of the last Bootstrap; one that would extend more is dropped, and its size is remembered: commits of as
many facts or more are not tried again, until Bootstrap's own work has grown by half.

Law: for each commit the rewrites are at most 1 + `FRACTION` times those of the better way, Bootstrap's fixed costs and
arrangements aside.
"""

from __future__ import annotations

FRACTION = 0.2
"""The share of the last Bootstrap's rewrites that an Update may extend before Bootstrap takes over."""
_GROWN = 1.5


class Elastic:
    """What is known of the work of Bootstraps and of Updates that were dropped.

    `work` is the number of rewrites of the last Bootstrap, 0 while there was none.
    """

    def __init__(self) -> None:
        self.work = 0
        self._noted_at = 0
        self._dropped: dict[bool, int] = {}

    @property
    def share(self) -> int:
        """How many rewrites an Update may extend."""
        return int(FRACTION * self.work)

    def prefers_bootstrap(self, retracted: int, asserted: int) -> bool:
        """Whether a commit of so many facts is not worth trying as an Update."""
        size = self._dropped.get(retracted > 0)
        return not self.work or (size is not None and max(retracted, asserted) >= size)

    def note_dropped(self, retracted: int, asserted: int) -> None:
        """An Update of so many facts was dropped; Bootstrap follows."""
        size, kind = max(retracted, asserted), retracted > 0
        self._dropped[kind] = min(size, self._dropped.get(kind, size))
        self._noted_at = self.work

    def note_bootstrap(self, work: int) -> None:
        """Bootstrap extended so many rewrites."""
        self.work = work
        if work > self._noted_at * _GROWN:
            self._dropped.clear()
