"""The memory of this process: `resident`, `give_back`."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path


def resident() -> int | None:
    """Return the memory of this process in bytes, or None if the operating system does not tell it."""
    try:
        return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return None


def give_back() -> None:
    """Give freed memory back to the system. glibc keeps it otherwise; other libraries do this alone."""
    _trim()(0)


@cache
def _trim() -> Callable[[int], object]:
    if sys.platform != "linux":
        return bool
    return getattr(ctypes.CDLL(None), "malloc_trim", bool)  # musl has no such function
