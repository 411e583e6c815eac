"""The functions that tasks of `encode` run. Terms get *local* ids first: ids that are valid only in one group of rows.

So a text is shuffled only once for each group. The texts of a group are divided into `BUCKETS` by their hashes, and the
local ids of a bucket follow each other. So all texts of a bucket are one cell (`input/terms.pack_texts`), and Spark,
which is slow with rows, moves few rows. Right are the columns of the rows that each function gives.

    group_quads    about 500,000 rows are a group; its dictionary gives local ids  (group, bucket, first, texts)
    number_texts   the texts of some buckets get ids from one dictionary           (group, first, ids), (id, text)
    rename_quads   the triples of a group get the ids that are valid everywhere    (s, p, o)

The number of a group consists of the partition of the task and a number within the partition, so two tasks never make
the same group. Two attempts of one task are never mixed, because Spark keeps only the files of one attempt.

Laws: V is the number of terms of `VOCABULARY`, which have the ids 1 to V. Of m parts, part k gives the ids V + k + 1,
V + k + 1 + m, V + k + 1 + 2m, ... to its other texts. So no two parts give the same id, and no part must know how many
texts the others have.

Cost: kernels and copies of whole columns. A task holds one group, or the dictionary of one part.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark import TaskContext

from kgreason.errors import LimitError
from kgreason.spark.input.lines import SKIPPED, QuadReader
from kgreason.spark.input.read import Interner
from kgreason.spark.input.terms import intern_cell, pack_texts, record, texts
from kgreason.terms.dictionary import MAX_ID, Dictionary, Ids
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

Batches = Iterable[pa.RecordBatch]


def group_quads(reader: QuadReader, intern: Interner, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Parse files with a reader. Yields rows with the columns `GROUPED`."""
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
    yield record(GROUPED, **reader.skipped())


def _group(group: int, dictionary: Dictionary, quads: Ids) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a group: its quads, given as int32[4, n], and its texts in buckets."""
    order, local, buckets = in_buckets(group, dictionary.hashes() // ((1 << 32) // BUCKETS))
    yield record(GROUPED, group=buckets["group"][:1], quads=pa.array([local[quads].tobytes()], pa.binary()))
    words = pack_texts(texts(dictionary, 1).take(pa.array(order)), (buckets["first"].to_numpy() - 1).tolist())
    yield record(GROUPED, **buckets, texts=pa.array(words, pa.binary()))


def in_buckets(group: int, buckets: NDArray[Any]) -> tuple[NDArray[np.int64], Ids, dict[str, pa.Array]]:
    """Divide the n terms of a group into buckets, given for each term.

    Returns the order of the terms by bucket, for each number of a term from 1 to n its local id (and 0 for 0), and the
    columns group, bucket, first of a row for each bucket.
    """
    order = np.argsort(buckets, kind="stable")
    local = np.zeros(len(order) + 1, np.int32)
    local[order + 1] = np.arange(1, len(order) + 1, dtype=np.int32)
    found, starts = np.unique(buckets[order], return_index=True)
    first, bucket = (pa.array(column.astype(np.int32)) for column in (starts + 1, found))
    return order, local, {"group": pa.array(np.full(len(found), group)), "bucket": bucket, "first": first}


def number_texts(parts: int, batches: Batches) -> Iterator[pa.RecordBatch]:
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


def rename_quads(rows: pa.Table, names: pa.Table) -> pa.Table:
    """Replace the local ids in the quads of one group by ids that are valid everywhere. Returns rows s, p, o.

    `rows` has the column `quads` (int32[4, n] as bytes). `names` has the columns `first` and `ids`. The result has the
    triples of all graphs, each once.
    """
    slices = zip(names.column("first").to_pylist(), names.column("ids").to_pylist(), strict=True)
    ids = ids_by_local((first, np.frombuffer(ids, np.int32)) for first, ids in slices)
    quads = [np.zeros((4, 0), np.int32), *(unpack_quads(quads) for quads in rows.column("quads").to_pylist())]
    triples = ids[np.concatenate(quads, axis=1)[:3].T]
    triples = triples[group_rows(triples).firsts()]
    return pa.table({name: np.ascontiguousarray(triples[:, column]) for column, name in enumerate("spo")})


def ids_by_local(slices: Iterable[tuple[int, Ids]]) -> Ids:
    """Put slices of ids, each with its first local id, in order. Returns the id for each local id, and 0 for 0."""
    return np.concatenate([np.zeros(1, np.int32), *(ids for _, ids in sorted(slices, key=lambda each: each[0]))])


def unpack_quads(quads: bytes) -> Ids:
    """Return the quads in a row of the table `grouped`: int32[4, n], with the local ids of their group."""
    return np.frombuffer(quads, np.int32).reshape(4, -1)


def first_group() -> int:
    """Return the number of the first group of this task; the others have the numbers after this one."""
    return part_number() << GROUPS


def part_number() -> int:
    """Return the number of the partition that this task computes."""
    return int(TaskContext.get().partitionId())
