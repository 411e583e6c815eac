"""A server in a thread of the test, and clients of it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from kgreason import KnowledgeGraph

pytest.importorskip("starlette")

from kgreason.server.serve import Server, serve
from kgreason.server.settings import Settings

PATIENCE = 120
HANGS_UP = pytest.mark.skipif(
    signal.getsignal(signal.SIGHUP) == signal.SIG_IGN, reason="SIGHUP is ignored here, as it is under nohup"
)


@contextmanager
def served(
    store: Path, *, rules: str = "owl2rl", text: str = "", budget: int | None = None, **options: Any
) -> Iterator[str]:
    """The address of a server of a store, which is made with these rules and this Turtle text if it is not there."""
    if not store.exists():
        with KnowledgeGraph.open(store, rules=[rules]) as graph:
            graph.add(text or "<http://e/none> <http://e/none> <http://e/none> .")
            if not text:
                graph.remove("<http://e/none> <http://e/none> <http://e/none> .")
    found: list[Any] = []
    is_ready = threading.Event()

    def ready(address: str, server: Server) -> None:
        found.extend((address, server))
        is_ready.set()

    def run() -> None:
        try:
            serve(KnowledgeGraph.open(store, budget=budget), Settings(store, **{"port": 0, **options}), ready)
        except BaseException as error:
            found.append(error)
            raise
        finally:
            is_ready.set()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        assert is_ready.wait(PATIENCE)
        assert len(found) == 2, found
        yield found[0]
    finally:
        if len(found) == 2:
            found[1].should_exit = True
        thread.join(PATIENCE)
    assert not thread.is_alive()


def client(address: str, **options: Any) -> httpx.Client:
    """A client that talks to this server alone."""
    return httpx.Client(base_url=address, timeout=PATIENCE, trust_env=False, **options)
