"""The number of threads, and the CPUs that a process may use."""

from __future__ import annotations

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from threading import Event, Timer
from typing import Any

import pytest

from kgreason import KnowledgeGraph
from kgreason.cpus import cpus, memory_quotas, quotas
from kgreason.errors import InputError, InputTypeError
from kgreason.graph.fork import fork
from kgreason.threads import Call, map_in_order, start_call, threads, wait_for
from tests.cli.calling import error_of, succeed


def test_the_environment_has_the_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGREASON_THREADS", "3")
    assert threads() == 3
    assert threads(2) == 2


def test_a_very_large_number_counts_as_256(monkeypatch: pytest.MonkeyPatch) -> None:
    assert threads(257) == 256
    for text in ("257", "9" * 5000):
        monkeypatch.setenv("KGREASON_THREADS", text)
        assert threads() == 256


@pytest.mark.parametrize("text", [None, ""])
def test_by_default_every_cpu_counts(monkeypatch: pytest.MonkeyPatch, text: str | None) -> None:
    monkeypatch.delenv("KGREASON_THREADS", raising=False)
    if text is not None:
        monkeypatch.setenv("KGREASON_THREADS", text)
    assert threads() == cpus() >= 1


@pytest.mark.parametrize("text", ["0", "00", "-1", "two", "1.5", "²", " 2"])
def test_anything_else_is_an_error(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("KGREASON_THREADS", text)
    with pytest.raises(InputError, match=r"KGREASON_THREADS .*: it must be a whole number, at least 1"):
        threads()


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="only Linux lets a process choose its CPUs")
def test_the_affinity_of_the_process_is_a_limit() -> None:
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        assert cpus() == 1
    finally:
        os.sched_setaffinity(0, before)


@pytest.mark.parametrize(
    ("own", "files", "found"),
    [
        ("0::/a/b\n", {"a/b/cpu.max": "max 100000\n", "a/cpu.max": "150000 100000\n"}, [1.5]),
        ("0::/\n", {"cpu.max": "400000 100000"}, [4]),
        ("0::/../gone\n", {"cpu.max": "50000 100000"}, [0.5]),
        ("2:cpu,cpuacct:/a\n0::/\n", {"cpu,cpuacct/a/cpu.cfs_quota_us": "-1"}, []),
        (
            "2:cpu:/a\n1:cpuset:/\n",
            {
                "cpu/a/cpu.cfs_quota_us": "200000\n",
                "cpu/a/cpu.cfs_period_us": "100000\n",
                "cpu/cpu.cfs_quota_us": "-1\n",
                "cpu/cpu.cfs_period_us": "100000\n",
            },
            [2],
        ),
        ("0::/a\n", {"a/cpu.max": "several\n"}, []),
        ("nonsense\n", {"cpu.max": "100000 100000"}, []),
        (None, {"cpu.max": "100000 100000"}, []),
    ],
)
def test_quotas_of_control_groups_are_limits(
    tmp_path: Path, own: str | None, files: dict[str, str], found: list[float]
) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    if own is not None:
        (tmp_path / "own").write_text(own)
    assert list(quotas(tmp_path, tmp_path / "own")) == found


@pytest.mark.parametrize(
    ("own", "files", "found"),
    [
        ("0::/a/b\n", {"a/b/memory.max": "max\n", "a/memory.max": "1073741824\n"}, [1 << 30]),
        ("5:memory:/a\n0::/\n", {"memory/a/memory.limit_in_bytes": "4096\n", "memory.max": "max"}, [4096]),
        ("0::/a\n", {"a/memory.max": "much\n", "a/cpu.max": "50000 100000"}, []),
    ],
)
def test_quotas_of_memory_are_limits(tmp_path: Path, own: str, files: dict[str, str], found: list[int]) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "own").write_text(own)
    assert list(memory_quotas(tmp_path, tmp_path / "own")) == found


@pytest.mark.parametrize(
    ("number", "kind"), [(0, InputError), (-1, InputError), (True, InputTypeError), ("2", InputTypeError)]
)
def test_a_graph_refuses_another_number(tmp_path: Path, number: object, kind: type[Exception]) -> None:
    for opened in (KnowledgeGraph.open, lambda threads: fork(tmp_path, threads=threads)):
        with pytest.raises(kind, match=r"^threads .*: it must be a whole number, at least 1$"):
            opened(threads=number)  # type: ignore[arg-type]


def test_graphs_of_one_process_have_numbers_of_their_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KGREASON_THREADS", "3")
    with (
        KnowledgeGraph.open(threads=1) as one,
        KnowledgeGraph.open(tmp_path / "s", threads=2) as two,
        KnowledgeGraph.open() as three,
    ):
        for graph, number in ((one, 1), (two, 2), (three, 3)):
            graph.add("<urn:a> a <urn:B> . <urn:g> { <urn:b> a <urn:B> }")
            assert graph._committer().materializer.engine.threads == number
    with fork(tmp_path / "s", threads=4) as four:
        assert four._committer().materializer.engine.threads == 4


def test_commands_take_the_number(tmp_path: Path) -> None:
    file = tmp_path / "a.nt"
    file.write_text("<urn:a> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <urn:b> .\n")
    succeed("materialize", file, "--threads", 2, "-o", tmp_path / "out.nt")
    load = "load", "-f", file, "-l"
    succeed(*load, tmp_path / "store", "--threads", 1)
    assert "--threads 0: it must be at least 1" in error_of(*load, tmp_path / "store", "--threads", 0, status=2)
    refused = error_of(*load, "http://127.0.0.1:1", "--threads", 2, status=2)
    assert "--threads: cannot be used with a server" in refused


class Full(ThreadPoolExecutor):
    """Threads of a system that allows no more threads than one; work is queued before that is noticed."""

    def _adjust_thread_count(self) -> None:
        if self._threads:
            raise RuntimeError("can't start new thread")
        super()._adjust_thread_count()


def test_a_call_is_made_once_where_no_thread_can_be_started() -> None:
    numbers = count()
    with Full(2) as pool:
        calls = [start_call(pool, next, numbers) for _ in range(100)]
        wait_for(calls)
        assert sorted(call.result() for call in calls) == list(range(100))
    assert next(numbers) == 100


def test_items_are_in_order_where_one_thread_can_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kgreason.threads.ThreadPoolExecutor", Full)
    assert list(map_in_order(str, range(50), 4)) == list(map(str, range(50)))


def test_an_error_of_a_signal_does_not_leave_a_call_running() -> None:
    class Alarm(Exception):  # noqa: N818 - it is no error
        pass

    def ring(*_: object) -> None:
        raise Alarm

    go_on, before = Event(), signal.signal(signal.SIGALRM, ring)
    try:
        with ThreadPoolExecutor(2) as pool:
            calls = [start_call(pool, go_on.wait) for _ in range(2)]
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            Timer(0.2, go_on.set).start()
            with pytest.raises(Alarm):
                wait_for(calls)
            assert go_on.is_set()
            assert all(call.is_ended for call in calls)
    finally:
        signal.signal(signal.SIGALRM, before)


def test_the_error_of_a_call_is_raised_after_all_calls_have_ended() -> None:
    with ThreadPoolExecutor(2) as pool:
        calls = [start_call(pool, int, text) for text in ("1", "x", "2")]
        with pytest.raises(ValueError, match="invalid literal"):
            wait_for(calls)
        assert [calls[0].result(), calls[2].result()] == [1, 2]


def test_an_error_of_a_signal_before_the_work_begins_leaves_no_call_that_never_ends() -> None:
    class Interrupted:
        """A lock; the first time that it is taken, the handler of a signal raises an error at once."""

        def __init__(self, lock: Any) -> None:
            self._lock, self._is_first = lock, True

        def acquire(self, *, blocking: bool) -> bool:
            is_taken = bool(self._lock.acquire(blocking=blocking))
            if self._is_first:
                self._is_first = False
                raise KeyboardInterrupt
            return is_taken

    call = Call(lambda: 5)
    call._turn = Interrupted(call._turn)  # type: ignore[assignment]
    with ThreadPoolExecutor(1) as pool:
        pool.submit(call._ended.wait, 20).add_done_callback(lambda _: call._ended.set())  # a failure is no endless test
        with pytest.raises(KeyboardInterrupt):
            wait_for([call])
    assert call.result() == 5
