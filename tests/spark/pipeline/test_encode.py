"""`encode`: each term has one id, and the triples are those that were given, whatever is cut, stopped or run again."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from kgreason.errors import InputError, LimitError, RdfSyntaxError, StoreError
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.lubm import generator
from kgreason.terms.dictionary import Dictionary
from kgreason.terms.vocabulary import RDF_TYPE, VOCABULARY
from tests.spark.pipeline.reading import Bag, decoded, in_process, of_driver, texts_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from kgreason.spark.encode.encode import Encoded

pytest.importorskip("pyspark", reason="PySpark is not installed: pip install 'kgreason[spark]'")

import pyarrow as pa
from pyarrow import dataset, parquet
from pyspark.errors import PySparkException

from kgreason.spark.encode import groups
from kgreason.spark.encode.dictionary import quads_of_groups
from kgreason.spark.encode.encode import encode
from kgreason.spark.input import paths
from kgreason.spark.input.lines import Malformed, QuadReader
from kgreason.spark.input.terms import QUAD, intern_cell, packed
from kgreason.spark.start.failures import clear_errors

_LINES = """\
<http://e/a> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> _:x .
_:x <http://e/p> "01"^^<http://www.w3.org/2001/XMLSchema#integer> .
_:x <http://e/p> "1"^^<http://www.w3.org/2001/XMLSchema#integer> .
_:x <http://e/p> "1"^^<http://www.w3.org/2001/XMLSchema#integer> .
"""
_TABLES = ("grouped", "numbered", "facts")

_ROWS = [
    (f"<http://e/s{number % 50}>", RDF_TYPE, f'"{number}"', ["", "<http://e/g>"][number % 2]) for number in range(400)
]
_IN_A_SESSION = """
import json, sys
from pyspark import TaskContext
from pyspark.sql import SparkSession
from kgreason import KnowledgeGraph
from kgreason.spark.encode.encode import encode
from kgreason.spark.pipeline import load
from kgreason.spark.input.read import read
from kgreason.spark.out.store import write_to_store
from kgreason.spark.out.write import write

def falling(batches):
    for number, batch in enumerate(batches):
        if TaskContext.get().attemptNumber() == 0 and number == 1:
            raise RuntimeError("the first attempt of each task")
        yield batch

folder, kind, master = sys.argv[1:]
builder = getattr(SparkSession.builder, kind)(master).config("spark.ui.enabled", "false")
builder = builder.config("spark.driver.memory", "1g").config("spark.sql.shuffle.partitions", "3")
spark = builder.config("spark.sql.execution.arrow.maxRecordsPerBatch", "20").getOrCreate()
given = folder + "/in"
if kind == "master":
    rows = spark.read.parquet(folder + "/rows")
    given = rows.mapInArrow(falling, rows.schema)
else:
    print(read(spark, given, on_error="count").count())
    with KnowledgeGraph.open() as graph:
        told = load(graph, [given], spark, on_error="count")
        print(told["asserted"], told["skipped"])
encoded = encode(spark, given, folder + "/out", on_error="count")
if kind == "remote":
    triples = encoded.facts.selectExpr("*", "true AS asserted")
    for form in ("nt", "parquet"):
        write(triples, encoded.terms, folder + "/" + form, folder + "/room", form=form)
    write_to_store(spark.read.parquet(folder + "/parquet"), folder + "/store")
texts = {row.id: row.text for row in encoded.terms.collect()}
print(json.dumps([[[texts[i] for i in row] for row in encoded.facts.collect()], encoded.skipped]))
spark.stop()
"""


@pytest.fixture
def fine(spark: SparkSession) -> SparkSession:
    """The session, with many small batches, of the larger types."""
    session = spark.newSession()
    session.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "500")
    session.conf.set("spark.sql.execution.arrow.useLargeVarTypes", "true")
    return session


def _triples(quads: Bag) -> set[tuple[str, ...]]:
    return {quad[:3] for quad in quads}


def _checked(encoded: Encoded) -> set[tuple[str, ...]]:
    """The triples, once the dictionary is known to be one."""
    rows = encoded.terms.collect()
    assert len({row.id for row in rows}) == len({row.text for row in rows}) == len(rows)
    assert [row.text for row in sorted(rows)][: len(VOCABULARY)] == list(VOCABULARY)
    assert encoded.size == encoded.facts.count()
    return set(decoded(encoded))


def _frame(spark: SparkSession, rows: list[tuple[Any, ...]]) -> DataFrame:
    return spark.createDataFrame(rows, "subject string, predicate string, object string, graph string")


def test_files_of_all_kinds(spark: SparkSession, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.nt").write_text(_LINES)
    (folder / "b.nt").write_text(_LINES)
    (folder / "empty.nt").write_text("# nothing\n\n")
    (folder / "c.nq").write_text(_LINES.replace(" .", " <http://e/g> ."))
    (folder / "d.ttl").write_text("@prefix : <http://e/> . _:x :p 01, [ :q ( 1 _:x ) ] .\n")
    encoded = encode(spark, folder, str(tmp_path / "out"))
    assert _checked(encoded) == _triples(in_process(folder.iterdir()))
    assert of_driver(spark.read.parquet(f"{tmp_path}/out/*/grouped")) == in_process(folder.iterdir())
    assert encoded.skipped == []
    texts = {row.text for row in encoded.terms.collect()}
    expected = {text for row in in_process(folder.iterdir()) for text in row} | set(VOCABULARY)
    assert texts == expected - {""}


@pytest.mark.parametrize(
    ("size", "most", "parts"),
    [
        (1 << 26, 8, lambda _groups: 1),
        (200_000, 8, lambda _groups: 2),  # as other shuffles of the session
        (200_000, 2, lambda groups: groups // 2),
    ],
)
def test_universities_in_parts(
    fine: SparkSession,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    size: int,
    most: int,
    parts: Callable[[int], int],
) -> None:
    monkeypatch.setattr(paths, "_LEAST", 100_000)
    monkeypatch.setattr(paths, "_MOST", size)
    monkeypatch.setattr("kgreason.spark.encode.encode._MOST", most)
    fine.conf.set("spark.sql.shuffle.partitions", "1" if size > 200_000 else "2")
    files = generator.write(tmp_path / "in", 1)[:8]
    encoded = encode(fine, files, str(tmp_path / "out"))
    assert _checked(encoded) == _triples(in_process(files))
    grouped = fine.read.parquet(f"{tmp_path}/out/*/grouped")
    number = parts(grouped.select("group").distinct().count())
    assert number < 3 or most == 2
    assert of_driver(grouped) == in_process(files)
    residues = encoded.terms.where(f"id > {len(VOCABULARY)}").selectExpr(f"id % {number} AS part")
    assert residues.groupBy("part").count().where("count > 50").count() == number


def test_a_table_of_texts(spark: SparkSession, tmp_path: Path) -> None:
    rows: list[tuple[Any, ...]] = [*_ROWS, ("<http://e/s>", RDF_TYPE, "_:é", None)]
    encoded = encode(spark, _frame(spark, rows).repartition(3), str(tmp_path / "out"))
    assert _checked(encoded) == _triples(Counter([*_ROWS, ("<http://e/s>", RDF_TYPE, "_:é", "")]))


@pytest.mark.parametrize("skip", [False, True])
def test_groups_without_quads_and_quads_without_a_group_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, skip: bool
) -> None:
    """Batches of comments, or of malformed lines, at the beginning, at the end and after a group that is full."""
    monkeypatch.setattr(groups, "_ROWS", 2)
    empty = b"<http://e/s> <http://e/p> ." if skip else b"# nothing"
    statements = _LINES.encode().splitlines()
    for number, batches in enumerate(([empty], [*statements, empty, statements[0]], [empty, *statements, empty], [])):
        monkeypatch.setattr(groups, "part_number", lambda number=number: number)
        lines = [pa.record_batch({"line": [line], "file": [f"file://{tmp_path}/a.nt"]}) for line in batches]
        reader = QuadReader(skip=skip)
        rows = pa.Table.from_batches(groups.grouped_files(reader, reader.of_lines, iter(lines)))
        parquet.write_table(rows, tmp_path / f"{number}.parquet")
    dictionary = Dictionary()
    quads = quads_of_groups(dataset.dataset(list(map(str, tmp_path.glob("*.parquet")))), dictionary)
    (tmp_path / "a.nt").write_bytes(b"\n".join([*statements, *statements, statements[0]]))
    assert texts_of(quads, dictionary) == in_process([tmp_path / "a.nt"])


def test_no_quads_at_all(spark: SparkSession, tmp_path: Path) -> None:
    encoded = encode(spark, _frame(spark, []), str(tmp_path / "out"))
    assert _checked(encoded) == set()
    assert of_driver(spark.read.parquet(f"{tmp_path}/out/*/grouped")) == Counter()
    assert encoded.terms.count() == len(VOCABULARY)


def test_a_table_that_is_whole_is_read_and_another_one_is_written_again(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.nt").write_text(_LINES)
    expected = _triples(in_process([tmp_path / "a.nt"]))

    def run() -> dict[str, object]:
        assert _checked(encode(spark, [tmp_path / "a.nt"], str(tmp_path / "out"))) == expected
        (out,) = (tmp_path / "out").iterdir()
        return {table: sorted(file.name for file in (out / table).glob("*.parquet")) for table in _TABLES}

    before = run()
    assert run() == before
    (out,) = (tmp_path / "out").iterdir()
    shutil.rmtree(out / "facts.whole")  # stopped before the marker
    after = run()
    assert [table for table in _TABLES if before[table] != after[table]] == ["facts"]
    for file in [*(out / "numbered.whole").glob("*.parquet"), *(out / "numbered").glob("*.parquet")]:
        file.unlink()  # stopped while the marker was written
    assert [table for table in _TABLES if after[table] != run()[table]] == ["numbered"]


def test_another_input_has_tables_of_its_own(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.nt").write_text(_LINES)
    out = str(tmp_path / "out")
    first = encode(spark, [tmp_path / "a.nt"], out)
    (tmp_path / "a.nt").write_text(_LINES.replace("/a>", "/b>") + _LINES)
    second, third = (encode(spark, given, out) for given in ([tmp_path / "a.nt"], _frame(spark, _ROWS)))
    assert [_checked(each) for each in (second, third)] == [
        _triples(in_process([tmp_path / "a.nt"])),
        _triples(Counter(_ROWS)),
    ]
    assert len({each.identity for each in (first, second, third)}) == 3


def test_a_table_without_graphs_is_no_table_of_quads(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="subject, predicate, object, graph; graph is missing"):
        encode(spark, _frame(spark, _ROWS).drop("graph"), str(tmp_path / "out"))


@pytest.mark.parametrize(
    "row", [("<a:s>", None, "<a:o>", ""), ("<a:s>", "<a:p>", "hello", None), ("", "<a:p>", "<a:o>", "")]
)
def test_a_row_that_is_no_quad_is_named(spark: SparkSession, tmp_path: Path, row: tuple[str | None, ...]) -> None:
    rows = spark.createDataFrame(
        [("<a:s>", "<a:p>", "<a:o>", ""), row], "subject string, predicate string, object string, graph string"
    )
    with pytest.raises(InputError, match=re.escape(f"the row ({', '.join(map(str, row))})")):
        encode(spark, rows, str(tmp_path / "out"))


def test_malformed_lines(spark: SparkSession, tmp_path: Path) -> None:

    file, out = tmp_path / "a.nt", str(tmp_path / "out")
    file.write_text(f"{_LINES}junk\n{_LINES}<a:b>\n")
    with pytest.raises(RdfSyntaxError, match=rf"{file}:5: .*, in the line: junk"):
        encode(spark, file, out)
    encoded = encode(spark, file, str(tmp_path / "counted"), on_error="count")
    assert encoded.skipped == [Malformed(str(file), 2, "junk")]
    file.write_text(_LINES * 2)
    assert _checked(encoded) == _triples(in_process([file]))
    assert _checked(encode(spark, file, out)) == _triples(in_process([file]))  # the file is mended


def test_parts_give_different_ids_until_they_run_out(monkeypatch: pytest.MonkeyPatch) -> None:
    batch = pa.record_batch(
        {"group": [0], "first": [1], "texts": packed(pa.array([RDF_TYPE, "<http://e/a>", "<http://e/b>"]))},
        pa.schema([("group", pa.int64()), ("first", pa.int32()), ("texts", pa.binary())]),
    )
    after = len(VOCABULARY) + 1
    (type_,) = Dictionary().find([RDF_TYPE])
    for part in (0, 2):
        monkeypatch.setattr(groups, "part_number", lambda part=part: part)
        names, terms = groups.numbered(3, [batch])
        (ids,) = names.column("ids").to_pylist()
        assert np.frombuffer(ids, np.int32).tolist() == [type_, after + part, after + part + 3]
        assert terms.column("id").to_pylist() == [after + part, after + part + 3]
    monkeypatch.setattr(groups, "MAX_ID", after + 4)
    with pytest.raises(LimitError, match=f"about {after + 5:,} terms, but .* more than {after + 4:,}"):
        list(groups.numbered(3, [batch]))


def test_a_full_disk(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="/out: cannot be written: No space left on device"), clear_errors("/out"):
        raise PySparkException("Job aborted ... java.io.IOException: No space left on device")
    with pytest.raises(PySparkException, match="anything else"), clear_errors("/out"):
        raise PySparkException("anything else")


def test_groups_end_in_time_and_come_together_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups, "TaskContext", SimpleNamespace(get=lambda: SimpleNamespace(partitionId=lambda: 5)))
    monkeypatch.setattr(groups, "_ROWS", 100)
    batches = pa.table(dict(zip(QUAD, zip(*_ROWS, strict=True), strict=True))).to_batches(max_chunksize=30)
    records = pa.Table.from_batches(groups.grouped_texts(iter(batches)))
    numbers = sorted(set(records.column("group").to_pylist()))
    assert numbers == [(5 << 33) + group for group in range(4)]
    dictionary = Dictionary()
    rows: list[tuple[str, ...]] = []
    for number in numbers:
        own = records.filter(pa.compute.equal(records.column("group"), number))
        names = own.filter(pa.compute.is_valid(own.column("texts"))).select(["first", "texts"])
        ids = [intern_cell(cell, dictionary).tobytes() for cell in names.column("texts").to_pylist()]
        quads = groups.renamed(
            own.filter(pa.compute.is_valid(own.column("quads"))), names.append_column("ids", pa.array(ids))
        )
        assert len(quads) <= 120
        rows += zip(*(dictionary.decode(np.asarray(quads.column(name))) for name in "spo"), strict=True)
    assert Counter(rows) == Counter(row[:3] for row in _ROWS)


def _in_a_session(*arguments: str) -> tuple[set[tuple[str, ...]], list[Any], list[str]]:
    """What `encode` gives in a process with a session of its own: triples, what was skipped; what was printed."""
    command = [sys.executable, "-c", _IN_A_SESSION, *arguments]
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_TESTING": "1"}  # any free port for Connect
    ran = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert ran.returncode == 0, ran.stderr
    *others, last = ran.stdout.splitlines()
    triples, skipped = json.loads(last)
    return set(map(tuple, triples)), skipped, others


def test_tasks_that_fail_once(spark: SparkSession, tmp_path: Path) -> None:
    _frame(spark, _ROWS).repartition(3).write.parquet(str(tmp_path / "rows"))
    triples, *_ = _in_a_session(str(tmp_path), "master", "local[2,2]")
    assert triples == _triples(Counter(_ROWS))


def test_a_session_of_spark_connect(tmp_path: Path) -> None:
    pytest.importorskip("grpc")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.nt").write_text(_LINES)
    (tmp_path / "in" / "a.ttl").write_text("<a:a> <a:b> [] .")
    expected = in_process((tmp_path / "in").iterdir())
    (tmp_path / "in" / "a.nt").write_text(f"{_LINES}junk\n")
    triples, skipped, counted = _in_a_session(str(tmp_path), "remote", "local[2]")
    assert triples == _triples(expected)
    assert counted == [str(expected.total()), f"{len(expected)} 1"]
    assert skipped == [[str(tmp_path / "in" / "a.nt"), 1, "junk"]]
    lines = {f"{' '.join(triple)} ." for triple in triples}
    assert {line for path in (tmp_path / "nt").glob("*.nt") for line in path.read_text().splitlines()} == lines
    with KnowledgeGraph.open(tmp_path / "store", read_only=True) as graph:
        assert set(b"".join(graph.dump()).decode().splitlines()) == lines
