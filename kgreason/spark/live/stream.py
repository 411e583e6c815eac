r"""Structured Streaming into the circuit: each micro-batch is one commit of a store, made exactly once.

    patch files -> one edit per file   \
                                         -> in their order, one transaction -> journal (with stream, batch, query)
    signed triples -> one edit per chunk /

Law: the store is the same as if every batch had been committed once, in order, whatever was killed when. The commit's
headers name the stream, the batch and Spark's query (the identity of a checkpoint folder), and a store knows those of
each stream's last commit. A batch that the store has already is skipped; one that leaves a gap, or comes from another
checkpoint, is refused, as data would be lost or applied twice. A batch that changes nothing is a commit too.

Order: files of a batch go by modification time, then by path, rows within a file by line; the last wish for a quad
wins. Blank nodes go by the labels that the graph shows, as RDF Patch has it. A patch is what its committed
transactions say (`store.patch`). Rules in the headers of kgreason's own patches are applied.

The function that Spark calls runs in this process on a classic session, in a process of the server on Connect. Both
open the store by its path, for a batch at a time, so that others can read it in between: that costs what opening
costs. A classic session may hand over an open graph instead. Tasks parse; a batch goes through that process once, so
its size is to be bounded there (`files`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from os import PathLike, fspath
from typing import Any

from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql.streaming import StreamingQuery

from kgreason.errors import InputError, RuleError, StoreError
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.graph.transaction import Transaction
from kgreason.spark.live.edits import FILES, of_files, of_rows

Target = str | PathLike[str] | KnowledgeGraph
"""A store by its path, which each batch opens; or, on a classic session, an open graph."""

Edits = Callable[[DataFrame], DataFrame]
"""From the rows of a batch to its edits (`edits`)."""


def follow(
    spark: SparkSession,
    folder: str | PathLike[str],
    store: Target,
    *,
    stream: str,
    checkpoint: str,
    files: int | None = None,
    trigger: Mapping[str, Any] | None = None,
) -> StreamingQuery:
    """Commit the RDF Patch files of a folder, those that are there and those that arrive, to a store.

    A file has to appear there as a whole (written elsewhere, then moved). `stream` is the name under which the store
    remembers how far it has come, `checkpoint` the folder where Spark does; neither is to be shared. `files` bounds the
    files of a batch; `trigger` is that of `DataStreamWriter.trigger` (`{"availableNow": True}`). The query fails with
    InputError and RdfSyntaxError (file, line), RuleError, StoreLockedError, StoreError in its text; the batch is then
    not committed, and comes again when the query is started again.
    """
    options = {} if files is None else {"maxFilesPerTrigger": files}
    patches = spark.readStream.format("binaryFile").schema(FILES).options(**options).load(fspath(folder))
    return _started(patches, of_files, store, stream, checkpoint, trigger)


def commit_batches(
    triples: DataFrame,
    store: Target,
    *,
    stream: str,
    checkpoint: str,
    order: Sequence[str] = ("file", "position"),
    trigger: Mapping[str, Any] | None = None,
) -> StreamingQuery:
    """Commit a streaming DataFrame of signed triples to a store; the rest is as for `follow`.

    Columns: `sign` int (1 is to come, -1 to go), `subject`, `predicate`, `object` and, if it is there, `graph`, string
    in N-Triples syntax ("" or null is the default graph). Rows of a batch go in the order of the columns `order`.
    """
    return _started(triples, partial(of_rows, order=tuple(order)), store, stream, checkpoint, trigger)


def _started(
    batches: DataFrame,
    edits: Edits,
    store: Target,
    stream: str,
    checkpoint: str,
    trigger: Mapping[str, Any] | None,
) -> StreamingQuery:
    if isinstance(store, KnowledgeGraph) and ".connect." in type(batches).__module__:
        raise StoreError("on Spark Connect batches are committed by another process: give the store by its path")
    target = store if isinstance(store, KnowledgeGraph) else fspath(store)
    writer = batches.writeStream.foreachBatch(Committer(edits, target, stream, checkpoint))
    writer = writer.option("checkpointLocation", checkpoint)
    return (writer.trigger(**trigger) if trigger else writer).start()


class Committer:
    """What Spark calls for each batch; it is pickled before the first one on Connect."""

    def __init__(self, edits: Edits, store: str | KnowledgeGraph, stream: str, checkpoint: str) -> None:
        self._edits, self._store, self._stream, self._checkpoint = edits, store, stream, checkpoint
        self._query = ""

    def __call__(self, batch: DataFrame, number: int) -> None:
        """Commit a batch, unless the store has it. Raises what `follow` names."""
        self._query = self._query or _query(batch.sparkSession, self._checkpoint)
        with self._opened() as graph:
            if self._is_next(graph, number):
                with graph.transaction({"stream": self._stream, "batch": str(number), "query": self._query}) as tx:
                    _apply(tx, self._edits(batch).toLocalIterator())

    def _opened(self) -> AbstractContextManager[KnowledgeGraph]:
        return nullcontext(self._store) if isinstance(self._store, KnowledgeGraph) else KnowledgeGraph.open(self._store)

    def _is_next(self, graph: KnowledgeGraph, number: int) -> bool:
        """Whether a batch is the one after the last; False for the last one itself."""
        last = graph.streams().get(self._stream, {"batch": "-1", "query": self._query})
        if last.get("query") != self._query:
            raise self._refused("was fed from another checkpoint than")
        done = int(last["batch"])
        if number not in (done, done + 1):
            had = f"has come to batch {done}" if done >= 0 else "has had no batch"
            raise self._refused(f"{had}, batch {number} is the next one of")
        return number == done + 1

    def _refused(self, problem: str) -> StoreError:
        return StoreError(
            f"stream {self._stream} of the store {problem} {self._checkpoint}: bring back the one that belongs to the"
            " other, or start anew with another checkpoint and another name for the stream"
        )


def _query(spark: SparkSession, checkpoint: str) -> str:
    """The id of the query whose checkpoint this is; Spark keeps it there across restarts."""
    text = "".join(row.value for row in spark.read.text(f"{checkpoint}/metadata").toLocalIterator())
    return str(json.loads(text)["id"])


def _apply(tx: Transaction, edits: Iterable[Row]) -> None:
    """Make edits, one after the other, those of a transaction. Raises InputError, RuleError."""
    for edit in edits:
        if edit.problem is not None:
            raise InputError(edit.problem)
        for rule in edit.rules:
            change = tx.add_rules if rule.sign > 0 else tx.remove_rules
            try:
                change(rule.text)
            except RuleError as error:
                raise RuleError(f"{edit.source}:{rule.line}: {error}") from error
        tx.remove_lines(edit.removed)
        tx.add_lines(edit.added)
