"""A graph on a disk that is full now and then: it equals the acknowledged edits, and edits go on when there is room."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from kgreason import KnowledgeGraph
from kgreason.errors import DiskFullError
from tests.disks.mounts import KINDS, SmallDisk, mounted
from tests.volume import many

SCHEMA = "<http://e/A> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <http://e/B> ."
HAS = "<http://e/has>"


@pytest.fixture(params=KINDS)
def disk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SmallDisk]:
    with mounted(request.param, tmp_path) as found:
        yield found


class Edits:
    """A graph with a history, and what its acknowledged edits come to."""

    def __init__(self, path: Path, seed: int = 1) -> None:
        self.path, self.random = path, Random(seed)
        self.values: set[str] = set()
        self.commit = 1
        self.graph = KnowledgeGraph.open(path, history="all")
        self.graph.add(SCHEMA)
        self._number = 0

    def edit(self, size: int | None = None) -> bool:
        """Make a random edit. Returns whether there was room for it, and checks what is seen in either case."""
        size = self.random.choice([1, 200, 5_000, 40_000]) if size is None else size
        self._number += 1
        value = f"{self._number} {'x' * size}"
        gone = self.random.choice(sorted(self.values)) if self.values and self.random.random() < 0.3 else None
        problem = ""
        try:
            with self.graph.transaction() as tx:
                tx.add(f'<http://e/s{self._number}> {HAS} "{value}" ; a <http://e/A> .')
                if gone:
                    tx.remove(f'<http://e/s{gone.split()[0]}> {HAS} "{gone}" .')
            self.values = self.values - {gone or ""} | {value}
            self.commit += 1
        except DiskFullError as error:
            problem = str(error)
        if problem:
            assert problem.startswith(str(self.path))
            assert problem.endswith("the disk is full")
        self.check()
        return not problem

    def edit_all(self, count: int, size: int) -> bool:
        """Make some edits. Returns whether there was room for all of them; the others are tried in any case."""
        return [self.edit(size) for _ in range(count)].count(True) == count

    def check(self) -> None:
        """Queries, the engine and the number of the last commit agree with the acknowledged edits."""
        graph = self.graph
        assert graph.commit == self.commit
        query = f"SELECT ?v {{ ?s {HAS} ?v }}"
        assert {str(row[0].value) for row in graph.select(query)} == self.values
        assert {row[2].value for row in graph.match(None, HAS, None)} == self.values

    def reopen(self) -> None:
        self.graph.close()
        self.graph = KnowledgeGraph.open(self.path)
        self.check()


def test_edits_before_during_and_after(disk: SmallDisk) -> None:
    edits = Edits(disk.path / "store")
    assert edits.edit(200)
    disk.fill()
    assert not edits.edit_all(3, 5_000)
    with pytest.raises(DiskFullError, match="the disk is full"):
        edits.graph.check_room()
    disk.free()
    assert edits.edit_all(3, 5_000)
    edits.reopen()
    assert edits.edit()
    edits.graph.close()


def test_small_edits_that_fit_into_the_last_block(disk: SmallDisk) -> None:
    """On ext4 the journal has room in its last block when Oxigraph has none; then Oxigraph must be opened anew."""
    edits = Edits(disk.path / "store")
    disk.fill()
    done = [edits.edit(1) for _ in range(60)]
    disk.free()
    assert edits.edit_all(3, 1)
    edits.reopen()
    edits.graph.close()
    assert disk.path.name == "tmpfs" or not all(done)


@pytest.mark.parametrize("seed", range(many(3)))
def test_a_history_with_a_disk_that_is_filled_and_freed(disk: SmallDisk, seed: int) -> None:
    edits = Edits(disk.path / "store", seed)
    refused = 0
    for _ in range(12):
        disk.fill(spare=edits.random.choice([0, 0, 3_000, 20_000, 200_000]))
        refused += sum(not edits.edit() for _ in range(edits.random.randrange(1, 6)))
        disk.free()
        assert edits.edit_all(edits.random.randrange(1, 4), 100)
        if edits.random.random() < 0.3:
            edits.reopen()
    assert refused
    edits.reopen()
    edits.graph.close()


def test_a_close_on_a_full_disk(disk: SmallDisk) -> None:
    edits = Edits(disk.path / "store")
    edits.edit(200)
    disk.fill()
    for _ in range(3):
        edits.edit(1)
    edits.graph.close()
    disk.free()
    edits.graph = KnowledgeGraph.open(edits.path)
    edits.check()
    assert edits.edit()
    edits.graph.close()


def test_a_load_that_does_not_fit(disk: SmallDisk, tmp_path: Path) -> None:
    """The room of a snapshot has its place on the disk, so there is no SIGBUS when it is used."""
    file = tmp_path / "many.nt"
    file.write_text("".join(f"<http://e/s{n}> <http://e/p> <http://e/o{n}> .\n" for n in range(60_000)))
    with KnowledgeGraph.open(disk.path / "store", rules=["none"]) as graph, pytest.raises(DiskFullError):
        graph.load(file)
    with KnowledgeGraph.open(disk.path / "store", rules=["none"]) as graph:
        assert graph.commit == 0
        graph.add(SCHEMA)
        assert len(list(graph)) == 1


def test_the_room_of_a_snapshot_is_used_on_a_full_disk(disk: SmallDisk) -> None:
    """What is written into the arrays that are mapped takes no more room on the disk."""
    with KnowledgeGraph.open(disk.path / "store", rules=["none"]) as graph:
        graph.add("".join(f"<http://e/s{n}> <http://e/p> <http://e/o{n}> .\n" for n in range(3_000)))
    with KnowledgeGraph.open(disk.path / "store", rules=["none"]) as graph:
        graph.add(SCHEMA)
        disk.fill()
        with graph.what_if() as tx:
            tx.add("".join(f"<http://e/t{n}> <http://e/p> <http://e/o{n}> .\n" for n in range(6_000)))
        assert len(tx.delta.added_quads) == 6_000
