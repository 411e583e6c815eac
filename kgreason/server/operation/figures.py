"""`Figures`: figures for Prometheus about the graph, its commits, the queues, the processes and the disk.

The counts of the graph need the thread of the writer. While a long commit holds this thread, the figures are those of
the last time (`refresh` waits a second at most), and only one reader waits for the thread.

Threads: `collect` and `refresh` belong to the event loop; a histogram may be used by any thread.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from prometheus_client import CollectorRegistry, Histogram
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import Collector
from starlette.concurrency import run_in_threadpool

from kgreason.errors import KgreasonError
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.server.paths.server_parts import ServerParts
from kgreason.server.problems import Problem
from kgreason.server.session import Sessions
from kgreason.shapes.vocabulary import COLUMNS, RESULT

_PATIENCE = 1
_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300)


class Figures(Collector):
    """Figures about the state of a server, which are read when Prometheus asks."""

    def __init__(self, served: ServerParts, sessions: Sessions, registry: CollectorRegistry) -> None:
        self._served, self._sessions = served, sessions
        self._counts: dict[str, int] = {}
        self._bytes, self._free = 0, 0
        self._reading: asyncio.Task[None] | None = None
        text = "Seconds of a commit in the thread of the writer, without the time in the queue."
        seconds = Histogram("kgreason_commit_seconds", text, buckets=_BUCKETS, registry=registry)
        served.writer.committed = seconds.observe
        ProcessCollector(registry=registry)  # it gives nothing where there is no /proc
        registry.register(self)

    async def refresh(self) -> None:
        """Read the counts of the graph and the use of the disk again."""
        if self._reading is None or self._reading.done():
            self._reading = asyncio.create_task(self._read())
        self._bytes, self._free = await run_in_threadpool(_disk_bytes, self._served.settings.store)
        await asyncio.wait([self._reading], timeout=_PATIENCE)

    async def _read(self) -> None:
        with suppress(Problem, KgreasonError):
            self._counts = await self._served.writer.ask(_counts)

    def collect(self) -> Iterator[Metric]:
        """Yield the figures."""
        facts = GaugeMetricFamily("kgreason_facts", "Triples of the graph.", labels=["kind"])
        for kind in ("asserted", "inferred"):
            if kind in self._counts:
                facts.add_metric([kind], self._counts[kind])
        yield facts
        writer, pool, feed = self._served.writer, self._served.pool, self._served.feed
        gauges = {
            "kgreason_contradictions": ("Contradictions of the graph.", self._counts.get("contradictions")),
            "kgreason_validation_results": ("Validation results of the graph.", self._counts.get("results")),
            "kgreason_commit": ("The number of the last commit.", writer.commit),
            "kgreason_edits_waiting": ("Edits that run or wait.", writer.waiting),
            "kgreason_queries_waiting": ("Queries that wait for a process.", pool.waiting),
            "kgreason_query_processes": ("Processes for queries.", pool.process_count),
            "kgreason_streams": ("Clients that follow the changes.", feed.streams),
            "kgreason_store_bytes": ("Bytes of the files of the store.", self._bytes),
            "kgreason_disk_free_bytes": ("Bytes that are free on the disk of the store.", self._free),
        }
        for name, (text, value) in gauges.items():
            if value is not None:
                yield GaugeMetricFamily(name, text, value)
        killed = "Query processes that were killed: a limit was reached, or the client had gone."
        yield CounterMetricFamily("kgreason_queries_killed", killed, pool.killed)
        refused = "Requests with a token that the server does not know."
        yield CounterMetricFamily("kgreason_refused_logins", refused, self._sessions.refused.count)


def _counts(graph: KnowledgeGraph) -> dict[str, int]:
    return graph.stats() | {"results": len(graph.relation(RESULT, len(COLUMNS)))}


def _disk_bytes(store: Path) -> tuple[int, int]:
    """Return the bytes of the files of a store, and the bytes that are free on its disk."""
    size = 0
    for folder, _, names in os.walk(store):
        for name in names:
            with suppress(OSError):  # Oxigraph removes files at any time
                size += Path(folder, name).stat().st_size
    return size, shutil.disk_usage(store).free
