"""The kernels of the dictionary. They find the ids of many texts at once, and give ids to new texts.

A `Table` is the dictionary as arrays. Term number `i` is `arena[offsets[i]:offsets[i + 1]]`. `offsets[0]` and
`offsets[1]` are both 0, so that number 0, which stands for no term, has an empty text. `slots` is an open-addressing
hash table with linear probing. The upper half of an entry is the upper half of the text's hash, and the lower half is
the id; 0 is an empty slot. A probe starts at a place that depends only on the upper half of the hash. So the table can
grow without reading the texts again, and most unequal texts are told apart without touching the arena.

Invariant: every id from 1 to the count has exactly one entry, and no two ids have the same text.

Cost: one pass over the text, eight bytes at a time; one cache miss for the slot and two for the comparison. Kernels
never allocate memory. If the table is full, a kernel stops and returns how far it has come; the caller grows the table
and calls the kernel again.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from kgreason.compiled import READ_ONLY, inline, kernel

_LOW = np.uint64(0xFFFFFFFF)
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_FINISHER = np.uint64(0xD6E8FEB86659FD93)
Bytes: TypeAlias = Annotated[npt.NDArray[np.uint8], READ_ONLY]
"""Bytes of Python. A call with an array that can be written compiles the kernel anew."""


class Table(NamedTuple):
    """A dictionary as arrays; the docstring of the module explains them.

    With room for n terms there are n + 2 offsets. The number of slots is a power of two.
    """

    arena: npt.NDArray[np.uint8]
    offsets: npt.NDArray[np.int64]
    slots: npt.NDArray[np.uint64]


@inline
def _read_word(text: npt.NDArray[np.uint8], at: int) -> np.uint64:
    """Return the eight bytes at position `at`, as a little-endian number. This function is compiled to one load."""
    low = np.uint64(text[at]) | np.uint64(text[at + 1]) << 8 | np.uint64(text[at + 2]) << 16
    middle = np.uint64(text[at + 3]) << 24 | np.uint64(text[at + 4]) << 32 | np.uint64(text[at + 5]) << 40
    return low | middle | np.uint64(text[at + 6]) << 48 | np.uint64(text[at + 7]) << 56


@inline
def _hash_tag(text: npt.NDArray[np.uint8], start: int, end: int) -> np.uint64:
    """Return the upper half of the hash of `text[start:end]`."""
    state = np.uint64(end - start) * _FINISHER
    while start + 8 <= end:
        state = (state ^ _read_word(text, start)) * _MULTIPLIER
        state ^= state >> np.uint64(29)
        start += 8
    rest = np.uint64(0)
    while start < end:
        rest = rest << np.uint64(8) | np.uint64(text[start])
        start += 1
    state = (state ^ rest) * _MULTIPLIER
    state ^= state >> np.uint64(32)
    return (state * _FINISHER) >> np.uint64(32)


@inline
def _term_of_entry(entry: np.uint64) -> np.int64:
    """Return the id of a term, from its entry in `slots`."""
    return np.int64(entry & _LOW)


@inline
def is_text_of(table: Table, term: np.int64, text: npt.NDArray[np.uint8], start: int, end: int) -> bool:
    """Whether `text[start:end]` is the text of the term with id `term`."""
    at = table.offsets[term]
    if table.offsets[term + 1] - at != end - start:
        return False
    while start < end and table.arena[at] == text[start]:
        start, at = start + 1, at + 1
    return start == end


@inline
def _locate(table: Table, tag: np.uint64, text: npt.NDArray[np.uint8], start: int, end: int) -> np.uint64:
    """Return the position in `slots` of the id of `text[start:end]`, or of the empty slot where this id belongs.

    `tag`: the `_hash_tag` of the text.
    """
    mask = np.uint64(table.slots.size - 1)
    position = tag & mask
    while True:
        entry = table.slots[position]
        if entry == 0:
            return position
        if entry >> np.uint64(32) == tag and is_text_of(table, _term_of_entry(entry), text, start, end):
            return position
        position = (position + np.uint64(1)) & mask


@inline
def intern_one(table: Table, count: int, text: npt.NDArray[np.uint8], start: int, end: int) -> np.int64:
    """Return the id of `text[start:end]`. A new text gets the id count + 1. Returns 0 if the table has no room."""
    tag = _hash_tag(text, start, end)
    position = _locate(table, tag, text, start, end)
    entry = table.slots[position]
    if entry != 0:
        return _term_of_entry(entry)
    new, used = count + 1, table.offsets[count + 1]
    if new + 2 > table.offsets.size or used + (end - start) > table.arena.size:
        return np.int64(0)
    for i in range(end - start):
        table.arena[used + i] = text[start + i]
    table.offsets[new + 1] = used + (end - start)
    table.slots[position] = tag << np.uint64(32) | np.uint64(new)
    return np.int64(new)


@kernel
def intern_all(
    table: Table,
    count: int,
    text: Bytes,
    bounds: npt.NDArray[np.int64],
    first: int,
    ids: npt.NDArray[np.int32],
) -> tuple[int, int]:
    """Intern the texts from number `first` on, and write their ids to `ids`. Text i is `text[bounds[i]:bounds[i + 1]]`.

    Returns the number of the first text for which there was no room (the number of texts if there was room for all),
    and the new number of terms.
    """
    for i in range(first, ids.size):
        found = intern_one(table, count, text, bounds[i], bounds[i + 1])
        if found == 0:
            return i, count
        count = max(count, int(found))
        ids[i] = found
    return ids.size, count


@kernel
def find_all(table: Table, text: Bytes, bounds: npt.NDArray[np.int64], ids: npt.NDArray[np.int32]) -> None:
    """Write the ids of texts to `ids`, and 0 for a text that has no id. Text i is `text[bounds[i]:bounds[i + 1]]`."""
    for i in range(ids.size):
        tag = _hash_tag(text, bounds[i], bounds[i + 1])
        ids[i] = table.slots[_locate(table, tag, text, bounds[i], bounds[i + 1])] & _LOW


@inline
def _rank(table: Table, term: np.int64) -> int:
    """Return the rank of a term by its kind: 0 for an IRI or a relation, 1 blank node, 2 literal, 3 triple term."""
    at = table.offsets[term]
    if table.arena[at] == ord("_"):
        return 1
    if table.arena[at] == ord('"'):
        return 2
    return 3 if table.arena[at] == ord("<") and table.arena[at + 1] == ord("<") else 0


@inline
def _precedes(table: Table, term: np.int64, other: np.int64) -> bool:
    """Whether `term` comes before `other`: by `_rank`, and if the ranks are equal, by the bytes of the texts."""
    rank, beside = _rank(table, term), _rank(table, other)
    if rank != beside:
        return rank < beside
    at, end = table.offsets[term], table.offsets[term + 1]
    against, last = table.offsets[other], table.offsets[other + 1]
    while at < end and against < last and table.arena[at] == table.arena[against]:
        at, against = at + 1, against + 1
    if at == end or against == last:
        return bool(end - at < last - against)
    return bool(table.arena[at] < table.arena[against])


@kernel
def find_firsts(
    table: Table, ids: npt.NDArray[np.int32], groups: npt.NDArray[np.int64], firsts: npt.NDArray[np.int32]
) -> None:
    """Write to `firsts[g]` the term of group g that comes first, by `_precedes`. `firsts` must be all zeros before.

    `groups[i]` is the group of the term `ids[i]`.
    """
    for i in range(ids.size):
        best = firsts[groups[i]]
        if best == 0 or _precedes(table, np.int64(ids[i]), np.int64(best)):
            firsts[groups[i]] = ids[i]


@kernel
def rehash(slots: npt.NDArray[np.uint64], count: int, fresh: npt.NDArray[np.uint64]) -> None:
    """Copy the entries of `slots` with ids up to `count` into the empty hash table `fresh`."""
    mask = np.uint64(fresh.size - 1)
    for entry in slots:
        if entry != 0 and entry & _LOW <= np.uint64(count):
            position = entry >> np.uint64(32) & mask
            while fresh[position] != 0:
                position = (position + np.uint64(1)) & mask
            fresh[position] = entry
