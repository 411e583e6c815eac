"""`Connection`: a connection over HTTP, dropped if its client is too slow; `Connections`: how many there may be.

    a connection or a request has begun     the head of the request must have come within `seconds`
    an answer waits to be sent              the client must read most of 64 KB within `seconds`
    the body of a request comes             see `body`

    there are too many connections          the one that has waited longest for a request is dropped; if none waits, the
                                            new one gets status 503

So a client that sends or reads a byte a second, or nothing, cannot keep its connection for ever. Threads: everything
here belongs to the event loop.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import struct
from contextlib import suppress
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

_LOGGER = logging.getLogger("kgreason.server")
_HUSH = 300
"""Between two lines of the log about too many connections there are at least so many seconds."""
_FULL = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
_AT_ONCE = struct.pack("ii", 1, 0)


class Connections:
    """How many connections a server may have at once, and which of them wait for a request, the longest first."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.waiting: dict[Connection, None] = {}
        self._told = -float(_HUSH)

    @property
    def websockets(self) -> int:
        """How many of the connections may be websockets."""
        return max(1, self.most // 4)

    def log_crowd(self, now: float) -> None:
        """Log that there are too many connections, at most once in some minutes."""
        if now - self._told >= _HUSH:
            self._told = now
            _LOGGER.warning("there are more than %d connections: idle ones are dropped, others are refused", self.most)


class Connection(H11Protocol):
    """One connection of a client. After an event, asyncio or uvicorn calls the method for it."""

    def __init__(self, *arguments: Any, seconds: float, all_: Connections, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._all = all_
        self._seconds = seconds
        self._timers: dict[str, asyncio.TimerHandle] = {}

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client has connected: wait for its first request."""
        super().connection_made(transport)
        self._start_clock("request")
        if len(self.connections) > self._all.most:
            self._all.log_crowd(self.loop.time())
            if (longest := next(iter(self._all.waiting), None)) is None:
                self._refuse()
                return
            longest._close_at_once()
        self._all.waiting[self] = None

    def data_received(self, data: bytes) -> None:
        """Some bytes of a request have come: wait for the rest of this request."""
        super().data_received(data)
        if self.transport.get_protocol() is not self:  # a websocket has the connection now
            return
        cycle: RequestResponseCycle | None = self.cycle
        if cycle and not cycle.response_complete:
            self._stop_clock("request")
            self._all.waiting.pop(self, None)
        else:
            self._start_clock("request")

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """A request asks for a websocket: give it the connection. The limits here do not hold for websockets."""
        self._stop_clock("request")
        self._all.waiting.pop(self, None)
        if sum(not isinstance(each, Connection) for each in self.connections) >= self._all.websockets:
            self._all.log_crowd(self.loop.time())
            self._refuse()
            return
        super().handle_websocket_upgrade(event)

    def _refuse(self) -> None:
        """Answer that there are too many connections, and end this one."""
        self._start_clock("end")
        self.transport.write(_FULL)
        self.transport.close()

    def pause_writing(self) -> None:
        """Too many bytes wait to be sent: give the client `seconds` to read them."""
        super().pause_writing()
        self._start_clock("answer")

    def resume_writing(self) -> None:
        """The client has read enough: stop the clock that `pause_writing` started."""
        super().resume_writing()
        self._stop_clock("answer")

    def on_response_complete(self) -> None:
        """An answer is written: if the connection ends after it, give the client `seconds` to read the rest."""
        super().on_response_complete()
        if self.cycle.response_complete:
            self._all.waiting[self] = None
        if self.transport.is_closing():
            self._start_clock("end")

    def timeout_keep_alive_handler(self) -> None:
        """The client sends no further request: end the connection."""
        super().timeout_keep_alive_handler()
        self._start_clock("end")

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection has ended: stop all clocks."""
        for name in list(self._timers):
            self._stop_clock(name)
        self._all.waiting.pop(self, None)
        super().connection_lost(exc)

    def _start_clock(self, name: str) -> None:
        """Start the clock `name`: unless `_stop_clock(name)` stops it, the connection is dropped after `seconds`."""
        if name not in self._timers:
            self._timers[name] = self.loop.call_later(self._seconds, self._close_at_once)

    def _stop_clock(self, name: str) -> None:
        if timer := self._timers.pop(name, None):
            timer.cancel()

    def _close_at_once(self) -> None:
        """End the connection at once. The operating system does not send the rest of the answer either."""
        self._all.waiting.pop(self, None)
        if (own := self.transport.get_extra_info("socket")) is not None:
            with suppress(OSError):
                own.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _AT_ONCE)
        self.transport.abort()
