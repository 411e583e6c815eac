"""Random histories of each kind, against the model by definition."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgreason.engine.changes import Strategy
from kgreason.options import SameAsMode
from tests.histories import individuals
from tests.histories.drawn import Feature
from tests.histories.following import follow, run
from tests.histories.history import in_words
from tests.histories.individuals import MODES
from tests.volume import many_seeds

KINDS: dict[str, tuple[Feature, ...]] = {
    "positive": ("wide",),
    "not": ("not", "circles"),
    "data": ("not", "circles", "data"),
    "relations": ("not", "circles", "relations"),
    "expressions": ("not", "expressions"),
    "nodes": ("not", "expressions", "data", "nodes"),
    "aggregates": ("not", "expressions", "aggregates"),
    "functions": ("not", "expressions", "functions"),
    "all": ("not", "relations", "data", "expressions", "functions", "nodes", "aggregates"),
}
"""The features of the histories that are followed in the engine."""
INDIVIDUALS: dict[str, tuple[Feature, ...]] = {
    "not": (), "data": ("data",), "relations": ("relations",), "nodes": ("data", "nodes"), "aggregates": ("aggregates",)
}  # fmt: skip
"""The features of those with owl:sameAs, beside NOT."""
STRATEGIES: tuple[Strategy | tuple[Strategy, ...], ...] = ("update", "bootstrap", "auto", ("bootstrap",))


@pytest.mark.parametrize("kind", KINDS)
def test_every_commit_gives_the_model(kind: str) -> None:
    for seed in many_seeds(0, 253):
        run(seed, ("update", *STRATEGIES)[seed % 5], *KINDS[kind])


@pytest.mark.parametrize("mode", MODES)
def test_rules_see_individuals(mode: SameAsMode) -> None:
    individuals.run(0, mode, "data", "relations", "nodes", "aggregates")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", INDIVIDUALS)
def test_rules_see_individuals_in_many_histories(kind: str, mode: SameAsMode, tmp_path: Path) -> None:
    for seed in many_seeds(0, 30):
        path = tmp_path / str(seed) if seed % 4 == 0 else None
        individuals.run(seed, mode, *INDIVIDUALS[kind], path=path)


def test_results_that_rules_share_do_not_ask_for_each_other_without_an_end() -> None:
    rule = "[?x, :q, ?w] :- [?x, :q, ?y], BIND(?y + ?y AS ?v), BIND(?v + ?v AS ?w), FILTER(?w < ?y) ."
    follow(in_words(("a q 1", "", rule)))
