"""`Spans`: how many seconds each part of some work took. `span` names a part; `PARTS` has the names of a commit.

    spans = Spans()
    with spans.open():            the work, in one thread; it may be opened again and again
        with span("evaluate"):
            with span("close"):   counts for `close` only, not for `evaluate` as well
                ...
    spans.seconds                 {"evaluate": 1.5, "close": 0.2}

Invariant: the seconds of a span leave out those of the spans inside it. So all seconds together are at most those of
the whole. Only the thread that has opened the spans is measured. If other threads work for it, the time that it waits
for them counts.

Cost: half a microsecond for a span, and a tenth if nothing is open. Threads: each thread has its own open spans.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from types import TracebackType

PARTS = {
    "read": "reading files and other edits: parsing",
    "intern": "giving ids to their terms",
    "close": "closing the schema",
    "translate": "translating axioms to rules",
    "evaluate": "evaluating rules",
    "store": "bringing rows to Oxigraph",
    "snapshot": "writing the snapshot",
    "journal": "writing journal and history",
}
"""The names of the parts of a commit, in their order, and what each part does."""


class _Open(threading.local):
    """The spans that a thread has open."""

    spans: Spans | None = None


_OPEN = _Open()
_NOTHING = nullcontext()


class Spans:
    """Sums the seconds of spans by name: `seconds`."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._names: list[str] = []
        self._since = 0.0

    @contextmanager
    def open(self) -> Iterator[None]:
        """Measure the spans of this thread during the block. Spans that were open before go on after the block."""
        before = _OPEN.spans
        _OPEN.spans = self
        try:
            yield
        finally:
            _OPEN.spans = before

    def begin(self, name: str) -> None:
        """Begin a span inside of the present one."""
        self._count()
        self._names.append(name)

    def end(self) -> None:
        """End the present span."""
        self._count()
        self._names.pop()

    def _count(self) -> None:
        now = time.perf_counter()
        if self._names:
            name = self._names[-1]
            self.seconds[name] = self.seconds.get(name, 0.0) + now - self._since
        self._since = now


class _Span:
    """A part of the work that `spans` measures, as a context."""

    __slots__ = ("_name", "_spans")

    def __init__(self, spans: Spans, name: str) -> None:
        self._spans, self._name = spans, name

    def __enter__(self) -> None:
        self._spans.begin(self._name)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._spans.end()


def span(name: str) -> AbstractContextManager[None]:
    """Return a context for a part of the work. If this thread has opened no spans, the context does nothing."""
    return _NOTHING if _OPEN.spans is None else _Span(_OPEN.spans, name)


def span_seconds() -> dict[str, float]:
    """Return the seconds so far of the spans that this thread has open, by name, in the order of `PARTS`."""
    seconds = _OPEN.spans.seconds if _OPEN.spans else {}
    return {name: round(seconds[name], 6) for name in {**PARTS, **seconds} if name in seconds}


def peak_bytes() -> int:
    """Return the most memory that this process has used so far, in bytes; 0 if the system does not tell."""
    try:
        import resource
    except ImportError:  # Windows
        return 0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
