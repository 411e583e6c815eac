"""The functions that tasks of `encode` run. Terms get *local* ids first: ids that are valid only in one group of rows.

So a text is shuffled only once for each group. Right are the columns of the rows that each function gives.

    grouped     about 500,000 rows are a group; a dictionary for this group gives local ids  (group, local id, text)
    numbered    the texts of one part get numbers from one dictionary           (group, local id, part, number)
    renamed     the rows of a group get the ids that are valid everywhere       (s, p, o, g)

The number of a group consists of the partition of the task and a number within the partition, so two tasks never make
the same group. Two attempts of one task are never mixed, because Spark keeps only the files of one attempt.

Laws: V is the number of terms of `VOCABULARY`. The numbers 1 to V of each part are these terms. A number n > V of a
part has the id `offset(part) + n`. The offset of a part is the number of terms beyond V in the parts before it. So ids
are dense.

Cost: kernels and copies of whole columns. A task holds one group, or the dictionary of one part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np
import pyarrow as pa
from pyspark import TaskContext

from kgreason.errors import InputError
from kgreason.spark.input.lines import SKIPPED, LineReader
from kgreason.spark.input.terms import QUAD, interned, record, texts
from kgreason.terms.dictionary import Dictionary, Ids, Kind
from kgreason.terms.vocabulary import VOCABULARY

GROUPED = f"group long, local int, text string, quads binary, {SKIPPED}"
"""Rows of three kinds: a text (group, local, text), quads int32[4, n] (group, quads), or skipped lines."""

NUMBERED = "group long, local int, part int, number int, text string"
"""Rows of two kinds: (group, local, part, number) for each text of a group; (part, number, text) for each new text."""

QUADS = "s int, p int, o int, g int"

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
    group, rows, dictionary = _partition() << _GROUPS, 0, Dictionary(())
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


def numbered(batches: Batches) -> Iterator[pa.RecordBatch]:
    """Number the texts of one part. Turns rows (group, local, text) into rows with the columns `NUMBERED`."""
    part, dictionary = _partition(), Dictionary()
    for batch in batches:
        known = len(dictionary) + 1
        ids = pa.array(interned(batch.column("text"), dictionary))
        parts = _repeated(part, len(ids)).cast(pa.int32())
        yield record(NUMBERED, group=batch.column("group"), local=batch.column("local"), part=parts, number=ids)
        fresh = pa.array(np.arange(known, len(dictionary) + 1, dtype=np.int32))
        parts = _repeated(part, len(fresh)).cast(pa.int32())
        yield record(NUMBERED, part=parts, number=fresh, text=texts(dictionary, known))


def renamed(rows: pa.Table, names: pa.Table) -> pa.Table:
    """Replace the local ids in the quads of one group by ids that are valid everywhere. Returns rows s, p, o, g.

    `rows` has the column `quads` (int32[4, n] as bytes). `names` has the columns `local` and `id`.
    """
    ids = np.zeros(len(names) + 1, np.int32)
    ids[names.column("local").to_numpy()] = names.column("id").to_numpy()
    parts = [unpacked(quads) for quads in rows.column("quads").to_pylist()]
    quads = ids[np.concatenate(parts, axis=1)]
    return pa.table({name: quads[column] for column, name in enumerate("spog")})


def unpacked(quads: bytes) -> Ids:
    """Return the quads in a row of the table `grouped`: int32[4, n], with the local ids of their group."""
    return np.frombuffer(quads, np.int32).reshape(4, -1)


def _partition() -> int:
    """Return the number of the partition that this task computes."""
    return int(TaskContext.get().partitionId())


def _repeated(number: int, times: int) -> pa.Array:
    return pa.array(np.full(times, number, np.int64))


SEEDED = len(VOCABULARY)
"""V, the number of terms of `VOCABULARY`, which every part has from the start."""
