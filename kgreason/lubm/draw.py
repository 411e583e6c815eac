"""Random numbers that stay the same: on every machine, in every version of Python, in every order of work.

Only `random.Random.random` is used, whose sequence Python promises to keep for a given seed; `randint`, `sample` and
`shuffle` carry no such promise. A generator is seeded with the name of what it draws for.
"""

import random

from kgreason.lubm.profile import Bounds


class Draw:
    """Draws for one thing, named by a tuple of numbers."""

    def __init__(self, *name: int) -> None:
        self._random = random.Random("/".join(map(str, name))).random

    def below(self, limit: int) -> int:
        """A number from 0 to `limit - 1`."""
        return int(self._random() * limit)

    def between(self, bounds: Bounds) -> int:
        """A number within `bounds`."""
        return bounds.low + self.below(bounds.high - bounds.low + 1)

    def chance(self, probability: float) -> bool:
        """True with this probability."""
        return self._random() < probability

    def distinct(self, amount: int, limit: int) -> list[int]:
        """`amount` different numbers below `limit` (all of them where there are fewer), in the order drawn."""
        chosen: dict[int, None] = {}
        while len(chosen) < min(amount, limit):
            chosen[self.below(limit)] = None
        return list(chosen)
