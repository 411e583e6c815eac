"""The functions that tasks of `encode` run. Terms get *local* ids first: ids that are valid only in one group of rows.

So a text is shuffled only once for each group. Right are the columns of the rows that each function gives.

    grouped     about 500,000 rows are a group; a dictionary for this group gives local ids  (group, local id, text)
    numbered    the texts of one part get ids from one dictionary               (group, local id, id), (id, text)
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

import numpy as np
import pyarrow as pa
from pyspark import TaskContext

from kgreason.errors import InputError, LimitError
from kgreason.spark.input.lines import SKIPPED, LineReader
from kgreason.spark.input.terms import QUAD, interned, record, texts
from kgreason.terms.dictionary import MAX_ID, Dictionary, Ids, Kind
from kgreason.terms.vocabulary import VOCABULARY
from kgreason.zset.order import group_rows

GROUPED = f"group long, local int, text string, quads binary, {SKIPPED}"
"""Rows of three kinds: a text (group, local, text), quads int32[4, n] (group, quads), or skipped lines."""

NUMBERED = "group long, local int, id int, text string"
"""Rows of two kinds: (group, local, id) for each text of a group; (id, text) for each term."""

FACTS = "s int, p int, o int"

_ROWS = 500_000
_BYTES = 1 << 26
"""A group ends with the batch in which it reaches `_ROWS` rows or `_BYTES` bytes."""
_SLICE = 1 << 16
"""The number of texts that are given to Spark at a time."""
_GROUPS = 33
"""The low 33 bits of the number of a group count the groups of its task; the other bits are the partition."""

_IS_TERM = np.isin(np.arange(max(Kind) + 1), (Kind.IRI, Kind.BLANK, Kind.LITERAL, Kind.TRIPLE))

Batches = Iterable[pa.RecordBatch]
Interner = Callable[[pa.RecordBatch, Dictionary], Iterable[Ids]]


def grouped_lines(skip: bool, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Parse rows (line, file). Yields rows with the columns `GROUPED`.

    With `skip` malformed lines are skipped and counted, otherwise they are errors.
    """
    reader = LineReader(skip=skip)
    yield from _grouped(batches, reader.intern)
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
    group, rows, dictionary = first_group(), 0, Dictionary(())
    for batch in batches:
        for quads in intern(batch, dictionary):
            yield record(GROUPED, group=_repeated(group, 1), quads=pa.array([quads.tobytes()], pa.binary()))
            rows += quads.shape[1]
        if rows >= _ROWS or dictionary.nbytes >= _BYTES:
            yield from _named(group, dictionary)
            group, rows, dictionary = group + 1, 0, Dictionary(())
    yield from _named(group, dictionary)


def _named(group: int, dictionary: Dictionary) -> Iterator[pa.RecordBatch]:
    """Yield rows (group, local, text): each text of a group with its local id."""
    names = texts(dictionary)
    local = pa.array(np.arange(len(names), dtype=np.int32))
    for first in range(1, len(names), _SLICE):
        some = names[first : first + _SLICE]
        yield record(GROUPED, group=_repeated(group, len(some)), local=local[first : first + _SLICE], text=some)


def numbered(parts: int, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Give ids to the texts of one of so many parts. Turns rows (group, local, text) into rows of `NUMBERED`.

    Raises LimitError if ids run out.
    """
    part, dictionary = part_number(), Dictionary()
    for batch in batches:
        known = len(dictionary) + 1
        ids = _ids(interned(batch.column("text"), dictionary), part, parts)
        yield record(NUMBERED, group=batch.column("group"), local=batch.column("local"), id=pa.array(ids))
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

    `rows` has the column `quads` (int32[4, n] as bytes). `names` has the columns `local` and `id`. The result has the
    triples of all graphs, each once.
    """
    ids = np.zeros(len(names) + 1, np.int32)
    ids[names.column("local").to_numpy()] = names.column("id").to_numpy()
    quads = [np.zeros((4, 0), np.int32), *(unpacked(quads) for quads in rows.column("quads").to_pylist())]
    triples = ids[np.concatenate(quads, axis=1)[:3].T]
    triples = triples[group_rows(triples).firsts()]
    return pa.table({name: np.ascontiguousarray(triples[:, column]) for column, name in enumerate("spo")})


def unpacked(quads: bytes) -> Ids:
    """Return the quads in a row of the table `grouped`: int32[4, n], with the local ids of their group."""
    return np.frombuffer(quads, np.int32).reshape(4, -1)


def first_group() -> int:
    """Return the number of the first group of this task; the others have the numbers after this one."""
    return part_number() << _GROUPS


def part_number() -> int:
    """Return the number of the partition that this task computes."""
    return int(TaskContext.get().partitionId())


def _repeated(number: int, times: int) -> pa.Array:
    return pa.array(np.full(times, number, np.int64))
