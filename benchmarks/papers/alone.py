"""`alone`: a call in a process of its own, so that no memory which others have left is counted."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import ParamSpec, TypeVar

_P = ParamSpec("_P")
_T = TypeVar("_T")


def alone(work: Callable[_P, _T], *arguments: _P.args, **options: _P.kwargs) -> _T:
    """Call a function of a module in a new process. Returns what it returns, and raises what it raises.

    Cost: the start of Python and the imports of the module, a second or two.
    """
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(work, *arguments, **options).result()
