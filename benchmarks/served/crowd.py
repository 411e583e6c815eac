"""`Crowd`: readers, writers and followers of one server in threads, and what each of them must find.

    writer     adds a person with a number and a mate in one commit, and now and then an axiom; notes what was
               acknowledged
    reader     asks the queries of LUBM, and for persons that a reader would see in half a commit, from a common `Deck`
    follower   reads the feed from its last commit on, and keeps the quads that the events tell

Laws that `check` tests: every acknowledged person is there, and nobody whom no writer has sent. A reader never sees a
part of a commit: neither an asserted triple without the other ones, nor without the triples that they entail. A
follower gets every commit once and in order, and its quads are those of the graph.

Threads: each person of the crowd has a thread and a connection. `Ledger` is written by the thread of its writer alone.
"""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

from benchmarks.lubm import NAMESPACE
from benchmarks.served.serving import LOST, Client, events, values
from kgreason.lubm import queries

_LOAD = "http://example.org/load/"
_PREFIXES = f"PREFIX ub: <{NAMESPACE}> PREFIX : <{_LOAD}> PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>"
PERSONS = f"{_PREFIXES} SELECT ?x {{ ?x :mate ?y }}"
_CLASSES = f"{_PREFIXES} SELECT ?x {{ ?x rdfs:subClassOf :Guest FILTER(?x != :Guest) }}"
HALF = f"""{_PREFIXES} SELECT ?x {{
    {{ ?x :mate ?y FILTER NOT EXISTS {{ ?x a ub:Person . ?x a ub:FullProfessor . ?y a ub:Person }} }}
    UNION {{ ?x a ub:FullProfessor . FILTER(STRSTARTS(STR(?x), "{_LOAD}")) FILTER NOT EXISTS {{ ?x :mate ?y }} }} }}"""
"""Persons of whom only a part can be seen."""


@dataclass
class Ledger:
    """A writer's notes: the names that the server acknowledged, those without answer, the seconds of each edit."""

    acknowledged: set[str] = field(default_factory=set)
    unknown: set[str] = field(default_factory=set)
    seconds: list[float] = field(default_factory=list)


class Deck:
    """Queries that many readers take in turns: all of them in random order, then all of them again, and so on.

    The slowest query of LUBM costs a thousand times the fastest one. With queries drawn one by one, the rate of a short
    run would say how often the slow ones were drawn. Threads: any thread may take a query.
    """

    def __init__(self, queries: Sequence[str], seed: int) -> None:
        self._queries, self._chance, self._lock = queries, random.Random(seed), threading.Lock()
        self._rest: list[str] = []

    def take(self) -> str:
        """Return the next query."""
        with self._lock:
            if not self._rest:
                self._rest = self._chance.sample(self._queries, len(self._queries))
            return self._rest.pop()


class Follower:
    """A follower's notes: the number of its last commit, the quads that the server told, and the faults found."""

    def __init__(self, after: int) -> None:
        self.last = after
        self.quads: Counter[tuple[str, ...]] = Counter()

    def follow(self, address: tuple[str, int]) -> None:
        """Follow a server until it is gone. Raises AssertionError for a gap, and RefusedError."""
        with Client(address) as client, suppress(*LOST):
            for event in events(iter(client.follow(self.last))):
                assert event["commit"] == self.last + 1, f"commit {event['commit']} comes after {self.last}"
                self.quads.update(tuple(quad) for quad in event["asserted"])
                self.quads.subtract(tuple(quad) for quad in event["retracted"])
                self.last = event["commit"]

    def names(self) -> set[str]:
        """The persons that the follower was told of."""
        assert all(count in (0, 1) for count in self.quads.values())
        return {quad[0][1:-1] for quad, count in self.quads.items() if count and quad[1] == f"<{_LOAD}mate>"}


class Crowd:
    """Readers, writers and followers; the same writers and followers go on at the next server."""

    def __init__(self, commit: int, *, readers: int, writers: int, followers: int, seed: int = 0) -> None:
        self.ledgers = [Ledger() for _ in range(writers)]
        self.followers = [Follower(commit) for _ in range(followers)]
        self._readers, self._deck = readers, Deck([*queries().values(), HALF], seed)
        self._counts = [0] * writers
        self._problems: list[str] = []
        self.dropped = 0
        """How many connections of readers and writers were lost."""
        self.reads = 0
        """How many queries were answered. Readers count without a lock, so the number may be a little low."""

    @property
    def edits(self) -> int:
        """How many edits were acknowledged."""
        return sum(len(each.acknowledged) for each in self.ledgers)

    def listen(self, address: tuple[str, int]) -> Visit:
        """The followers at a server; they end with the server."""
        return self._visit([partial(each.follow, address) for each in self.followers], threading.Event())

    def work(self, address: tuple[str, int], *, interval: float = 0, axioms: int = 10, writes: bool = True) -> Visit:
        """The readers and the writers at a server; a writer waits `interval` seconds between its edits.

        Every `axioms`-th edit of a writer is an axiom; with 0 there are none.
        """
        is_over = threading.Event()
        calls: list[Callable[[], object]] = []
        for _ in range(self._readers):
            calls.append(partial(self._read, address, is_over))
        for number in range(len(self.ledgers) if writes else 0):
            calls.append(partial(self._write, address, number, interval, axioms, is_over))
        return self._visit(calls, is_over)

    def _visit(self, calls: list[Callable[[], object]], is_over: threading.Event) -> Visit:
        return Visit([threading.Thread(target=self._noting, args=(call,)) for call in calls], is_over)

    def _noting(self, call: Callable[[], object]) -> None:
        """Call, and note an error."""
        try:
            call()
        except LOST:
            self.dropped += 1
        except Exception as error:
            self._problems.append(f"{type(error).__name__}: {error}")

    def _read(self, address: tuple[str, int], is_over: threading.Event) -> None:
        with Client(address) as client:
            while not is_over.is_set():
                if (query := self._deck.take()) == HALF:
                    assert not (half := client.rows(HALF)), f"half a commit was seen: {half[:3]}"
                else:
                    client.ask(query)
                self.reads += 1

    def _write(
        self, address: tuple[str, int], number: int, interval: float, axioms: int, is_over: threading.Event
    ) -> None:
        ledger = self.ledgers[number]
        with Client(address) as client:
            while not is_over.is_set():
                self._counts[number] += 1
                name = f"{_LOAD}w{number}-{self._counts[number]}"
                is_axiom = axioms and self._counts[number] % axioms == 0
                begun = time.perf_counter()
                try:
                    client.update(_axiom(name) if is_axiom else _person(name))
                except LOST:
                    ledger.unknown.add(name)
                    raise
                ledger.acknowledged.add(name)
                ledger.seconds.append(time.perf_counter() - begun)
                is_over.wait(interval)

    def check(self, client: Client, commit: int) -> None:
        """Raise AssertionError if a law does not hold; `commit` is the last commit of the server."""
        assert not self._problems, self._problems[:3]
        assert not client.rows(HALF)
        persons = set(values(client.rows(PERSONS), "x"))
        found = persons | set(values(client.rows(_CLASSES), "x"))
        acknowledged = set[str]().union(*(each.acknowledged for each in self.ledgers))
        unknown = set[str]().union(*(each.unknown for each in self.ledgers))
        assert not (lost := acknowledged - found), f"{len(lost)} edits are lost: {sorted(lost)[:3]}"
        assert not (strange := found - acknowledged - unknown), f"nobody has sent {sorted(strange)[:3]}"
        for follower in self.followers:
            assert follower.last == commit, f"a follower is at commit {follower.last} of {commit}"
            assert follower.names() == persons


class Visit:
    """The threads of a crowd at one server."""

    def __init__(self, threads: list[threading.Thread], is_over: threading.Event) -> None:
        self._threads, self._is_over = threads, is_over
        for thread in threads:
            thread.start()

    def end(self) -> None:
        """Have readers and writers end, and wait for all; followers end when their server has ended."""
        self._is_over.set()
        for thread in self._threads:
            thread.join()


def _person(name: str) -> str:
    mate = f"<{name}-mate>"
    return f"{_PREFIXES} INSERT DATA {{ <{name}> a ub:FullProfessor ; :mate {mate} . {mate} a ub:GraduateStudent }}"


def _axiom(name: str) -> str:
    return f"{_PREFIXES} INSERT DATA {{ <{name}> rdfs:subClassOf :Guest }}"
