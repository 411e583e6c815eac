"""What a graph tells `logging`, under the name `kgreason`.

    INFO      one line for each commit: what appeared and disappeared, and how long the commit took
    DEBUG     how it was evaluated
    WARNING   the warnings of the graph that a commit brings: imports without a document, cliques past the budget

`logging.basicConfig(level="INFO")` shows commits and warnings.

Cost: nothing where no handler listens; the warnings are listed before and after a commit where one does.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable

from kgreason.graph.changes.delta import Delta

LOGGER = logging.getLogger("kgreason")
LOGGER.addHandler(logging.NullHandler())


class CommitLog:
    """The lines about one commit after the other; used by whoever makes the commits, one thread at a time."""

    def __init__(self) -> None:
        self._begun = 0.0
        self._known: frozenset[str] | None = None

    def begin(self, warnings: Callable[[], Iterable[str]]) -> None:
        """Note when a commit begins, and the warnings that are there before it."""
        self._begun = time.perf_counter()
        self._known = frozenset(warnings()) if _is_heard(logging.WARNING) else None

    def end(self, delta: Delta, warnings: Callable[[], Iterable[str]]) -> None:
        """Tell of a commit that stands."""
        if _is_heard(logging.INFO):
            LOGGER.info("%s in %.3f s", repr(delta)[1:-1], time.perf_counter() - self._begun)
        if _is_heard(logging.DEBUG):
            LOGGER.debug("commit %d: %s", delta.commit, delta.work)
        if self._known is not None:
            for warning in warnings():
                if warning not in self._known:
                    LOGGER.warning("commit %d: %s", delta.commit, warning)
            self._known = None


def _is_heard(level: int) -> bool:
    """Whether a handler that does something gets messages of a level."""
    if not LOGGER.isEnabledFor(level):
        return False
    logger: logging.Logger | None = LOGGER
    while logger is not None:
        if any(not isinstance(handler, logging.NullHandler) for handler in logger.handlers):
            return True
        logger = logger.parent if logger.propagate else None
    return False
