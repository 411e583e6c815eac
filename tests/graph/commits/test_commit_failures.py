"""A commit that fails at whatever step leaves no trace, unless the journal has it: then it stands.

Faults are errors and Ctrl-C, ahead of everything that a commit does: in the engine's phases, in an Update that turns
into a Bootstrap, in the schema's stratum, the program, the quads, the journal, the store, and in what accepts them.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from kgreason.engine import circuit
from kgreason.engine.changes import Strategy
from kgreason.engine.circuit import Circuit
from kgreason.engine.engine import Engine
from kgreason.engine.update import Update
from kgreason.errors import InputError, LimitError, StoreError
from kgreason.graph import commits
from kgreason.graph.changes.delta import Delta
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.graph.transaction import Transaction
from kgreason.materialize.program import LiveProgram
from kgreason.materialize.quads import asserted_quads as quads
from kgreason.materialize.quads.asserted_quads import Quads
from kgreason.materialize.schema.closure import SchemaStratum
from kgreason.ontology.translate.translate import LiveTranslation
from kgreason.store.journal import journal
from kgreason.store.journal.journal import Journal
from kgreason.store.oxigraph.store import OxigraphStore
from tests.engine.small_rooms import small_quantum
from tests.graph.commits.test_edits import content
from tests.graph.series import PREFIX
from tests.graph.views import agrees, lasting, view
from tests.store import interrupted

STEPS = (
    (commits, "without_shared_rows"),
    (commits.Committer, "_write_commit"),
    (quads, "_engine_with"),
    (Quads, "change"),
    (Quads, "accept"),
    (SchemaStratum, "change"),
    (SchemaStratum, "accept"),
    (LiveTranslation, "change"),
    (LiveProgram, "change"),
    (LiveProgram, "accept"),
    (Update, "_retract"),
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
FIRST = """:A rdfs:subClassOf :B . :B rdfs:subClassOf :C . :p a owl:TransitiveProperty ; rdfs:domain :A .
:q owl:inverseOf :r . :a :p :b . :b :p :c . :c :p :d . :d :p :e . :e :p :f . :b a :A .
:a :n "01"^^xsd:integer , 1 . :z :q "x"@en . """
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


def delta_of_what_if(graph: KnowledgeGraph, ask: Edit) -> Delta:
    with graph.what_if() as tx:
        ask(tx)
    return tx.delta


class Siege:
    """A graph whose commits are made to fail, beside an untouched twin; `stands` has the steps where one stood."""

    def __init__(self, folder: Path, way: Way) -> None:
        self._folder, self.way = folder, way
        self.stands: list[str] = []
        self._number = 0
        with self._graph_before() as twin:
            counted = Point()
            self._known = len(twin._committer().materializer.dictionary)
            with self._watch(counted):
                delta = commit(twin, edit)
            self.names, self.work = counted.names, delta.work
            self._delta, self._after = content(delta), lasting(view(twin))
            self._next = content(commit(twin, third)), lasting(view(twin))

    @contextmanager
    def _graph_before(self) -> Iterator[KnowledgeGraph]:
        """A graph ahead of the commit."""
        self._number += 1
        path = self._folder / str(self._number) if self.way.is_on_disk else None
        with KnowledgeGraph.open(path, strategy=self.way.strategy) as graph:
            commit(graph, first)
            yield graph
        if path is not None:
            with KnowledgeGraph.open(path) as graph:
                assert lasting(view(graph)) == self._next[1]
                assert agrees(graph)

    @contextmanager
    def _watch(self, point: Point) -> Iterator[None]:
        of = (*STEPS, *interrupted.STEPS) if self.way.is_bulk else STEPS
        with interrupted.steps(point, of):
            yield

    def fail(self, number: int) -> None:
        """Fail at a step, try again unless the commit stands, and go on."""
        with self._graph_before() as graph:
            heard: list[Delta] = []
            graph.subscribe(heard.append)
            self._fail(graph, number, heard)
            if not heard:
                assert content(commit(graph, edit)) == self._delta
            assert content(heard[0]) == self._delta
            assert lasting(view(graph)) == self._after
            assert agrees(graph)
            assert content(commit(graph, third)) == self._next[0]
            assert lasting(view(graph)) == self._next[1]

    def _fail(self, graph: KnowledgeGraph, number: int, heard: list[Delta]) -> None:
        before, last = view(graph), graph._home.last
        with self._watch(Point(number)), pytest.raises((InjectedError, KeyboardInterrupt)):
            commit(graph, edit)
        if graph._home.last > last:
            self.stands.append(self.names[number])
            assert len(heard) == 1
            return
        assert not heard
        assert view(graph) == before
        assert len(graph._committer().materializer.dictionary) == self._known
        assert content(delta_of_what_if(graph, edit)) == self._delta


@pytest.fixture(params=WAYS)
def siege(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Siege]:
    """The commit of everything at once, in each way."""
    way = WAYS[request.param]
    if way.is_bulk:
        monkeypatch.setattr(commits, "SMALL", 0)
    with small_quantum(20):
        found = Siege(tmp_path, way)
        expected = ("update" if way.strategy == "update" else "bootstrap", way.strategy == "auto")
        assert (found.work.strategy, found.work.switched) == expected
        yield found


def points(siege: Siege, *, every: bool) -> list[int]:
    """Steps, in memory all and on disk those behind the engine: the first of each name, or of each run of a name."""
    names, kept = siege.names, siege.names.index("_write_commit")
    start = kept if siege.way.is_on_disk else 0
    seen = [names[max(n - 1, start) : n] if every else names[start:n] for n in range(len(names))]
    return [n for n in range(start, len(names)) if names[n] not in seen[n] or (n > kept and not siege.way.is_on_disk)]


def test_a_fault_at_every_kind_of_step(siege: Siege) -> None:
    for number in points(siege, every=False):
        siege.fail(number)


def test_a_fault_at_every_step(siege: Siege) -> None:
    for number in points(siege, every=True):
        siege.fail(number)
    late = {"tidy", "rmtree"} if siege.way.is_bulk else set()
    assert set(siege.stands) == {"accept"} | late


UPDATE = """PREFIX : <http://e/> INSERT DATA { :u :p :a . :g { :u :q "x"@en } } ;
DELETE { ?x :n ?n } INSERT { ?x a :Z . ?x :is ?n } WHERE { ?x a :C ; :n ?n } ; DELETE WHERE { ?x a :Z ; :p ?y }"""


@pytest.mark.parametrize("is_on_disk", [False, True])
def test_a_fault_in_any_step_of_an_update(tmp_path: Path, is_on_disk: bool) -> None:
    """The steps that were tried are taken back."""
    counted = Point()
    update = UPDATE.replace(":g {", "GRAPH :g {")
    with KnowledgeGraph.open() as twin:
        commit(twin, first)
        with interrupted.steps(counted, STEPS):
            twin.update(update)
        after = lasting(view(twin))
    changes = [number for number, name in enumerate(counted.names) if name == "change"]
    assert len(changes) > 2  # two steps that a WHERE asks about, and the commit
    keep = counted.names.index("_write_commit")
    for number in sorted(
        {counted.names.index(name, first) for first in (0, changes[1]) for name in counted.names[first:keep]} | {keep}
    ):
        with KnowledgeGraph.open(tmp_path / str(number) if is_on_disk else None) as graph:
            commit(graph, first)
            before = lasting(view(graph))
            with interrupted.steps(Point(number), STEPS), pytest.raises((InjectedError, KeyboardInterrupt)):
                graph.update(update)
            assert lasting(view(graph)) == before
            assert agrees(graph)
            graph.update(update)
            assert lasting(view(graph)) == after


MANY = PREFIX + "".join(f":x{n} :p :y .\n" for n in range(120))
PAIRS = "@group g . @rule pairs [?x, :with, ?y] :- [?x, :p, ?v], [?y, :p, ?v] ."
EXPLOSIONS: dict[str, tuple[Edit, Edit]] = {
    "facts come": (lambda tx: tx.add_rules(PREFIX + PAIRS), lambda tx: tx.add(MANY)),
    "facts go": (lambda tx: tx.add(MANY).add_rules(PREFIX + PAIRS), lambda tx: tx.remove(MANY)),
    "a rule comes": (lambda tx: tx.add(MANY), lambda tx: tx.add_rules(PREFIX + PAIRS)),
    "a rule goes": (lambda tx: tx.add(MANY).add_rules(PREFIX + PAIRS), lambda tx: tx.remove_rules("pairs")),
}


@pytest.mark.parametrize("name", EXPLOSIONS)
def test_a_rule_that_explodes_is_named_and_leaves_no_trace(tmp_path: Path, name: str) -> None:
    ready, ask = EXPLOSIONS[name]
    with KnowledgeGraph.open(tmp_path / "store") as graph:
        commit(graph, ready)
        before = lasting(view(graph))
    with (
        small_quantum(500),
        pytest.MonkeyPatch.context() as patch,
        KnowledgeGraph.open(tmp_path / "store", strategy="update", budget=1_000) as graph,
    ):
        patch.setattr(circuit, "_LEAST_FUEL", 100)
        known = len(graph._committer().materializer.dictionary)
        for begin in (commit, delta_of_what_if):
            with pytest.raises(LimitError, match=r"budget of 1,000 rewrites, .* ran out, most of it in rule g/pairs"):
                begin(graph, ask)
            assert lasting(view(graph)) == before
            assert len(graph._committer().materializer.dictionary) == known
        assert agrees(graph)
        assert len(commit(graph, lambda tx: tx.add(PREFIX + ":a :q :b ."))) == 1
    with KnowledgeGraph.open(tmp_path / "store") as graph:
        assert lasting(view(graph)).rules == before.rules
        assert commit(graph, ask)


def test_the_budget_holds_for_the_schema() -> None:
    """Its closure is evaluated ahead of all else, and its size is what the program is made of."""
    chain = PREFIX + "".join(f":C{n} rdfs:subClassOf :C{n + 1} .\n" for n in range(150))
    with KnowledgeGraph.open(budget=20_000) as graph:
        commit(graph, first)
        before, translations = view(graph), Point()
        with (
            interrupted.steps(translations, ((LiveProgram, "change"),)),
            pytest.raises(LimitError, match="ran out, most of it in rule scm/scm-sco"),
        ):
            commit(graph, lambda tx: tx.add(chain))
        assert not translations.names
        assert view(graph) == before
        assert agrees(graph)


def test_an_update_is_taken_back_whatever_that_costs(tmp_path: Path) -> None:
    with KnowledgeGraph.open(tmp_path / "store") as graph:
        commit(graph, lambda tx: tx.add(MANY).add_rules(PREFIX + PAIRS))
        before = lasting(view(graph))
    with KnowledgeGraph.open(tmp_path / "store", strategy="bootstrap", budget=1_000) as graph:
        with pytest.raises(InputError, match=r"missing\.ttl"):
            graph.update(f"CLEAR ALL ; LOAD <{(tmp_path / 'missing.ttl').as_uri()}>")
        assert lasting(view(graph)) == before
        with pytest.raises(LimitError, match="in rule g/pairs"):
            commit(graph, lambda tx: tx.add(PREFIX + ":new :p :y ."))


def test_a_disk_that_is_full_at_the_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of a record was written; nothing of it is left."""
    write = os.write

    def half(file: int, data: Any) -> int:
        if len(data) < 200:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(file, data[:150])

    with KnowledgeGraph.open(tmp_path / "store") as graph:
        commit(graph, first)
        before, size = view(graph), (tmp_path / "store" / "journal").stat().st_size
        with monkeypatch.context() as patch:
            patch.setattr(os, "write", half)
            with pytest.raises(StoreError, match="the journal cannot be written: the disk is full"):
                commit(graph, edit)
        assert view(graph) == before
        assert (tmp_path / "store" / "journal").stat().st_size == size
        delta = content(commit(graph, edit))
        after = lasting(view(graph))
    with KnowledgeGraph.open(tmp_path / "store") as graph, KnowledgeGraph.open() as twin:
        commit(twin, first)
        assert content(commit(twin, edit)) == delta
        assert lasting(view(graph)) == lasting(view(twin)) == after


def test_ctrl_c_in_a_subscriber() -> None:
    """The commit stands, and the others are told, before it comes through."""
    heard: list[Delta] = []

    def stopped(_: Delta) -> None:
        raise KeyboardInterrupt

    def failing(_: Delta) -> None:
        raise InjectedError

    with KnowledgeGraph.open() as graph:
        for callback in (failing, stopped, heard.append):
            graph.subscribe(callback)
        with pytest.raises(KeyboardInterrupt):
            commit(graph, first)
        assert len(heard) == 1
        with pytest.raises(KeyboardInterrupt):
            graph.update("CLEAR ALL")
        assert len(heard) == 2
        assert not lasting(view(graph)).asserted
