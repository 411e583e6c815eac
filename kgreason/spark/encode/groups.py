"""The functions that tasks of `encode` run. Terms get *local* ids first: ids that are valid only in one group of rows.

So a text is shuffled only once for each group. The texts of a group are divided into `BUCKETS` by their hashes, and the
local ids of a bucket follow each other. So all texts of a bucket are one cell (`input/terms.packed`), and Spark, which
is slow with rows, moves few rows. Right are the columns of the rows that each function gives.

    grouped     about 500,000 rows are a group; its dictionary gives local ids  (group, bucket, first, texts)
    numbered    the texts of some buckets get ids from one dictionary           (group, first, ids), (id, text)
    renamed     the triples of a group get the ids that are valid everywhere    (s, p, o)

The number of a group consists of the partition of the task and a number within the partition, so two tasks never make
the same group. Two attempts of one task are never mixed, because Spark keeps only the files of one attempt.

Laws: V is the number of terms of `VOCABULARY`, which have the ids 1 to V. Of m parts, part k gives the ids V + k + 1,
V + k + 1 + m, V + k + 1 + 2m, ... to its other texts. So no two parts give the same id, and no part must know how many
texts the others have.

Cost: kernels and copies of whole columns. A task holds one group, or the dictionary of one part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark import TaskContext

from kgreason.errors import InputError, LimitError
from kgreason.spark.input.lines import SKIPPED, QuadReader
from kgreason.spark.input.read import Interner
from kgreason.spark.input.terms import QUAD, intern_cell, interned, packed, record, texts
from kgreason.terms.dictionary import MAX_ID, Dictionary, Ids, Kind
from kgreason.terms.vocabulary import VOCABULARY
from kgreason.zset.order import group_rows

GROUPED = f"group long, bucket int, first int, texts binary, quads binary, {SKIPPED}"
"""Rows of three kinds. (group, bucket, first, texts): the texts of a bucket; the local ids of these texts begin at
`first`. (group, quads): the quads of a group, int32[4, n]. The other rows are about skipped lines."""

NUMBERED = "group long, first int, ids binary, id int, text string"
"""Rows of two kinds: (group, first, ids int32[n]) for n texts of a group; (id, text) for each term."""

FACTS = "s int, p int, o int"

BUCKETS = 256
"""The number of buckets of a group. A part has at least one of them."""
_ROWS = 500_000
_BYTES = 1 << 26
"""A group ends with the batch in which it reaches `_ROWS` rows or `_BYTES` bytes of text."""
GROUPS = 33
"""The low 33 bits of the number of a group count the groups of its task; the other bits are the partition."""

_IS_TERM = np.isin(np.arange(max(Kind) + 1), (Kind.IRI, Kind.BLANK, Kind.LITERAL, Kind.TRIPLE))

Batches = Iterable[pa.RecordBatch]


def grouped_files(reader: QuadReader, intern: Interner, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Parse files with a reader. Yields rows with the columns `GROUPED`."""
    yield from _grouped(batches, intern)
    yield record(GROUPED, **reader.skipped())


def grouped_texts(batches: Batches) -> Iterator[pa.RecordBatch]:
    """Turn quads, rows of four texts, into rows with the columns `GROUPED`."""
    return _grouped(batches, _interned)


def _interned(batch: pa.RecordBatch, dictionary: Dictionary) -> Iterator[Ids]:
    quads = np.stack([interned(batch.column(name), dictionary) for name in QUAD])
    is_term = _IS_TERM[dictionary.kinds(quads)]
    is_term[3] |= quads[3] == 0  # the default graph has no name
    if not is_term.all():
        row = int(np.flatnonzero(~is_term.all(axis=0))[0])
        found = ", ".join(str(batch.column(name)[row].as_py()) for name in QUAD)
        raise InputError(f"the row ({found}) has a value that is not an RDF term in canonical N-Triples syntax")
    yield quads


def _grouped(batches: Batches, intern: Interner) -> Iterator[pa.RecordBatch]:
    group, dictionary, waiting, rows = first_group(), Dictionary(()), list[Ids](), 0
    for batch in batches:
        for quads in intern(batch, dictionary):
            waiting.append(quads)
            rows += quads.shape[1]
            if rows >= _ROWS or dictionary.table().offsets[len(dictionary) + 1] >= _BYTES:
                yield from _group(group, dictionary, np.concatenate(waiting, axis=1))
                group, waiting, rows = group + 1, [], 0
                dictionary.truncate(0)
    if rows:
        yield from _group(group, dictionary, np.concatenate(waiting, axis=1))


def _group(group: int, dictionary: Dictionary, quads: Ids) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a group: its quads, given as int32[4, n], and its texts in buckets."""
    buckets = dictionary.hashes() // ((1 << 32) // BUCKETS)
    order = np.argsort(buckets, kind="stable")
    local = np.zeros(len(order) + 1, np.int32)
    local[order + 1] = np.arange(1, len(order) + 1, dtype=np.int32)
    yield record(GROUPED, group=repeated(group, 1), quads=pa.array([local[quads].tobytes()], pa.binary()))
    words = texts(dictionary, 1).take(pa.array(order))
    yield record(GROUPED, **cells(group, buckets[order], "texts", partial(packed, words)))


def cells(
    group: int, buckets: NDArray[Any], column: str, make: Callable[[list[int]], list[bytes]]
) -> dict[str, pa.Array]:
    """Return rows (group, bucket, first, `column`), one for each bucket of a group.

    `buckets` are the buckets of the terms of the group, sorted. The first term has the local id 1. `make` returns the
    cells of the column, if it gets the numbers of the terms with which they start.
    """
    found, starts = np.unique(buckets, return_index=True)
    return {
        "group": repeated(group, len(found)),
        "bucket": pa.array(found.astype(np.int32)),
        "first": pa.array((starts + 1).astype(np.int32)),
        column: pa.array(make(starts.tolist()), pa.binary()),
    }


def numbered(parts: int, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Give ids to the texts of one of so many parts. Turns rows (group, first, texts) into rows of `NUMBERED`.

    Raises LimitError if ids run out.
    """
    part, dictionary = part_number(), Dictionary()
    for batch in batches:
        known = len(dictionary) + 1
        found = [_ids(intern_cell(cell, dictionary), part, parts) for cell in batch.column("texts").to_pylist()]
        ids = pa.array([each.tobytes() for each in found], pa.binary())
        yield record(NUMBERED, group=batch.column("group"), first=batch.column("first"), ids=ids)
        fresh = _ids(np.arange(known, len(dictionary) + 1, dtype=np.int32), part, parts)
        yield record(NUMBERED, id=pa.array(fresh), text=texts(dictionary, known))


def _ids(numbers: Ids, part: int, parts: int) -> Ids:
    """Return the ids that a part gives to the terms that have these numbers in its dictionary."""
    own = numbers.astype(np.int64) - len(VOCABULARY) - 1
    ids = np.where(own < 0, numbers, len(VOCABULARY) + 1 + part + own * parts)
    if len(ids) and (largest := int(ids.max())) > MAX_ID:
        raise LimitError(f"the data has about {largest:,} terms, but the dictionary cannot hold more than {MAX_ID:,}")
    return ids.astype(np.int32)


def renamed(rows: pa.Table, names: pa.Table) -> pa.Table:
    """Replace the local ids in the quads of one group by ids that are valid everywhere. Returns rows s, p, o.

    `rows` has the column `quads` (int32[4, n] as bytes). `names` has the columns `first` and `ids`. The result has the
    triples of all graphs, each once.
    """
    slices = zip(names.column("first").to_pylist(), names.column("ids").to_pylist(), strict=True)
    ids = by_local((first, np.frombuffer(ids, np.int32)) for first, ids in slices)
    quads = [np.zeros((4, 0), np.int32), *(unpacked(quads) for quads in rows.column("quads").to_pylist())]
    triples = ids[np.concatenate(quads, axis=1)[:3].T]
    triples = triples[group_rows(triples).firsts()]
    return pa.table({name: np.ascontiguousarray(triples[:, column]) for column, name in enumerate("spo")})


def by_local(slices: Iterable[tuple[int, Ids]]) -> Ids:
    """Put slices of ids, each with its first local id, in order. Returns the id for each local id, and 0 for 0."""
    return np.concatenate([np.zeros(1, np.int32), *(ids for _, ids in sorted(slices, key=lambda each: each[0]))])


def unpacked(quads: bytes) -> Ids:
    """Return the quads in a row of the table `grouped`: int32[4, n], with the local ids of their group."""
    return np.frombuffer(quads, np.int32).reshape(4, -1)


def first_group() -> int:
    """Return the number of the first group of this task; the others have the numbers after this one."""
    return part_number() << GROUPS


def part_number() -> int:
    """Return the number of the partition that this task computes."""
    return int(TaskContext.get().partitionId())


def repeated(number: int, times: int) -> pa.Array:
    """Return a column of the number of a group."""
    return pa.array(np.full(times, number, np.int64))
