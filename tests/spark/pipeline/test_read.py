"""`read` gives the bag of quads that the reader of one process gives, however files are named, packed and cut."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kgreason.errors import InputError, RdfSyntaxError
from kgreason.terms.dictionary import Dictionary
from tests.spark.pipeline.reading import Bag, in_process, on_spark, texts_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytest.importorskip("pyspark")

import pyarrow as pa
from pyspark.sql import functions as F  # noqa: N812

from kgreason.spark.input import paths
from kgreason.spark.input.lines import QuadReader
from kgreason.spark.input.read import read
from kgreason.spark.start.failures import clear_errors

_XSD = "http://www.w3.org/2001/XMLSchema#"
_LINES = f"""\
<http://e/a> <http://e/p> _:x .
_:x <http://e/p> "01"^^<{_XSD}integer> .
# a comment

_:x\t<http://e/p>  "1.50"^^<{_XSD}decimal>.
<http://e/a> <http://e/p> "\\u0041\\n\\"é\\U0001F418"@EN-us .
<http://e/a> <http://e/p> <<( _:x <http://e/p> _:y )>> .
<http://e/a> <http://e/p> "01"^^<{_XSD}string> .
_:e6c09528a7cdb0371226a1b8a833a0c4 <http://e/p> "" .
"""
_TURTLE = f"@prefix : <http://e/> . _:x :p 01, [ :q ( 1 _:x ) ], <relative>, 'x'@DE, '1.0'^^<{_XSD}float> .\n"
_RDF_XML = """<?xml version="1.0"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e/">
<rdf:Description rdf:nodeID="x"><e:p rdf:parseType="Resource"><e:q>1</e:q></e:p></rdf:Description></rdf:RDF>
"""
_DOCUMENTS = {
    "a.ttl": _TURTLE,
    "a.trig": f"{_TURTLE} :g {{ :a :p [] }}",
    "a.n3": _TURTLE,
    "a.rdf": _RDF_XML,
    "a.owl": _RDF_XML,
    "b.owl": _TURTLE,
    "a.jsonld": '{"@context": {"@vocab": "http://e/"}, "@id": "_:x", "p": [{"q": 1}, {"q": 2.5}]}',
}
_CUT = {
    "spark.sql.files.maxPartitionBytes": "2000",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "7",
    "spark.sql.execution.arrow.useLargeVarTypes": "true",
}


@pytest.fixture
def cut(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> SparkSession:
    """The session, with files cut into many small pieces and these into many batches, of the larger types."""
    monkeypatch.setattr(paths, "_LEAST", 2000)
    monkeypatch.setattr(paths, "_MOST", 2000)
    fine = spark.newSession()
    for key, value in _CUT.items():
        fine.conf.set(key, value)
    return fine


def test_each_format_says_what_it_says_in_process(spark: SparkSession, tmp_path: Path) -> None:
    for name, text in _DOCUMENTS.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "a.nt").write_text(_LINES)
    (tmp_path / "a.nq").write_text(_LINES + "_:x <http://e/p> _:y _:x .\n<http://e/a> <http://e/p> _:y <http://e/g> .")
    (tmp_path / "xz.nt.xz").write_bytes(lzma.compress(_LINES.encode()))
    (tmp_path / "notes.txt").write_text("passed over")
    (tmp_path / "catalog-v001.xml").write_text("<catalog/>")
    files = [path for path in tmp_path.iterdir() if path.name not in ("notes.txt", "catalog-v001.xml")]
    assert len(files) == 10
    assert on_spark(read(spark, tmp_path)) == in_process(files)


@pytest.mark.parametrize("size", [7, 100, 10_000])
def test_each_line_is_in_one_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    """Empty lines, two kinds of line ends, a last line without one; files that are cut, and files that are not."""
    monkeypatch.setattr(paths, "_LEAST", size)
    monkeypatch.setattr(paths, "_MOST", size)
    (tmp_path / "a.nt").write_bytes(f"\n{_LINES}\r\n\n{_LINES}".encode().removesuffix(b"\n"))
    (tmp_path / "b.nt").write_bytes(b"")
    (tmp_path / "c.nt.xz").write_bytes(lzma.compress(_LINES.encode()))
    (tmp_path / "d.ttl").write_text(_TURTLE)
    files = sorted(tmp_path.iterdir())
    tasks, found, reader = paths.divide(files, 2), Bag(), QuadReader(skip=False)
    assert len(tasks) == 1 if size == 10_000 else len(tasks) > 2
    for number in range(len(tasks)):
        dictionary = Dictionary(())
        for quads in reader.of_pieces(tasks, pa.record_batch({"id": [number]}), dictionary):
            found.update(texts_of(quads.T, dictionary))
            dictionary.truncate(0)
    assert found == in_process(files)


def test_blank_nodes_of_two_files_are_two_nodes_and_of_many_tasks_one(cut: SparkSession, tmp_path: Path) -> None:
    for name in ("a.nt", "b.nt"):
        (tmp_path / name).write_text("".join(f"_:x <http://e/p> _:y{number} .\n" for number in range(200)))
    rows = read(cut, [tmp_path / "a.nt", tmp_path / "b.nt"])
    assert rows.select(F.spark_partition_id()).distinct().count() > 4
    assert on_spark(rows) == in_process([tmp_path / "a.nt", tmp_path / "b.nt"])
    assert rows.select("subject").distinct().count() == 2


def test_packed_lines(cut: SparkSession, tmp_path: Path) -> None:
    for name in ("a.nt.gz", "a.nt.bz2", "A.NT.GZ"):
        packed = gzip.compress if name.lower().endswith("gz") else bz2.compress
        (tmp_path / name).write_bytes(packed((_LINES * 50).encode()))
    assert on_spark(read(cut, tmp_path)) == in_process(tmp_path.iterdir())


def test_files_with_odd_names(spark: SparkSession, tmp_path: Path) -> None:
    """A task opens a file by its name; Spark reads a packed one, if it can."""
    names = ("a b", "a[1]", "a%20b", "ü#?&", "_a", ".a", "{a}", "a*", "a\\b", "a,b", "a: b")
    files = [tmp_path / f"{name}.nt{packed}" for name in names for packed in ("", ".bz2")]
    for file in files:
        file.write_bytes(bz2.compress(_LINES.encode()) if file.suffix == ".bz2" else _LINES.encode())
    assert on_spark(read(spark, [*map(str, files)])) == in_process(files)


def test_a_link_is_the_file_it_leads_to(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a.nt").write_text(_LINES)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    monkeypatch.chdir(tmp_path)
    expected = in_process([tmp_path / "real" / "a.nt"])
    for path in ("link/a.nt", (tmp_path / "real" / "a.nt").as_uri(), "re*/**/*.nt"):
        assert on_spark(read(spark, path)) == expected


def test_bytes_that_the_reader_of_lines_must_not_touch(spark: SparkSession, tmp_path: Path) -> None:
    odd = '<http://e/a> <http://e/p> "\u2028\u0085\x0b\x0c\ufeff" .\r\n<http://e/a> <http://e/p> "b" .\r\r\n'
    (tmp_path / "a.nt").write_bytes(b"\xef\xbb\xbf" + odd.encode())
    assert on_spark(read(spark, tmp_path / "a.nt")) == in_process([tmp_path / "a.nt"])


@pytest.mark.parametrize(
    "bad", ['<a:b> <a:c> "\udcff" .', "<a:b> <a:c>", "junk", "<a:a> <a:b> <a:c> <a:g> .", '"a" <a:b> <a:c> .']
)
def test_a_malformed_line_is_an_error_with_its_file_number_and_text(
    cut: SparkSession, tmp_path: Path, bad: str
) -> None:
    path = tmp_path / "a b.nt"
    path.write_bytes(f"{_LINES * 9}{bad}\n{_LINES}".encode(errors="surrogateescape"))
    with pytest.raises(RdfSyntaxError) as caught, clear_errors():
        read(cut, path).collect()
    text = bad.replace("\udcff", "�")
    assert re.fullmatch(rf"{re.escape(str(path))}:82: .+, in the line: {re.escape(text)}", str(caught.value))


def test_malformed_lines_are_left_out(cut: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.nt").write_text((_LINES + "junk\n<a:b>\n") * 9)
    rows = on_spark(read(cut, tmp_path, on_error="count"))
    (tmp_path / "a.nt").write_text(_LINES * 9)
    assert rows == in_process(tmp_path.iterdir())


def test_paths_that_lead_nowhere(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("")
    for path, problem in {
        "b.nt": r"b\.nt: No such file or directory",
        "*.nt": r"\*\.nt: No such file or directory",
        "a.txt": r"a\.txt: the name does not end in a known RDF format",
        "": "the folder has no RDF file",
    }.items():
        with pytest.raises(InputError, match=problem):
            read(spark, str(tmp_path / path))
    with pytest.raises(InputError, match="no file to read: give at least one path"):
        read(spark, [])


def test_a_file_system_that_only_spark_knows(spark: SparkSession, tmp_path: Path) -> None:
    mounted = spark.newSession()
    mounted.conf.set("fs.viewfs.mounttable.data.link./in", tmp_path.as_uri())
    for name in ("a.nt", "b.nq.gz", "notes.txt"):
        packed = gzip.compress(_LINES.encode()) if name.endswith("gz") else _LINES.encode()
        (tmp_path / name).write_bytes(packed)
    rows = on_spark(read(mounted, "viewfs://data/in"))
    assert len(list(rows.elements())) == 14
    assert rows[("<http://e/a>", "<http://e/p>", '"A\\n\\"é🐘"@EN-us', "")] == 2
    assert len({row[0] for row in rows}) == 5
    with pytest.raises(InputError, match=r"PATH_NOT_FOUND.*viewfs://data/in/c\.nt"), clear_errors():
        read(mounted, "viewfs://data/in/c.nt")


def test_a_packed_file_that_is_cut_short_is_an_error(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.nt.gz").write_bytes(gzip.compress(os.urandom(100_000))[:50_000])
    with pytest.raises(InputError, match=r"a\.nt\.gz"), clear_errors():
        read(spark, tmp_path / "a.nt.gz", on_error="count").collect()
