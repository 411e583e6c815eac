"""The processes of queries: when they start, and when they end."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from kgreason import KnowledgeGraph
from kgreason.errors import QueryError
from tests.server.conftest import ZOO
from tests.server.limits.test_limits import ENDLESS
from tests.server.serving import PATIENCE, client, served

from kgreason.server.queries import pool  # isort: skip
from kgreason.server.queries.frames import REQUEST, frame  # isort: skip
from kgreason.server.queries.pool import Pool, Request  # isort: skip
from kgreason.server.settings import Settings  # isort: skip

_SLOW = "import time; time.sleep(1.5); "


@asynccontextmanager
async def pool_of(store: Path, **options: Any) -> AsyncIterator[Pool]:
    processes = Pool(Settings(store, **options))
    try:
        yield processes
    finally:
        await processes.close()


@pytest.fixture
def store(tmp_path: Path) -> Path:
    with KnowledgeGraph.open(tmp_path / "store", rules=[]) as graph:
        graph.add(ZOO)
    return tmp_path / "store"


def test_a_process_whose_server_was_killed_while_it_started_ends(store: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        pass
    endless = Request(ENDLESS, 1, solutions="json")._asdict() | {"most": None}
    command = [sys.executable, "-P", "-c", pool._RUN, str(store), "0", str(gone.pid)]
    asked = frame(REQUEST, json.dumps(endless).encode())
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        try:
            assert process.stdin
            process.stdin.write(asked)
            process.stdin.flush()
            assert process.wait(PATIENCE) == 1
        finally:
            process.kill()


async def test_the_start_of_a_process_is_not_time_of_its_query(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "_RUN", _SLOW + pool._RUN)
    async with pool_of(store, query_seconds=1) as processes:
        found = await processes.ask(Request("ASK {}", 1, solutions="json"))
        assert found.document == b'{"head":{},"boolean":true}'


LEAST = 1 << 29
"""The smallest limit that the command takes; a process must be able to open a store with it."""


async def test_the_server_has_the_processor_before_its_queries(store: Path) -> None:
    own = os.getpriority(os.PRIO_PROCESS, 0)
    async with pool_of(store) as processes:
        await processes.ask(Request("ASK {}", 1, solutions="json"))
        [process] = processes._idle
        assert os.getpriority(os.PRIO_PROCESS, process.pid) > own or own == 19


@pytest.mark.skipif(sys.platform != "linux", reason="the test reads /proc")
async def test_the_memory_of_a_process_is_limited(store: Path) -> None:
    async with pool_of(store, query_bytes=LEAST) as processes:
        await processes.ask(Request("ASK { ?s ?p ?o }", 1, solutions="json"))
        [process] = processes._idle
        limits = Path(f"/proc/{process.pid}/limits").read_text("ascii")
    line = next(each for each in limits.splitlines() if each.startswith("Max data size"))
    assert LEAST < int(line.split()[3]) <= LEAST + (os.cpu_count() or 1) * (8 << 20)  # and the stacks of threads


async def test_a_process_that_does_not_start_is_an_error(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "_RUN", "raise SystemExit")

    processes = Pool(Settings(store, queries=1, queries_waiting=1))
    for _ in range(3):  # each leaves its place to the next one
        with pytest.raises(QueryError, match="its process has ended early"):
            await processes.ask(Request("ASK {}", 1, solutions="json"))
    assert processes.process_count == 0


def test_the_log_that_every_process_reads_is_emptied(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Opening a store would take longer after each commit, because its log grows."""
    monkeypatch.setattr(pool, "_READ", 100_000)
    with served(store) as address, client(address) as http:
        sizes = []
        for number in range(60):
            text = f"INSERT DATA {{ <http://e/{number}> <http://e/says> <http://e/{number}{'x' * 200}> }}"
            assert http.post("/update", data={"update": text}).is_success
            asked = http.get("/query", params={"query": f"ASK {{ <http://e/{number}> ?says ?it }}"})
            assert asked.json()["boolean"]
            sizes.append(sum(path.stat().st_size for path in store.glob("oxigraph*/*.log")))
    assert any(before > after for before, after in pairwise(sizes)), sizes
