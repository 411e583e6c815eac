"""Arrays of any size whose pages take memory only once they are written: for counters that start near a limit."""

from __future__ import annotations

import mmap
import sys
from math import prod
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

_NO_RESERVE = 0x4000
"""MAP_NORESERVE of Linux, which Python 3.11 does not name: the size is not held against the memory of the machine."""
needs_sparse = pytest.mark.skipif(sys.platform != "linux", reason="other systems reserve memory for untouched pages")


def sparse(shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
    """Return an array of zeros."""
    size = prod(shape) * np.dtype(dtype).itemsize
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NO_RESERVE
    return np.frombuffer(mmap.mmap(-1, size, flags=flags), dtype=dtype).reshape(shape)


def enlarged(array: NDArray[Any], rows: int) -> NDArray[Any]:
    """Return a copy of an array with `rows` rows; the new ones are zeros and take no memory."""
    wide = sparse((rows, *array.shape[1:]), array.dtype)
    wide[: len(array)] = array
    return wide
