"""Random histories with aggregates, against the model by definition."""

from __future__ import annotations

import pytest

from kgreason.engine.changes import Strategy
from tests.aggregates.histories import FUNCTIONS, history
from tests.circuit.following import KINDS
from tests.negation.following import follow
from tests.volume import many_seeds

STRATEGIES: tuple[Strategy, ...] = ("update", "bootstrap", "auto")


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_commit_gives_the_model(strategy: Strategy) -> None:
    for seed in range(20):
        run(seed, strategy)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_commit_of_many_histories_gives_the_model(strategy: Strategy) -> None:
    for seed in many_seeds(20, 75):
        run(seed, strategy)


def run(seed: int, strategy: Strategy) -> None:
    """Follow a random history, with the specification circuit beside one of the strategies."""
    circuit = KINDS[seed % 3] if strategy == "update" else None
    follow(history(seed), strategy, f"history {seed}", FUNCTIONS, circuit=circuit)
