"""`RefusedLogins`: logs that somebody came with a wrong token, at a rate that cannot fill a disk.

The log gets at most 20 lines a minute. After a minute with more refused logins, one line has the number of the others.
Neither the token nor a user name is logged. Threads: everything here belongs to the event loop.
"""

from __future__ import annotations

import asyncio
import logging

from starlette.types import Scope

from kgreason.server.request.ids import client_of

_LOGGER = logging.getLogger("kgreason.server")
_MOST, _SECONDS = 20, 60


class RefusedLogins:
    """Counts refused logins (`count`), and logs some of them."""

    def __init__(self) -> None:
        self.count = 0
        self._in_window = 0

    def note(self, scope: Scope, means: str) -> None:
        """Note that a request was refused, because of a wrong token that came by these `means`."""
        self.count += 1
        if not self._in_window:
            asyncio.get_running_loop().call_later(_SECONDS, self._end_window)
        self._in_window += 1
        if self._in_window <= _MOST:
            _LOGGER.warning("refused login from %s: unknown token (%s)", client_of(scope), means)

    def _end_window(self) -> None:
        if self._in_window > _MOST:
            _LOGGER.warning("%d more refused logins in the last %d seconds", self._in_window - _MOST, _SECONDS)
        self._in_window = 0
