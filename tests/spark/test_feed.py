"""The feed adds up to the graph, commit by commit, while a writer edits it; what cannot be read again is refused."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from kgreason.errors import StoreError
from kgreason.graph.knowledge_graph import KnowledgeGraph

pytest.importorskip("pyspark", reason="PySpark is not installed: pip install 'kgreason[spark]'")

from pyspark.errors import StreamingQueryException

from kgreason.spark.live.feed import FeedReader, feed
from tests.graph.views import Lines, lines

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ONTOLOGY = """
    @prefix : <http://e/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    :Dog rdfs:subClassOf :Animal .
    :rex a :Dog ; :says "it's \\"wuff\\"\\n"@EN , "01"^^<http://www.w3.org/2001/XMLSchema#byte> , [] .
"""
REX = "<http://e/rex> a <http://e/Dog> ."
REX_IS_ANIMAL = "<http://e/rex> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e/Animal>"


@pytest.fixture
def graph(tmp_path: Path) -> Any:
    with KnowledgeGraph.open(tmp_path / "store", rules=["rdfs"]) as graph:
        with graph.transaction() as tx:
            tx.add(ONTOLOGY)
        yield graph


def rows(graph: KnowledgeGraph) -> Lines:
    """The default graph, which is the closure, and the named ones."""
    return lines(graph.dump(graphs=True))


def asserted(graph: KnowledgeGraph) -> Lines:
    """A triple of the closure is asserted if it is in some graph."""
    return lines(graph.dump(asserted=True)) | lines(graph.dump(asserted=True, graphs=True))


def added_up(changes: list[Any]) -> set[str]:
    """What rows of the feed come to; none comes twice, none goes that is not there. An asserted one is not inferred."""
    counts: Counter[tuple[str, bool]] = Counter()
    for _, sign, *terms, is_asserted in changes:
        counts[" ".join(filter(None, terms)) + " .", is_asserted] += sign
    assert set(counts.values()) <= {0, 1}
    found = [line for (line, _), count in counts.items() if count]
    assert len(found) == len(set(found))
    return set(found)


def asserted_of(changes: list[Any]) -> set[str]:
    """What the asserted rows of the feed come to."""
    return added_up([change for change in changes if change[-1]])


def edit(graph: KnowledgeGraph, number: int) -> None:
    with graph.transaction() as tx:
        tx.add(f"<http://e/g> {{ <http://e/dog{number}> a <http://e/Dog> }}")
        (tx.remove if number % 2 else tx.add)(REX)


def test_the_table_is_the_graph(spark: SparkSession, graph: KnowledgeGraph, tmp_path: Path) -> None:
    """Over restarts of the query, with commits in between and while it runs."""
    table, checkpoint = str(tmp_path / "table"), str(tmp_path / "checkpoint")

    def run() -> list[Any]:
        writer = feed(spark, tmp_path / "store").writeStream.format("parquet").trigger(availableNow=True)
        writer.start(table, checkpointLocation=checkpoint).awaitTermination()
        return [tuple(row) for row in spark.read.parquet(table).collect()]

    assert added_up(run()) == rows(graph)
    edit(graph, 1)
    edit(graph, 2)
    graph.add(f"{REX_IS_ANIMAL} .")  # inferred before, now asserted
    changes = run()
    assert added_up(changes) == rows(graph)
    assert asserted_of(changes) == asserted(graph)
    assert REX_IS_ANIMAL + " ." in asserted(graph)
    assert {commit for commit, *_ in changes} == {1, 2, 3, 4}
    for forgotten in "1", ".1.crc":
        (tmp_path / "checkpoint" / "commits" / forgotten).unlink(missing_ok=True)
    edit(graph, 3)
    assert added_up(run()) == rows(graph)


def test_a_query_that_runs_follows_over_a_checkpoint(spark: SparkSession, graph: KnowledgeGraph) -> None:
    writer = feed(spark, str(graph._home.path), after=1).writeStream
    query = writer.format("memory").queryName("followed").trigger(processingTime="0 seconds").start()
    try:
        start = [(0, 1, line.removesuffix(" ."), line in asserted(graph)) for line in rows(graph)]
        for number in range(4):
            edit(graph, number)
            if number == 2:
                graph._committer().checkpoint()
            query.processAllAvailable()
        changes = [tuple(row) for row in spark.table("followed").collect()]
    finally:
        query.stop()
    assert {commit for commit, *_ in changes} <= {2, 3, 4, 5}
    assert added_up([*start, *changes]) == rows(graph)
    assert asserted_of([*start, *changes]) == asserted(graph)


def test_a_store_that_is_not_there_and_options_that_say_nothing_are_named(spark: SparkSession, tmp_path: Path) -> None:
    query = feed(spark, tmp_path / "none").writeStream.format("memory").queryName("none").start()
    with pytest.raises(StreamingQueryException, match=f"StoreError: {tmp_path / 'none'}: there is no store"):
        query.awaitTermination()
    cases: list[tuple[dict[str, str], str]] = [
        ({}, "the data source `kgreason` needs the path of a store"),
        ({"path": "store", "after": "-1"}, "the option `after` must be a whole number, got -1"),
    ]
    for options, problem in cases:
        stream = spark.readStream.format("kgreason").options(**options).load()
        with pytest.raises(StreamingQueryException, match=f"InputError: {problem}"):
            stream.writeStream.format("memory").queryName("no_options").start().awaitTermination()


def test_a_batch_is_the_same_when_it_is_read_again(graph: KnowledgeGraph, tmp_path: Path) -> None:
    reader = FeedReader(str(tmp_path / "store"), 0)
    offsets, read = [reader.initialOffset()], []
    for number in range(4):
        if number:
            edit(graph, number)
        changes, offset = reader.read(offsets[-1])
        offsets.append(offset)
        read.append(list(changes))
    assert offsets == [{"commit": number} for number in range(5)]
    for start, end, rows_read in zip(offsets, offsets[1:], read, strict=False):
        assert list(reader.readBetweenOffsets(start, end)) == rows_read
    assert list(reader.readBetweenOffsets(offsets[1], offsets[3])) == read[1] + read[2]
    graph._committer().checkpoint()
    for start in offsets[0], offsets[2]:
        with pytest.raises(StoreError, match="commits"):
            list(reader.readBetweenOffsets(start, offsets[3]))
    assert list(reader.read(offsets[-1])[0]) == []
