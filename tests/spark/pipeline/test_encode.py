"""`encode`: each term has one id, and the triples are those that were given, whatever is cut, stopped or run again."""

from __future__ import annotations

import errno
import io
import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kgreason.errors import LimitError, RdfSyntaxError, StoreError
from kgreason.lubm import generator
from kgreason.terms.dictionary import Dictionary
from kgreason.terms.vocabulary import RDF_TYPE, VOCABULARY
from tests.spark.pipeline.reading import Bag, decoded, in_process, of_driver, texts_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from kgreason.spark.encode.encode import Encoded

pytest.importorskip("pyspark", reason="PySpark is not installed: pip install 'kgreason[spark]'")

import pyarrow as pa
from pyarrow import dataset, parquet
from pyspark.errors import PySparkException
from pyspark.serializers import write_int

from kgreason.spark.encode import groups
from kgreason.spark.encode.dictionary import quads_of_groups
from kgreason.spark.encode.encode import encode
from kgreason.spark.input import paths
from kgreason.spark.input.lines import Malformed, QuadReader
from kgreason.spark.input.terms import intern_cell, pack_texts
from kgreason.spark.start.failures import clear_errors

_LINES = """\
<http://e/a> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> _:x .
_:x <http://e/p> "01"^^<http://www.w3.org/2001/XMLSchema#integer> .
_:x <http://e/p> "1"^^<http://www.w3.org/2001/XMLSchema#integer> .
_:x <http://e/p> "1"^^<http://www.w3.org/2001/XMLSchema#integer> .
"""
_TABLES = ("grouped", "numbered", "facts")

_ROWS = [(f"<http://e/s{number % 50}>", RDF_TYPE, f'"{number}"') for number in range(400)]
_FALLING = """
import json, sys
from pyspark import TaskContext
from pyspark.sql import SparkSession
from kgreason.spark.encode import encode as module

def falling(*arguments):
    for number, rows in enumerate(grouped(*arguments)):
        if TaskContext.get().attemptNumber() == 0 and number == 1:
            raise RuntimeError("the first attempt of each task")
        yield rows

folder, grouped, module.group_quads = sys.argv[1], module.group_quads, falling
builder = SparkSession.builder.master("local[2,2]").config("spark.ui.enabled", "false")
builder = builder.config("spark.driver.memory", "1g").config("spark.sql.shuffle.partitions", "3")
spark = builder.getOrCreate()
encoded = module.encode(spark, folder + "/in", folder + "/out")
texts = {row.id: row.text for row in encoded.terms.collect()}
print(json.dumps([[texts[i] for i in row] for row in encoded.facts.collect()]))
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


def _text(rows: Iterable[tuple[str, ...]]) -> str:
    return "".join(f"{' '.join(row)} .\n" for row in rows)


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
        rows = pa.Table.from_batches(groups.group_quads(reader, reader.of_lines, lines))
        parquet.write_table(rows, tmp_path / f"{number}.parquet")
    dictionary = Dictionary()
    quads = quads_of_groups(dataset.dataset(list(map(str, tmp_path.glob("*.parquet")))), dictionary)
    (tmp_path / "a.nt").write_bytes(b"\n".join([*statements, *statements, statements[0]]))
    assert texts_of(quads, dictionary) == in_process([tmp_path / "a.nt"])


def test_no_quads_at_all(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.nt").write_text("# nothing\n\n")
    encoded = encode(spark, tmp_path / "a.nt", str(tmp_path / "out"))
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
    (tmp_path / "b.nt").write_text(_text(_ROWS))
    second, third = (encode(spark, tmp_path / name, out) for name in ("a.nt", "b.nt"))
    assert [_checked(each) for each in (second, third)] == [_triples(in_process([tmp_path / "a.nt"])), set(_ROWS)]
    assert len({each.identity for each in (first, second, third)}) == 3


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
        {"group": [0], "first": [1], "texts": pack_texts(pa.array([RDF_TYPE, "<http://e/a>", "<http://e/b>"]))},
        pa.schema([("group", pa.int64()), ("first", pa.int32()), ("texts", pa.binary())]),
    )
    after = len(VOCABULARY) + 1
    (type_,) = Dictionary().find([RDF_TYPE])
    for part in (0, 2):
        monkeypatch.setattr(groups, "part_number", lambda part=part: part)
        names, terms = groups.number_texts(3, [batch])
        (ids,) = names.column("ids").to_pylist()
        assert np.frombuffer(ids, np.int32).tolist() == [type_, after + part, after + part + 3]
        assert terms.column("id").to_pylist() == [after + part, after + part + 3]
    monkeypatch.setattr(groups, "MAX_ID", after + 4)
    with pytest.raises(LimitError, match=f"about {after + 5:,} terms, but .* more than {after + 4:,}"):
        list(groups.number_texts(3, [batch]))


class FullDisk(io.RawIOBase):
    """A file on a full disk."""

    def write(self, _: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="/out: cannot be written: No space left on device"), clear_errors("/out"):
        raise PySparkException("Job aborted ... java.io.IOException: No space left on device")
    shuffle = "Lost task 1.3 in stage 2.0 (TID 9) (10.0.0.7 executor 1): java.io.IOException: No space left on device\n"
    shuffle += "\tat java.base/java.io.FileOutputStream.write(FileOutputStream.java:349)\n"
    shuffle += "\tat org.apache.spark.storage.DiskBlockObjectWriter.write(DiskBlockObjectWriter.scala:336)\n"
    with pytest.raises(StoreError, match=r"Spark's temporary folder on 10\.0\.0\.7 .*: No space"), clear_errors("/out"):
        raise PySparkException(shuffle)
    with pytest.raises(StoreError, match=r"Spark's temporary folder on the driver .*: No space"), clear_errors("/out"):
        write_int(1, FullDisk())
    with pytest.raises(PySparkException, match="anything else"), clear_errors("/out"):
        raise PySparkException("anything else")


def test_groups_end_in_time_and_come_together_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups, "TaskContext", SimpleNamespace(get=lambda: SimpleNamespace(partitionId=lambda: 5)))
    monkeypatch.setattr(groups, "_ROWS", 100)
    lines = pa.table({"line": _text(_ROWS).encode().splitlines(), "file": ["file:///a.nt"] * len(_ROWS)})
    reader = QuadReader(skip=False)
    records = groups.group_quads(reader, reader.of_lines, lines.to_batches(max_chunksize=30))
    records = pa.Table.from_batches(records).filter(pa.compute.field("group").is_valid())
    numbers = sorted(set(records.column("group").to_pylist()))
    assert numbers == [(5 << 33) + group for group in range(4)]
    dictionary = Dictionary()
    rows: list[tuple[str, ...]] = []
    for number in numbers:
        own = records.filter(pa.compute.equal(records.column("group"), number))
        names = own.filter(pa.compute.is_valid(own.column("texts"))).select(["first", "texts"])
        ids = [intern_cell(cell, dictionary).tobytes() for cell in names.column("texts").to_pylist()]
        quads = groups.rename_quads(
            own.filter(pa.compute.is_valid(own.column("quads"))), names.append_column("ids", pa.array(ids))
        )
        assert len(quads) <= 120
        rows += zip(*(dictionary.decode(np.asarray(quads.column(name))) for name in "spo"), strict=True)
    assert Counter(rows) == Counter(_ROWS)


def test_tasks_that_fail_once(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for number in range(3):
        (tmp_path / "in" / f"{number}.nt").write_text(_text(_ROWS[number::3]))
    environment = os.environ | {"PYSPARK_PYTHON": sys.executable}
    command = [sys.executable, "-c", _FALLING, str(tmp_path)]
    ran = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert ran.returncode == 0, ran.stderr
    assert set(map(tuple, json.loads(ran.stdout))) == set(_ROWS)
