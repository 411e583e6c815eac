"""Patches are committed in their order, each batch once; no half of a batch ever is."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.store.journal.journal import Journal

pytest.importorskip("pyspark", reason="PySpark is not installed: pip install 'kgreason[spark]'")

from pyspark.errors import StreamingQueryException

from kgreason.spark.live.stream import follow
from tests.graph.views import Lines, lines
from tests.store.interrupted import steps

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

P = "<http://e/p>"
RULE = "[?y, <http://e/q>, ?x] :- [?x, <http://e/p>, ?y] ."


def row(subject: str, value: str = "<http://e/b>") -> str:
    return f"<http://e/{subject}> {P} {value} ."


class Streaming:
    """A store, a folder of patches, and the stream between them."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self.spark, self.folder = spark, folder
        self.store, self.patches, self.checkpoint = folder / "store", folder / "patches", folder / "[check] {points}"
        self.patches.mkdir()
        self._time = 1_000_000_000
        with KnowledgeGraph.open(self.store, rules=["rdfs"]) as graph, graph.transaction() as tx:
            tx.add(row("here"))

    def patch(self, name: str, *rows: str, end: str = "TC .") -> Path:
        """A patch that is younger than those before."""
        return self.file(name, "\n".join(["TX .", *rows, end]))

    def file(self, name: str, text: str) -> Path:
        self._time += 1
        path = self.patches / name
        path.write_text(text)
        os.utime(path, (self._time, self._time))
        return path

    def run(self, store: Any = None, **options: Any) -> None:
        """Commit what is there; raises StreamingQueryException."""
        options = {"stream": "s", "checkpoint": str(self.checkpoint), "trigger": {"availableNow": True}} | options
        follow(self.spark, self.patches, store or self.store, **options).awaitTermination()

    def asserted(self, store: Path | None = None) -> Lines:
        with KnowledgeGraph.open(store or self.store, read_only=True) as graph:
            return lines(graph.dump(asserted=True, graphs=True))

    def batches(self, store: Path | None = None) -> list[tuple[int, str]]:
        """The commits since the first one, and their batches."""
        with Journal((store or self.store) / "journal", write=False, last=1) as journal:
            return [(record.commit, record.headers.get("batch", "")) for record in journal.records(1)]


@pytest.fixture
def streaming(spark: SparkSession, tmp_path: Path) -> Streaming:
    return Streaming(spark, tmp_path)


def history(streaming: Streaming) -> None:
    """Patches whose order matters, by time and not by name; most of the formats' freedoms."""
    streaming.patch("z", "A " + row("a"), "A " + row("b"), f"A <http://e/a> {P} _:n <http://e/g> .", f'PA "e" {P} .')
    streaming.patch("y", "D " + row("a"), f'A _:n {P} "01"^^<http://www.w3.org/2001/XMLSchema#integer> .')
    streaming.patch("x", "A " + row("a"), "D " + row("b"), "A " + row("b"), f"D <http://e/a> {P} <_:n> <http://e/g> .")
    streaming.patch("w", "D " + row("here"), end="TA .")
    streaming.patch("v", "D " + row("b"))


HISTORY = {row("here"), row("a"), f'_:n {P} "01"^^<http://www.w3.org/2001/XMLSchema#integer> .'}


@pytest.mark.parametrize("files", [None, 1, 2])
def test_the_last_wish_wins_however_files_fall_into_batches(streaming: Streaming, files: int | None) -> None:
    history(streaming)
    streaming.run(files=files)
    assert streaming.asserted() == HISTORY
    count = {None: 1, 1: 5, 2: 3}[files]
    assert streaming.batches() == [(2 + number, str(number)) for number in range(count)]


def test_a_stream_goes_on_where_it_was_even_if_a_batch_changes_nothing(streaming: Streaming) -> None:
    streaming.patch("1", "A " + row("here"))
    streaming.run()
    assert streaming.batches() == [(2, "0")]
    streaming.patch("2", "A " + row("a"))
    streaming.run()
    streaming.run()
    assert streaming.batches() == [(2, "0"), (3, "1")]
    assert streaming.asserted() == {row("here"), row("a")}


def forget(checkpoint: Path, batch: int) -> None:
    """Have Spark not know that a batch was done, as a kill between the store's commit and its own leaves it."""
    for name in (str(batch), f".{batch}.crc"):
        (checkpoint / "commits" / name).unlink(missing_ok=True)


def test_a_batch_that_the_store_has_is_not_committed_again(streaming: Streaming) -> None:
    streaming.patch("1", "A " + row("a"))
    streaming.run()
    with KnowledgeGraph.open(streaming.store) as graph:
        with graph.transaction() as tx:
            tx.remove(("<http://e/a>", P, "<http://e/b>"))
        graph._committer().checkpoint()
    forget(streaming.checkpoint, 0)
    streaming.patch("2", "A " + row("b"))
    streaming.run()
    assert streaming.asserted() == {row("here"), row("b")}
    with KnowledgeGraph.open(streaming.store) as graph:
        assert graph.streams()["s"]["batch"] == "1"


def test_a_kill_ahead_of_any_step_loses_and_repeats_nothing(streaming: Streaming, tmp_path: Path) -> None:
    """What a kill leaves is a copy of the store and the checkpoint, made ahead of each step towards the disk."""
    left: list[Path] = []

    def leave(_step: str) -> None:
        left.append(tmp_path / f"left-{len(left)}")
        for folder, name in ((streaming.store, "store"), (streaming.checkpoint, "checkpoint")):
            shutil.copytree(folder, left[-1] / name)

    moves = [("here", "1"), ("1", "2")]
    for gone, come in moves:
        streaming.patch(come, "D " + row(gone), "A " + row(come))
    with steps(leave):
        streaming.run(files=1)
    leave("end")
    assert len({len(streaming.batches(folder / "store")) for folder in left}) == 3
    for folder in left:
        streaming.run(folder / "store", checkpoint=str(folder / "checkpoint"), files=1)
        assert streaming.batches(folder / "store") == [(2, "0"), (3, "1")]
        with Journal(folder / "store" / "journal", write=False, last=1) as journal:
            edits = [(record.removed.decode(), record.added.decode()) for record in journal.records(1)]
        assert edits == [(f"{row(gone)}\n", f"{row(come)}\n") for gone, come in moves]
        assert streaming.asserted(folder / "store") == {row("2")}


def test_batches_that_were_lost_or_come_from_elsewhere_are_refused(streaming: Streaming, tmp_path: Path) -> None:
    old = tmp_path / "old"
    streaming.patch("1", "A " + row("a"))
    streaming.run()
    shutil.copytree(streaming.store, old)
    for name in ("2", "3"):
        streaming.patch(name, "A " + row(name))
        streaming.run()
    streaming.patch("4", "A " + row("4"))
    with pytest.raises(StreamingQueryException, match=r"has the batches up to 0, but .* goes on with batch 3"):
        streaming.run(old)
    with pytest.raises(StreamingQueryException, match=r"has no batch yet, but .* goes on with batch 3"):
        streaming.run(stream="other")
    with pytest.raises(StreamingQueryException, match="was fed from another checkpoint"):
        streaming.run(checkpoint=str(tmp_path / "another"))
    assert streaming.asserted(old) == {row("here"), row("a")}
    streaming.run()
    assert streaming.asserted() == {row(name) for name in ("here", "a", "2", "3", "4")}


def test_a_malformed_patch_is_named_and_its_batch_waits_for_it(streaming: Streaming) -> None:
    streaming.patch("1", "A " + row("a"))
    bad = streaming.patch("2", "A " + row("b"), f"A <http://e/c> {P} .")
    with pytest.raises(StreamingQueryException, match=rf"RdfSyntaxError: file:{bad}:3: The object of a triple"):
        streaming.run()
    assert streaming.batches() == []
    assert streaming.asserted() == {row("here")}
    bad.write_text("A " + row("b"))
    streaming.run()
    assert streaming.batches() == [(2, "0")]
    assert streaming.asserted() == {row("here"), row("a"), row("b")}


def test_a_store_that_another_one_writes_to_is_named(streaming: Streaming) -> None:
    streaming.patch("1", "A " + row("a"))
    with (
        KnowledgeGraph.open(streaming.store),
        pytest.raises(StreamingQueryException, match=f"StoreLockedError: {streaming.store}: another process"),
    ):
        streaming.run()
    streaming.run()
    assert streaming.asserted() == {row("here"), row("a")}


def test_rules_of_patches_are_applied(streaming: Streaming) -> None:
    streaming.file("1", f'H add-rule "{RULE}" .\nTX .\nA {row("a")}\nTC .\n')
    streaming.run()
    with KnowledgeGraph.open(streaming.store) as graph:
        assert graph.query("ASK { <http://e/b> <http://e/q> <http://e/a> }")
    streaming.file("2", f'H delete-rule "{RULE}" .\nTX .\nTC .\n')
    streaming.run()
    with KnowledgeGraph.open(streaming.store) as graph:
        assert not graph.query("ASK { <http://e/b> <http://e/q> <http://e/a> }")
    again = streaming.file("3", f'H commit "7" .\nH delete-rule "{RULE}" .\nTX .\nA {row("c")}\nTC .\n')
    with pytest.raises(StreamingQueryException, match=rf"RuleError: file:{again}:2: .*no such rule"):
        streaming.run()
    assert streaming.asserted() == {row("here"), row("a")}


def test_a_graph_that_is_open_hears_of_its_batches(streaming: Streaming) -> None:
    history(streaming)
    with KnowledgeGraph.open(streaming.store) as graph:
        commits: list[int] = []
        graph.subscribe(lambda delta: commits.append(delta.commit))
        streaming.run(graph, files=2)
        assert commits == [2, 3, 4]
        assert graph.query(f"ASK {{ <http://e/a> {P} <http://e/b> }}")
    assert streaming.asserted() == HISTORY


@pytest.mark.usefixtures("brief_java")
def test_the_face_works_on_spark_connect(streaming: Streaming) -> None:
    """The process of the server commits, so that it wants a path. What it has committed is in the feed there."""
    history(streaming)
    folder = streaming.folder
    (folder / "pets.ttl").write_text(
        "@prefix : <http://e/> . :partOf a <http://www.w3.org/2002/07/owl#TransitiveProperty> ."
    )
    (folder / "data.nt").write_text(
        "".join(f"<http://e/{n}> <http://e/partOf> <http://e/{n + 1}> .\n" for n in range(3)) + "junk\n"
    )
    command = [sys.executable, "-m", "tests.spark.connected", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "pass the path of the store" in done.stdout
    assert done.stdout.startswith(f"1 line\n{folder / 'data.nt'}: 1 malformed lines skipped\n")
    assert streaming.asserted() == HISTORY
    assert streaming.batches() == [(2, "0"), (3, "1"), (4, "2")]
    changes = streaming.spark.read.parquet(str(folder / "table")).collect()
    with KnowledgeGraph.open(streaming.store) as graph:
        assert sum(change.sign for change in changes) == graph.stats()["facts"]
    name = '<http://e/1> <http://e/name> "Ann" .'
    with KnowledgeGraph.open(folder / "loaded", read_only=True) as graph:
        closure = lines(graph.dump())
    assert len(closure) > 6
    rows = streaming.spark.read.parquet(str(folder / "closure.parquet")).collect()
    assert {f"{' '.join(row[:3])} ." for row in rows} == closure
    assert streaming.asserted(folder / "written") == {*closure, name}
