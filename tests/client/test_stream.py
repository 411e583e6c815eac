"""Deltas of a server: every commit comes once and in order, through lost connections and restarts."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import pytest

import kgreason
from kgreason import KnowledgeGraph
from kgreason.errors import ServerError
from kgreason.graph.changes.delta import Delta
from kgreason.graph.changes.delta_filter import filter_delta
from kgreason.server.streams.views import pattern_of
from tests.server.conftest import ZOO
from tests.server.serving import client, served


@contextmanager
def fragile(address: str) -> Iterator[tuple[str, list[socket.socket]]]:
    """The address of a relay to a server, and its open connections, which the test may cut."""
    target = ("127.0.0.1", int(address.rpartition(":")[2]))
    listener, cut = socket.create_server(("127.0.0.1", 0)), list[socket.socket]()

    def copy(source: socket.socket, to: socket.socket) -> None:
        with suppress(OSError):
            while piece := source.recv(1 << 16):
                to.sendall(piece)
        for end in (source, to):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def accept() -> None:
        with suppress(OSError):
            while True:
                near, _ = listener.accept()
                far = socket.create_connection(target)
                cut.extend((near, far))
                for pair in ((near, far), (far, near)):
                    threading.Thread(target=copy, args=pair, daemon=True).start()

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}", cut
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join()
        for each in cut:
            each.close()


def test_every_commit_comes_once_through_lost_connections(tmp_path: Path) -> None:
    with (
        served(tmp_path / "store", text=ZOO) as address,
        fragile(address) as (relay, connections),
        kgreason.connect(address) as writer,
        kgreason.connect(relay) as reader,
        reader.subscribe() as deltas,
    ):
        made = [writer.add(f"<http://e/c{number}> a <http://e/Cat> .") for number in range(3)]
        told = [next(deltas), next(deltas)]
        for number in range(3, 12):
            for each in connections:
                with suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)
            made.append(writer.add(f"<http://e/c{number}> a <http://e/Cat> ."))
            told.append(next(deltas))
        told.append(next(deltas))
        with reader.subscribe(after=made[0].commit - 1) as again:
            assert [next(again).commit for _ in made] == [each.commit for each in made]
    assert [each.commit for each in told] == [each.commit for each in made]
    assert [each.to_patch() for each in told] == [each.to_patch() for each in made]
    assert [repr(each) for each in told] == [repr(each) for each in made]


def test_commits_that_are_gone_are_an_error(tmp_path: Path) -> None:
    with served(tmp_path / "store", text=ZOO) as address, kgreason.connect(address) as graph:
        with pytest.raises(ServerError) as gone:
            graph.subscribe(after=0)
        assert gone.value.status == 410
        with pytest.raises(ServerError, match="there is no commit 99"):
            graph.subscribe(after=99)
    with pytest.raises(ServerError, match="no server answers"):
        graph.subscribe()


def test_a_stream_ends_when_another_thread_closes_it(tmp_path: Path) -> None:
    with (
        served(tmp_path / "store", text=ZOO) as address,
        kgreason.connect(address) as graph,
        graph.subscribe() as deltas,
    ):
        threading.Timer(0.2, deltas.close).start()
        assert list(deltas) == []


def test_a_reader_goes_on_after_a_restart(tmp_path: Path) -> None:
    with served(tmp_path / "store", text=ZOO) as address:
        port = int(address.rpartition(":")[2])
        graph = kgreason.connect(address)
        deltas = graph.subscribe()
        graph.add("<http://e/a> a <http://e/Cat> .")
        assert next(deltas).appeared(asserted=True)
    with served(tmp_path / "store", port=port), graph, deltas:
        graph.add("<http://e/b> a <http://e/Cat> .")
        assert [each[0] for each in next(deltas).appeared()] == ["<http://e/b>"] * 2


def test_a_part_of_the_changes(tmp_path: Path) -> None:
    with served(tmp_path / "store", text=ZOO) as address, client(address) as http:
        begun = http.get("/health").json()["commit"]
        with kgreason.connect(address) as graph:
            graph.add("<http://e/a> a <http://e/Cat> .")
            graph.add("<http://e/a> <http://e/age> 7 .")
            graph.add("<http://e/a> a <http://e/Animal> .")
        after = {"after": str(begun)}
        told = lines(http, after | {"match": "?x a <http://e/Animal>"}, "text/event-stream", 8)
        assert sum('"appeared"' in line for line in told) == 1
        assert f"id: {begun + 2}" in told
        patch = lines(http, after | {"asserted": "true", "match": "? a ?"}, "application/rdf-patch", 12)
        assert patch[:1] == ["# following"]
        assert [line for line in patch if line.startswith(("A", "D", "H commit"))] == [
            f'H commit "{begun + 1}" .',
            "A <http://e/a> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e/Cat> .",
            f'H commit "{begun + 2}" .',
            f'H commit "{begun + 3}" .',
        ]
        for wrong in ("?s ?p", "?s ?p ?o ?g", "<a b> ?p ?o", '"x" ?p ?o', "<< " * 900):
            assert http.get("/changes", params={"match": wrong}).status_code == 400
        assert http.get("/changes", params={"asserted": "perhaps"}).status_code == 400
        assert http.get("/changes", headers={"Accept": "text/turtle"}).status_code == 406


def lines(http: httpx.Client, parameters: dict[str, str], accept: str, count: int) -> list[str]:
    with http.stream("GET", "/changes", params=parameters, headers={"Accept": accept}) as stream:
        found = stream.iter_lines()
        return [next(found) for _ in range(count)]


def test_parts_of_deltas_add_up_to_a_part_of_the_graph() -> None:
    deltas: list[Delta] = []
    with KnowledgeGraph.open() as graph:
        graph.subscribe(lambda delta: deltas.append(delta.with_own_dictionary()))
        graph.add(ZOO)
        graph.add("<http://e/tom> a <http://e/Animal> .")
        graph.remove("<http://e/tom> a <http://e/Cat> , <http://e/Animal> .")
        graph.add("<http://e/tom> a <http://e/Cat> . <http://e/a> <http://e/b> <http://e/c> .")
        for asserted in (True, False):
            found: set[tuple[str, ...]] = set()
            for each in deltas:
                part = filter_delta(each, asserted=asserted)
                assert not found & set(part.appeared())
                found = (found - set(part.disappeared())) | set(part.appeared())
            lines = b"".join(graph.dump(asserted=asserted)).decode().splitlines()
            assert {" ".join(row) + " ." for row in found} == set(lines)


def test_patterns_are_read() -> None:
    assert pattern_of('?s <http://e/p> "a b"@en') == (None, "<http://e/p>", '"a b"@en')
    assert pattern_of(' _:b ? "7"^^<http://e/t>') == ("_:b", None, '"7"^^<http://e/t>')
