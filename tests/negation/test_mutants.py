"""Every misreading of `Negations` fails on the small history that is kept for it."""

from __future__ import annotations

import pytest

from kgreason.errors import StratificationError
from kgreason.materialize import materializer
from kgreason.materialize.operators import operators
from kgreason.materialize.operators.negation import Negations
from kgreason.materialize.operators.operators import Operators
from tests.negation.counterexamples import COUNTEREXAMPLES
from tests.negation.following import follow
from tests.negation.misreadings import MISREADINGS


@pytest.mark.parametrize("name", COUNTEREXAMPLES)
def test_the_right_reading_follows_the_history(name: str) -> None:
    for strategy in ("update", "bootstrap"):
        follow(COUNTEREXAMPLES[name], strategy)


@pytest.mark.parametrize("misreading", MISREADINGS)
def test_a_misreading_does_not(misreading: type[Negations | Operators], monkeypatch: pytest.MonkeyPatch) -> None:
    if issubclass(misreading, Negations):
        monkeypatch.setattr(operators, "Negations", misreading)
    else:
        monkeypatch.setattr(materializer, "Operators", misreading)
    with pytest.raises((AssertionError, StratificationError)):
        follow(COUNTEREXAMPLES[misreading.__name__], "update")
