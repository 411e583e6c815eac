"""Update or Bootstrap: the choice of Zhao et al., *Towards Elastic Incrementalization for Datalog*.

Work is counted in rewrites extended, so that the choice is the same on every machine; that of a Bootstrap also counts
its facts, each of which it hashes. An Update may extend a share of the last Bootstrap's work; one that would extend
more is dropped, and Bootstrap runs.

Law: for each commit the rewrites are at most 1 + `FRACTION` times those of the better way.
"""

from __future__ import annotations

FRACTION = 0.2
"""The share of the last Bootstrap's work that an Update may extend before Bootstrap takes over."""


def share(work: int) -> int:
    """How many rewrites an Update may extend after a Bootstrap of this work."""
    return int(FRACTION * work)
