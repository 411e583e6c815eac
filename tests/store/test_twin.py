"""Oxigraph, on disk and in memory, does what a Python set does, whatever happens in whatever order."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from pyoxigraph import Quad, QuerySolutions, RdfFormat, parse, serialize

from kgreason.store.oxigraph.store import OxigraphStore
from tests.terms.unusual_terms import lines_of as lines_as_written
from tests.terms.unusual_terms import quads

from .twin import MemoryStore, RdfStore

COUNT = "SELECT (COUNT(*) AS ?n) { { ?s ?p ?o } UNION { GRAPH ?g { ?s ?p ?o } } }"


def lines_of(some: list[Quad]) -> bytes:
    """The lines of quads with language tags in small letters, as Oxigraph keeps them."""
    return serialize(parse(lines_as_written(some), RdfFormat.N_QUADS, lenient=True), format=RdfFormat.N_QUADS) or b""


def _rows(store: RdfStore) -> set[bytes]:
    return set(b"".join(store.lines()).splitlines(keepends=True))


def _count(store: RdfStore) -> str:
    solutions = store.query(COUNT)
    assert isinstance(solutions, QuerySolutions)
    return str(next(solutions)["n"])


def _names(store: RdfStore) -> list[str]:
    """The graphs that are there."""
    solutions = store.query("SELECT ?g { GRAPH ?g {} }")
    assert isinstance(solutions, QuerySolutions)
    return sorted(str(row["g"]) for row in solutions)


class Twins(RuleBasedStateMachine):
    """The same operations on an Oxigraph store and on its twin."""

    def __init__(self) -> None:
        super().__init__()
        self.store: RdfStore = OxigraphStore()
        self.twin: RdfStore = MemoryStore()
        self.known: list[Quad] = []

    @rule(chunks=st.lists(st.lists(quads, max_size=4), max_size=4))
    def load(self, chunks: list[list[Quad]]) -> None:
        self.known += chain.from_iterable(chunks)
        for store in (self.store, self.twin):
            store.load(iter([lines_of(chunk) for chunk in chunks]))

    @rule(data=st.data(), fresh=st.lists(quads, max_size=4))
    def apply(self, data: st.DataObject, fresh: list[Quad]) -> None:
        some: Any = st.lists(st.sampled_from(self.known), max_size=4) if self.known else st.just([])
        removed, added = data.draw(some), data.draw(some) + fresh
        self.known += fresh
        for store in (self.store, self.twin):
            store.apply(lines_of(removed), lines_of(added))

    @invariant()
    def same_rows(self) -> None:
        assert _rows(self.store) == _rows(self.twin)
        assert len(self.store) == len(self.twin)
        for some in (*([quad] for quad in self.known), self.known):
            assert self.store.count(lines_of(some)) == self.twin.count(lines_of(some))

    @invariant()
    def same_answers(self) -> None:
        assert _count(self.store) == _count(self.twin)
        assert _names(self.store) == _names(self.twin)


def test_oxigraph_in_memory_is_a_set_of_rows() -> None:
    run_state_machine_as_test(Twins, settings=settings(max_examples=8, stateful_step_count=12))


@settings(max_examples=8)
@given(st.lists(quads, max_size=6), st.lists(quads, max_size=6))
def test_rows_on_disk_are_there_after_reopening(first: list[Quad], second: list[Quad]) -> None:
    for store, twin in _pairs():
        for one in (store, twin):
            one.load([lines_of(first)])
            one.apply(lines_of(first[:3]), lines_of(second))
            one.flush()
            one.close()


def _pairs() -> Iterator[tuple[RdfStore, RdfStore]]:
    with tempfile.TemporaryDirectory() as folder:
        twin = MemoryStore()
        yield OxigraphStore(Path(folder) / "store"), twin
        reopened = OxigraphStore(Path(folder) / "store")
        assert _rows(reopened) == _rows(twin)
        reopened.close()
