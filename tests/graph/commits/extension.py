"""The closure of a graph with more triples, evaluated in another engine: a stand-in for Spark."""

from __future__ import annotations

from kgreason.engine.engine import Engine
from kgreason.engine.memory import layout as at
from kgreason.materialize.materializer import Materializer
from kgreason.materialize.precomputed import Evaluated
from kgreason.materialize.schema.rows import SAME_AS
from kgreason.zset.columns import Int32
from tests.graph.states import in_default, rows_of
from tests.oracle.graph import Triple


def extended(materializer: Materializer, added: Int32) -> Evaluated:
    """The graph's closure after an Update that asserts triples, int32[n, 3]; the graph stays as it is."""
    engine = Engine(quiet=0 if materializer.selection.is_reflexive else SAME_AS)
    tables = materializer.engine.tables
    for is_triple, width in tables:
        engine.table(is_triple, width)
    facts = materializer.engine.facts
    engine.restore(facts.records(facts.present()), materializer.engine.rules)
    engine.commit({materializer.triples: added}, strategy="update")
    facts = engine.facts
    records = facts.records(facts.present())
    records[:, at.STATE] = records[:, at.STATE] & ~at.SPARE | at.UNKNOWN  # Spark does not count spare derivations
    return Evaluated(records, tables, tuple(materializer.rules))


class Extending:
    """What `start_from` takes: triples, and the closure that a graph has with them."""

    def __init__(self, given: set[Triple]) -> None:
        self._given = in_default(given)

    def __call__(self, materializer: Materializer) -> tuple[Int32, Evaluated]:
        quads = rows_of(materializer, self._given)
        return quads, extended(materializer, quads[:, :3])
