"""Calls aside of the writer, such as reads of the past, have threads of their own, and end at their limits."""

from __future__ import annotations

import asyncio
import threading
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from kgreason import KnowledgeGraph
from kgreason.errors import KgreasonError, LimitError, QueryTimeoutError
from kgreason.interrupts import let_out, watched
from kgreason.server.paths import history
from kgreason.server.problems import Problem
from kgreason.server.queries import call_threads, limits
from tests.server.serving import PATIENCE, client, served


def endless() -> None:
    while True:
        let_out()
        time.sleep(0.001)


@pytest.mark.parametrize("limit", ["time", "memory", "stop"])
async def test_a_read_ends_at_its_limits(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = iter(range(0, 10**6, 10))
    monkeypatch.setattr(limits, "resident_bytes", lambda: next(sizes))
    wanted: dict[str, tuple[tuple[Any, ...], type[KgreasonError | Problem]]] = {
        "time": ((0.01, None, lambda: False), QueryTimeoutError),
        "memory": ((60, 15, lambda: False), LimitError),
        "stop": ((60, None, lambda: True), Problem),
    }
    how, error = wanted[limit]

    with pytest.raises(error):
        await call_threads.CallThreads(limits.CallLimits(*how), "the call").result_of(endless)


async def test_a_few_reads_at_once() -> None:
    """However many clients read, the threads of other requests are free."""
    running, most, gate = 0, 0, threading.Event()

    def read() -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        gate.wait(30)
        running -= 1

    reads = call_threads.CallThreads(limits.CallLimits(60, None, lambda: False), "the call")
    tasks = [asyncio.create_task(reads.result_of(read)) for _ in range(60)]
    await asyncio.sleep(0.05)
    assert await asyncio.to_thread(lambda: "free") == "free"
    gate.set()
    await asyncio.gather(*tasks)
    assert most == call_threads._AT_ONCE


async def test_a_call_whose_client_has_left_keeps_its_thread_until_it_ends() -> None:
    """Clients that come and go do not have more threads than those that stay, and their calls end soon."""
    begun, may_end, together = threading.Semaphore(0), threading.Event(), threading.Barrier(call_threads._AT_ONCE)
    running = most = 0

    def read() -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        begun.release()
        may_end.wait(30)
        try:
            endless()
        finally:
            running -= 1

    reads = call_threads.CallThreads(limits.CallLimits(60, None, lambda: False), "the call")
    first = [asyncio.create_task(reads.result_of(read)) for _ in range(call_threads._AT_ONCE)]
    for _ in first:
        assert await asyncio.to_thread(begun.acquire, timeout=30)
    for task in first:
        task.cancel()
    second = [asyncio.create_task(reads.result_of(read)) for _ in range(call_threads._AT_ONCE)]
    await asyncio.to_thread(begun.acquire, timeout=0.05)
    for task in second:
        task.cancel()
    may_end.set()
    await asyncio.gather(*(reads.result_of(lambda: together.wait(30)) for _ in range(call_threads._AT_ONCE)))
    assert (most, running) == (call_threads._AT_ONCE, 0)


def test_a_long_history_takes_its_time(tmp_path: Path) -> None:
    with KnowledgeGraph.open(tmp_path / "store", history="all") as graph:
        for number in range(20):
            graph.add(f"<http://e/{number}> <http://e/p> <http://e/o> .")
        last = graph.commit
    with served(tmp_path / "store", question_seconds=0) as address, client(address) as http:
        answer = http.get(f"/commits/{last}?since=0")
        assert (answer.status_code, "ask for fewer commits" in answer.json()["detail"]) == (504, True)
        assert http.get("/commits").status_code == 504
    with served(tmp_path / "store") as address, client(address) as http:
        assert len(http.get(f"/commits/{last}?since=0").json()["appeared"]["asserted"]) == 20
        assert [each["commit"] for each in http.get("/commits?limit=2").json()] == [last, last - 1]


def test_a_read_ends_when_its_client_leaves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, ended = threading.Event(), threading.Event()

    def read(*_: object) -> None:
        begun.set()
        try:
            endless()
        finally:
            ended.set()

    monkeypatch.setattr(history, "_heads", read)
    with served(tmp_path / "store", question_seconds=PATIENCE) as address:
        with client(address) as http:
            while not begun.is_set():  # a client that leaves early has its call ended before it begins
                with pytest.raises(httpx.ReadTimeout):
                    http.get("/commits", timeout=httpx.Timeout(PATIENCE, read=0.2))
        assert ended.wait(PATIENCE / 4)


@pytest.mark.parametrize("form", ["json", "exact", "patch"])
def test_a_read_can_end_while_its_answer_is_written(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class LateError(Exception):
        pass

    def end() -> None:
        raise LateError

    with KnowledgeGraph.open(rules=["none"]) as graph:
        delta = graph.add("<http://e/a> <http://e/p> <http://e/o> .")
        monkeypatch.setattr(graph, "changes", lambda *_: delta)
        with pytest.raises(LateError), watched(end):
            history._document(graph, 0, 1, form)
