"""Requests over lost connections: what reads is asked again, and an edit is sent once."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from kgreason.client.link import Link
from kgreason.errors import ServerError

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"


@contextmanager
def answering(*answers: bytes) -> Iterator[tuple[str, list[bytes]]]:
    """The address of a server with an answer for each connection, and the requests that came."""
    requests: list[bytes] = []

    def serve() -> None:
        for answer in answers:
            with closing(listener.accept()[0]) as connection:
                requests.append(connection.recv(1 << 16))
                connection.sendall(answer)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}", requests
        thread.join()


def test_a_request_that_reads_is_sent_again() -> None:
    with answering(b"", ANSWER) as (address, requests), closing(Link(address)) as link:
        assert link.get("/stats").json() == {}
    assert len(requests) == 2


def test_an_edit_is_sent_once() -> None:
    with (
        answering(b"") as (address, requests),
        closing(Link(address)) as link,
        pytest.raises(ServerError, match="the edit may have been made"),
    ):
        link.post_form("/update", [("update", "CLEAR ALL")], "*/*", is_edit=True)
    assert len(requests) == 1


def test_an_answer_that_breaks_off_is_an_error() -> None:
    with (
        answering(ANSWER[:-1]) as (address, _),
        closing(Link(address)) as link,
        pytest.raises(ServerError, match="the answer broke off"),
    ):
        link.get("/stats")


def test_no_answer_in_time_is_an_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        link = Link(f"http://127.0.0.1:{listener.getsockname()[1]}", timeout=0.05)
        with pytest.raises(ServerError, match=r"no answer within 0\.05 s"):
            link.get("/stats")
        link.close()
        with pytest.raises(ServerError, match="the graph is closed"):
            link.get("/stats")
