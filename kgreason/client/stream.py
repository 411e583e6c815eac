"""`Deltas`: the commits of a server as they come, through lost connections and restarts of the server.

    connect after commit n -> deltas n+1, n+2, ...        connection lost -> connect after the last delta

Law: every commit comes once and in order. If the server no longer has a commit, the iteration raises ServerError with
status 410; it never skips one. Threads: one thread at a time reads; `close` may be called from any thread.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from socket import SHUT_RDWR
from typing import TYPE_CHECKING, Any, Self

import httpx

from kgreason.client.link import LOST, Link
from kgreason.errors import QueryError, ServerError

if TYPE_CHECKING:
    from kgreason.graph.changes.delta import Delta
    from kgreason.graph.standing.rows import Row
    from kgreason.graph.standing.standing_query import RowChange

_FIRST_PAUSE, _LONGEST_PAUSE = 0.05, 2.0
_SILENCE = 60
"""After this many seconds without a sign of life the connection counts as lost; the server sends one each 15 s."""
_PASSING = (502, 503, 504)
"""Statuses that are worth another attempt: the server, or a proxy before the server, will answer again."""


class Events:
    """Iterates over the server-sent events of a path. Each event has a number.

    `given` are the parameters of the request. The events begin after the number `after`; if it is None, with the next
    one. After a lost connection the client connects again, and the events go on after the last one that was read. The
    iteration raises ServerError if there is no connection for `patience` seconds.
    """

    def __init__(self, link: Link, path: str, given: list[tuple[str, str]], after: int | None, patience: float) -> None:
        self._link, self._path, self._given, self._patience = link, path, given, patience
        self.after = after
        """The number of the last event, None before the first connection of a stream that begins now."""
        self._response: httpx.Response | None = None
        self._is_closed = False
        try:
            self._connect()
        except LOST as error:
            self._drop_connection()
            raise self._link.error_of(error) from error

    def _connect(self) -> None:
        """Connect to the server, and ask for the events after the number `self.after`.

        If `self.after` is None, read it from the first lines that the server sends.
        """
        headers = {"Accept": "text/event-stream"}
        if self.after is not None:
            headers["Last-Event-ID"] = str(self.after)
        self._response = self._link.stream(self._path, self._given, headers, _SILENCE)
        self._lines = _fields(self._response)
        if self.after is None:
            for name, value in self._lines:
                if name == "id":
                    self.after = int(value)
                    return
            raise ConnectionResetError

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> tuple[str, Any]:
        """Wait for the next event. Returns its name and its data.

        Raises ServerError, and StopIteration after `close`.
        """
        lost: float | None = None
        pause = _FIRST_PAUSE
        while not self._is_closed:
            try:
                if self._response is None:
                    self._connect()
                    lost, pause = None, _FIRST_PAUSE
                return self._event()
            except (*LOST, ValueError, ServerError) as error:
                self._drop_connection()
                lost = time.monotonic() if lost is None else lost
                self._check(error, time.monotonic() - lost)
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)
        raise StopIteration

    def _check(self, error: Exception, seconds: float) -> None:
        """Raise ServerError if the client must not try to connect again.

        `error` is the reason why there is no connection. `seconds` is how long there has been no connection.
        """
        if self._is_closed:
            return
        if isinstance(error, ServerError):
            if error.status not in _PASSING or seconds > self._patience:
                raise error
        elif seconds > self._patience:
            raise self._link.error_of(error) from error

    def _event(self) -> tuple[str, Any]:
        name, data, number = "message", "", None
        for field, value in self._lines:
            if field == "event":
                name = value
            elif field == "data":
                data += value
            elif field == "id":
                number = int(value)
            elif not field:
                if data:
                    found = json.loads(data)
                    self.after = self.after if number is None else number
                    return name, found
                self.after = self.after if number is None else number
                name, number = "message", None
        raise ConnectionResetError("the server has ended the stream")

    def _drop_connection(self) -> None:
        response, self._response = self._response, None
        if response is not None:
            response.close()

    def close(self) -> None:
        """End the iteration."""
        self._is_closed = True
        response = self._response
        if response is not None:  # another thread may wait for the next bytes
            with suppress(OSError):
                response.extensions["network_stream"].get_extra_info("socket").shutdown(SHUT_RDWR)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
        self._drop_connection()


def _fields(response: httpx.Response) -> Iterator[tuple[str, str]]:
    """Yield (name, value) for each line `name: value` of an answer, until the answer ends."""
    begun: list[bytes] = []
    for piece in response.iter_raw():
        end, *lines = piece.split(b"\n")
        begun.append(end)
        for line in lines:
            field, colon, value = b"".join(begun).decode().rstrip("\r").partition(":")
            begun = [line]
            yield (field or colon), value.removeprefix(" ")


class Deltas(Events):
    """An iterator over the deltas of all commits after a given commit; `RemoteGraph.subscribe` makes it."""

    def __next__(self) -> Delta:  # type: ignore[override]
        """Wait for the next delta. Raises ServerError, and StopIteration after `close`."""
        from kgreason.wire.deltas import from_json

        return from_json(super().__next__()[1])


class RowChanges(Events):
    """An iterator over the changes that commits make in the rows of a query; `RemoteGraph.standing` makes it.

    After a lost connection the server sends all rows again. The client compares these rows with the rows that it had
    before. So the next change has only the rows that appeared or disappeared meanwhile.
    """

    def __init__(self, link: Link, given: list[tuple[str, str]], patience: float) -> None:
        self._rows: Counter[Row] = Counter()
        self._is_begun = False
        super().__init__(link, "/subscribe", given, 0, patience)

    def __next__(self) -> RowChange:  # type: ignore[override]
        """Wait for the next change. The first change has all present rows as rows that appeared.

        Raises ServerError, QueryError, and StopIteration after `close`.
        """
        from kgreason.graph.standing.standing_query import RowChange

        while True:
            name, told = super().__next__()
            if name == "end":
                self.close()
                raise QueryError(told["detail"])
            come, gone = (Counter(map(tuple, told[part])) for part in ("appeared", "disappeared"))
            if told["first"]:
                come, gone = come - self._rows, self._rows - come
            self._rows.update(come)
            self._rows = self._rows - gone
            if come or gone or not self._is_begun:
                self._is_begun = True
                columns = tuple(told["columns"])
                return RowChange(told["commit"], columns, list(come.elements()), list(gone.elements()))
