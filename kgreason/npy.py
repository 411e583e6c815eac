"""Arrays in .npy files that can be mapped into memory with room to grow.

    allocate  gives a file room behind its array, which is 0 (`files`)
    map_file  maps a file, its room included; if the process writes, the file stays as it is
    load      reads the array of a file

Law: `np.load` reads the same array, with or without room. So older versions read the files, too. Cost of mapping:
nothing. A page is read when it is first looked at, and copied when it is first written.

NumPy reads the header of a file with `ast.literal_eval`. Before Python 3.11.8, that can raise a SystemError if two
threads do it at once (https://github.com/python/cpython/issues/106905), so threads could not open graphs safely. The
headers of these files are simple; a pattern reads them.
"""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import IO, Any, Literal

import numpy as np
from numpy.typing import NDArray

_HEADER = re.compile(
    rb"\{'descr': '([<>|](?:b1|[iu][1248]|f[48]))', 'fortran_order': (False|True), 'shape': \(([0-9, ]*)\), \} *\n"
)


def map_file(path: Path, *, is_written: bool = True) -> tuple[NDArray[Any], int]:
    """Map the array in a file, with the room behind it. Returns both as one array, and the length of the array.

    With `is_written` the result may be written; the file stays as it is. Raises OSError, and ValueError if the file is
    damaged.
    """
    with path.open("rb") as file:
        shape, order, dtype = _read_header(file)
        start, size = file.tell(), path.stat().st_size
    width = dtype.itemsize * math.prod(shape[1:])
    room = (size - start) // width if width else shape[0]
    if room < shape[0]:
        raise ValueError(f"{path}: the file is damaged")
    if order == "F":
        room = shape[0]  # the file has column after column, so a row behind the last one would not be a row
    if not room:
        return np.empty(shape, dtype), 0
    return np.asarray(np.memmap(path, dtype, "c" if is_written else "r", start, (room, *shape[1:]), order)), shape[0]


def load(path: Path) -> NDArray[Any]:
    """Read the array in a file. Raises OSError, and ValueError if the file is damaged."""
    rows, count = map_file(path, is_written=False)
    return rows[:count].copy()


def _read_header(file: IO[bytes]) -> tuple[tuple[int, ...], Literal["C", "F"], np.dtype[Any]]:
    """Return the shape, the order and the type of an array that has a dimension. "F": column after column."""
    if np.lib.format.read_magic(file) != (1, 0):
        raise ValueError(f"{file.name}: this version of .npy files is not known")
    header = file.read(int.from_bytes(file.read(2), "little"))
    found = _HEADER.fullmatch(header)
    shape = tuple(int(each) for each in found[3].split(b",") if each.strip()) if found else ()
    if not found or not shape:
        raise ValueError(f"{file.name}: the file is damaged")
    return shape, "F" if found[2] == b"True" else "C", np.dtype(found[1].decode())
