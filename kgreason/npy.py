"""Arrays in .npy files that can be mapped into memory with room to grow.

    extend    gives a file room behind its array: a hole, which most file systems store without space
    mapped    maps a file, its room included; if the process writes, the file stays as it is

Law: `np.load` reads the same array, with or without room. So older versions read the files, too. Cost of mapping:
nothing. A page is read when it is first looked at, and copied when it is first written.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray


def extend(file: IO[bytes], size: int) -> None:
    """Give a file that ends at its present position room for `size` more bytes, which are 0."""
    file.flush()
    file.truncate(file.tell() + size)


def mapped(path: Path, *, is_written: bool = True) -> tuple[NDArray[Any], int]:
    """Map the array in a file, with the room behind it. Returns both as one array, and the length of the array.

    With `is_written` the result may be written; the file stays as it is. Raises OSError, and ValueError if the file is
    damaged.
    """
    with path.open("rb") as file:
        if np.lib.format.read_magic(file) != (1, 0):
            raise ValueError(f"{path}: this version of .npy files is not known")
        shape, is_transposed, dtype = np.lib.format.read_array_header_1_0(file)
        start, size = file.tell(), path.stat().st_size
    width = dtype.itemsize * math.prod(shape[1:])
    room = (size - start) // width if width else shape[0]
    if is_transposed or dtype.hasobject or room < shape[0]:
        raise ValueError(f"{path}: the file is damaged")
    if not room:
        return np.empty(shape, dtype), 0
    return np.asarray(np.memmap(path, dtype, "c" if is_written else "r", start, (room, *shape[1:]))), shape[0]
