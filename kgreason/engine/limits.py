"""Limits on the work of an evaluation, and checks between its kernel calls. Both may end it before its fixpoint."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from kgreason.errors import LimitError
from kgreason.zset.columns import Int32

Check = Callable[[], object]
"""A function that is called between kernel calls. It may raise, which ends the evaluation."""
UNLIMITED = 1 << 62
MOST_SUPPORT = (1 << 31) - (1 << 28)
"""The largest support of a fact. A kernel call adds less than 2**28 to the support of a fact, which is an int32."""


class Limit(NamedTuple):
    """How many rewrites a commit may extend: at most `most`, and at least `least` if that is not more than `most`.

    In between, the limit is `before + work`, and grows with the queue: if the queue gets as many rows as there were
    `facts` when it had `queued` rows, the limit is `before + 2 * work`.
    """

    most: int = UNLIMITED
    least: int = UNLIMITED
    before: int = 0
    work: int = 0
    queued: int = 0
    facts: int = 1


class OverLimitError(Exception):
    """Raised when an evaluation has extended more rewrites than its limit allows."""


class TooDeepError(Exception):
    """Raised when a fact would need a level that does not fit into its stamp."""


def support_room(supports: Int32) -> int:
    """Return how many derivations the fact with the largest support may still get. Raises LimitError if none is left.

    The support of a fact is at most the number of derivations. So a look at all rows is needed only when their number
    has grown by half of what is left.
    """
    largest = int(supports.max(initial=0))
    if largest > MOST_SUPPORT:
        raise LimitError(f"a fact has more than {MOST_SUPPORT:,} derivations")
    return MOST_SUPPORT - largest


def no_check() -> None:
    """Do nothing: the default for each parameter `check`, a function that is called between kernel calls."""


def both_checks(first: Check, second: Check) -> Check:
    """Return a check that makes both checks, in this order."""
    if second is no_check or second is first:
        return first

    def check() -> None:
        first()
        second()

    return check
