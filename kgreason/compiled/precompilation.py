"""Kernels are compiled before their first call, in two processes: `compile_in_two`.

    this process    starts the other one, compiles small kernels until the other one has ended, then loads the large one
    the other one   python -m kgreason.compiled.precompilation NAME: compiles the large kernel into Numba's cache

Law: the other process changes nothing but the time. If it cannot be started, fails, or is killed, this process compiles
the kernel. The other process ends when this one ends, is interrupted, or has waited for `PATIENCE` seconds. Numba
replaces files of its cache as a whole, and each kernel has files of its own, so any number of processes may compile at
a time.

Cost: `advance` takes a little longer to compile than the kernels of `FIRST` together. Two free cores need 0.7 of the
time of one core. The work of both is a fifth more, because kernels share parts. The two processes take 280 and 470 MB.
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from kgreason.compiled.justintime import is_compiled
from kgreason.compiled.library import name_of
from kgreason.compiled.signatures import signature_of
from kgreason.interrupts import let_out

FIRST = (
    "kgreason.terms.interning.intern_all",
    "kgreason.engine.program.trigger_keys.enter_keys",
    "kgreason.rdf.labels._rename",
    "kgreason.rdf.tokens._encode",
    "kgreason.engine.facts.facts.find_rows",
    "kgreason.engine.level.commit_end.unwind",
    "kgreason.engine.facts.hash_table.list_facts",
    "kgreason.engine.level.distinct.assert_rows",
    "kgreason.engine.program.derivability.note_needed_asks",
    "kgreason.engine.index.maintenance.arrange_present",
    "kgreason.engine.index.maintenance.arrange_few",
    "kgreason.engine.index.maintenance.arrange_asked",
    "kgreason.terms.interning.find_all",
    "kgreason.terms.interning.find_firsts",
    "kgreason.engine.level.commit_end.settle",
    "kgreason.terms.lines.length_of_lines",
    "kgreason.terms.lines.write_lines",
    "kgreason.rdf.lines.canonicalization._skip_plain",
    "kgreason.engine.level.commit_end.note_changes",
    "kgreason.engine.level.distinct.retract_rows",
)
"""The kernels beside `advance` that the first commits of a graph call, in about the order of their first calls. They
are names, because the modules of the kernels import this package."""
_LOOK = 0.1
"""While this process waits, it looks for signals after so many seconds."""
PATIENCE = 60
"""This process waits so many seconds for the other one, after its own share."""
_LOCKS = [threading.Lock()]
"""Its lock protects the compilation: a second thread waits for the first one, and then finds the kernels compiled."""


def _make_lock() -> None:
    _LOCKS[:] = [threading.Lock()]


if hasattr(os, "register_at_fork"):  # in a forked child the thread that holds the lock may not exist
    os.register_at_fork(after_in_child=_make_lock)


def compile_in_two(large: Any, others: Sequence[str] = FIRST) -> None:
    """Have another process compile the kernel `large`, and compile the kernels that `others` names meanwhile.

    In the end `large` is compiled. Kernels of `others` are left out once the other process has ended. Any thread may
    call this.
    """
    with _LOCKS[0]:
        if is_compiled(large):
            return
        with _other_process(name_of(large)) as other:
            for name in others:
                if other is None or other.poll() is not None:
                    break
                let_out()
                _compile(_function(name))
            until = time.monotonic() + PATIENCE
            while other is not None and other.poll() is None and time.monotonic() < until:
                let_out()
                with suppress(subprocess.TimeoutExpired):
                    other.wait(_LOOK)
        _compile(large)


def _compile(kernel: Any) -> None:
    """Compile a kernel for calls from Python, or load it from the cache."""
    kernel.compile(signature_of(kernel.py_func))


def _function(name: str) -> Callable[..., Any]:
    module, _, function = name.rpartition(".")
    found: Callable[..., Any] = getattr(importlib.import_module(module), function)
    return found


@contextmanager
def _other_process(name: str) -> Iterator[subprocess.Popen[bytes] | None]:
    """Run a process that compiles a kernel during a `with` block. The block gets None if there can be none.

    The process imports from where this one does. A program that embeds Python may have itself as `sys.executable`; it
    is not called.
    """
    if "python" not in Path(sys.executable or "").name.lower():
        yield None
        return
    command = [sys.executable, "-P", "-m", "kgreason.compiled.precompilation", name]
    quiet = subprocess.DEVNULL
    try:
        named: list[object] = [*sys.path]
        places = os.pathsep.join(each for each in named if isinstance(each, str))  # Python leaves others out, too
        environment = os.environ | {"PYTHONPATH": places}
        # With a session of its own the process gets no Ctrl-C from the terminal: this process kills it.
        process = subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=quiet, stderr=quiet, start_new_session=True
        )
    except (OSError, ValueError):  # a ValueError: a path with a null character
        yield None
        return
    with process:
        try:
            yield process
        finally:
            process.kill()


def _end_with_parent() -> None:
    """End this process when its standard input ends: the process that started it has ended."""
    os.read(0, 1)
    os._exit(1)


if __name__ == "__main__":
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _compile(_function(sys.argv[1]))
