"""Random numbers that stay the same: on every machine, in every version of Python, in every order of work.

Only `random.Random.random` is used: Python promises that its sequence stays the same for a given seed. Python does
not promise this for `randint`, `sample` and `shuffle`. The seed of each generator is the name of the thing for which
the generator draws, such as (seed, university, department).
"""

import random

from kgreason.lubm.profile import Bounds


class Draw:
    """Random numbers for one thing. Its name, a tuple of numbers, is the seed."""

    def __init__(self, *name: int) -> None:
        self._random = random.Random("/".join(map(str, name))).random

    def below(self, limit: int) -> int:
        """Draw a number from 0 to `limit - 1`."""
        return int(self._random() * limit)

    def between(self, bounds: Bounds) -> int:
        """Draw a number within `bounds`, including both bounds."""
        return bounds.low + self.below(bounds.high - bounds.low + 1)

    def chance(self, probability: float) -> bool:
        """Return True with the given probability, else False."""
        return self._random() < probability

    def distinct(self, amount: int, limit: int) -> list[int]:
        """Draw `amount` different numbers from 0 to `limit - 1`, in random order. If `amount > limit`, draw all."""
        chosen: dict[int, None] = {}
        while len(chosen) < min(amount, limit):
            chosen[self.below(limit)] = None
        return list(chosen)
