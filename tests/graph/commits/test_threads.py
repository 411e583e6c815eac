"""Many threads on one graph: nothing that was acknowledged is lost, and all is as one thread would have done it."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from kgreason.errors import GraphBusyError, StoreError
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.graph.lock import GraphLock
from tests.graph.commits.threads import E, again, hasty, work
from tests.graph.views import agrees, lasting, view
from tests.volume import many


def check(folder: Path, threads: int, count: int, *, on_disk: bool) -> None:
    path = folder / "store" if on_disk else None
    with KnowledgeGraph.open(path) as graph, KnowledgeGraph.open() as single:
        done = work(graph, folder, threads, count)
        assert agrees(graph)
        again(single, done)
        after = lasting(view(graph))
        assert after == lasting(view(single))
    if path is not None:
        with KnowledgeGraph.open(path) as graph:
            assert lasting(view(graph)) == after
            assert agrees(graph)


@pytest.mark.parametrize("on_disk", [False, True])
def test_some_operations_of_every_kind(tmp_path: Path, on_disk: bool) -> None:
    check(tmp_path, 4, 60, on_disk=on_disk)


@pytest.mark.parametrize("on_disk", [False, True])
def test_thousands_of_operations_of_every_kind(tmp_path: Path, on_disk: bool) -> None:
    check(tmp_path, 8, many(300), on_disk=on_disk)


def test_explanations_beside_commits() -> None:
    """Terms of a commit must not be truncated with those that an explanation interned."""
    with KnowledgeGraph.open() as graph, hasty():
        graph.update(f"INSERT DATA {{ <{E}a> <{E}p> <{E}b> }}")
        stop = threading.Event()

        def explain() -> None:
            while not stop.is_set():
                graph.explain((f"<{E}a>", f"<{E}p>", f"<{E}b>"))

        thread = threading.Thread(target=explain)
        thread.start()
        for number in range(100):
            with graph.transaction() as tx:
                tx.add(f"<{E}s{number}> <{E}p> <{E}o{number}> .")
        stop.set()
        thread.join()
        assert graph.stats()["asserted"] == 101


def test_updates_of_asyncio_tasks_in_threads() -> None:
    async def edit(graph: KnowledgeGraph) -> None:
        texts = [f"INSERT DATA {{ <{E}s{number}> <{E}p> <{E}o> }}" for number in range(60)]
        await asyncio.gather(*(asyncio.to_thread(graph.update, text) for text in texts))

    with KnowledgeGraph.open() as graph:
        asyncio.run(edit(graph))
        assert graph.stats()["asserted"] == 60


def test_tasks_that_interleave_on_one_thread_are_told_so() -> None:
    """The second one gets the error; the first one's transaction goes on and is committed whole."""

    async def first(graph: KnowledgeGraph, is_open: asyncio.Event, go_on: asyncio.Event) -> None:
        with graph.transaction() as tx:
            tx.add(f"<{E}a> <{E}p> <{E}b> .")
            is_open.set()
            await go_on.wait()
            tx.add(f"<{E}a> <{E}p> <{E}c> .")

    async def second(graph: KnowledgeGraph, is_open: asyncio.Event, go_on: asyncio.Event) -> None:
        await is_open.wait()
        try:
            with pytest.raises(StoreError, match="a transaction open already"):
                graph.transaction()
            with pytest.raises(StoreError, match="a transaction open already"):
                graph.update(f"INSERT DATA {{ <{E}x> <{E}p> <{E}y> }}")
            assert not list(graph.match())
        finally:
            go_on.set()

    async def both(graph: KnowledgeGraph) -> None:
        events = asyncio.Event(), asyncio.Event()
        await asyncio.gather(first(graph, *events), second(graph, *events))

    with KnowledgeGraph.open() as graph:
        asyncio.run(both(graph))
        assert graph.stats()["asserted"] == 2
        graph.update(f"INSERT DATA {{ <{E}x> <{E}p> <{E}y> }}")
        assert graph.stats()["asserted"] == 3


def in_thread(work: object) -> None:
    """Do something in a thread of its own, which ends; raises what it raises."""
    errors: list[BaseException] = []

    def run() -> None:
        try:
            work()  # type: ignore[operator]
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run, name="other")
    thread.start()
    thread.join()
    if errors:
        raise errors[0]


def test_a_transaction_belongs_to_its_thread() -> None:
    with KnowledgeGraph.open() as graph:
        tx = graph.transaction()
        tx.add(f"<{E}a> <{E}p> <{E}b> .")
        for call in (
            lambda: tx.end(True),
            lambda: tx.add(f"<{E}x> <{E}p> <{E}y> ."),
            lambda: tx.__exit__(None, None, None),
        ):
            with pytest.raises(StoreError, match="begun in thread 'MainThread'"):
                in_thread(call)
        tx.end(True)
        assert len(tx.delta) == 1


def test_others_wait_for_a_transaction_as_long_as_they_say() -> None:
    with KnowledgeGraph.open() as graph:
        with graph.transaction() as tx:
            tx.add(f"<{E}a> <{E}p> <{E}b> .")
            for call in (
                lambda: graph.transaction(timeout=0.05),
                lambda: graph.what_if(timeout=0.05),
                lambda: graph.update("INSERT DATA {}", timeout=0.05),
                lambda: graph.load("x.ttl", timeout=0),
            ):
                with pytest.raises(GraphBusyError, match="in use by thread 'MainThread'"):
                    in_thread(call)
            in_thread(lambda: bool(graph.query("ASK { ?s ?p ?o }")) and pytest.fail("a query saw a transaction"))
        in_thread(lambda: graph.update(f"INSERT DATA {{ <{E}c> <{E}p> <{E}d> }}", timeout=5))
        assert graph.stats()["asserted"] == 2


def test_the_transaction_of_a_thread_that_ended_is_forgotten() -> None:
    with KnowledgeGraph.open() as graph:
        left = []

        def leave() -> None:
            left.append(graph.transaction().add(f"<{E}lost> <{E}p> <{E}b> ."))

        in_thread(leave)
        graph.update(f"INSERT DATA {{ <{E}a> <{E}p> <{E}b> }}", timeout=5)
        assert graph.stats()["asserted"] == 1
        with pytest.raises(StoreError, match="the thread that began the transaction has ended"):
            left[0].end(True)
        graph.update(f"INSERT DATA {{ <{E}c> <{E}p> <{E}d> }}", timeout=5)
        assert graph.stats()["asserted"] == 2


def test_a_graph_is_closed_whose_transaction_a_thread_has_left() -> None:
    graph = KnowledgeGraph.open()
    in_thread(graph.transaction)
    graph.close()
    with pytest.raises(StoreError, match="the graph is closed"):
        graph.update("INSERT DATA {}")


def test_ctrl_c_ends_the_waiting_and_leaves_the_lock_as_it_was() -> None:
    lock, is_held, go_on = GraphLock(), threading.Event(), threading.Event()

    def hold() -> None:
        with lock.hold():
            is_held.set()
            go_on.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    is_held.wait()
    timer = threading.Timer(0.2, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        lock.acquire()
    go_on.set()
    thread.join()
    timer.join()
    for _ in range(2):
        with lock.hold():
            assert lock.is_mine
        assert not lock.is_mine


def test_queries_do_not_wait() -> None:
    """While another thread has the graph, a query answers as of the last commit."""
    with KnowledgeGraph.open() as graph:
        graph.update(f"INSERT DATA {{ <{E}a> <{E}p> <{E}b> }}")
        is_open, go_on = threading.Event(), threading.Event()

        def hold() -> None:
            with graph.transaction() as tx:
                tx.add(f"<{E}c> <{E}p> <{E}d> .")
                is_open.set()
                go_on.wait()

        thread = threading.Thread(target=hold)
        thread.start()
        is_open.wait()
        assert len(list(graph.query("SELECT * { ?s ?p ?o }"))) == 1  # type: ignore[arg-type]
        go_on.set()
        thread.join()
        assert len(list(graph.query("SELECT * { ?s ?p ?o }"))) == 2  # type: ignore[arg-type]


def test_a_lock_is_reentrant_and_goes_to_who_waits() -> None:
    lock, order = GraphLock(), list[int]()
    assert [lock.acquire(), lock.acquire()] == [0, 1]

    def take(number: int) -> None:
        with lock.hold():
            order.append(number)

    threads = [threading.Thread(target=take, args=[number]) for number in range(3)]
    for thread in threads:
        thread.start()
        time.sleep(0.02)
    for _ in range(2):  # a release may be repeated
        lock.release(1)
        assert (lock.depth, order) == (1, [])
    for _ in range(2):
        lock.release(0)
    for thread in threads:
        thread.join()
    assert sorted(order) == [0, 1, 2]
    in_thread(lock.release)
    assert lock.depth == 0


STOPPED = """
import signal, sys, threading
from kgreason import KnowledgeGraph
from kgreason.errors import GraphBusyError

graph = KnowledgeGraph.open()
graph.update("INSERT DATA { <http://e/a> <http://e/p> <http://e/b> }")
stopped = 0
for turn in range(300):
    timer = threading.Timer(0.001 + 0.0002 * (turn % 7), signal.raise_signal, [signal.SIGINT])
    try:
        timer.start()
        while True:
            graph.stats()
            with graph.transaction() as tx:
                tx.add("<http://e/a> <http://e/p> <http://e/c> .")
    except KeyboardInterrupt:
        stopped += 1
    timer.join()
    free = []
    def ask():
        try:
            graph.update("INSERT DATA { <http://e/x> <http://e/p> <http://e/y> }", timeout=5)
            free.append(True)
        except GraphBusyError as error:
            print("turn", turn, error)
    other = threading.Thread(target=ask)
    other.start()
    other.join()
    if not free:
        sys.exit(1)
print("stopped", stopped)
"""


def test_ctrl_c_leaves_no_lock_behind() -> None:
    done = subprocess.run([sys.executable, "-c", STOPPED], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "stopped 300\n"), done.stderr
