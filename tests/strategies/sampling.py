"""What a strategy gives when it is asked often: the same examples every time, none of them shrunk."""

from __future__ import annotations

from typing import TypeVar

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.strategies import SearchStrategy

_Value = TypeVar("_Value")


def sample(strategy: SearchStrategy[_Value], size: int) -> list[_Value]:
    """So many examples of the strategy."""
    drawn: list[_Value] = []

    @settings(
        max_examples=size,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def collect(value: _Value) -> None:
        drawn.append(value)

    collect()
    return drawn
