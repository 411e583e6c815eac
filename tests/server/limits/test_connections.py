"""How many connections there may be at once: idle ones make room for new ones."""

from __future__ import annotations

import logging
import resource
import socket
from collections.abc import Iterator
from contextlib import ExitStack

import httpx
import pytest

from tests.server.conftest import ZOO
from tests.server.limits.test_limits import connected, is_well
from tests.server.serving import client, served

MOST = 12
FOLLOW = b"GET /changes HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """A client of a server that has room for few connections."""
    store = tmp_path_factory.mktemp("small") / "store"
    with served(store, text=ZOO, connections=MOST) as address, client(address) as found:
        yield found


def is_open(each: socket.socket) -> bool:
    """Whether the server has not ended a connection from which nothing was read yet."""
    each.settimeout(0.02)
    try:
        return bool(each.recv(1, socket.MSG_PEEK))
    except TimeoutError:
        return True
    except OSError:
        return False


def test_idle_connections_make_room(small: httpx.Client, caplog: pytest.LogCaptureFixture) -> None:
    """The longest idle connection is dropped for a new one, and one line of the log tells of it."""
    with ExitStack() as held, caplog.at_level(logging.WARNING, "kgreason.server"):
        idle = [held.enter_context(connected(small)) for _ in range(3 * MOST)]
        assert is_well(small)
        alive = [is_open(each) for each in idle]
        assert not any(alive[: len(idle) - MOST])
        assert any(alive)
    assert sum("connections" in each.message for each in caplog.records) <= 1


def test_busy_connections_stay_and_new_ones_are_refused(small: httpx.Client) -> None:
    with ExitStack() as held:
        busy = [held.enter_context(connected(small)) for _ in range(2 * MOST)]
        told = []
        for each in busy:
            each.settimeout(30)
            try:
                each.sendall(FOLLOW)
                told.append(each.recv(12))
            except OSError:
                told.append(b"")
        assert told.count(b"HTTP/1.1 200") >= MOST - 2
        with connected(small) as late:
            late.settimeout(30)
            assert late.recv(12) in (b"HTTP/1.1 503", b"")
    assert any(is_well(small) for _ in range(3))


def test_the_limit_of_open_files_is_raised(small: httpx.Client) -> None:
    assert is_well(small)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert soft >= min(hard, 1 << 16)
