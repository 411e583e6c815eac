"""Trigger keys: find the keys whose constants a row has. Such a row *meets* the key.

A key is the constants of a body atom with their columns; the shape of the key says which columns these are. Example:
the atom `?x rdf:type ex:Dog` has a key with the columns 1 and 2. The array `asked` has flags for each id: the shapes
with keys that contain the id. A row is looked up under a shape only if each id that the row has in these columns has
the flag of the shape. So for a fact that no rule can use, the only cost is a look at the flags of its ids. Several ids
can share a place in `asked`. So the size of the array depends on the number of keys, and it stays in the CPU cache,
however many ids there are. Head atoms have keys and shapes of their own, which find the rules that may derive a given
fact. Facts that a commit changes are not looked up under the shapes of heads.

Cost: a hash probe for each shape that is not ruled out by the flags.
"""

from __future__ import annotations

import numpy as np

from kgreason.compiled import Flag, Number, inline, kernel
from kgreason.engine.memory import layout as at
from kgreason.engine.memory.blocks import entries, matrix
from kgreason.engine.memory.hashing import entry_tag, finish_hash, mix, place_entry, salt_hash, table_bits
from kgreason.engine.memory.layout import Block
from kgreason.zset.columns import Int32, UInt32

_SPREAD = np.uint64(0x9E3779B97F4A7C15)


@inline
def asked_position(asked: UInt32, value: Number) -> Number:
    """Return the position in `asked` of the bits of the id `value`."""
    return (_SPREAD * np.uint64(value) >> np.uint64(32)) & np.uint64(asked.size - 1)


@inline
def shapes_met(filters: Int32, asked: UInt32, rows: Int32, r: Number, wanted: Number) -> Number:
    """Return the bits of the shapes of `wanted` under which row `r` must be looked up: uint32.

    Each id that the row has in the columns of such a shape, or another id with the same place in `asked`, occurs in
    some key of the shape. A shape without constants has no bit. The first column is looked at last: most keys with a
    constant subject have a constant predicate too, and few rows have that predicate.
    """
    table = np.uint64(rows[r, at.STATE] >> at.TABLE & at.LAST_TABLE)
    bits: Number = np.uint32(filters[table, 0]) & np.uint32(wanted)
    for c in range(np.uint64(1), np.uint64(rows.shape[1] - at.FIRST)):
        bits = matching_bits(bits, filters, asked, table, c, rows[r, np.uint64(at.FIRST) + c])
    return matching_bits(bits, filters, asked, table, np.uint64(0), rows[r, at.FIRST])


@inline
def matching_bits(bits: Number, filters: Int32, asked: UInt32, table: Number, c: Number, value: Number) -> Number:
    """Return the bits of those shapes of `bits` that leave column `c` free, or that have a key with `value` there."""
    free = np.uint32(filters[table, np.uint64(1) + c])
    if bits & ~free == 0:
        return bits
    return bits & (asked[asked_position(asked, value)] | free)


@inline
def is_shape_met(bits: Number, shape: Number) -> Flag:
    """Whether the bit of a shape is set in `bits`, a result of `shapes_met`."""
    return (bits >> np.uint32(min(shape, at.SHARED_BIT))) & np.uint32(1) != 0


@inline
def has_key_constants(shapes: Int32, shape: Number, keys: Int32, k: Number, rows: Int32, r: Number) -> Flag:
    """Whether row `r` has the constants of key `k`. Line `shape` of `shapes` has the columns of this key."""
    for j in range(shapes[shape, 1]):
        c = shapes[shape, 2 + j]
        if keys[k, c] != rows[r, at.FIRST + c]:
            return False
    return True


@inline
def find_in(m: Block, shapes: Int32, number: Number, shape: Number, rows: Int32, r: Number) -> Number:
    """Find the key of shape `number` whose constants row `r` has. Returns the number of the key, or -1.

    Line `shape` of `shapes` has the columns of the shape. (The number of a head shape is `BACK` + its line.)
    """
    slots, keys, key_info = entries(m, at.KEY_ENTRIES), matrix(m, at.KEYS), matrix(m, at.KEY_INFO)
    if shapes[shape, 0] != rows[r, at.STATE] >> at.TABLE & at.LAST_TABLE:
        return -1
    h = salt_hash(number)
    for j in range(shapes[shape, 1]):
        c = shapes[shape, 2 + j]
        h = mix(h, c, rows[r, at.FIRST + c])
    h = finish_hash(h)
    bits = table_bits(m, at.KEY_ENTRIES)
    tag = entry_tag(h, bits)
    low = np.uint32((1 << bits) - 1)
    here = h >> np.uint64(64 - bits)
    while True:
        entry = slots[here]
        if entry == 0:
            return -1
        k = np.int64(entry & low) - 1
        if (entry & ~low) == tag and key_info[k, 0] == number and has_key_constants(shapes, shape, keys, k, rows, r):
            return k
        here = (here + np.uint64(1)) & np.uint64(slots.size - 1)


@inline
def find_key(m: Block, shape: Number, rows: Int32, r: Number) -> Number:
    """Find the trigger key of this shape whose constants row `r` has. Returns the number of the key, or -1."""
    return find_in(m, matrix(m, at.SHAPES), shape, shape, rows, r)


@inline
def find_head_key(m: Block, shape: Number, rows: Int32, r: Number) -> Number:
    """Find the head key of this shape whose constants row `r` has. Returns the number of the key, or -1.

    `shape`: the line of the shape in the array `back_shapes`.
    """
    return find_in(m, matrix(m, at.BACK_SHAPES), at.BACK + shape, shape, rows, r)


@inline
def meets_key(m: Block, k: Number, rows: Int32, r: Number) -> Flag:
    """Whether row `r` meets trigger key `k`: the row is in the key's table and has the key's constants."""
    shapes, shape = matrix(m, at.SHAPES), matrix(m, at.KEY_INFO)[k, 0]
    table = rows[r, at.STATE] >> at.TABLE & at.LAST_TABLE
    return shapes[shape, 0] == table and has_key_constants(shapes, shape, matrix(m, at.KEYS), k, rows, r)


@kernel
def enter_keys(m: Block, low: Number, high: Number) -> None:
    """Enter the keys with the numbers low to high - 1 into the hash table of keys, and their ids into `asked`.

    The table must have room for them.
    """
    shapes, back = matrix(m, at.SHAPES), matrix(m, at.BACK_SHAPES)
    keys, key_info, slots = matrix(m, at.KEYS), matrix(m, at.KEY_INFO), entries(m, at.KEY_ENTRIES)
    bits, asked = table_bits(m, at.KEY_ENTRIES), entries(m, at.ASKED)
    for k in range(low, high):
        number = key_info[k, 0]
        shape = number - at.BACK if number >= at.BACK else number
        h = salt_hash(number)
        for j in range(back[shape, 1] if number >= at.BACK else shapes[shape, 1]):
            c = back[shape, 2 + j] if number >= at.BACK else shapes[shape, 2 + j]
            h = mix(h, c, keys[k, c])
            if number < at.BACK:
                asked[asked_position(asked, keys[k, c])] |= np.uint32(1) << np.uint32(min(shape, at.SHARED_BIT))
        place_entry(slots, bits, finish_hash(h), k)
