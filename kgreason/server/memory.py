"""The memory of this process: `resident`, `give_back`, `of_machine`."""

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


def of_machine() -> int | None:
    """Return the memory of the machine in bytes, or None if the operating system does not tell it."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return None


def give_back() -> None:
    """Give freed memory back to the system. glibc keeps it otherwise; other libraries do this alone."""
    _trim()(0)


@cache
def _trim() -> Callable[[int], object]:
    if sys.platform == "linux":
        try:
            trim: Callable[[int], object] = ctypes.CDLL(None).malloc_trim
        except AttributeError:  # musl
            return bool
        return trim
    return bool
