"""The server under load on LUBM(5), and what it costs. All values come from one run of some three minutes.

    reads      32 readers alone over the same readers with 4 writers beside them, in queries a second
    rows       1,000 rows over HTTP, over the same query evaluated and made to JSON in this process
    tail       the slowest of a hundred edits over their median, without axioms
    memory     the memory of the server and its query processes at the end, over that after a quarter of the time

The writers add together 10 commits of 3 triples and one axiom a second, and 4 followers read the feed. The run raises
for an error, a lost edit, a commit that was seen in part, or a gap in a feed. Readers, writers and server share the
machine, so that only ratios say something. The mix is LUBM's 14 queries and one that looks for half a commit, all of
them equally often.
"""

from __future__ import annotations

import time
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import NamedTuple

from pyoxigraph import QueryResultsFormat

from benchmarks.lubm import NAMESPACE
from benchmarks.model import Measurement
from benchmarks.served.crowd import Crowd
from benchmarks.served.serving import PATIENCE, Client, Server, lubm_store, running
from benchmarks.timing import Pairs, alternate, timed
from benchmarks.workspace import Workspace
from kgreason.graph.knowledge_graph import KnowledgeGraph

UNIVERSITIES, SECONDS, READERS, WRITERS, FOLLOWERS = 5, 60, 32, 4, 4
_INTERVAL, _AXIOMS = 4 / 11, 11
"""Each of 4 writers has 11 edits in 4 seconds, one of them an axiom."""
WARM = 3 * READERS
"""After this many queries the first phase begins."""
_EDITS, _ROUNDS, _REPEATED = 400, 9, 30
_ROWS = f"PREFIX ub: <{NAMESPACE}> SELECT ?x ?y {{ ?x a ub:Student . ?x ub:memberOf ?y }} LIMIT 1000"


class Run(NamedTuple):
    """The measurements of one run."""

    alone: float
    """Queries a second without writers, the mean of before and after, and `beside` with them."""
    beside: float
    edits: int
    early: int
    """Bytes of memory after a quarter of the time, and `late` at its end."""
    late: int
    rows: Pairs
    seconds: tuple[float, ...]
    """The seconds of single edits without axioms."""


_runs: dict[Workspace, Run] = {}


def _run(workspace: Workspace) -> Run:
    if workspace not in _runs:
        _runs[workspace] = measured(UNIVERSITIES, SECONDS)
    return _runs[workspace]


def measured(universities: int, seconds: float, edits: int = _EDITS) -> Run:
    """A run of a server of so many universities, with so many seconds of load."""
    with TemporaryDirectory() as folder:
        store = lubm_store(Path(folder), universities)
        with running(store) as server:
            alone, beside, crowd, memory = _loaded(server, seconds)
            rows = _rows(server, store)
            latencies = _edited(server, edits)
            return Run(alone, beside, crowd.edits, *memory, rows, latencies)


def _loaded(server: Server, seconds: float) -> tuple[float, float, Crowd, tuple[int, int]]:
    """Queries a second alone and beside writers, the crowd, and the memory early and late."""
    with Client(server.address) as client:
        crowd = Crowd(client.get("/health")["commit"], readers=READERS, writers=WRITERS, followers=FOLLOWERS)
    crowd.listen(server.address)
    visit = crowd.work(server.address, writes=False)
    until = time.monotonic() + PATIENCE
    while crowd.reads < WARM and time.monotonic() < until:  # all processes start, and the caches fill
        time.sleep(0.01)
    before = _rate(crowd, seconds / 3)
    visit.end()
    visit = crowd.work(server.address, interval=_INTERVAL, axioms=_AXIOMS)
    first = _rate(crowd, seconds / 4)
    early = server.resident()
    beside = (first + 3 * _rate(crowd, 3 * seconds / 4)) / 4
    late = server.resident()
    visit.end()
    visit = crowd.work(server.address, writes=False)  # once more: a warm machine must favour none
    alone = (before + _rate(crowd, seconds / 3)) / 2
    visit.end()
    with Client(server.address) as client:
        commit: int = client.get("/health")["commit"]
        until = time.monotonic() + PATIENCE
        while any(each.last < commit for each in crowd.followers) and time.monotonic() < until:
            time.sleep(0.01)
        crowd.check(client, commit)
    assert not crowd.dropped, f"{crowd.dropped} connections were lost"
    return alone, beside, crowd, (early, late)


def _rate(crowd: Crowd, seconds: float) -> float:
    """The queries that are answered in a second, during so many seconds."""
    begun, before = time.perf_counter(), crowd.reads
    time.sleep(seconds)
    return (crowd.reads - before) / (time.perf_counter() - begun)


def _rows(server: Server, store: Path) -> Pairs:
    """The seconds of a query over HTTP on one connection for each round, and in this process."""
    with KnowledgeGraph.open(store, read_only=True) as graph:
        with Client(server.address) as client:
            assert len(client.rows(_ROWS)) == 1000

        def over_http() -> None:
            with Client(server.address) as client:
                for _ in range(_REPEATED):
                    client.ask(_ROWS)

        def in_process() -> None:
            for _ in range(_REPEATED):
                graph.select(_ROWS).serialize(format=QueryResultsFormat.JSON)

        over_http()
        in_process()
        return alternate(lambda: timed(over_http), lambda: timed(in_process), _ROUNDS)


def _edited(server: Server, edits: int) -> tuple[float, ...]:
    """The seconds of edits of one triple, one after the other."""
    found = []
    with Client(server.address) as client:
        for number in range(edits):
            begun = time.perf_counter()
            client.update(f"INSERT DATA {{ <http://example.org/load/single{number}> a <{NAMESPACE}GraduateStudent> }}")
            found.append(time.perf_counter() - begun)
    return tuple(found)


def reads(workspace: Workspace) -> Measurement:
    """Readers alone over readers beside writers."""
    run = _run(workspace)
    how = f"{run.alone:.0f} over {run.beside:.0f} queries a second; {run.edits} edits, none lost, no gap"
    return Measurement(run.alone / run.beside, how)


def rows(workspace: Workspace) -> Measurement:
    """A served query over the same query in process."""
    run = _run(workspace)
    return Measurement(run.rows.ratio, f"{run.rows}, each {_REPEATED} times")


def tail(workspace: Workspace) -> Measurement:
    """The slowest of a hundred edits over their median."""
    run = _run(workspace)
    middle, slow = median(run.seconds), quantiles(run.seconds, n=100)[-1]
    return Measurement(slow / middle, f"{1000 * slow:.1f} ms over {1000 * middle:.1f} ms; {len(run.seconds)} edits")


def memory(workspace: Workspace) -> Measurement:
    """Memory at the end over memory after a quarter of the time."""
    run = _run(workspace)
    return Measurement(run.late / run.early, f"{run.late >> 20} over {run.early >> 20} MB, query processes included")
