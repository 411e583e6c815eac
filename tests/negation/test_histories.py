"""Random histories of triples and of rules that say NOT, against the perfect model by definition."""

from __future__ import annotations

import pytest

from kgreason.engine.changes import Strategy
from tests.circuit.following import KINDS
from tests.negation.following import follow
from tests.strategies.negation import history
from tests.volume import many_seeds

QUICK, SLOW = 100, 450
STRATEGIES: tuple[Strategy, ...] = ("update", "update", "bootstrap", "auto")


@pytest.mark.parametrize("strategy", ["update", "bootstrap", "auto"])
def test_every_commit_gives_the_perfect_model(strategy: Strategy) -> None:
    for seed in range(QUICK // 3):
        run(seed, strategy)


@pytest.mark.parametrize("part", range(6))
def test_every_commit_of_many_histories_gives_the_perfect_model(part: int) -> None:
    for seed in many_seeds(QUICK, SLOW, part, 6):
        run(seed, STRATEGIES[seed % 4])


@pytest.mark.parametrize("strategy", ["update", "bootstrap", "auto"])
def test_every_commit_with_data_gives_the_perfect_model(strategy: Strategy) -> None:
    for seed in range(QUICK // 5):
        run(seed, strategy, data=0.4)


@pytest.mark.parametrize("part", range(6))
def test_every_commit_of_many_histories_with_data_gives_the_perfect_model(part: int) -> None:
    for seed in many_seeds(QUICK, SLOW // 2, part, 6):
        run(seed, STRATEGIES[seed % 4], data=0.4)


def run(seed: int, strategy: Strategy, data: float = 0) -> None:
    """Follow a random history, with the specification circuit beside one of the strategies."""
    circuit = KINDS[seed % 3] if strategy == "update" else None
    follow(history(seed, data=data), strategy, f"history {seed}", circuit=circuit)
