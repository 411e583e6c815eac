"""asserting: takes the asserted facts of a Bootstrap into the fact table, by all workers at the same time.

    enter_rows    all workers    each enters its share of the facts: row, place in the queue, entry of the hash table
    forget_rows   one thread     removes the entries again, if a fact was there twice

Fact number i of a batch gets row number N_ROWS + i before it is known whether it is new. So a worker writes its rows
one after the other, and shares nothing with the others but the hash table, whose free entries are taken by an atomic
exchange. Nearly always all facts of a batch are new. If one is not, the numbers are wrong, and the batch is forgotten.
Then `Crew.assert_in_parts` asserts this batch and the later ones.

Invariant: rows and queue are those of `distinct.assert_rows`. An entry may stand at another position. A row is written
before its entry, so a worker that finds the entry can read the row.

Cost: for each fact a hash, a probe, and a row that is written in order.
"""

from __future__ import annotations

import numpy as np

from kgreason.compiled import Flag, Number, inline, kernel
from kgreason.engine.facts.hash_table import BLOCK, copy_fact
from kgreason.engine.level.entering import is_same_fact
from kgreason.engine.memory import layout as at
from kgreason.engine.memory.blocks import entries, fill_free, hashes, matrix, part_of, vector
from kgreason.engine.memory.hashing import entry_number, entry_tag, hash_row, table_bits
from kgreason.engine.memory.layout import Block
from kgreason.zset.columns import Int32, Int32s, UInt32


@inline
def write_row(rows: Int32, r: Number, keys: Int32, i: Number, table: Number) -> None:
    """Write the asserted fact keys[i] of a table to row `r`."""
    rows[r, at.STATE], rows[r, at.STAMP], rows[r, at.SUPPORT] = at.WAITING | at.ASSERTED | table << at.TABLE, 0, 0
    copy_fact(rows, r, keys, i)


@inline
def enter_fact(slots: UInt32, bits: Number, rows: Int32, r: Number, keys: Int32, i: Number, h: Number) -> Flag:
    """Enter row `r` with the fact keys[i], whose hash is `h`, into the hash table.

    Returns False if another row holds the fact.
    """
    tag, low, here = entry_tag(h, bits), np.uint32((1 << bits) - 1), np.int64(h >> np.uint64(64 - bits))
    while True:
        entry = slots[here]
        if entry == 0:
            if fill_free(slots, here, tag | np.uint32(r + 1)):
                return True
            continue  # another worker has just taken it, perhaps for the same fact
        if (entry & ~low) == tag and is_same_fact(
            keys, i, rows, np.int64(at.FIRST), entry_number(entry, bits), np.int64(keys.shape[1])
        ):
            return False
        here = (here + 1) & (slots.size - 1)


@kernel
def enter_rows(m: Block, keys: Int32s, table: Number, low: Number, high: Number) -> None:
    """As a worker, enter a share of the facts keys[low:high] of a table. Facts that are there already are put off.

    The fact table and the queue must have room for all of them.
    """
    rows, slots, queue, h = matrix(m, at.ROWS), entries(m, at.ENTRIES), vector(m, at.QUEUE), hashes(m, at.HASHES)
    bits, width = table_bits(m, at.ENTRIES), keys.shape[1]
    shift, stop = np.uint64(64 - bits), part_of(m, low, high, m[at.PART] + 1)
    for start in range(part_of(m, low, high, m[at.PART]), stop, BLOCK):
        end, met = min(start + BLOCK, stop), np.uint32(0)
        for i in range(start, end):
            h[i - start] = hash_row(keys, i, 0, width)
        for i in range(start, end):
            met |= slots[h[i - start] >> shift]
        h[BLOCK] = np.uint64(met)  # uses the loaded values, so that the compiler keeps the loads
        for i in range(start, end):
            r = m[at.N_ROWS] + i - low
            write_row(rows, r, keys, i, table)
            queue[m[at.N_QUEUE] + i - low] = r
            m[at.N_PUT_OFF] += not enter_fact(slots, bits, rows, r, keys, i, h[i - start])


@kernel
def forget_rows(m: Block) -> None:
    """Remove the entries of the rows from N_ROWS on. They are the last ones that were entered."""
    slots, bits = entries(m, at.ENTRIES), table_bits(m, at.ENTRIES)
    for here in range(slots.size):
        if entry_number(slots[here], bits) >= m[at.N_ROWS]:
            slots[here] = 0
