"""Kernels are compiled in two processes: nothing is compiled twice, and the other process can fail or be killed."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from kgreason.compiled import precompilation
from kgreason.engine import engine
from kgreason.resources import resource

SECONDS = 60
"""No test waits longer for a process."""


def printed(code: str, **environment: str) -> list[str]:
    """Return the lines that a process prints, in which Numba compiles kernels."""
    variables = os.environ | {"KGREASON_KERNELS": "numba", "KGREASON_THREADS": "1"} | environment
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def program(path: Path, text: str) -> str:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def wait_for(path: Path) -> str:
    end = time.monotonic() + SECONDS
    while not (path.exists() and path.read_text().endswith("\n")):
        assert time.monotonic() < end
        time.sleep(0.01)
    return path.read_text()


def lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


class Large:
    """A kernel that is not compiled yet."""

    py_func = staticmethod(lambda: None)

    def __init__(self) -> None:
        self.__qualname__ = "large"
        self.compiled: list[Any] = []

    def compile(self, signature: Any) -> None:
        self.compiled.append(signature)


@pytest.fixture
def sleeper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Have the other process sleep. The file gets its number."""
    number = tmp_path / "pid"
    sleeps = program(tmp_path / "python", f"echo $$ >{number}; exec sleep {10 * SECONDS}")
    monkeypatch.setattr(sys, "executable", sleeps)
    monkeypatch.setattr(precompilation, "is_compiled", lambda _: False)
    return number


def test_the_other_process_compiles_what_a_call_then_needs(tmp_path: Path) -> None:
    code = """if True:
        import numpy as np
        from kgreason.compiled import compile_ahead
        from kgreason.compiled.precompilation import compile_in_two
        from kgreason.terms.lines import length_of_lines, write_lines
        compile_in_two(length_of_lines, ["kgreason.terms.lines.write_lines"])
        compile_ahead(length_of_lines)
        length_of_lines(np.zeros(2, np.int64), np.zeros((0, 3), np.int32))
        for kernel in length_of_lines, write_lines:
            print(len(kernel.overloads), *(sum(each.values()) for each in kernel.stats[1:]))
    """
    loaded, compiled = "1 1 0", "1 0 1"
    assert printed(code, NUMBA_CACHE_DIR=str(tmp_path)) == [loaded, compiled]


@pytest.mark.skipif(sys.platform == "win32", reason="programs are shell scripts")
def test_without_the_other_process_this_one_compiles(tmp_path: Path) -> None:
    called = tmp_path / "called"
    fails = program(tmp_path / "python-fails", "exit 3")
    another = program(tmp_path / "browser", f"touch {called}")
    code = f"""if True:
        import sys
        from pathlib import Path
        from kgreason.compiled.precompilation import compile_in_two
        sys.path.append(Path("folder"))
        from kgreason.engine.facts.hash_table import count_facts
        from kgreason.engine.level.returning import late_stamp
        from kgreason.terms.lines import length_of_lines, write_lines
        programs = {fails!r}, {another!r}, "", {str(tmp_path / "python-missing")!r}
        kernels = late_stamp, length_of_lines, count_facts, write_lines
        for sys.executable, kernel in zip(programs, kernels, strict=True):
            compile_in_two(kernel, ())
            print(len(kernel.overloads), *(sum(each.values()) for each in kernel.stats[1:]))
    """
    assert printed(code, NUMBA_CACHE_DIR=str(tmp_path / "cache")) == ["1 0 1"] * 4
    assert not called.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="programs are shell scripts")
def test_an_interrupt_ends_the_other_process(sleeper: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: str) -> None:
        wait_for(sleeper)
        raise KeyboardInterrupt

    monkeypatch.setattr(precompilation, "_function", interrupted)
    large = Large()
    with pytest.raises(KeyboardInterrupt):
        precompilation.compile_in_two(large, ["first"])
    assert not large.compiled
    assert not lives(int(sleeper.read_text()))


@pytest.mark.skipif(sys.platform == "win32", reason="programs are shell scripts")
def test_patience_with_the_other_process_ends(sleeper: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small, large = Large(), Large()
    monkeypatch.setattr(precompilation, "_function", lambda _: wait_for(sleeper) and small)
    monkeypatch.setattr(precompilation, "PATIENCE", 0.01)
    precompilation.compile_in_two(large, ["first"])
    assert small.compiled == large.compiled == [()]
    assert not lives(int(sleeper.read_text()))


def test_the_other_process_ends_with_this_one(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "kgreason.compiled.precompilation", "kgreason.engine.level.fixpoint.advance"]
    environment = os.environ | {"KGREASON_KERNELS": "numba", "NUMBA_CACHE_DIR": str(tmp_path)}
    with subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        _, errors = process.communicate(timeout=SECONDS)  # closes its standard input
    assert (process.returncode, errors) == (1, b"")
    assert not list(tmp_path.rglob("*.nbi"))


def test_first_names_the_kernels_that_first_commits_call(tmp_path: Path) -> None:
    lines = tmp_path / "lines.nt"
    some = (
        f"<http://example.org/{i}> <http://example.org/p> <http://example.org/{j}> .\n"
        for i in range(50)
        for j in range(50)
    )
    # some arrangement needs few of so many rows
    lines.write_text("".join(["<http://example.org/a> <http://example.org/knows> <http://example.org/c> .\n", *some]))
    code = f"""if True:
        import gc
        from kgreason import KnowledgeGraph
        graph = KnowledgeGraph.open()
        graph.load({str(resource("ontologies", "family.ttl"))!r}, {str(lines)!r})
        graph.update("DELETE DATA {{ <http://example.org/a> <http://example.org/knows> <http://example.org/c> }}")
        from kgreason.compiled.justintime import Kernel
        from kgreason.compiled.library import name_of
        from kgreason.compiled.signatures import signature_of
        for kernel in gc.get_objects():
            if isinstance(kernel, Kernel) and kernel.overloads:
                print(name_of(kernel), signature_of(kernel.py_func) in kernel.overloads)
    """
    called = dict(line.split() for line in printed(code))
    assert set(called.values()) == {"True"}, called
    assert set(called) == {"kgreason.engine.level.fixpoint.advance", *precompilation.FIRST}


@pytest.mark.parametrize(("threads", "expected"), [(1, []), (2, ["advance"])])
def test_an_engine_with_one_thread_starts_no_process(
    threads: int, expected: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[SimpleNamespace] = []
    monkeypatch.setattr(engine, "compile_ahead", asked.append)
    engine.Engine(threads=threads)
    assert [each.__name__ for each in asked] == expected
