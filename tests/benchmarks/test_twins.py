"""The ontology of the benchmark is one of twins, and its closure as large as it is."""

from __future__ import annotations

import pytest

from benchmarks import twins
from kgreason.ontology.twins import LiveTwins
from kgreason.ontology.undo import UndoLog
from tests.graph.states import materialize, triples_of


def test_all_restrictions_are_represented_by_one() -> None:
    live = LiveTwins(UndoLog())
    live.change((), twins.ontology(20))
    assert live.representatives == {f"_:r{number}": "_:r1" for number in range(2, 21)}


def test_the_closure_grows_as_the_ontology_does() -> None:
    few, many = (len(triples_of(materialize(set(twins.ontology(number))))) for number in (100, 200))
    assert many / few == pytest.approx(2, rel=0.05)


def test_the_individuals_are_in_what_the_definitions_define() -> None:
    closure = triples_of(materialize(set(twins.ontology(4))))
    assert twins.load(4) > 0
    types = {o for s, _, o in closure if s == "<http://example.org/twins/i1>"}
    assert {f"<http://example.org/twins/{name}>" for name in ("A1", "B2", "B4")} <= types
