"""`threads`: how many threads kgreason uses for work that can be divided.

The environment variable KGREASON_THREADS has the number. Without it the number is that of the CPUs that this process
may use. Results never depend on the number.
"""

from __future__ import annotations

import os

from kgreason.errors import InputError

_VARIABLE = "KGREASON_THREADS"


def threads() -> int:
    """Return the number of threads for work that can be divided. Raises InputError if KGREASON_THREADS is no number."""
    text = os.environ.get(_VARIABLE, "")
    if not text:
        return _cpus()
    if not (text.isascii() and text.isdecimal() and int(text)):
        raise InputError(f"{_VARIABLE} is {text!r}; it must be a whole number, 1 or more")
    return int(text)


def _cpus() -> int:
    """Return the number of CPUs that this process may use."""
    if hasattr(os, "process_cpu_count"):  # from Python 3.13 on
        return os.process_cpu_count() or 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
