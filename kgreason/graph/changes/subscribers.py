"""`Subscribers`: who is told of every commit, in the order of the commits.

Law: each subscriber is told of every commit that was made while it was there, once; whatever one of them raises, and
whatever it edits in its turn, the others are told as well. What comes while it tells waits for its turn. Threads: to be
called by the one that has the graph's lock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from kgreason.graph.changes.delta import Delta

Subscriber: TypeAlias = "Callable[[Delta], object]"


class Subscribers:
    """Callbacks that take a delta."""

    def __init__(self) -> None:
        self._callbacks: list[Subscriber] = []
        self.is_held = False

    def add(self, callback: Subscriber) -> Callable[[], None]:
        """Tell this one too; what is given back ends that. Raises TypeError for what cannot be called."""
        if not callable(callback):
            raise TypeError(f"subscribe() takes a function that is called with each delta; got {callback!r}")
        entry: list[Subscriber] = [callback]
        self._callbacks.append(callback)

        def end() -> None:
            while entry:
                self._callbacks.remove(entry.pop())

        return end

    def tell(self, deltas: list[Delta]) -> None:
        """Tell of these, and of those that come to the list meanwhile; it is empty then.

        Raises what a callback raises, in an ExceptionGroup where there are several; Ctrl-C in one comes before that.
        """
        errors: list[BaseException] = []
        self.is_held = True
        try:
            while deltas:
                errors += self._tell(deltas.pop(0))
        finally:
            self.is_held = False
        if errors:
            stops = [error for error in errors if not isinstance(error, Exception)]
            one = (stops or errors)[0]
            raise one if stops or len(errors) == 1 else BaseExceptionGroup("subscribers failed", errors)

    def _tell(self, delta: Delta) -> Iterator[BaseException]:
        """Tell of one; what the callbacks raise."""
        for callback in tuple(self._callbacks):
            try:
                callback(delta)
            except BaseException as error:
                yield error
