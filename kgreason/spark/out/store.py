"""`write_to_store`: write a DataFrame of triples, as text, to a store, as one commit.

    rows -> tasks: check them, write them as N-Quads lines -> files -> driver: read them in one transaction -> commit

A row with the sign -1 is retracted. The driver reads the files twice then, because all retractions come first: rows of
a DataFrame have no order, and a quad that is both retracted and asserted is in the store afterwards.

Executors cannot share the lock of the store, so the driver loads the lines. A blank node label in a row means the blank
node of the graph with this label, as queries, dumps and `read` show it. A label means the same node in every file that
a task writes. So the files are not loaded as RDF documents, because each document has blank nodes of its own.

Invariant: all rows are written, or none. A task writes a comment in place of a row that is not one quad, and the driver
raises the text of the first comment as an error. The task raises no error, because Spark would repeat it in vain.
Cost: each row is parsed twice, in a task and in the driver. The text is on disk; the driver has a few megabytes of it
in memory.
"""

from __future__ import annotations

import re
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyoxigraph import RdfFormat
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from kgreason.errors import InputError, StoreLockedError
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.spark.cluster.workers import check_workers
from kgreason.spark.folders.folders import check_seen, writing
from kgreason.store.journal.patch import NO_TERM, message_without_place
from kgreason.terms.tags import canonical_lines

File = str | PathLike[str]

_PIECE = 1 << 23
"""About how many bytes of lines the driver reads at a time."""
_MARK = b"# "
_GONE = b"- "
_SIGN = "sign"
_PLAIN_IRI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s<>\"{}|\\^`]+")
_LONGEST = 500


def write_to_store(triples: DataFrame, graph: KnowledgeGraph | File, *, folder: File | None = None) -> dict[str, Any]:
    """Assert and retract triples in a store, as one commit. Returns the statistics of the store after the commit.

    `triples` has the columns subject, predicate, object, and optionally graph, with terms in N-Triples syntax; an empty
    or null graph is the default graph. With a column `sign`, as `feed` has it, rows with 1 are asserted, and rows with
    -1 are retracted before. Other columns are ignored. `kgreason.spark.triples` makes such a DataFrame of other ones.
    `graph` is an open store, or the path of a store, which is opened or made.
    Temporary files are written below `folder`, which driver and workers must both see. Raises InputError for a missing
    column and for a row that is not a triple or quad, StoreLockedError if the store is already open, in this process or
    another process, StoreError, LimitError. After an error nothing has changed.
    """
    if not isinstance(graph, KnowledgeGraph):
        try:
            opened = KnowledgeGraph.open(graph)
        except StoreLockedError as error:
            raise StoreLockedError(f"{graph}: the store is already open, in this process or another one") from error
        with opened:
            return write_to_store(triples, opened, folder=folder)
    lines = triples.select(*_columns(triples)).mapInArrow(_lines, "value string")
    with graph.transaction() as tx, tempfile.TemporaryDirectory(prefix="kgreason-", dir=folder) as room:
        check_workers(triples.sparkSession, [Path(room)])
        with writing(room):
            lines.write.mode("append").text(f"file://{Path(room).resolve()}")
        check_seen(room)
        if _SIGN in triples.columns:
            for piece in _pieces(Path(room), removed=True):
                tx.remove_lines(piece)
        for piece in _pieces(Path(room), removed=False):
            tx.add_lines(piece)
    return graph.stats()


def _columns(triples: DataFrame) -> list[Any]:
    """Return subject, predicate, object, graph and sign as columns of strings. Without a sign, rows are asserted.

    Raises InputError for a missing column. Only the columns graph and sign may be missing.
    """
    for name in ("subject", "predicate", "object"):
        if name not in triples.columns:
            raise InputError(f"the rows have no column {name}; their columns are {', '.join(triples.columns)}")
    graph = F.coalesce(F.col("graph").cast("string"), F.lit("")) if "graph" in triples.columns else F.lit("")
    sign = F.col(_SIGN).cast("string") if _SIGN in triples.columns else F.lit("1")
    return [*(F.col(name).cast("string") for name in ("subject", "predicate", "object")), graph.alias("graph"), sign]


def _pieces(folder: Path, *, removed: bool) -> Iterator[bytes]:
    """Yield the N-Quads lines that tasks wrote to files in `folder`: those to retract, or those to assert.

    Raises InputError for a row that is not a quad.
    """
    for file in sorted(folder.glob("part-*")):
        with file.open("rb") as stream:
            while lines := stream.readlines(_PIECE):
                bad = next((line for line in lines if line.removeprefix(_GONE).startswith(_MARK)), None)
                if bad is not None:
                    raise InputError(bad.removeprefix(_GONE).removeprefix(_MARK).decode().strip())
                yield b"".join(line.removeprefix(_GONE) for line in lines if line.startswith(_GONE) == removed)


def _lines(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Turn rows of four texts and a sign into N-Quads lines, in a task. All lines of a batch become one text.

    Before the line of a row with the sign -1 stands a mark.
    """
    for batch in batches:
        rows = defaultdict[str | None, list[tuple[str | None, ...]]](list)
        for *terms, sign in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            rows[sign].append(tuple(terms))
        come, gone = _lines_of(rows.pop("1", [])), _lines_of(rows.pop("-1", []))
        text = "".join(_GONE.decode() + line for line in gone.splitlines(keepends=True)) + come
        for sign, wrong in rows.items():
            text += "".join(_comment(row, f"the sign has to be 1 or -1, got {sign}") for row in wrong)
        if text:
            yield pa.RecordBatch.from_pydict({"value": [text.removesuffix("\n")]})


def _lines_of(rows: list[tuple[str | None, ...]]) -> str:
    """Return the lines of rows. A row that is no quad becomes a comment."""
    return (_lines_if_quads(rows) or "".join(map(_line_of, rows))) if rows else ""


def _lines_if_quads(rows: list[tuple[str | None, ...]]) -> str:
    """Return the N-Quads lines of rows, in canonical form. Returns "" if one of the rows is not exactly one quad."""
    text = "".join(map(_statement, rows))
    if text.count("\n") != len(rows) or "\r" in text:
        return ""
    try:
        lines = _canonical(text)
    except SyntaxError:
        return ""
    return lines if lines.count("\n") == len(rows) else ""


def _line_of(row: tuple[str | None, ...]) -> str:
    """Return the N-Quads line of a row, in canonical form. If a row is no quad, return a comment that says why."""
    try:
        line = _canonical(_statement(row))
    except SyntaxError as error:
        return _comment(row, message_without_place(error))
    return line if line.count("\n") == 1 else _comment(row, "not one triple or quad")


def _statement(row: tuple[str | None, ...]) -> str:
    """Return a row as an N-Quads line. `NO_TERM` stands in for a missing term and makes the line invalid."""
    *required, graph = [*row, None][:4]
    return " ".join([*((term or "").strip() or NO_TERM for term in required), graph or ""]) + " .\n"


def _canonical(text: str) -> str:
    """Return N-Quads lines in canonical form. Raises SyntaxError."""
    return canonical_lines(text.encode(), RdfFormat.N_QUADS).decode()


def _comment(row: tuple[str | None, ...], why: str) -> str:
    plain = next((term for term in row if term and _PLAIN_IRI.fullmatch(term)), None)
    hint = f"; write an IRI as <{plain}>, or use kgreason.spark.triples with the template {{+column}}" if plain else ""
    shown = ", ".join("null" if term is None else repr(term) for term in row)
    return f"{_MARK.decode()}the row ({shown[:_LONGEST]}): {' '.join(why.split())}{hint}\n"
