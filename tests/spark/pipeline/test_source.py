"""`spark.read.format("rdf")`: every format, one task a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kgreason.errors import InputError, RdfSyntaxError
from tests.spark.pipeline.reading import in_process, on_spark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytest.importorskip("pyspark")

_TURTLE = "@prefix : <http://e/> . _:x :p 01, [ :q ( 1 _:x ) ] .\n"


@pytest.fixture
def rdf(spark: SparkSession) -> SparkSession:
    """The session, with the data source."""
    from kgreason.spark.input.source import RdfDataSource

    spark.dataSource.register(RdfDataSource)
    return spark


def test_a_folder_a_pattern_and_a_list(rdf: SparkSession, tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("a.ttl", "b.ttl", "c.nt")]
    for file in files[:2]:
        file.write_text(_TURTLE)
    files[2].write_text("<a:a> <a:b> <a:c> .")
    expected = in_process(files)
    for paths in (str(tmp_path), f"{tmp_path}/*", [str(file) for file in files]):
        rows = rdf.read.format("rdf").load(paths)
        assert rows.columns == ["subject", "predicate", "object", "graph"]
        assert on_spark(rows) == expected


def test_a_format_that_the_name_does_not_tell(rdf: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "data.txt").write_text(_TURTLE)
    rows = on_spark(rdf.read.format("rdf").option("format", "ttl").load(f"{tmp_path}/data.txt"))
    (tmp_path / "data.txt").rename(tmp_path / "data.ttl")
    assert sorted(row[1] for row in rows) == sorted(row[1] for row in in_process([tmp_path / "data.ttl"]))


def test_a_document_of_many_batches(rdf: SparkSession, tmp_path: Path) -> None:
    with (tmp_path / "a.ttl").open("w") as file:
        file.writelines(f"<a:s{number // 7}> <a:p> <a:o{number}> .\n" for number in range(70_000))
    rows = rdf.read.format("rdf").load(str(tmp_path / "a.ttl"))
    assert on_spark(rows) == in_process([tmp_path / "a.ttl"])


def test_documents_that_cannot_be_read(rdf: SparkSession, tmp_path: Path) -> None:
    from kgreason.spark.start.failures import clear_errors

    (tmp_path / "a.ttl").write_text("<a:a> <a:b> <a:c> .\n<a:a> <a:b> , .")
    with pytest.raises(RdfSyntaxError, match=r"/a\.ttl:2:\d+: ") as caught, clear_errors():
        rdf.read.format("rdf").load(str(tmp_path)).collect()
    assert (caught.value.source, caught.value.line) == (str(tmp_path / "a.ttl"), 2)
    with pytest.raises(InputError, match=r"b\.ttl: No such file"), clear_errors():
        rdf.read.format("rdf").load(str(tmp_path / "b.ttl")).collect()
    with pytest.raises(InputError, match="needs a path"), clear_errors():
        rdf.read.format("rdf").load().collect()
    with pytest.raises(InputError, match="unknown RDF format 'word'"), clear_errors():
        rdf.read.format("rdf").option("format", "word").load(str(tmp_path)).collect()
