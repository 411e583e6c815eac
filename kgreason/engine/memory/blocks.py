"""The memory block: one int64 array with the addresses of all arrays, so that a kernel gets them as one argument.

Passing forty arrays to a kernel costs more than a small commit does, and passing them on between the parts of a kernel
takes Numba long to compile. The memory block has three words for each array: its address, its number of rows,
and its width. For an array of one dimension the third word is the base-2 logarithm of its size, which hash tables need
at every probe. Inside a kernel `vector` and `matrix` make an array from these words, at the cost of three loads.

Invariant: every address is valid, because `Memory` holds the array itself. `memory[name] = array` is the only way to
write an address; it checks dtype and contiguity.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kgreason.compiled import Number, array_at, inline, primitive
from kgreason.engine.memory import layout as at
from kgreason.engine.memory.buffers import cut, grow
from kgreason.engine.memory.layout import Block
from kgreason.zset.columns import Int32, Int64, UInt32, UInt64

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
