"""A commit that fails at whatever step, or is interrupted there, leaves no trace, unless the journal has it: it stands."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from kgreason.engine import circuit
from kgreason.engine.circuit import Circuit
from kgreason.engine.engine import Engine, Strategy
from kgreason.errors import InputError, LimitError, StoreError
from kgreason.graph import live, quads
from kgreason.graph.delta import Delta
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.graph.program import LiveProgram
from kgreason.graph.quads import Quads
from kgreason.graph.stratum import SchemaStratum
from kgreason.graph.transaction import Transaction
from kgreason.ontology.live import LiveTranslation
from kgreason.store import journal
from kgreason.store.journal import Journal
from kgreason.store.oxigraph import OxigraphStore
from tests.engine.small_rooms import small_quantum

from . import interrupted
from .series import PREFIX
from .test_edits import told
from .views import View, agrees, lasting, view

STEPS = (
    (live, "without_shared"),
    (live.LiveGraph, "_keep"),
    (quads, "_filled"),
    (Quads, "change"),
    (Quads, "accept"),
    (SchemaStratum, "change"),
    (SchemaStratum, "accept"),
    (LiveTranslation, "change"),
    (LiveProgram, "change"),
    (LiveProgram, "commit"),
    (Engine, "_retract"),
    (Engine, "_switch"),
    (Engine, "_evaluate"),
    (Engine, "changes"),
    (Engine, "accept"),
    (circuit, "advance"),
    (Circuit, "assert_rows"),
    (Circuit, "retract_rows"),
    (Circuit, "run"),
    (Circuit, "run_rule"),
    (Circuit, "plan_backward"),
    (Circuit, "run_backward"),
    (Circuit, "changes"),
    (Journal, "append"),
    (journal, "_write"),
    (journal, "_sync"),
    (OxigraphStore, "apply"),
)
"""What a commit does, by owner and name."""
FIRST = """:A rdfs:subClassOf :B . :B rdfs:subClassOf :C . :p a owl:TransitiveProperty ; rdfs:domain :A . :q owl:inverseOf :r .
:a :p :b . :b :p :c . :c :p :d . :d :p :e . :e :p :f . :b a :A . :a :n "01"^^xsd:integer , 1 . :z :q "x"@en . """
RULES = "@rule reach far(?x, ?y) :- [?x, :p, ?y], [?y, a, :C] . @rule shown [?x, :far, ?y] :- far(?x, ?y) ."


class InjectedError(Exception):
    """What the tests inject."""


class Point:
    """Counts the steps of a commit by name; raises ahead of one of them."""

    def __init__(self, at: int | None = None) -> None:
        self.names: list[str] = []
        self._at = at

    def __call__(self, name: str) -> None:
        self.names.append(name)
        if len(self.names) - 1 == self._at:
            raise KeyboardInterrupt if self._at % 2 else InjectedError


Edit = Callable[[Transaction], object]


def first(tx: Transaction) -> None:
    tx.add(PREFIX + FIRST, ("_:m", "<http://e/p>", "_:m")).add_rules(PREFIX + RULES)


def edit(tx: Transaction) -> None:
    """Facts, axioms and rules go and come, and a first named graph."""
    tx.remove(PREFIX + ':c :p :d . :B rdfs:subClassOf :C . :a :n "01"^^xsd:integer .', ("_:m", "<http://e/p>", "_:m"))
    tx.add(PREFIX + ":A rdfs:subClassOf :D . :r a owl:SymmetricProperty . :g { :f :p :g . :x :r :y . :a :p :b }")
    tx.remove_rules("shown").add_rules(PREFIX + "@rule near [?x, :near, ?y] :- far(?y, ?x) .")


def third(tx: Transaction) -> None:
    """Axioms and rules that were taken away come back."""
    tx.remove(PREFIX + ":a :p :b . :q owl:inverseOf :r . :A rdfs:subClassOf :D .").remove_rules("near")
    tx.add(PREFIX + ":B rdfs:subClassOf :C . :c :p :d .").add_rules(PREFIX + RULES)


class Way(NamedTuple):
    """How a commit is evaluated, and where it goes."""

    strategy: Strategy
    is_on_disk: bool
    is_bulk: bool = False


WAYS = {
    "update": Way("update", False),
    "update that turns into bootstrap": Way("auto", False),
    "bootstrap": Way("bootstrap", False),
    "journal": Way("update", True),
    "snapshot": Way("auto", True, True),
}


def commit(graph: KnowledgeGraph, ask: Edit) -> Delta:
    with graph.transaction() as tx:
        ask(tx)
    return tx.delta


def tried(graph: KnowledgeGraph, ask: Edit) -> Delta:
    with graph.what_if() as tx:
        ask(tx)
    return tx.delta


class Siege:
    """A graph whose commits are made to fail, beside an untouched twin; `stands` has the steps where one stood."""

    def __init__(self, folder: Path, way: Way, before: tuple[Edit, ...], ask: Edit) -> None:
        self._folder, self._way, self._before, self._ask = folder, way, before, ask
        self.stands: list[str] = []
        self._number = 0
        with self._prepared() as twin:
            counted = Point()
            self._known = len(twin._engine().materializer.dictionary)
            with self._watched(counted):
                delta = commit(twin, ask)
            self.names, self.work = counted.names, delta.work
            self._delta, self._after = told(delta), lasting(view(twin))
            self._next = told(commit(twin, third)), lasting(view(twin))

    @contextmanager
    def _prepared(self) -> Iterator[KnowledgeGraph]:
        """A graph ahead of the commit."""
        self._number += 1
        path = self._folder / str(self._number) if self._way.is_on_disk else None
        with KnowledgeGraph.open(path, strategy=self._way.strategy) as graph:
            for each in self._before:
                commit(graph, each)
            yield graph
        if path is not None:
            with KnowledgeGraph.open(path) as graph:
                assert lasting(view(graph)) == self._next[1]
                assert agrees(graph)

    @contextmanager
    def _watched(self, point: Point) -> Iterator[None]:
        of = (*STEPS, *interrupted.STEPS) if self._way.is_bulk else STEPS
        with interrupted.steps(point, of):
            yield

    def fail(self, number: int) -> None:
        """Fail at a step, try again unless the commit stands, and go on."""
        with self._prepared() as graph:
            heard: list[Delta] = []
            graph.subscribe(heard.append)
            self._fail(graph, number, heard)
            if not heard:
                assert told(commit(graph, self._ask)) == self._delta
            assert told(heard[0]) == self._delta
            assert lasting(view(graph)) == self._after
            assert agrees(graph)
            assert told(commit(graph, third)) == self._next[0]
            assert lasting(view(graph)) == self._next[1]

    def _fail(self, graph: KnowledgeGraph, number: int, heard: list[Delta]) -> None:
        before, last = view(graph), graph._home.last
        with self._watched(Point(number)), pytest.raises((InjectedError, KeyboardInterrupt)):
            commit(graph, self._ask)
        if graph._home.last > last:
            self.stands.append(self.names[number])
            assert len(heard) == 1
            return
        assert not heard
        assert view(graph) == before
        assert len(graph._engine().materializer.dictionary) == self._known
        assert told(tried(graph, self._ask)) == self._delta


@pytest.fixture(params=WAYS)
def siege(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Siege]:
    """The commit of everything at once, in each way."""
    way = WAYS[request.param]
    if way.is_bulk:
        monkeypatch.setattr(live, "SMALL", 0)
    with small_quantum(20):
        found = Siege(tmp_path, way, (first,), edit)
        expected = ("update" if way.strategy == "update" else "bootstrap", way.strategy == "auto")
        assert (found.work.strategy, found.work.switched) == expected
        yield found


def test_a_fault_at_every_kind_of_step(siege: Siege) -> None:
    for name in dict.fromkeys(siege.names):
        siege.fail(siege.names.index(name))


@pytest.mark.slow
def test_a_fault_at_every_step(siege: Siege) -> None:
    for number in range(len(siege.names)):
        siege.fail(number)
    print(siege.stands)
