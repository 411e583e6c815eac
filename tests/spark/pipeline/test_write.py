"""Folders of triples that are whole or not there, and DataFrames of triples as one commit to a store."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import Quad, Triple

pytest.importorskip("pyspark", reason="PySpark is not installed: pip install 'kgreason[spark]'")

import pyarrow as pa
import pyarrow.compute
from pyspark.sql import functions as F  # noqa: N812

from kgreason.errors import InputError, RdfSyntaxError, StoreError, StoreLockedError
from kgreason.graph.changes.delta import Delta
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.rdf.lines import parquet
from kgreason.rdf.reader import read_files
from kgreason.spark.encode import groups
from kgreason.spark.folders.folders import save, whole_folder
from kgreason.spark.input.read import read
from kgreason.spark.out import write as module
from kgreason.spark.out.store import _lines, write_to_store
from kgreason.spark.out.write import write
from kgreason.terms.dictionary import Dictionary
from tests.graph.views import lines
from tests.terms.unusual_terms import lines_of, quads
from tests.volume import many

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Row = tuple[str | None, ...]
TRIPLES: list[Row] = [
    ("<http://e/a>", "<http://e/p>", '"01"^^<http://www.w3.org/2001/XMLSchema#integer>'),
    ("_:b0x1", "<http://e/p>", '"a \\"b\\" \\\\ \\n 🐘"@en'),
    ("<http://e/a>", "<http://e/q>", "<<( <http://e/a> <http://e/p> _:b0x1 )>>"),
]
TEXT = sorted(" ".join(str(term) for term in row) + " ." for row in TRIPLES)
A, P, B = "<http://e/a>", "<http://e/p>", "<http://e/b>"


def frame_of(spark: SparkSession, rows: list[Row], *more: str) -> DataFrame:
    names = ["subject", "predicate", "object", *more]
    columns = [pa.array([row[number] for row in rows], pa.string()) for number in range(len(names))]
    return spark.createDataFrame(pa.table(columns, names))


def encoded(spark: SparkSession, rows: list[Row]) -> tuple[DataFrame, DataFrame]:
    """Triples of ids, all but the first one asserted, and their terms."""
    dictionary = Dictionary()
    ids = np.array([dictionary.intern(term or "" for term in row) for row in rows], dtype=np.int32).reshape(-1, 3)
    columns = {**dict(zip("spo", map(pa.array, ids.T.copy()), strict=True)), "asserted": pa.array(range(len(rows)))}
    triples = spark.createDataFrame(pa.table(columns)).withColumn("asserted", F.col("asserted") > 0)
    numbers = pa.array(range(1, len(dictionary) + 1), pa.int32())
    return triples, spark.createDataFrame(pa.table({"id": numbers, "text": dictionary.decode(numbers)}))


def failing(spark: SparkSession, message: str) -> DataFrame:
    """Triples of which the last one cannot be computed."""
    subject = F.when(F.col("id") > 98, F.raise_error(F.lit(message)).cast("string")).otherwise(F.lit(A))
    return spark.range(0, 100, 1, 4).select(
        subject.alias("subject"), F.lit(P).alias("predicate"), F.lit(B).alias("object")
    )


def lines_frame(spark: SparkSession, lines: list[str]) -> DataFrame:
    return spark.createDataFrame(pa.table({"value": lines}))


def saved(frame: DataFrame, folder: Path | str, *, overwrite: bool = False) -> None:
    form = "text" if len(frame.columns) == 1 else "parquet"
    if isinstance(folder, str):
        save(frame, form, folder, overwrite=overwrite)
        return
    with whole_folder(folder, overwrite=overwrite) as new:
        (new / ".part-0.killed.new").write_text("by a task")
        frame.write.format(form).save(f"file://{new}/files")
        for file in (new / "files").glob("part-*"):
            file.rename(new / f"{file.stem}.nt")


def lines_in(folder: Path) -> list[str]:
    return sorted(line for file in folder.glob("*.nt") for line in file.read_text(encoding="utf-8").splitlines())


def test_triples_that_rdf_knows_are_written(spark: SparkSession, tmp_path: Path) -> None:
    texts = [A, "_:b", '"1"', f"<<( {A} {P} {B} )>>", "tc/2", "<>"]
    triples: list[Row] = list(product(texts, repeat=3))
    write(*encoded(spark, triples), tmp_path / "out", str(tmp_path / "room"), form="parquet")
    found = spark.read.parquet(str(tmp_path / "out"))
    assert found.columns == ["subject", "predicate", "object", "asserted"]
    dictionary = Dictionary()
    kept = dictionary.are_rdf(
        np.array([dictionary.intern(term or "" for term in row) for row in triples], dtype=np.int32)
    )
    expected = [(*row, number > 0) for number, (row, is_rdf) in enumerate(zip(triples, kept, strict=True)) if is_rdf]
    assert sorted(map(tuple, found.collect())) == sorted(expected)
    assert len(expected) > 1


def test_groups_of_triples_get_their_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups, "part_number", lambda: 5)
    monkeypatch.setattr(module, "_ROWS", 2)
    monkeypatch.setattr(module, "_LINES", 1)
    dictionary = Dictionary(())
    ids = np.array([dictionary.intern(term or "" for term in row) for row in TRIPLES], dtype=np.int32)
    rows = pa.table([*ids.T.copy(), np.array([True, False, True])], names=[*"spo", "asserted"])
    packed = pa.Table.from_batches(module._group_triples(rows.to_batches(max_chunksize=1)))
    ids = pa.array(range(1, len(dictionary) + 1), pa.int32())
    terms = pa.table({"id": ids, "text": dictionary.decode(ids)})
    lines = []
    for number in ((5 << 33), (5 << 33) + 1):
        own = packed.filter(pa.compute.equal(packed["group"], number))
        names = module._texts_of(
            own.filter(pa.compute.is_valid(own["ids"])), terms.take(list(reversed(range(len(ids)))))
        )
        lines += module._lines_of_group(own.filter(pa.compute.is_valid(own["triples"])), names)["value"].to_pylist()
    assert sorted(lines) == TEXT


def test_n_triples_have_a_line_for_each_triple_and_can_be_loaded(spark: SparkSession, tmp_path: Path) -> None:
    out = tmp_path / "made for it" / "été {x} [1] %41"
    triples, terms = encoded(spark, TRIPLES)
    write(triples.repartition(3), terms, out, str(tmp_path / "room"))
    assert lines_in(out) == TEXT
    assert {path.suffix for path in out.iterdir() if not path.name.startswith((".", "_"))} == {".nt"}
    assert [path.name for path in out.parent.iterdir()] == [out.name]
    assert read(spark, out).count() == len(TRIPLES)


def test_a_parquet_file_of_one_process_has_the_columns_of_spark(spark: SparkSession, tmp_path: Path) -> None:
    dictionary = Dictionary()
    rows = [dictionary.intern(term or "" for term in row) for row in TRIPLES]
    with (tmp_path / "one.parquet").open("wb") as file:
        parquet.write([(np.array(rows[1:]), True), (np.array(rows[:1]), False)], dictionary, file)
    write(*encoded(spark, TRIPLES), tmp_path / "out", str(tmp_path / "room"), form="parquet")
    one, other = (spark.read.parquet(f"{tmp_path}/{name}") for name in ("one.parquet", "out"))
    assert one.schema == other.schema
    assert {tuple(row) for row in one.collect()} == {(*row, row != TRIPLES[0]) for row in TRIPLES}
    # Spark reads the file as a document, and this process the files of Spark
    assert read(spark, tmp_path / "one.parquet").count() == len(TRIPLES)
    read_here = read_files(sorted((tmp_path / "out").glob("*.parquet")), Dictionary())
    assert len(read_here) == len(TRIPLES)


def test_no_triples_are_a_folder_too(spark: SparkSession, tmp_path: Path) -> None:
    write(*encoded(spark, []), tmp_path / "out", str(tmp_path / "room"))
    assert lines_in(tmp_path / "out") == []
    assert (tmp_path / "out" / "_SUCCESS").exists()
    write(*encoded(spark, []), tmp_path / "table", str(tmp_path / "room"), form="parquet")
    assert spark.read.parquet(str(tmp_path / "table")).count() == 0


def test_a_folder_that_holds_something_is_refused_or_overwritten(spark: SparkSession, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    saved(lines_frame(spark, TEXT[:1]), out)
    with pytest.raises(InputError, match=f"{out}: already exists; remove it or choose another folder"):
        saved(lines_frame(spark, TEXT), out)
    assert lines_in(out) == [TEXT[0]]
    saved(lines_frame(spark, TEXT), out, overwrite=True)
    assert lines_in(out) == TEXT
    assert os.listdir(tmp_path) == ["out"]


def test_a_file_in_its_place_stays(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine")
    with pytest.raises(InputError, match="out: is a file"):
        saved(lines_frame(spark, TEXT), tmp_path / "out", overwrite=True)
    (tmp_path / "in").write_text("mine")
    with pytest.raises(StoreError, match=r"in/out: cannot be written: Not a directory"):
        saved(lines_frame(spark, TEXT), tmp_path / "in" / "out")
    assert (tmp_path / "out").read_text() == (tmp_path / "in").read_text() == "mine"


@pytest.mark.parametrize("problem", ["the disk is on fire", "java.io.IOException: No space left on device"])
def test_a_job_that_fails_leaves_what_was_there(spark: SparkSession, tmp_path: Path, problem: str) -> None:
    with pytest.raises(StoreError, match=rf"new: cannot be written: .*{problem.rpartition(': ')[2]}"):
        saved(failing(spark, problem), tmp_path / "new")
    assert os.listdir(tmp_path) == []
    saved(lines_frame(spark, TEXT), tmp_path / "out")
    with pytest.raises(StoreError, match="cannot be written"):
        saved(failing(spark, problem), tmp_path / "out", overwrite=True)
    assert lines_in(tmp_path / "out") == TEXT
    assert os.listdir(tmp_path) == ["out"]


def test_a_full_disk_below_the_work_folder_is_not_that_of_the_output(spark: SparkSession, tmp_path: Path) -> None:
    full = F.raise_error(F.lit("java.io.IOException: No space left on device")).cast("boolean")
    triples, terms = encoded(spark, TRIPLES)
    with pytest.raises(StoreError, match="/room/packed: cannot be written: No space left on device"):
        write(triples.withColumn("asserted", full), terms, tmp_path / "out", str(tmp_path / "room"))
    assert not (tmp_path / "out").exists()


def test_a_task_that_fails_in_python_says_why(spark: SparkSession, tmp_path: Path) -> None:
    def broken(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            if batch.num_rows:
                raise ArithmeticError("no way")
            yield batch

    rows = frame_of(spark, TRIPLES)
    with pytest.raises(StoreError, match=r"out: cannot be written: ArithmeticError: no way$"):
        saved(rows.mapInArrow(broken, rows.schema), tmp_path / "out")


def test_a_uri_has_the_mark_of_success_when_it_is_whole(spark: SparkSession, tmp_path: Path) -> None:
    uri, out = f"viewfs://{tmp_path.name}/all/out", tmp_path / "out"
    spark.conf.set(f"fs.viewfs.mounttable.{tmp_path.name}.link./all", tmp_path.as_uri())
    with pytest.raises(StoreError, match=f"{uri}: cannot be written: .*on fire"):
        saved(failing(spark, "on fire"), uri)
    assert not list(out.glob("*"))
    with pytest.raises(InputError, match=f"{uri}: already exists"):
        saved(lines_frame(spark, TEXT), uri)
    saved(frame_of(spark, TRIPLES), uri, overwrite=True)
    assert (out / "_SUCCESS").exists()
    assert spark.read.parquet(uri).count() == len(TRIPLES)
    with pytest.raises(StoreError, match='No FileSystem for scheme "nosuch"'):
        saved(lines_frame(spark, TEXT), "nosuch://x/y")


def dumped(graph: KnowledgeGraph) -> list[str]:
    return sorted(lines(graph.dump(asserted=True, graphs=True)))


def test_rows_are_asserted_in_one_commit_and_reasoned_with(spark: SparkSession, tmp_path: Path) -> None:
    sub = "<http://www.w3.org/2000/01/rdf-schema#subClassOf>"
    rows: list[Row] = [(A, sub, "_:x", ""), ("_:x", sub, B, ""), (A, P, B, "<http://e/g>"), (A, P, '"01"', None)]
    heard: list[Delta] = []
    with KnowledgeGraph.open(rules=["rdfs"]) as graph:
        graph.subscribe(heard.append)
        stats = write_to_store(frame_of(spark, rows, "graph").repartition(4), graph, folder=tmp_path)
        assert dumped(graph) == sorted(
            [f"{A} {sub} _:x .", f"_:x {sub} {B} .", f"{A} {P} {B} <http://e/g> .", f'{A} {P} "01" .']
        )
        assert bool(graph.query(f"ASK {{ {A} {sub} {B} }}"))
        assert stats == graph.stats()
    assert len(heard) == 1
    assert os.listdir(tmp_path) == []


def test_what_spark_reads_and_writes_is_what_a_load_of_the_file_asserts(spark: SparkSession, tmp_path: Path) -> None:
    data = tmp_path / "data.nq"
    data.write_text(
        "\n".join([*TEXT, "_:n <http://e/p> _:n <http://e/g> .", "_:n  <http://e/p>\t'x'@EN ."]).replace("'", '"')
    )
    with KnowledgeGraph.open() as graph:
        graph.load(data)
        expected = dumped(graph)
    write_to_store(read(spark, data), tmp_path / "store")
    with KnowledgeGraph.open(tmp_path / "store", read_only=True) as graph:
        assert dumped(graph) == expected


BAD: list[tuple[Row, str]] = [
    ((A, "_:b", B), r"the row \('<http://e/a>', '_:b', '<http://e/b>', ''\): .+"),
    ((A, P, None), r"the row \('<http://e/a>', '<http://e/p>', null, ''\): .+"),
    (('"1"', P, B), r"the row \('\"1\"', .*\): .+"),
    (("# ", P, B), "the row .*: not one triple or quad"),
    ((f"{A} {P} {B} .\n{A}", P, B), r"the row \(.*\\n.*\): not one triple or quad"),
    ((A, P, f"{B} .\r{A} {P} {B}"), r"the row \(.*\\r.*\): not one triple or quad"),
    (("http://e/a", P, "x" * 1000), r"the row \('http://e/a', .{486}\): .+"),
]


def test_a_malformed_row_is_named_and_nothing_is_loaded(spark: SparkSession) -> None:
    with KnowledgeGraph.open() as graph:
        for bad, message in BAD:
            with pytest.raises(InputError, match=f"^{message}$") as raised:
                write_to_store(frame_of(spark, [*TRIPLES, bad, *TRIPLES]), graph)
            assert not isinstance(raised.value, RdfSyntaxError)
            assert dumped(graph) == []
        write_to_store(frame_of(spark, TRIPLES), graph)
        assert dumped(graph) == TEXT


@pytest.mark.parametrize("bad", [(A, P, None, B), (" ", P, A, B), (A, "", B, B)])
def test_a_graph_stands_for_no_term_that_is_missing(spark: SparkSession, bad: Row) -> None:
    with KnowledgeGraph.open() as graph:
        with pytest.raises(InputError, match="the row"):
            write_to_store(frame_of(spark, [bad], "graph"), graph)
        assert dumped(graph) == []


def test_a_column_that_is_missing_is_named(spark: SparkSession) -> None:
    with (
        KnowledgeGraph.open() as graph,
        pytest.raises(InputError, match="no column predicate; their columns are subject, p"),
    ):
        write_to_store(frame_of(spark, TRIPLES).withColumnRenamed("predicate", "p"), graph)


def test_a_second_writer_is_told_of_the_first(spark: SparkSession, tmp_path: Path) -> None:
    with KnowledgeGraph.open(tmp_path / "store") as graph:
        with pytest.raises(StoreLockedError, match="store: the store is already open, in this process or an"):
            write_to_store(frame_of(spark, TRIPLES), tmp_path / "store")
        with graph.transaction(), pytest.raises(StoreError, match="has a transaction open already"):
            write_to_store(frame_of(spark, TRIPLES), graph)
        assert dumped(graph) == []


def test_a_job_that_fails_loads_nothing(spark: SparkSession) -> None:
    with KnowledgeGraph.open() as graph:
        with pytest.raises(StoreError, match="on fire"):
            write_to_store(failing(spark, "on fire"), graph)
        assert dumped(graph) == []


def text_of(term: object) -> str:
    return f"<<( {term} )>>" if isinstance(term, Triple) else str(term)


@settings(max_examples=many(10))
@given(st.lists(quads, max_size=20), st.booleans())
def test_a_task_writes_canonical_lines(rows: list[Quad], is_spaced: bool) -> None:
    gap = "\t" if is_spaced else ""
    terms = [[gap + text_of(term) for term in (row.subject, row.predicate, row.object)] for row in rows]
    graphs = ["" if str(row.graph_name) == "DEFAULT" else str(row.graph_name) for row in rows]
    given = [*zip(*terms, strict=True), graphs, ["1"] * len(rows)] if rows else []
    columns = [pa.array(column, pa.string()) for column in given]
    batch = pa.RecordBatch.from_arrays(columns, [f"c{number}" for number in range(len(columns))])
    text = "".join(value + "\n" for made in _lines(iter([batch])) for value in made.column(0).to_pylist())
    assert text.encode() == lines_of(rows)
