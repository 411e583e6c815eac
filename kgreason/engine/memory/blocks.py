"""The memory block: one int64 array with the addresses of all arrays, so that a kernel gets them as one argument.

Passing forty arrays to a kernel costs more than a small commit does, and passing them on between the parts of a kernel
takes Numba long to compile. The memory block has three words for each array: its address, its number of rows,
and its width. For an array of one dimension the third word is the base-2 logarithm of its size, which hash tables need
at every probe. Inside a kernel `vector` and `matrix` make an array from these words, at the cost of three loads.

Invariant: every address is valid, because `Memory` holds the array itself. `memory[name] = array` is the only way to
write an address; it checks dtype and contiguity.

Only the functions here make an array of the engine longer. A small array doubles, a large array grows by half, and a
huge array by an eighth. So appending takes amortised constant time, a large array wastes at most a third of its room,
and a huge one a ninth. No code may hold a view of an array while it grows.

On Linux, an array of 4 MB or more lies at the start of an *area*. An area has addresses for 64 GB, or for as many bytes
as the machine has memory. Only the addresses in use take memory. So an array is copied once, when the array gets its
area. Later the array grows without a move. A process has no areas on other systems, and none under limits of addresses
(`ulimit -v`, `ulimit -d`, strict overcommit). Without areas `realloc` moves the array, with or without a copy.

Measured on a closure of 16 million facts: to grow moved rows took a seventh of a Bootstrap, on one thread while the
others wait, and half of their huge pages were lost.

Invariant: in an area, all bytes after the array are 0.
"""

from __future__ import annotations

import mmap
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from kgreason.compiled import Number, array_at, inline, primitive
from kgreason.cpus import memory
from kgreason.engine.memory import layout as at
from kgreason.engine.memory.layout import Block
from kgreason.zset.columns import Int32, Int64, UInt32, UInt64

if sys.platform == "linux":
    import resource

_LARGE, _HUGE = 1 << 20, 1 << 24
_HUGE_PAGE = 1 << 21
_IN_AREA = 2 * _HUGE_PAGE
"""An array of so many bytes lies in an area of its own."""
_MOST = 1 << 36
"""The bytes of an area, unless the machine has less memory or the array is larger: 2,000 areas have room."""
_NO_RESERVE = getattr(mmap, "MAP_NORESERVE", 0x4000 if sys.platform == "linux" else 0)


class _Area(mmap.mmap):
    """Addresses for one array, whose `base` the area is."""


def zeros(shape: int | tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
    """Return an array of zeros that can grow: if it is large, where it is."""
    shape = (shape,) if isinstance(shape, int) else shape
    size = prod(shape) * np.dtype(dtype).itemsize
    area = _area(size)
    return np.zeros(shape, dtype) if area is None else np.ndarray(shape, dtype, area)


def _area(size: int) -> _Area | None:
    """Return an area with room for `size` bytes; all bytes are 0.

    Returns None if an array of `size` bytes needs no area, or if the machine has less memory. Also returns None if the
    process can have no area.
    """
    if _has_areas() and _IN_AREA <= size <= memory():
        with suppress(OSError):
            flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NO_RESERVE
            area = _Area(-1, max(min(memory(), _MOST), 2 * size), flags=flags)
            with suppress(OSError):  # a kernel without huge pages
                area.madvise(mmap.MADV_HUGEPAGE)
            return area
    return None


@cache
def _has_areas() -> bool:
    """Whether addresses cost nothing here. Areas would soon use up a limit; strict overcommit counts them as memory."""
    if sys.platform != "linux":
        return False
    limits = (resource.getrlimit(each)[0] for each in (resource.RLIMIT_AS, resource.RLIMIT_DATA))
    try:
        overcommit = Path("/proc/sys/vm/overcommit_memory").read_text()
    except OSError:
        overcommit = "2"
    return all(limit == resource.RLIM_INFINITY for limit in limits) and overcommit.strip() != "2"


def _area_of(array: NDArray[Any]) -> _Area | None:
    base: object = array.base
    return base if isinstance(base, _Area) else None


def grow(array: NDArray[Any], needed: int, most: int = sys.maxsize) -> NDArray[Any]:
    """Return the array with at least `needed` rows and at most `most` rows. All new rows are 0.

    `needed` must not be larger than `most`. Use the returned array and no longer the given one: both may share memory.
    After an error or Ctrl-C, the given array is valid, but may lie elsewhere.
    """
    size = array.shape[0]
    if needed <= size:
        return array
    more = size if size < _LARGE else size // 2 if size < _HUGE else size // 8
    shape = max(needed, min(size + more, most)), *array.shape[1:]
    wanted = prod(shape) * array.itemsize
    area = _area_of(array)
    if area is not None and wanted <= len(area):
        return np.ndarray(shape, array.dtype, area)
    if (area := _area(wanted)) is not None:
        moved: NDArray[Any] = np.ndarray(shape, array.dtype, area)
        moved[:size] = array
        return moved
    owned = array if array.flags.owndata else array.copy()
    owned.resize(shape, refcheck=False)
    return owned


def cut(array: NDArray[Any], room: int) -> NDArray[Any]:
    """Return the array with `room` rows, and give the memory of the others back.

    An array that is shorter, or that is a mapped file, is returned as it is. Otherwise use no longer the given array.
    """
    if array.shape[0] <= room:
        return array
    area = _area_of(array)
    if area is not None:
        kept: NDArray[Any] = np.ndarray((room, *array.shape[1:]), array.dtype, area)
        _clear(area, kept.nbytes, array.nbytes)
        return kept
    if array.flags.owndata:
        array.resize((room, *array.shape[1:]), refcheck=False)
    return array


def _clear(area: _Area, start: int, end: int) -> None:
    """Set the bytes of an area from `start` to `end` to 0, and give the memory of most of them back."""
    edge = min(-(-start // _HUGE_PAGE) * _HUGE_PAGE, end)
    np.frombuffer(area, np.uint8, edge - start, start)[:] = 0
    if edge < end:
        area.madvise(mmap.MADV_DONTNEED, edge, end - edge)


def power_of_two(n: int) -> int:
    """Return the smallest power of two that is at least n and at least 16."""
    return max(16, 1 << (n - 1).bit_length())


class Buffer:
    """A growing array of rows. `array` is the whole array with its unused rows; `n` is the number of rows in use."""

    def __init__(self, dtype: Any, width: int | None = None, room: int = 16) -> None:
        self.array: NDArray[Any] = np.zeros(room if width is None else (room, width), dtype=dtype)
        self.n = 0

    def reserve(self, more: int) -> None:
        """Make room for `more` rows, so that adding these rows cannot fail for want of memory."""
        self.array = grow(self.array, self.n + more)

    def append(self, *values: int) -> int:
        """Add a row and return its number. `values` are its first columns; the other columns stay as they are."""
        self.array = grow(self.array, self.n + 1)
        if self.array.ndim == 1:
            self.array[self.n] = values[0]
        else:
            self.array[self.n, : len(values)] = values
        self.n += 1
        return self.n - 1

    def extend(self, values: Any) -> int:
        """Add several values or rows and return the number of the first one."""
        start = self.n
        self.array = grow(self.array, start + len(values))
        if len(values):
            self.array[start : start + len(values)] = values
        self.n += len(values)
        return start

    def rows_of_width(self, width: int, fill: int = 0) -> NDArray[Any]:
        """Return a copy of the array whose rows are `width` columns wide; new columns hold `fill`."""
        wider = np.full((self.array.shape[0], width), fill, dtype=self.array.dtype)
        wider[:, : self.array.shape[1]] = self.array
        return wider


_DTYPES = {
    "entries": np.uint32,
    "key_entries": np.uint32,
    "group_entries": np.uint32,
    "signs": np.uint32,
    "asked": np.uint32,
    "hashes": np.uint64,
    "costs": np.int64,
    "turn": np.int64,
    "crew": np.int64,
    "extents": np.int64,
    "runs": np.int64,
    "hashed": np.uint64,
    "part_ends": np.int64,
    "filled": np.int64,
    "entry_at": np.int64,
    "noted_hashes": np.uint64,
}
PLACES = {name: at.COUNTERS + 3 * number for number, name in enumerate(at.ARRAYS)}
"""The position of each array's address in the memory block."""


class Memory(dict[str, NDArray[Any]]):
    """Arrays by their names (`layout.ARRAYS`), and the memory block (`block`, int64) that has their addresses.

    The block is made of zeros, or `block`, int64[WORDS], becomes the block.
    """

    def __init__(self, block: Block | None = None) -> None:
        super().__init__()
        self.block: Block = np.zeros(at.WORDS, dtype=np.int64) if block is None else block
        self.counters: memoryview[int] = self.block.data
        """The words of the block as plain Python integers; reading one costs a fifth of reading an array element."""

    def room(self, name: str) -> int:
        """Return the number of rows of an array, read from the memory block."""
        return self.counters[PLACES[name] + 1]

    def nbytes(self, *names: str) -> int:
        """Return the number of bytes of some arrays together."""
        return sum(self[name].nbytes for name in names)

    def grow(self, name: str, needed: int, most: int = sys.maxsize) -> None:
        """Make an array at least `needed` rows long, but not longer than `most` rows.

        The block gets the new address even if Ctrl-C interrupts the move of the array.
        """
        if self.room(name) >= needed:
            return
        array = self[name]
        try:
            array = grow(array, needed, most)
        finally:
            self[name] = array

    def cut(self, name: str, room: int) -> None:
        """Shorten an array to `room` rows. An array that is shorter already stays as it is."""
        array = self[name]
        try:
            array = cut(array, room)
        finally:
            self[name] = array

    def __setitem__(self, name: str, array: NDArray[Any]) -> None:
        if array.dtype != _DTYPES.get(name, np.int32) or not array.flags.c_contiguous:
            raise TypeError(f"{name}: {array.dtype} array of shape {array.shape} does not fit the memory block")
        here = PLACES[name]
        last = array.shape[1] if array.ndim == 2 else array.shape[0].bit_length() - 1
        self.block[here : here + 3] = array.ctypes.data, array.shape[0], last
        super().__setitem__(name, array)


vector: Callable[[Block, int], Int32] = array_at("int32", 1)
"""An int32 array of one dimension."""
matrix: Callable[[Block, int], Int32] = array_at("int32", 2)
"""An int32 array of two dimensions."""
unsigned: Callable[[Block, int], UInt32] = array_at("uint32", 2)
"""An int32 array of two dimensions without negative numbers, read as uint32: cheaper if the numbers are indices."""
entries: Callable[[Block, int], UInt32] = array_at("uint32", 1)
"""A uint32 array of one dimension: a hash table or flags."""
hashes: Callable[[Block, int], UInt64] = array_at("uint64", 1)
"""A uint64 array of one dimension."""
places_of: Callable[[Block, int], Int64] = array_at("int64", 1)
"""An int64 array of one dimension."""
wide: Callable[[Block, int], Int64] = array_at("int64", 2)
"""An int64 array of two dimensions."""
fetch_add: Callable[[Any, Any, Any], Any] = primitive("fetch_add")
"""`fetch_add(array, at, more)` adds `more` to word `at` of an array, and returns the word before."""
fill_free: Callable[[Any, Any, Any], Any] = primitive("fill_free")
"""`fill_free(array, at, value)` writes `value` to word `at` of an array if the word is 0; returns whether it was 0."""


@inline
def part_of(m: Block, low: Number, high: Number, part: Number) -> Number:
    """Return where part number `part` of the range from `low` to `high` starts. Each worker of a crew has a part."""
    return low + (high - low) * part // wide(m, at.CREW).shape[0]
