"""The messages that a graph sends to `logging`, under the name `kgreason`.

    INFO      one line for each commit: what appeared and disappeared, and how long the commit took
    DEBUG     how the commit was evaluated
    WARNING   new warnings after a commit, such as imports without a document or cliques above the budget

`logging.basicConfig(level="INFO")` shows commits and warnings.

Cost: nothing if no handler is set: then the caller leaves the log alone (`is_heard`). With a handler, the warnings are
listed before and after each commit.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable

from kgreason.graph.changes.delta import Delta

LOGGER = logging.getLogger("kgreason")
is_heard = LOGGER.hasHandlers
"""Whether anybody has set a handler. Without one, Python would write warnings to standard error."""


class CommitLog:
    """Writes the log messages of each commit. Threads: call it only with the graph's lock."""

    def __init__(self) -> None:
        self._begun = 0.0
        self._known: frozenset[str] | None = None

    def begin(self, warnings: Callable[[], Iterable[str]]) -> None:
        """Call this before a commit. It notes the time and the present warnings, which `warnings` returns."""
        self._begun = time.perf_counter()
        self._known = frozenset(warnings()) if LOGGER.isEnabledFor(logging.WARNING) else None

    def end(self, delta: Delta, warnings: Callable[[], Iterable[str]]) -> None:
        """Write the messages about a commit that was made. `warnings` returns the warnings after the commit."""
        if LOGGER.isEnabledFor(logging.INFO):
            author = f" by {delta.author}" if delta.author else ""
            LOGGER.info("%s%s in %.3f s", repr(delta)[1:-1], author, time.perf_counter() - self._begun)
        if LOGGER.isEnabledFor(logging.DEBUG):
            LOGGER.debug("commit %d: %s", delta.commit, delta.work)
        if self._known is not None:
            for warning in warnings():
                if warning not in self._known:
                    LOGGER.warning("commit %d: %s", delta.commit, warning)
            self._known = None
