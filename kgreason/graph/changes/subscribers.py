"""`Subscribers`: the callbacks that get the delta of every commit, in the order of the commits.

Law: each callback gets each commit that was made while it was subscribed, once. If one callback raises an error or
edits the graph, the others still get the delta. A commit that a callback makes comes after the present one. While a
callback runs, signals act at once. Threads: call this only with the graph's lock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeAlias

from kgreason.interrupts import at_once, let_out

if TYPE_CHECKING:
    from kgreason.graph.changes.delta import Delta

Subscriber: TypeAlias = "Callable[[Delta], object]"


class Subscribers:
    """The functions that want each delta, and the order in which they are called."""

    def __init__(self) -> None:
        self.callbacks: list[Subscriber] = []
        self.is_held = False

    def add(self, callback: Subscriber) -> Callable[[], None]:
        """Add a callback. Returns a function that removes it again. Raises TypeError if `callback` is not callable."""
        if not callable(callback):
            raise TypeError(f"subscribe() takes a function that is called with each delta; got {callback!r}")
        entry: list[Subscriber] = [callback]
        self.callbacks.append(callback)

        def unsubscribe() -> None:
            while entry:
                self.callbacks.remove(entry.pop())

        return unsubscribe

    def call_with_each(self, deltas: list[Delta]) -> None:
        """Call all callbacks with each delta of the list, and empty the list.

        If a callback makes a commit, a delta is added to the list; the callbacks get this delta as well. If a callback
        raised an error, this method raises that error after the last delta. If there were several errors, it raises
        KeyboardInterrupt if this was one of them, otherwise an ExceptionGroup of all errors.
        """
        errors: list[BaseException] = []
        self.is_held = True
        try:
            while deltas:
                errors += self._call_with(deltas.pop(0))
        finally:
            self.is_held = False
        if errors:
            stops = [error for error in errors if not isinstance(error, Exception)]
            one = (stops or errors)[0]
            raise one if stops or len(errors) == 1 else BaseExceptionGroup("subscribers failed", errors)

    def _call_with(self, delta: Delta) -> Iterator[BaseException]:
        """Call all callbacks with one delta. Yields the errors that they raise."""
        for callback in tuple(self.callbacks):
            try:
                let_out()
            except BaseException as error:
                yield error
            try:
                with at_once():
                    callback(delta)
            except BaseException as error:
                yield error
