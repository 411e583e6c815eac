"""`Retention`: which commits a history must keep: all, the last ones, or those of the last days."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple, Self

from kgreason.options import HistoryMode, days_of
from kgreason.store.history.entry import Head

_PARTS = 4
"""A file of the history has a quarter of what must be kept, so that the history is at most a quarter too long."""


class Retention(NamedTuple):
    """Which commits must be kept: the last `commits`, or those that are not older than `age`. If both are None, all."""

    commits: int | None = None
    age: timedelta | None = None

    @classmethod
    def of_mode(cls, mode: HistoryMode) -> Self:
        """Make it from the option `history`, which is not "none"."""
        if (days := days_of(mode)) is not None:
            return cls(age=timedelta(days=days))
        return cls(mode if isinstance(mode, int) else None)

    def most_entries(self, most: int) -> int:
        """Return how many entries a file may have, if files of a history that keeps everything may have `most`."""
        return most if self.commits is None else max(1, min(most, self.commits // _PARTS))

    def is_file_full(self, begun: Head | None, head: Head) -> bool:
        """Whether a file whose first entry is `begun` goes so far back that `head` shall begin a new file."""
        return begun is not None and self.age is not None and _time(head) - _time(begun) > self.age / _PARTS

    def is_needless(self, behind: Head, last: Head) -> bool:
        """Whether all commits before `behind` need not be kept, if the last commit is `last`."""
        if self.commits is not None:
            return behind.commit < last.commit - self.commits
        return self.age is not None and _time(last) - _time(behind) > self.age


def _time(head: Head) -> datetime:
    return datetime.fromisoformat(head.time)
