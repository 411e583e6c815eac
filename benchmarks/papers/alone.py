"""`alone`: a call in a process of its own, so that no memory of others is counted; and the `peak` of its memory."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import ParamSpec, TypeVar

from kgreason.spans import peak_bytes

_STATUS = Path("/proc/self/status")
_P = ParamSpec("_P")
_T = TypeVar("_T")


def alone(work: Callable[_P, _T], *arguments: _P.args, **options: _P.kwargs) -> _T:
    """Call a function of a module in a new process. Returns what it returns, and raises what it raises.

    Cost: the start of Python and the imports of the module, a second or two.
    """
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(work, *arguments, **options).result()


def peak() -> int:
    """The most memory in bytes that this process has used. Where the system counts so, that of its parent counts, too.

    What `getrusage` says of a process begins with the peak of its parent; on Linux the file of the process does not.
    """
    if _STATUS.exists():
        (line,) = (line for line in _STATUS.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) << 10
    return peak_bytes()
