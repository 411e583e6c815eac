"""Clients that send or read too slowly, or too many at once: each is dropped, and others are served meanwhile."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Iterator, MutableMapping
from contextlib import ExitStack, suppress
from typing import Any

import httpx
import pytest

from tests.server.conftest import ZOO
from tests.server.limits.test_limits import connected, is_well
from tests.server.serving import client, served

from kgreason.server.body import receive_in_time  # isort: skip
from kgreason.server.problems import Problem  # isort: skip

LIMITS: dict[str, Any] = {"body_seconds": 1.5, "streams": 100}
PUT = b"PUT /store?default HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/turtle\r\n"
HEALTH = b"GET /health HTTP/1.1\r\nHost: localhost\r\n"
FOLLOW = b"GET /changes HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.fixture(scope="module")
def impatient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """A client of a server that does not wait long for others."""
    with (
        served(tmp_path_factory.mktemp("impatient") / "store", text=ZOO, **LIMITS) as address,
        client(address) as found,
    ):
        yield found


def drip(to: socket.socket, text: bytes) -> None:
    """Send a byte every tenth of a second until the server has had enough."""
    with suppress(OSError):
        for number in range(len(text)):
            to.sendall(text[number : number + 1])
            time.sleep(0.1)


def said(by: socket.socket) -> bytes:
    """Everything until the server ends the connection."""
    found = b""
    with suppress(ConnectionError):
        while piece := by.recv(1 << 16):
            found += piece
    return found


@pytest.mark.parametrize("begin", [b"", b"GET /heal", FOLLOW[:-4]])
def test_a_client_that_sends_half_a_request_is_dropped(begin: bytes, impatient: httpx.Client) -> None:
    with connected(impatient) as half:
        half.sendall(begin)
        assert is_well(impatient)
        assert said(half) == b""


@pytest.mark.parametrize(
    ("begin", "slow", "answer"),
    [
        (b"", b"GET /health HTTP/1.1\r\nHost: localhost\r\nX-Long: " + b"x" * 1000, b""),
        (PUT + b"Content-Length: 1000\r\n\r\n", b"#" * 1000, b"HTTP/1.1 408"),
        (PUT + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n#\r\n" * 200, b"HTTP/1.1 408"),
    ],
)
def test_a_client_that_sends_a_byte_now_and_then_is_dropped(
    begin: bytes, slow: bytes, answer: bytes, impatient: httpx.Client
) -> None:
    with connected(impatient) as drop:
        drop.sendall(begin)
        sender = threading.Thread(target=drip, args=(drop, slow))
        begun = time.monotonic()
        sender.start()
        assert is_well(impatient)
        assert said(drop).startswith(answer)
        assert time.monotonic() - begun < 20
        sender.join()


def test_a_client_that_reads_a_byte_now_and_then_is_dropped(impatient: httpx.Client) -> None:
    text = "".join(f"<http://e/{number}> <http://e/long> <http://e/{'x' * 1000}> .\n" for number in range(20_000))
    headers = {"Content-Type": "application/n-triples"}
    assert impatient.put("/store?graph=http://e/long", content=text, headers=headers).is_success
    with connected(impatient) as slow:
        slow.sendall(b"GET /store?graph=http://e/long HTTP/1.1\r\nHost: localhost\r\n\r\n")
        until = time.monotonic() + 4
        while time.monotonic() < until:
            slow.recv(1)
            time.sleep(0.1)
        assert is_well(impatient)
        assert len(said(slow)) < len(text) / 2
    assert impatient.delete("/store?graph=http://e/long").is_success


@pytest.mark.parametrize("comes", ["first", "meanwhile"])
@pytest.mark.parametrize("begins", [0, 0.2, 0.48, 0.495])
async def test_a_client_is_not_blamed_for_the_time_in_which_the_server_stands_still(begins: float, comes: str) -> None:
    """As where the server starts a process, and its memory is large. Messages come meanwhile, and some time later."""

    loop, is_there = asyncio.get_running_loop(), asyncio.Event()

    async def receive() -> MutableMapping[str, Any]:
        await is_there.wait()
        is_there.clear()
        return {"type": "http.request", "body": b"", "more_body": True}

    def stand_still() -> None:
        if comes == "first":
            is_there.set()
        time.sleep(1)

    receiving = receive_in_time(receive, 0.5)
    loop.call_later(begins, stand_still)
    if comes == "meanwhile":
        loop.call_later(begins + 0.002, is_there.set)
    await receiving()
    if begins < 0.4:
        loop.call_later(0.2, is_there.set)
        await receiving()
    with pytest.raises(Problem, match="did not come in time"):
        await receiving()


def test_an_upload_of_ten_gigabytes_is_refused_before_it_is_sent(impatient: httpx.Client) -> None:
    for more in (b"", b"Expect: 100-continue\r\n"):
        with connected(impatient) as large:
            large.sendall(PUT + more + b"Content-Length: 10000000000\r\n\r\n")
            assert said(large).startswith(b"HTTP/1.1 413")


def test_a_refused_upload_is_not_read_to_its_end(impatient: httpx.Client) -> None:
    with connected(impatient) as large:
        large.sendall(PUT.replace(b"turtle", b"nothing") + b"Content-Length: 1000000000\r\n\r\n")
        begun = time.monotonic()
        with suppress(ConnectionError):
            while time.monotonic() - begun < 20:
                large.sendall(b"#" * 1000)
                time.sleep(0.01)
        assert time.monotonic() - begun < 20


def test_a_head_that_is_too_long_is_refused(impatient: httpx.Client) -> None:
    with connected(impatient) as large:
        with suppress(ConnectionError):
            large.sendall(HEALTH + b"X-Long: " + b"x" * 2_000_000)
        assert is_well(impatient)
        assert said(large)[:12] in (b"HTTP/1.1 400", b"HTTP/1.1 431", b"")
    with connected(impatient) as endless:  # one short line after the other
        with suppress(ConnectionError):
            endless.sendall(HEALTH + b"X: x\r\n" * 400_000 + b"\r\n")
        assert said(endless)[:12] in (b"HTTP/1.1 400", b"HTTP/1.1 431", b"")


@pytest.mark.parametrize("says", [b"", FOLLOW])
def test_a_thousand_idle_clients_hold_up_nobody(says: bytes, impatient: httpx.Client) -> None:
    with ExitStack() as stack:
        idle = [stack.enter_context(connected(impatient)) for _ in range(1000)]
        for each in idle:
            each.sendall(says)
        assert is_well(impatient)
        if says:
            refused = [each for each in idle if each.recv(12) == b"HTTP/1.1 503"]
            assert len(refused) == 1000 - LIMITS["streams"] // 2  # one address may have half of the streams
        else:
            assert {said(each) for each in idle} == {b""}
        assert is_well(impatient)
