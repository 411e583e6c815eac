"""`Connection`: a connection over HTTP, which is dropped if its client is too slow.

    a connection or a request has begun     the head of the request must have come within `seconds`
    an answer waits to be sent              the client must read most of 64 KB within `seconds`
    the body of a request comes             see `body`

So a client that sends or reads a byte a second, or nothing, cannot keep its connection for ever. Threads: everything
here belongs to the event loop.
"""

from __future__ import annotations

import asyncio
import socket
import struct
from contextlib import suppress
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

_AT_ONCE = struct.pack("ii", 1, 0)


class Connection(H11Protocol):
    """One connection of a client."""

    def __init__(self, *arguments: Any, seconds: float, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._seconds = seconds
        self._timers: dict[str, asyncio.TimerHandle] = {}

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        self._begin("request")

    def data_received(self, data: bytes) -> None:
        """Take some bytes of a request, and wait for the rest of this request."""
        super().data_received(data)
        cycle: RequestResponseCycle | None = self.cycle
        if cycle and not cycle.response_complete:
            self._end("request")
        else:
            self._begin("request")

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Give the connection to a websocket. The limits here do not hold for websockets."""
        self._end("request")
        super().handle_websocket_upgrade(event)

    def pause_writing(self) -> None:
        """Wait for the client to read."""
        super().pause_writing()
        self._begin("answer")

    def resume_writing(self) -> None:
        """Go on: the client has read."""
        super().resume_writing()
        self._end("answer")

    def on_response_complete(self) -> None:
        """If the connection ends after this answer, wait until the client has read the rest of the answer."""
        super().on_response_complete()
        if self.transport.is_closing():
            self._begin("end")

    def timeout_keep_alive_handler(self) -> None:
        """End a connection that is not used any more."""
        super().timeout_keep_alive_handler()
        self._begin("end")

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        for name in list(self._timers):
            self._end(name)
        super().connection_lost(exc)

    def _begin(self, name: str) -> None:
        """Drop the connection after some seconds, unless `_end(name)` is called before."""
        if name not in self._timers:
            self._timers[name] = self.loop.call_later(self._seconds, self._drop)

    def _end(self, name: str) -> None:
        if timer := self._timers.pop(name, None):
            timer.cancel()

    def _drop(self) -> None:
        """End the connection at once. The operating system does not send the rest of the answer either."""
        if (own := self.transport.get_extra_info("socket")) is not None:
            with suppress(OSError):
                own.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _AT_ONCE)
        self.transport.abort()
