"""A server as its operator sees it: with named tokens, an access log and a history."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx

from kgreason import KnowledgeGraph
from tests.server.serving import client, served

READ, WRITE, ADMIN = "r" * 16, "w" * 16, "a" * 16
ROLES = {READ: "read", WRITE: "write", ADMIN: "admin"}
NAMES = {WRITE: "ann", ADMIN: "root"}
_PATIENCE = 10


class Operated(NamedTuple):
    """A running server: its address, the file of its access log, and a client of it."""

    address: str
    log: Path
    http: httpx.Client

    def lines(self, wanted: int = 0) -> list[dict[str, Any]]:
        """The access log; a line comes a moment after its answer, so wait for at least `wanted` lines."""
        end = time.monotonic() + _PATIENCE
        while len(found := self.log.read_text("ascii").splitlines()) < wanted and time.monotonic() < end:
            time.sleep(0.01)
        return [json.loads(line) for line in found]

    def line(self, request: str) -> dict[str, Any]:
        """The line about the request with this id."""
        end = time.monotonic() + _PATIENCE
        while time.monotonic() < end:
            for line in self.lines():
                if line["request"] == request:
                    return line
            time.sleep(0.01)
        raise AssertionError(f"no line about {request}: {self.lines()}")


@contextmanager
def operated(folder: Path, *, text: str = "", **options: Any) -> Iterator[Operated]:
    """A server with tokens, two of them with names; an access log; a trusted proxy on the loopback; and a history."""
    store = folder / "store"
    if not store.exists():
        with KnowledgeGraph.open(store, history="all") as graph:
            graph.add(text or "<http://e/a> <http://e/b> <http://e/c> .")
    told: dict[str, Any] = {"tokens": ROLES, "token_names": NAMES, "trusted_proxies": ("127.0.0.1",)}
    told |= {"access_log": "json", "access_file": folder / "access.log"} | options
    with served(store, **told) as address, client(address) as http:
        yield Operated(address, folder / "access.log", http)


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}
