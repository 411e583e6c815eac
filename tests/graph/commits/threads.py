"""Operations of every kind on one graph, drawn at random, for many threads to do at the same time.

Each thread writes about subjects of its own, so that it knows which of its writes were acknowledged. Whatever it writes
comes in pairs (`:p` and `:q` between the same terms), so that a query which sees half a commit is found out.
"""

from __future__ import annotations

import random
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple, TypeAlias

import pytest

from kgreason.errors import QueryError
from kgreason.graph.changes.delta import Delta
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.graph.results.answers import Solutions
from kgreason.graph.transaction import Transaction
from tests.graph.views import follow, lines

E = "http://e/"
PREFIXES = f"PREFIX : <{E}> "
HALF = f"""{PREFIXES} SELECT ?x {{ {{ ?x :p ?y FILTER NOT EXISTS {{ ?x :q ?y }} }} UNION
    {{ ?x :q ?y FILTER NOT EXISTS {{ ?x :p ?y }} }} }}"""
SCHEMA = f"""@prefix : <{E}> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
:p rdfs:domain :A . :A rdfs:subClassOf :B . :p a owl:TransitiveProperty . :q rdfs:subPropertyOf :r .
:One owl:disjointWith :Two ."""

Rules: TypeAlias = tuple[str, bool]
"""The text of a rule, and whether it came."""


class WantedError(Exception):
    """What a transaction that is to fail raises."""


@contextmanager
def hasty() -> Iterator[None]:
    """While this lasts, threads take turns as often as Python lets them."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


class Done(NamedTuple):
    """What all threads did together: the deltas in the order of the feed, and rules by the commit they came in."""

    feed: list[Delta]
    rules: dict[int, Rules]


class Worker:
    """One thread's operations."""

    def __init__(self, name: str, graph: KnowledgeGraph, done: Done, folder: Path) -> None:
        self._name, self._graph, self._done, self._folder = name, graph, done, folder
        self._draw = random.Random(name)
        self.written: set[str] = set()
        self._objects: set[int] = set()
        self._rule = f"@rule {name} [?x, <{E}is>, <{E}{name}>] :- [?x, <{E}p>, <{E}{name}o1>] ."
        self._is_ruled = False
        self._loaded = False
        self._operations: tuple[Callable[[], object], ...] = (
            self.update,
            self.update,
            self.request,
            self.transaction,
            self.transaction,
            self.failing,
            self.failing_update,
            self.explain,
            self.match,
            self.what_if,
            self.query,
            self.query,
            self.load,
            self.rules,
            self.stats,
            self.dump,
            self.contradictions,
            self.subscribe,
            self.warnings,
        )

    def run(self, count: int) -> None:
        for _ in range(count):
            self._draw.choice(self._operations)()

    def _pair(self, number: int) -> tuple[str, str]:
        return tuple(f"<{E}{self._name}> <{E}{each}> <{E}{self._name}o{number}> ." for each in "pq")  # type: ignore[return-value]

    def _pick(self) -> int:
        return self._draw.randrange(12)

    def _keep(self, number: int, *, is_added: bool) -> None:
        """A write of a pair was acknowledged."""
        (self._objects.add if is_added else self._objects.discard)(number)
        (self.written.update if is_added else self.written.difference_update)(self._pair(number))

    def update(self) -> None:
        number, is_added = self._pick(), self._draw.random() < 0.7
        self._graph.update(f"{'INSERT' if is_added else 'DELETE'} DATA {{ {' '.join(self._pair(number))} }}")
        self._keep(number, is_added=is_added)

    def request(self) -> None:
        """Operations of which the later ask what the earlier did."""
        number, other = self._pick(), self._pick()
        self._graph.update(
            f"""{PREFIXES} INSERT DATA {{ {" ".join(self._pair(number))} }} ;
            INSERT {{ :{self._name} :p :{self._name}o{other} ; :q :{self._name}o{other} }}
            WHERE {{ :{self._name} a :B ; :r :{self._name}o{number} }} ;
            DELETE {{ ?s :never ?o }} WHERE {{ ?s :p ?o FILTER(?s = :nobody) }}"""
        )
        self._keep(number, is_added=True)
        self._keep(other, is_added=True)

    def transaction(self) -> None:
        number, other = self._pick(), self._pick()
        with self._graph.transaction() as tx:
            tx.remove(*map(_row, self._pair(other)))
            tx.add(" ".join(self._pair(number)))
        self._keep(other, is_added=False)
        self._keep(number, is_added=True)

    def failing(self) -> None:
        with pytest.raises(WantedError):
            self._fail()

    def _fail(self) -> None:
        with self._graph.transaction() as tx:
            tx.add(f"<{E}{self._name}> <{E}fails> <{E}new{self._draw.random()}> .")
            raise WantedError

    def failing_update(self) -> None:
        with pytest.raises(QueryError):
            self._graph.update(
                f"{PREFIXES} INSERT DATA {{ :{self._name} :fails :x . GRAPH :g {{ :a :b :c }} }} ;"
                " DELETE { ?s :never ?o } WHERE { ?s :fails ?o } ; CREATE GRAPH :g"
            )

    def explain(self) -> None:
        if self._objects:
            number = self._draw.choice(sorted(self._objects))
            proof = self._graph.explain((f"<{E}{self._name}>", f"<{E}r>", f"<{E}{self._name}o{number}>"))
            assert f"{self._name}o{number}" in proof.to_text()
        with suppress(QueryError):
            self._graph.explain_all((f"<{E}{self._name}>", f"<{E}no>", f"<{E}such>"))

    def match(self) -> None:
        found = {
            f"{quad.subject} {quad.predicate} {quad.object} ."
            for predicate in ("p", "q", "loaded")
            for quad in self._graph.match(f"<{E}{self._name}>", f"<{E}{predicate}>", asserted=True)
        }
        assert found == self.written

    def what_if(self) -> None:
        with self._graph.what_if() as tx:
            tx.add(f"<{E}{self._name}> a <{E}One>, <{E}Two> . <{E}A> <{E}sub{self._draw.random()}> <{E}C> .")
        assert len(tx.delta.appeared()) >= 1

    def query(self) -> None:
        found = self._graph.query(HALF)
        assert isinstance(found, Solutions)
        assert not [solution["x"] for solution in found]

    def load(self) -> None:
        path = self._folder / f"{self._name}.ttl"
        if not path.exists():
            path.write_text(f"<{E}{self._name}> <{E}loaded> <{E}one>, <{E}two> .")
        (self._graph.unload if self._loaded else self._graph.load)(path)
        self._loaded = not self._loaded
        rows = {f"<{E}{self._name}> <{E}loaded> <{E}{each}> ." for each in ("one", "two")}
        (self.written.update if self._loaded else self.written.difference_update)(rows)

    def rules(self) -> None:
        with self._graph.transaction() as tx:
            self._change_rules(tx)
        if tx.delta.commit:
            self._done.rules[tx.delta.commit] = self._rule, not self._is_ruled
        self._is_ruled = not self._is_ruled
        assert any(rule["name"] == self._name for rule in self._graph.rules()) == self._is_ruled

    def _change_rules(self, tx: Transaction) -> None:
        (tx.remove_rules if self._is_ruled else tx.add_rules)(self._name if self._is_ruled else self._rule)

    def stats(self) -> None:
        stats = self._graph.stats()
        assert stats["facts"] == stats["asserted"] + stats["inferred"]

    def dump(self) -> None:
        mine = {line for line in lines(self._graph.dump(asserted=True)) if line.startswith(f"<{E}{self._name}> ")}
        assert mine == self.written

    def contradictions(self) -> None:
        assert not self._graph.contradictions()
        assert not self._graph.prove_contradictions()

    def subscribe(self) -> None:
        """A subscriber of this thread hears of its commits between its coming and going, in their order."""
        heard: list[int] = []
        end = self._graph.subscribe(lambda delta: heard.append(delta.commit))
        self.update()
        end()
        assert heard == sorted(set(heard))

    def warnings(self) -> None:
        assert not self._graph.warnings
        assert not self._graph.streams()


def _row(line: str) -> tuple[str, ...]:
    return tuple(line.removesuffix(" .").split())


def work(graph: KnowledgeGraph, folder: Path, threads: int, count: int) -> Done:
    """Have threads do so many operations each; every write that was acknowledged is there, and nothing else."""
    done = Done([], {})
    with graph.transaction() as tx:
        tx.add(SCHEMA)
    copy = lines(graph.dump(graphs=True))
    graph.subscribe(done.feed.append)
    workers = [Worker(f"t{number}", graph, done, folder) for number in range(threads)]
    errors: list[BaseException] = []

    def run(worker: Worker) -> None:
        try:
            worker.run(count)
        except BaseException as error:
            errors.append(error)

    running = [threading.Thread(target=run, args=[worker]) for worker in workers]
    with hasty():
        for thread in running:
            thread.start()
        for thread in running:
            thread.join()
    if errors:
        raise errors[0]
    written = {line for worker in workers for line in worker.written}
    asserted = lines(graph.dump(asserted=True))
    assert {line for line in asserted if line.startswith(f"<{E}t")} == written
    for delta in done.feed:
        copy = follow(copy, delta)
    assert copy == lines(graph.dump(graphs=True))
    assert [delta.commit for delta in done.feed] == list(range(2, len(done.feed) + 2))
    return done


def again(graph: KnowledgeGraph, done: Done) -> None:
    """Do the commits of all threads once more, in their order, in one thread."""
    with graph.transaction() as tx:
        tx.add(SCHEMA)
    for delta in done.feed:
        with graph.transaction() as tx:
            removed, added = delta.lines([delta.removed_quads], [delta.added_quads])
            tx.remove_lines(removed).add_lines(added)
            if delta.commit in done.rules:
                rule, came = done.rules[delta.commit]
                (tx.add_rules if came else tx.remove_rules)(rule)
