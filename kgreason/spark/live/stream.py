"""Structured Streaming into a store: each micro-batch is one commit, made exactly once.

    patch files -> in their order, one transaction -> journal (with stream, batch, query)

Law: the store is the same as if every batch had been committed once, in order, even if processes were killed. The
headers of a commit name the stream, the batch and Spark's query (the identity of a checkpoint folder). A store
remembers these headers of the last commit of each stream. A batch that the store already has is skipped. A batch is
refused if batches before it are missing, or if it comes from another checkpoint: data would be lost or applied twice. A
batch that changes nothing is also a commit.

Order: the files of a batch are applied by modification time, then by path; the lines of a file in their order. The
last edit of a quad wins. A blank node label names the blank node that the graph shows with this label, as in RDF Patch.
Only the committed transactions of a patch count (`store.journal.patch`). Rules in the headers of kgreason's own patches
are applied.

On a classic session, Spark calls the commit function in this process; on Connect, in a process of the server. The
function opens the store by its path for each batch, so that others can open the store between two batches. Each batch
costs the time to open a store. On a classic session you can pass an open graph in place of a path. The whole batch
goes through one process, which parses the files in a quarter of the time that the edits take. So bound the size of a
batch with `files`. The workers need no kgreason on a classic session.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from os import PathLike, fspath
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming import StreamingQuery

from kgreason.errors import InputError, RuleError, StoreError
from kgreason.graph.input.terms import term_of
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.graph.transaction import Transaction
from kgreason.spark.cluster.workers import check_workers
from kgreason.spark.input.paths import by_name
from kgreason.store.journal.facts import read_fact
from kgreason.store.journal.patch import read_patch

Target = str | PathLike[str] | KnowledgeGraph
"""The path of a store, which is opened for each batch; or, on a classic session, an open graph."""

_FILES = "path string, modificationTime timestamp, length long, content binary"
"""The columns of Spark's data source `binaryFile`."""


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
    """Commit the RDF Patch files of a folder to a store: the files that exist and the files that arrive later.

    A file must appear in the folder as a whole (write it elsewhere, then move it). The store remembers the last batch
    under the name `stream`, and Spark remembers it in the folder `checkpoint`. Two queries must not share a name or a
    folder.
    `files` is the largest number of files in a batch. `trigger` has the arguments of `DataStreamWriter.trigger`, such
    as `{"availableNow": True}`. If a batch cannot be committed, the query fails. The text of the failure names the
    error: InputError, RdfSyntaxError (with file and line), RuleError, StoreLockedError or StoreError. The batch comes
    again when the query is started again.
    """
    options = {} if files is None else {"maxFilesPerTrigger": files}
    patches = spark.readStream.format("binaryFile").schema(_FILES).options(**options).load(fspath(folder))
    if ".connect." in type(patches).__module__:
        if isinstance(store, KnowledgeGraph):
            raise StoreError(
                "on Spark Connect, pass the path of the store, not an open graph: another process commits the batches"
            )
        check_workers(spark)  # the server runs this process with their Python
    target = store if isinstance(store, KnowledgeGraph) else fspath(store)
    writer = patches.writeStream.foreachBatch(Committer(target, stream, checkpoint))
    writer = writer.option("checkpointLocation", checkpoint)
    return (writer.trigger(**trigger) if trigger else writer).start()


class Committer:
    """The function that Spark calls for each batch, to commit the batch to `store`. See `follow` for the arguments.

    Spark Connect pickles this object before the first batch.
    """

    def __init__(self, store: str | KnowledgeGraph, stream: str, checkpoint: str) -> None:
        self._store, self._stream, self._checkpoint = store, stream, checkpoint
        self._query = ""

    def __call__(self, batch: DataFrame, number: int) -> None:
        """Commit the batch with this number, unless the store has it already. Raises the errors that `follow` names."""
        self._query = self._query or _query(batch.sparkSession, self._checkpoint)
        with self._opened() as graph:
            if self._is_next(graph, number):
                with graph.transaction({"stream": self._stream, "batch": str(number), "query": self._query}) as tx:
                    # in one partition, because sorting by ranges would read the files twice
                    files = batch.select("path", "modificationTime", "content").repartition(1)
                    for file in files.sortWithinPartitions("modificationTime", "path").toLocalIterator():
                        _apply(tx, file.path, bytes(file.content))

    def _opened(self) -> AbstractContextManager[KnowledgeGraph]:
        return nullcontext(self._store) if isinstance(self._store, KnowledgeGraph) else KnowledgeGraph.open(self._store)

    def _is_next(self, graph: KnowledgeGraph, number: int) -> bool:
        """Whether batch `number` follows the last batch in the store. If it is this last batch, the result is False.

        Raises StoreError for all other numbers, and for a batch from another checkpoint.
        """
        last = graph.streams().get(self._stream, {"batch": "-1", "query": self._query})
        if last.get("query") != self._query:
            raise self._refused(f"was fed from another checkpoint than {self._checkpoint}")
        done = int(last["batch"])
        if number not in (done, done + 1):
            had = f"has the batches up to {done}" if done >= 0 else "has no batch yet"
            raise self._refused(f"{had}, but {self._checkpoint} goes on with batch {number}")
        return number == done + 1

    def _refused(self, problem: str) -> StoreError:
        return StoreError(
            f"stream {self._stream} of the store {problem}: restore the checkpoint folder and the store that belong"
            " together, or start again with a new checkpoint folder and a new name for the stream"
        )


def _query(spark: SparkSession, checkpoint: str) -> str:
    """Return the id of the streaming query that uses a checkpoint folder. Spark keeps this id across restarts."""
    text = "".join(row.value for row in spark.read.text(by_name(f"{checkpoint}/metadata")).toLocalIterator())
    return str(json.loads(text)["id"])


def _apply_fact(tx: Transaction, sign: int, text: str) -> None:
    """Insert (`sign` 1) or delete (-1), in a transaction, the fact of a relation with this text.

    Raises InputError, RuleError.
    """
    try:
        name, terms = read_fact(text)
    except ValueError as error:
        raise InputError(str(error)) from error
    relation, row = tx.relation(name, len(terms)), tuple(map(term_of, terms))
    (relation.insert if sign > 0 else relation.delete)([row])


def _apply(tx: Transaction, source: str, content: bytes) -> None:
    """Carry out a patch file in a transaction. Raises RdfSyntaxError, InputError, RuleError."""
    removed, added, rules = read_patch(content, source)
    for rule in rules:
        try:
            if rule.text.endswith(")"):
                _apply_fact(tx, rule.sign, rule.text)
            else:
                (tx.add_rules if rule.sign > 0 else tx.remove_rules)(rule.text)
        except RuleError as error:
            raise RuleError(f"{source}:{rule.line}: {error}") from error
    tx.remove_lines(removed)
    tx.add_lines(added)
