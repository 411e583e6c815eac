"""`serve`: opens the store, listens, and closes the store when it is told to stop.

SIGTERM and Ctrl-C stop the server. It takes no new request, gives the running requests some seconds to end, finishes
the commits that wait, and closes the store. After a second signal it does not wait for requests. SIGHUP has the server
read the file of its tokens again; without such a file it stops the server. A SIGHUP that is ignored, as under `nohup`,
stays ignored.

A commit that needs more than some seconds is rolled back. If the store is not closed `_LATEST` seconds after the
signal, the process ends at once, as after a kill, and its log says where it was. No acknowledged edit is lost.
"""

from __future__ import annotations

import asyncio
import faulthandler
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from types import FrameType

import uvicorn

from kgreason.errors import InputError
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.server.application import application
from kgreason.server.body import empty_folder
from kgreason.server.http.connection import Connection, Connections
from kgreason.server.operation.tokens import reload_tokens
from kgreason.server.settings import Settings
from kgreason.server.streams.feed import Feed

_STOPS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
_BACKLOG = 1024
_FILES = 1 << 16
"""More open files than this are not asked for."""
_HEAD = 1 << 16
"""The longest head of a request, in bytes."""
_MESSAGE = 1 << 22
"""The longest message of a browser to the console, in bytes."""
_LATEST = 9
"""The seconds after which the process ends although the store is not closed."""
_PATIENCE = 3
"""The seconds that running requests get when the server stops."""


def serve(graph: KnowledgeGraph, settings: Settings, ready: Callable[[str, Server], object] = lambda *_: None) -> None:
    """Serve a graph until the process is told to stop; then close the graph.

    As soon as the server listens, `ready(address, server)` is called. Raises InputError if the address, or the folder
    for the bodies of requests, cannot be used.
    """
    settings.check()
    with _listener(settings) as listener, empty_folder(settings.store):
        port = listener.getsockname()[1]
        host = f"[{settings.host}]" if ":" in settings.host else settings.host
        feed = Feed(graph.commit, settings.kept, settings.streams, graph.deltas_since)
        app, sessions = application(graph, settings, feed)
        address = f"http://{host}:{port}{settings.root_path}"
        connections = Connections(min(settings.connections, _raise_file_limit() // 2))
        again = None if settings.token_file is None else partial(reload_tokens, settings.token_file, sessions)
        server = Server(app, settings.body_seconds, connections, lambda: ready(address, server), feed.close, again)
        try:
            server.run([listener])
        finally:
            server.cancel_forced_exit()


class Server(uvicorn.Server):
    """A uvicorn server that says when it listens. After a signal has stopped the server, the process goes on."""

    def __init__(
        self,
        app: object,
        slow: float,
        connections: Connections,
        ready: Callable[[], object],
        stop: Callable[[], object],
        again: Callable[[], object] | None = None,
    ) -> None:
        """`ready` is called when the server listens, and `stop` when it begins to shut down.

        `again` is called at SIGHUP, in the event loop. Without it SIGHUP stops the server.
        `slow` is the number of seconds after which `Connection` drops a slow client.
        """
        config = uvicorn.Config(
            app,  # type: ignore[arg-type]
            lifespan="on",
            access_log=False,
            log_config=None,
            log_level="warning",
            server_header=False,
            proxy_headers=False,
            loop="asyncio",  # as without the libraries that NiceGUI brings
            http=partial(Connection, seconds=slow, all_=connections),  # type: ignore[arg-type]  # it is called as a class is
            h11_max_incomplete_event_size=_HEAD,
            ws="websockets-sansio",
            ws_max_size=_MESSAGE,
            timeout_graceful_shutdown=_PATIENCE,
        )
        super().__init__(config)
        self._ready, self._stop, self._again = ready, stop, again
        self._has_latest = False

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen, and call `ready`."""
        await super().startup(sockets)
        if self.started:
            self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Shut the server down. Streams end first, because the server waits for all connections to end."""
        self._stop()
        if threading.current_thread() is threading.main_thread():
            with suppress(OSError, ValueError, RuntimeError):  # nobody can read the log
                faulthandler.dump_traceback_later(_LATEST, exit=True)
                self._has_latest = True
        await super().shutdown(sockets)

    def cancel_forced_exit(self) -> None:
        """Let the process go on after the server has ended."""
        if self._has_latest:
            faulthandler.cancel_dump_traceback_later()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """A context in which signals stop the server (`_STOPS`), or reload. Outside the main thread they do nothing."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        stops = [each for each in _STOPS if signal.getsignal(each) != signal.SIG_IGN or each == signal.SIGINT]
        before = {each: signal.signal(each, self._handler(each)) for each in stops}
        try:
            yield
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)

    def _handler(self, number: int) -> Callable[[int, FrameType | None], object]:
        if number != getattr(signal, "SIGHUP", None) or self._again is None:
            return self.handle_exit
        loop, again = asyncio.get_running_loop(), self._again
        return lambda *_: loop.call_soon_threadsafe(again)


def _raise_file_limit() -> int:
    """Raise the limit of open files of this process as far as allowed and useful. Returns the limit."""
    try:
        import resource
    except ImportError:  # Windows
        return _FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _FILES if hard == resource.RLIM_INFINITY else min(hard, _FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        return wanted
    return _FILES if soft == resource.RLIM_INFINITY else soft


@contextmanager
def _listener(settings: Settings) -> Iterator[socket.socket]:
    """A context: a socket that listens at the address of the settings. Raises InputError if that is impossible."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    # asyncio turns Nagle's algorithm off only for sockets that name TCP; each answer would cost 40 milliseconds more.
    with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        try:
            if os.name == "posix":
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((settings.host, settings.port))
            listener.listen(_BACKLOG)
        except OSError as error:
            raise InputError(f"--bind {settings.host}:{settings.port}: {error.strerror or error}") from error
        yield listener
