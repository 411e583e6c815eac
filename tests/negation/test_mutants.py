"""Every misreading of `Negations`, `Data` and strata fails on the small history that is kept for it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kgreason.engine.changes import Strategy
from kgreason.errors import StratificationError
from kgreason.materialize import materialized_graph
from kgreason.materialize.edit import NO_FACTS
from kgreason.materialize.operators import operators
from kgreason.materialize.operators.data import Data
from kgreason.materialize.operators.negation import Negations
from kgreason.materialize.operators.operators import Operators
from kgreason.rules import lowering
from kgreason.rules.parser import parse
from tests.histories.following import Check, follow
from tests.histories.history import Commit
from tests.negation.counterexamples import COUNTEREXAMPLES
from tests.negation.misreadings import MISREADINGS
from tests.negation.misreadings_of_data import MISREADINGS_OF_DATA
from tests.negation.test_data import test_equal_terms_are_one_individual

STRATEGIES: tuple[Strategy | tuple[Strategy, ...], ...] = ("update", ("bootstrap",))
"""An Update, and a Bootstrap at each step."""


@pytest.mark.parametrize("name", COUNTEREXAMPLES)
def test_the_right_reading_follows_the_history(name: str) -> None:
    follow_both(name)


def follow_both(name: str) -> None:
    for strategy in STRATEGIES:
        follow(COUNTEREXAMPLES[name], Check(strategy))


@pytest.mark.parametrize("misreading", MISREADINGS)
def test_a_misreading_does_not(misreading: type[Negations | Operators], monkeypatch: pytest.MonkeyPatch) -> None:
    if issubclass(misreading, Negations):
        monkeypatch.setattr(operators, "Negations", misreading)
    else:
        monkeypatch.setattr(materialized_graph, "Operators", misreading)
    with pytest.raises((AssertionError, StratificationError)):
        follow_both(misreading.__name__)


@pytest.mark.parametrize("misreading", MISREADINGS_OF_DATA)
def test_a_misreading_of_data_does_not(misreading: type[Data], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operators, "Data", misreading)
    with pytest.raises(AssertionError):
        follow(COUNTEREXAMPLES[misreading.__name__])


def test_names_that_become_equal_to_constants_are_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Data, "facts_of_moved_terms", lambda *_: NO_FACTS)
    with pytest.raises(AssertionError):
        test_equal_terms_are_one_individual()


def test_an_open_dependency_of_an_assignment_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    (rule,) = parse("p(?b) :- p(?x), BIND(?x AS ?b) .").rules
    history = (Commit({}, {replace(rule, dialect="srl"): 1}),)
    follow(history)
    monkeypatch.setattr(lowering, "is_closed", lambda _: False)
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        follow(history)
