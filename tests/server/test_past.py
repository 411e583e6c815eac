"""The feed of a store that keeps its history goes on where a server before this one has ended."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import httpx
import pytest

from kgreason import KnowledgeGraph
from tests.server.serving import client, served


def edit(http: httpx.Client, number: int) -> int:
    text = f"INSERT DATA {{ <http://e/{number}> a <http://e/Cat> }}"
    return int(http.post("/update", data={"update": text}).headers["kgreason-commit"])


def read(http: httpx.Client, after: int, many: int) -> list[dict[str, Any]]:
    """So many events of the feed after a commit."""

    def told(lines: Iterator[str]) -> Iterator[dict[str, Any]]:
        return (json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: "))

    with http.stream("GET", "/changes", headers={"Last-Event-ID": str(after)}) as stream:
        assert stream.status_code == 200, stream.read()
        return list(islice(told(stream.iter_lines()), many))


def kept(store: Path, history: str | int) -> Path:
    with KnowledgeGraph.open(store, history=history) as graph:
        graph.add("<http://e/Cat> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <http://e/Animal> .")
    return store


def test_a_feed_goes_on_at_the_next_server(tmp_path: Path) -> None:
    store = kept(tmp_path / "store", "all")
    with served(store) as address, client(address) as http:
        assert [edit(http, number) for number in range(3)] == [2, 3, 4]
        before = read(http, 0, 4)
    with served(store) as address, client(address) as http:
        assert read(http, 0, 4) == before
        assert edit(http, 3) == 5
        after = read(http, 2, 3)
        assert after[:2] == before[2:]
        assert after[2]["appeared"]["inferred"][0][2] == "<http://e/Animal>"
        assert http.get("/changes", headers={"Last-Event-ID": "6"}).status_code == 400


def test_a_feed_goes_on_where_its_memory_ends(tmp_path: Path) -> None:
    with served(kept(tmp_path / "store", "all"), kept=1) as address, client(address) as http:
        last = [edit(http, number) for number in range(5)][-1]
        assert [event["commit"] for event in read(http, 0, last)] == list(range(1, last + 1))


@pytest.mark.parametrize("history", ["none", 1])
def test_a_feed_says_what_is_not_kept(history: str | int, tmp_path: Path) -> None:
    store = kept(tmp_path / "store", history)
    with served(store) as address, client(address) as http:
        for number in range(12):
            edit(http, number)
        last = edit(http, 12)
    with served(store) as address, client(address) as http:
        assert http.get("/changes", headers={"Last-Event-ID": "0"}).status_code == 410
        if history == 1:
            assert [event["commit"] for event in read(http, last - 1, 1)] == [last]
