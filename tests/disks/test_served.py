"""A server on a disk that is full now and then: 507, and not healthy, until there is room; it is never restarted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import httpx
import pytest

from kgreason import KnowledgeGraph
from kgreason.client.graph import connect
from kgreason.errors import DiskFullError
from kgreason.store.homes import room
from tests.disks.mounts import KINDS, SmallDisk, mounted
from tests.server.serving import client, served
from tests.volume import many

QUERY = "SELECT ?v { ?s <http://e/has> ?v }"
CSV = {"Accept": "text/csv"}


@pytest.fixture(params=KINDS)
def disk(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SmallDisk]:
    monkeypatch.setattr(room, "_FRESH", 0.0)
    with mounted(request.param, tmp_path) as found:
        yield found


class Client:
    """Edits through a server, and what its acknowledged edits come to."""

    def __init__(self, http: httpx.Client, values: set[str]) -> None:
        self._http, self.values = http, values

    def edit(self, size: int) -> bool:
        """Add a value. Returns whether the edit was acknowledged; checks the answer, and what queries see after it."""
        value = f"{len(self.values)}{'x' * size}"
        text = f'INSERT DATA {{ <http://e/s> <http://e/has> "{value}" }}'
        done = self._http.post("/update", content=text, headers={"Content-Type": "application/sparql-update"})
        if done.status_code == 204:
            self.values.add(value)
        else:
            assert (done.status_code, done.json()["detail"]) == (507, "the disk is full")
            assert "/" not in done.text.replace("application/", "").replace("about:blank", "")
        self.check()
        return done.status_code == 204

    def edit_all(self, count: int, size: int) -> bool:
        """Make some edits. Returns whether all were acknowledged; the others are tried in any case."""
        return [self.edit(size) for _ in range(count)].count(True) == count

    def check(self) -> None:
        """A query process sees the acknowledged edits, and no others."""
        found = self._http.get("/query", params={"query": QUERY}, headers=CSV).text.split()
        assert set(found[1:]) == self.values

    def health(self) -> tuple[int, str]:
        answer = self._http.get("/health")
        return answer.status_code, answer.json().get("reason", "")


def test_a_server_before_during_and_after(disk: SmallDisk) -> None:
    store = disk.path / "store"
    with served(store) as address, client(address) as http:
        ours = Client(http, set())
        assert ours.edit(10)
        assert ours.health() == (200, "")
        disk.fill()
        assert not ours.edit_all(3, 5_000)
        assert ours.health() == (503, "the disk is full")
        with pytest.raises(DiskFullError, match="the disk is full"), connect(address) as graph:
            graph.add(f'<http://e/s> <http://e/has> "{"y" * 50_000}" .')
        assert http.get("/store?default").status_code == 200
        disk.free()
        assert ours.edit_all(3, 5_000)
        assert ours.health() == (200, "")
    with KnowledgeGraph.open(store) as graph:
        assert {str(row[0].value) for row in graph.select(QUERY)} == ours.values


@pytest.mark.parametrize("seed", range(many(2)))
def test_a_history_with_a_disk_that_is_filled_and_freed(disk: SmallDisk, seed: int) -> None:
    random, values = Random(seed), set[str]()
    refused = 0
    for _ in range(2):
        with served(disk.path / "store") as address, client(address) as http:
            ours = Client(http, values)
            ours.check()
            for _ in range(5):
                disk.fill(spare=random.choice([0, 0, 3_000, 20_000, 200_000]))
                refused += sum(not ours.edit(random.choice([1, 1, 5_000, 40_000])) for _ in range(3))
                disk.free()
                assert ours.edit_all(2, 100)
                assert ours.health()[0] == 200
    assert refused


def test_a_server_starts_on_a_full_disk(disk: SmallDisk) -> None:
    """It serves what is there, and takes edits as soon as there is room."""
    with served(disk.path / "store") as address, client(address) as http:
        ours = Client(http, set())
        assert ours.edit(10)
    disk.fill()
    with served(disk.path / "store") as address, client(address) as http:
        ours = Client(http, ours.values)
        ours.check()
        assert not ours.edit(50_000)
        assert ours.health() == (503, "the disk is full")
        disk.free()
        assert ours.edit(50_000)
        assert ours.health() == (200, "")


def test_a_body_that_has_no_room(disk: SmallDisk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder for temporary files is full; the store is not."""
    monkeypatch.setattr("tempfile.tempdir", str(disk.path))
    with served(tmp_path / "store") as address, client(address) as http:
        disk.fill()
        turtle = {"Content-Type": "text/turtle"}
        body = "".join(f"<http://e/s{n}> <http://e/p> <http://e/o> .\n" for n in range(3_000))
        done = http.post("/store?default", content=body, headers=turtle)
        assert (done.status_code, done.json()["detail"]) == (507, "the disk is full")
        assert http.get("/health").status_code == 200
        disk.free()
        assert http.post("/store?default", content=body, headers=turtle).status_code == 204
