"""`Position`: how far the three places of a graph are: its snapshot, its journal, and the store that queries read.

    commits     0 ----------- snapshot ----------- stored ----------- last
                  in the snapshot |  in the journal: the engine replays |
                  in the store                       |  the store lacks |

    state       position                          which part has to work
    settled     stored == last                    none
    behind      snapshot <= stored < last         the store gets the rows that the engine replays
    unknown     stored < snapshot                 the store is filled again, with all rows
    ahead       snapshot < last, beside one of    only the engine knows the last commit; otherwise
                the three states above            the snapshot is enough

    settled --a kill in the middle of a commit--> behind --the next opening for writing--> settled
    settled --commit in memory fails half way--> unknown --the store is filled again--> settled
    ahead --checkpoint or load--> not ahead

The engine has no number of its own: it does not run, or it is at `last`.
"""

from __future__ import annotations

from typing import NamedTuple

UNKNOWN = -1
"""The value of `stored` if nobody knows which rows the store has."""


class Position(NamedTuple):
    """The numbers of three commits: that of the snapshot, the last one, and the last one that the store surely has."""

    snapshot: int
    last: int
    stored: int

    @property
    def is_ahead(self) -> bool:
        """Whether there are commits since the snapshot, so that only the engine can give the last state."""
        return self.last != self.snapshot

    @property
    def is_behind(self) -> bool:
        """Whether the store may lack the last commit, after a kill in the middle of a commit."""
        return self.stored != self.last

    @property
    def is_unknown(self) -> bool:
        """Whether the contents of the store are unknown, so that deltas cannot bring it up to date."""
        return self.stored < self.snapshot
