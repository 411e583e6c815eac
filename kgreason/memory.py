"""The memory of this process: `resident_bytes`, `give_back_memory`, `without_collection`."""

from __future__ import annotations

import ctypes
import gc
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path


def resident_bytes() -> int | None:
    """Return the memory of this process in bytes, or None if the operating system does not tell it."""
    try:
        return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return None


def give_back_memory() -> None:
    """Give freed memory back to the system. glibc keeps it otherwise; other libraries do this alone."""
    _trim()(0)


_MANY = 100_000


@contextmanager
def without_collection() -> Iterator[None]:
    """Suspend cyclic garbage collection in this block.

    The collector would look at all objects again and again while new ones are made. If the block made very many, they
    count as old from then on: most of them stay, and the collector would look at each of them twice more.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            if gc.get_count()[0] > _MANY and not gc.get_freeze_count():
                gc.freeze()
                gc.unfreeze()
            gc.enable()


@cache
def _trim() -> Callable[[int], object]:
    if sys.platform != "linux":
        return bool
    return getattr(ctypes.CDLL(None), "malloc_trim", bool)  # musl has no such function
