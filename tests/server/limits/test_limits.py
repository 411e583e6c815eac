"""Requests that want too much: each is answered or dropped, and others are served meanwhile."""

from __future__ import annotations

import asyncio
import gzip
import os
import re
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from kgreason import KnowledgeGraph
from kgreason.store.oxigraph import worker
from tests.cli.calling import start
from tests.server.conftest import ZOO
from tests.server.serving import HANGS_UP, PATIENCE, client, served

from kgreason.server.problems import Problem  # isort: skip
from kgreason.server.streams.feed import Feed  # isort: skip
from kgreason.server.writer import Writer  # isort: skip

ENDLESS = "SELECT (COUNT(*) AS ?n) { " + " ".join(f"?a{n} ?b{n} ?c{n} ." for n in range(12)) + " }"
MANY = "SELECT * { " + " ".join(f"?a{n} ?b{n} ?c{n} ." for n in range(12)) + " }"
TURTLE = {"Content-Type": "text/turtle"}
UPDATE = {"Content-Type": "application/sparql-update"}
LIMITS: dict[str, Any] = {
    "query_seconds": 3,
    "body_seconds": 1,
    "body_bytes": 2_000_000,
    "answer_bytes": 1_000_000,
    "queries": 2,
    "queries_waiting": 2,
}


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """A client of a server with small limits."""
    store = tmp_path_factory.mktemp("strict") / "store"
    with served(store, text=ZOO, **LIMITS) as address, client(address) as found:
        yield found


def is_well(http: httpx.Client) -> bool:
    """Whether the server answers a query and carries out an update."""
    asked = http.get("/query", params={"query": "ASK { ?s ?p ?o }"})
    return asked.text.endswith('"boolean":true}') and http.post("/update", content="", headers=UPDATE).is_success


def test_a_query_over_its_time_ends_and_holds_up_nobody(strict: httpx.Client) -> None:
    begun = time.monotonic()
    with ThreadPoolExecutor(1) as other:
        endless = other.submit(strict.post, "/query", data={"query": ENDLESS})
        while not endless.done():
            assert is_well(strict)
    answer = endless.result()
    assert answer.status_code == 504
    assert answer.json()["detail"] == "the query took longer than 3 s"
    assert time.monotonic() - begun < 20
    assert is_well(strict)


@pytest.mark.parametrize("path", ["/update", "/what-if"])
def test_a_where_over_its_time_ends_and_holds_up_nobody(path: str, strict: httpx.Client) -> None:
    text = f"INSERT {{ <http://e/n> <http://e/n> ?n }} WHERE {{ {ENDLESS} }}"
    was_left = worker.has_abandoned_call()
    with ThreadPoolExecutor(1) as other:
        endless = other.submit(strict.post, path, content=text, headers=UPDATE)
        while not endless.done():
            assert is_well(strict)
    assert endless.result().status_code == 504
    assert is_well(strict)
    assert was_left or not worker.has_abandoned_call()  # nothing goes on in a thread, which nobody could stop
    assert added(strict, 1)
    assert strict.post("/update", content="DELETE DATA { <http://e/1> a <http://e/Cat> }", headers=UPDATE).is_success


async def test_edits_that_cannot_even_wait_are_told_so() -> None:
    with KnowledgeGraph.open(rules=[]) as graph:
        writer, is_free = Writer(graph, 1), threading.Event()
        edits = [asyncio.create_task(writer.run(lambda _: is_free.wait(PATIENCE))) for _ in range(2)]
        await asyncio.sleep(0)
        try:
            with pytest.raises(Problem, match="too many edits") as refused:
                await asyncio.wait_for(writer.run(lambda _: True), 5)
        finally:
            is_free.set()
        assert refused.value.status == 503
        assert all(await asyncio.gather(*edits))
        assert await writer.run(lambda _: True)
        writer.close()


async def test_streams_that_are_too_many_are_told_so() -> None:
    feed = Feed(0, 1, 1, lambda _: iter(()))
    await feed.enter(None, "ann")
    with pytest.raises(Problem, match="too many streams"):
        await feed.enter(None, "ann")
    feed.leave("ann")
    await feed.enter(None, "ann")


async def test_a_reader_has_half_of_the_streams() -> None:
    feed = Feed(0, 1, 5, lambda _: iter(()))
    for reader in ("ann", "ann", "ann", "bob", "bob"):
        await feed.enter(None, reader)
    feed.leave("bob")
    with pytest.raises(Problem, match="too many streams"):
        await feed.enter(None, "ann")
    await feed.enter(None, "bob")


def test_queries_that_cannot_even_wait_are_told_so(strict: httpx.Client) -> None:
    with ThreadPoolExecutor(6) as others:
        asked = [others.submit(strict.post, "/query", data={"query": ENDLESS}) for _ in range(6)]
        while not all(each.done() for each in asked):
            (waiting,) = re.findall(r"^kgreason_queries_waiting (.*)$", strict.get("/metrics").text, re.MULTILINE)
            assert float(waiting) <= LIMITS["queries_waiting"]
            time.sleep(0.05)
    statuses = sorted(each.result().status_code for each in asked)
    assert set(statuses) == {503, 504}
    assert statuses.count(503) >= 2
    refused = next(each.result() for each in asked if each.result().status_code == 503)
    assert refused.headers["retry-after"] == "1"
    assert is_well(strict)


def test_a_query_sees_an_edit_that_comes_while_another_query_runs(tmp_path: Path) -> None:
    """The other query has time enough on a busy machine, and ends because its client leaves."""
    name = "<http://e/meanwhile> a <http://e/Cat>"
    with served(tmp_path / "store", text=ZOO, queries=2, query_seconds=PATIENCE) as address, client(address) as http:
        with connected(http) as endless:
            endless.sendall(f"GET /query?query={quote(ENDLESS)} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            until = time.monotonic() + PATIENCE
            while "kgreason_query_processes 2.0" not in http.get("/metrics").text:  # it has one of them
                assert http.get("/query", params={"query": "ASK {}"}).is_success
                assert time.monotonic() < until
            assert http.post("/update", content=f"INSERT DATA {{ {name} }}", headers=UPDATE).is_success
            assert http.get("/query", params={"query": f"ASK {{ {name} }}"}).json()["boolean"]
            endless.setblocking(False)
            with pytest.raises(BlockingIOError):  # it has no answer yet
                endless.recv(1)
        assert is_well(http)


def test_an_answer_that_is_too_long_breaks_off(strict: httpx.Client, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(httpx.RemoteProtocolError):
        strict.post("/query", data={"query": MANY})
    assert is_well(strict)
    told = "an answer broke off: the answer has more than 1,000,000 bytes"
    assert any(message.startswith(told) for message in caplog.messages)
    assert not any(record.exc_info for record in caplog.records)  # a trace for each would fill the log


def test_a_query_that_eats_memory_ends_alone(tmp_path: Path) -> None:
    hungry = MANY + " ORDER BY ?a0"
    with served(tmp_path / "store", text=ZOO, query_bytes=1 << 30) as address, client(address) as http:
        answer = http.post("/query", data={"query": hungry})
        assert (answer.status_code, "memory" in answer.json()["detail"]) == (400, True)
        again = http.get("/query", params={"query": "ASK { ?s ?p ?o }"})
        assert again.text.endswith('"boolean":true}'), again.text


@pytest.mark.parametrize("opening", ["{", "(", "[ <e:p> ", "\\u0028", "<<( <e:a> <e:b> ", "!", "NOT EXISTS { FILTER "])
def test_a_text_that_is_nested_too_deeply_is_refused(opening: str, strict: httpx.Client) -> None:
    closing = {"{": "}", "(": ")", "[": "]", "\\": ")", "<": " )>>", "!": "", "N": "}"}[opening[0]]
    nested = opening * 5000 + "<e:x>" + closing * 5000
    for text in (nested, f"FILTER ({nested})", f"<e:a> <e:b> {nested}"):
        assert strict.post("/query", data={"query": f"SELECT * {{ {text} }}"}).status_code in (200, 400, 504)
        assert strict.post("/update", data={"update": f"DELETE {{}} WHERE {{ {text} }}"}).status_code in (204, 400, 504)
        assert strict.post("/update", data={"update": f"INSERT DATA {{ {text} }}"}).status_code in (204, 400, 504)
    assert is_well(strict)


@pytest.mark.parametrize(
    ("kind", "opening", "closing"),
    [
        ("text/turtle", "[ <http://e/c> ", "]"),
        ("text/turtle", "(", ")"),
        ("text/turtle", "<<( <e:a> <e:b> ", " )>>"),
        ("application/n-triples", "<<( <e:a> <e:b> ", " )>>"),
        ("application/ld+json", '{"http://e/p":', "}"),
        ("application/rdf+xml", "<e:a><e:b>", "</e:b></e:a>"),
    ],
)
def test_a_document_that_is_nested_too_deeply_is_refused(
    kind: str, opening: str, closing: str, strict: httpx.Client
) -> None:
    frame = {"application/ld+json": ("", "1", ""), "application/rdf+xml": (_RDF, "", "</rdf:RDF>")}
    before, within, after = frame.get(kind, ("<e:a> <e:b> ", "<e:c>", " ."))
    text = gzip.compress(f"{before}{opening * 30_000}{within}{closing * 30_000}{after}".encode())
    headers = {"Content-Type": kind, "Content-Encoding": "gzip"}
    answer = strict.put("/store?graph=http://e/deep", content=text, headers=headers)
    assert answer.status_code in (201, 204, 400, 413, 504)
    strict.delete("/store?graph=http://e/deep")
    assert is_well(strict)


_RDF = '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e/">'


def status_of_long(http: httpx.Client, path: str, body: bytes | Iterator[bytes], headers: dict[str, str]) -> int:
    """The status of a request whose body is too long; 413 as well if the server closes the connection before."""
    try:
        return http.post(path, content=body, headers=headers).status_code
    except (httpx.WriteError, httpx.ReadError, httpx.RemoteProtocolError):
        return 413


def test_a_body_that_is_too_long_is_refused(strict: httpx.Client) -> None:
    long = b"#" * 2_000_001
    for path, headers in (("/store?default", TURTLE), ("/update", UPDATE)):
        assert status_of_long(strict, path, long, headers) == 413
    packed = gzip.compress(b"#" * 50_000_000)
    assert len(packed) < 2_000_000
    bomb = strict.post("/store?default", content=packed, headers=TURTLE | {"Content-Encoding": "gzip"})
    assert bomb.status_code == 413
    assert is_well(strict)


def test_a_body_that_never_ends_is_refused(strict: httpx.Client) -> None:
    def pieces() -> Iterator[bytes]:
        while True:
            yield b"#" * 10_000

    assert status_of_long(strict, "/store?default", pieces(), TURTLE) == 413
    assert is_well(strict)


@pytest.mark.parametrize("packed", [b"nonsense", gzip.compress(b"<a> <b> <c> .")[:-9]], ids=["nonsense", "cut"])
def test_a_body_that_is_not_gzip_is_refused(packed: bytes, strict: httpx.Client) -> None:
    answer = strict.post("/store?default", content=packed, headers=TURTLE | {"Content-Encoding": "gzip"})
    assert answer.status_code == 400
    assert "gzip" in answer.json()["detail"]


def connected(http: httpx.Client) -> socket.socket:
    host, port = http.base_url.host, http.base_url.port
    assert port
    return socket.create_connection((host, port), timeout=PATIENCE)


def test_a_client_that_sends_half_a_body_is_dropped(strict: httpx.Client) -> None:
    with connected(strict) as half:
        half.sendall(
            b"PUT /store?default HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/turtle\r\n"
            b"Content-Length: 9\r\n\r\n<a>"
        )
        assert is_well(strict)
        assert half.recv(1000).startswith(b"HTTP/1.1 408")
        while half.recv(1000):
            pass


def test_a_client_that_goes_away_frees_its_place(strict: httpx.Client) -> None:
    for _ in range(6):
        with connected(strict) as gone:
            gone.sendall(f"GET /query?query={MANY.replace(' ', '+')} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            gone.recv(1)
    assert is_well(strict)


def test_a_client_that_goes_away_before_the_first_row_frees_its_place(strict: httpx.Client) -> None:
    for _ in range(4):
        with connected(strict) as gone:
            gone.sendall(f"GET /query?query={quote(ENDLESS)} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            time.sleep(0.3)
    assert is_well(strict)


@pytest.mark.parametrize("path", ["/update", "/what-if"])
def test_a_where_whose_client_goes_away_ends(path: str, tmp_path: Path) -> None:
    text = f"INSERT {{ <http://e/n> <http://e/n> ?n }} WHERE {{ {ENDLESS} }}".encode()
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {UPDATE['Content-Type']}\r\n"
    with (
        served(tmp_path / "store", text=ZOO, queries=1, query_seconds=PATIENCE) as address,
        client(address) as http,
    ):
        with connected(http) as gone:
            gone.sendall(f"{head}Content-Length: {len(text)}\r\n\r\n".encode() + text)
            time.sleep(1)
        begun = time.monotonic()
        assert is_well(http)
        assert time.monotonic() - begun < PATIENCE / 2


def test_a_client_that_does_not_read_is_dropped(strict: httpx.Client) -> None:
    with connected(strict) as slow, connected(strict) as other:
        for each in (slow, other):
            each.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
            each.sendall(f"GET /query?query={MANY.replace(' ', '+')} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        time.sleep(4)
        assert is_well(strict)


@contextmanager
def process_of(store: Path, *options: object, text: str = ZOO) -> Iterator[tuple[subprocess.Popen[str], httpx.Client]]:
    """A server in a process of its own, with a client. Nothing of the server may be left when the block ends."""
    with KnowledgeGraph.open(store) as graph:
        graph.add(text)
    process = start("serve", "-l", store, "--bind", "127.0.0.1:0", *(options or ("--query-timeout", 2)))
    assert process.stderr
    address = next(line for line in process.stderr if "serving" in line).split()[-1]
    log = threading.Thread(target=process.stderr.read)
    log.start()
    try:
        with client(address) as http:
            yield process, http
    finally:
        if process.poll() is None:
            process.terminate()
        process.wait(PATIENCE)
        log.join(PATIENCE)
        process.communicate()
    until = time.monotonic() + PATIENCE
    while subprocess.run(["pgrep", "-f", str(store)], capture_output=True, check=False).stdout:
        assert time.monotonic() < until
        time.sleep(0.1)


def added(http: httpx.Client, number: int) -> bool:
    """Add a cat; returns whether the server has acknowledged the commit."""
    try:
        text = f"INSERT DATA {{ <http://e/{number}> a <http://e/Cat> }}"
        return http.post("/update", content=text, headers=UPDATE).status_code == 204
    except httpx.TransportError:
        return False


@pytest.mark.parametrize("stop", [signal.SIGTERM, pytest.param(signal.SIGHUP, marks=HANGS_UP), signal.SIGKILL])
def test_a_server_that_is_stopped_has_lost_nothing(stop: signal.Signals, tmp_path: Path) -> None:
    store = tmp_path / "store"
    with process_of(store) as (process, http):
        assert added(http, 0)
        with ThreadPoolExecutor(5) as others:
            others.submit(asked, http, ENDLESS)
            edits = [others.submit(added, http, number) for number in range(1, 50)]
            time.sleep(0.2)
            os.kill(process.pid, stop)
        made = [0, *(number for number, edit in enumerate(edits, 1) if edit.result())]
        ended = process.wait(PATIENCE)
        assert ended in ((-stop,) if stop == signal.SIGKILL else (0, 1))  # 1: on a busy machine it ended itself
    with KnowledgeGraph.open(store) as graph:  # no other process has the store
        assert all((f"http://e/{number}", "a", "http://e/Animal") in graph for number in made)


def asked(http: httpx.Client, sparql: str) -> None:
    """Ask a query whose answer nobody needs."""
    with suppress(httpx.TransportError):
        http.post("/query", data={"query": sparql})
