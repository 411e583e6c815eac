"""Signals act where state is whole: `undivided`, `let_out`, `shielded`, `at_once`; and so do limits: `watched`.

Python calls the handler of a signal between any two steps of the main thread. The handler of Ctrl-C raises
KeyboardInterrupt there, for example after an array has moved and before its new address is written. So commits are
*undivided*:

    with undivided():       signals are only noted: all of a commit, and each method of a transaction
        let_out()           a place where state is whole: the handlers of noted signals are called, and may raise
        with shielded():    `let_out` does nothing: rollback, the end of a commit
        with at_once():     code of a user: handlers are called at once, as outside of `undivided`

The end of the outermost `undivided` calls the handlers of the signals that are left. All this holds for Ctrl-C and for
the other signals that programs handle (`_SIGNALS`), where the handler is a Python function. Otherwise the system acts:
it ends the process, or ignores the signal. Long work calls `let_out` several times a second: between two calls of
kernels, for each batch of a file, and in the loops of the translation and of proofs. If a Ctrl-C has waited for
`_PATIENCE` seconds, the third one ends the process, as a kill would.

Other threads have no signals. They end their work at the same places:

    with watched(check):    each `let_out` of this thread calls `check`, which may raise, unless a block is `shielded`

Laws: blocks may be nested. The handler of a signal is called once. An error of a handler ends a block `at_once`: the
next signal is noted again, wherever the error goes. A `check` that has raised an error is not called again, just as a
signal comes once: so the code that rolls back is not ended half way. Threads: Python calls handlers in the main thread
alone, so all of this but `watched` does nothing in other threads. Cost: two microseconds for the outermost block, a
quarter for others, and 0.05 for `let_out`.
"""

from __future__ import annotations

import functools
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, wait
from types import FrameType
from typing import Any, ParamSpec, TypeVar

try:  # `_signal` skips conversions to and from enumerations, which take as long as the rest of a small commit
    from _signal import getsignal as _get  # type: ignore[import-not-found]
    from _signal import signal as _set
except ImportError:  # not CPython
    _get, _set = signal.getsignal, signal.signal

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")

_SIGNALS = tuple(
    int(getattr(signal, name))
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGALRM", "SIGUSR1", "SIGUSR2", "SIGBREAK")
    if hasattr(signal, name)
)
_SIGINT = int(signal.SIGINT)
_PATIENCE = 5.0
_LOOK = 0.1
"""A waiting thread calls `let_out` after this many seconds."""
SOME = 64
"""A loop of small steps, such as one for each rule, calls `let_out` once in so many steps."""


class _Holding:
    """What the main thread does with signals. Only the main thread changes this."""

    def __init__(self) -> None:
        self.is_on = False
        """Whether an `undivided` block is open."""
        self.is_open = False
        """Whether signals act at once all the same, because the innermost block is `at_once`."""
        self.shields = 0
        self.handlers: dict[int, Any] = {}
        """The handler of each signal that is held, from before the outermost block."""
        self.noted: deque[tuple[int, FrameType | None]] = deque()
        self.presses, self.since = 0, 0.0
        """How many times Ctrl-C was pressed since it was first noted, and when that was."""


_now = _Holding()


class watched:  # noqa: N801 - as `undivided`
    """A context in which `let_out` of this thread calls a function, which may raise to end the work of the block.

    The block must not have such a block inside it.
    """

    __slots__ = ("_check", "shields")

    def __init__(self, check: Callable[[], object]) -> None:
        self._check: Callable[[], object] | None = check
        self.shields = 0

    def __enter__(self) -> None:
        _watched[threading.get_ident()] = self

    def __exit__(self, *_: object) -> None:
        del _watched[threading.get_ident()]

    def look(self) -> None:
        """Call the function, unless it has raised an error before or a block `shielded` is open."""
        if self._check is None or self.shields:
            return
        try:
            self._check()
        except BaseException:
            self._check = None
            raise


_watched: dict[int, watched] = {}
"""The open block `watched` of each thread that has one."""


def _is_main() -> bool:
    return threading.get_ident() == threading.main_thread().ident


def _handle(number: int, frame: FrameType | None) -> None:
    """Note a signal, or call its handler if the innermost block is `at_once`.

    If no block is open, an error of a handler has ended a block while handlers were replaced.
    """
    if _now.is_open or not _now.is_on:
        _now.noted = deque(each for each in _now.noted if each[0] != number)
        if number == _SIGINT:
            _now.presses = 0
        try:
            _now.handlers[number](number, frame)
        except BaseException:
            _now.is_open = False
            raise
        return
    if number == _SIGINT:
        _now.presses += 1
        if _now.presses == 1:
            _now.since = time.monotonic()
        elif _now.presses > 2 and time.monotonic() - _now.since > _PATIENCE:
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)
    if all(each[0] != number for each in _now.noted):  # as the system does with signals that are pending
        _now.noted.append((number, frame))


def _hold() -> None:
    """Put `_handle` in the place of all handlers that are Python functions."""
    for number in _SIGNALS:
        handler = _get(number)
        if handler is not _handle and callable(handler):
            _now.handlers[number] = handler
            _set(number, _handle)


def _restore() -> None:
    """Put the handlers back, but those that were replaced meanwhile."""
    for number in tuple(_now.handlers):
        if _get(number) is _handle:
            _set(number, _now.handlers[number])


def _deliver() -> None:
    """Call the handlers of the noted signals.

    If one raises an error in a block, the signals after it are still noted. Outside of blocks their handlers are called
    all the same.
    """
    while _now.noted:
        number, frame = _now.noted.popleft()
        if number == _SIGINT:
            _now.presses = 0
        try:
            _now.handlers[number](number, frame)
        finally:
            if not _now.is_on:
                _deliver()


def let_out() -> None:
    """Call the handlers of noted signals, if the main thread calls this and no block `shielded` is open.

    In a block `watched`, call the function of this block as well. Call `let_out` only where an error is rolled back.
    Any thread may call it.
    """
    if _now.noted and not _now.shields and _is_main():
        _deliver()
    if _watched and (watch := _watched.get(threading.get_ident())) is not None:
        watch.look()


def letting_out(items: Iterable[_Result], every: int = 1) -> Iterator[_Result]:
    """Yield items, and call `let_out` before the first one and then before each `every`-th."""
    for number, item in enumerate(items):
        if number % every == 0:
            let_out()
        yield item


class undivided:  # noqa: N801 - it reads as what it does: `with undivided()`
    """A context in which signals are only noted, until `let_out` or the end of the outermost such block."""

    __slots__ = ("_is_outermost", "_was_open")

    def __enter__(self) -> None:
        self._is_outermost = self._was_open = False
        if not _is_main():
            return
        if _now.is_on:
            self._was_open, _now.is_open = _now.is_open, False
        else:
            _hold()
            self._is_outermost = True
            _now.is_on = True  # last: from here on no handler raises an error

    def __exit__(self, *_: object) -> None:
        if self._is_outermost and _now.is_on:
            _now.is_on = _now.is_open = False  # first: from here on a handler may raise an error
            _restore()
            _deliver()
        elif self._was_open:
            _now.is_open = True
            let_out()


class shielded:  # noqa: N801 - as above
    """A context in which `let_out` does nothing. For work in an `undivided` block that must not end half way."""

    __slots__ = ("_is_counted", "_watch")

    def __enter__(self) -> None:
        self._is_counted = _now.is_on and _is_main()
        self._watch = _watched.get(threading.get_ident()) if _watched else None
        if self._is_counted:
            _now.shields += 1
        if self._watch is not None:
            self._watch.shields += 1

    def __exit__(self, *_: object) -> None:
        if self._is_counted:
            _now.shields -= 1
        if self._watch is not None:
            self._watch.shields -= 1


class at_once:  # noqa: N801 - as above
    """A context for code of a user in an `undivided` block: new signals act at once, unless a block is `shielded`."""

    __slots__ = ("_is_opened",)

    def __enter__(self) -> None:
        self._is_opened = False
        if _now.is_on and not _now.is_open and not _now.shields and _is_main():
            self._is_opened = _now.is_open = True

    def __exit__(self, *_: object) -> None:
        if self._is_opened:
            _now.is_open = False
            _hold()  # the code may have set handlers of its own


def call_surely(call: Callable[[], object]) -> None:
    """Call a function. If Ctrl-C or another error ends the call, call it once more, and raise the error again.

    If the function has done its work already, the second call must do nothing.
    """
    try:
        call()
    except BaseException:
        call()
        raise


def finish(call: Callable[[], object]) -> None:
    """Call a function `shielded` and `call_surely`: the end of a commit, which nothing may stop half way."""
    with shielded():
        call_surely(call)


def result(future: Future[_Result]) -> _Result:
    """Return the result of a future, or raise its error. Calls `let_out` while it waits."""
    while not future.done():
        wait([future], _LOOK)
        let_out()
    return future.result()


def as_one(function: Callable[_Arguments, _Result]) -> Callable[_Arguments, _Result]:
    """A decorator: each call of the function is `undivided`."""

    @functools.wraps(function)
    def whole(*args: _Arguments.args, **kwargs: _Arguments.kwargs) -> _Result:
        with undivided():
            return function(*args, **kwargs)

    return whole


def _forget() -> None:
    """In a forked child: the blocks of the parent's main thread are not those of the child."""
    if _now.is_on:
        _restore()
        _now.noted.clear()
        _now.is_on = _now.is_open = False
        _now.shields = _now.presses = 0


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
