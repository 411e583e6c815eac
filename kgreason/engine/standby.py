"""`Standby`: a thread that has ended a call stands by for the next one, so that it need not be woken.

A level with many heads calls all workers hundreds of times, for a fraction of a millisecond each. A thread that sleeps
takes about 0.05 ms to wake, and Python's queues and locks make it sleep after every call. So after a call a thread of
the pool looks for the next call for a short while, and the caller looks for the end of the call in the same way. Both
look in a kernel, without the GIL. Then they sleep as other threads do.

Law: only the time differs. A call is made once, whoever makes it: see `threads.Call`. Where a process has more workers
than CPUs, nobody looks, because the one who looks would keep the other from its work.

Threads: a standby belongs to one crew. One thread at a time calls `start` and `wait`.

Cost: 0.01 ms for a call, in place of 0.08. Each thread that looks uses its CPU for up to 0.2 ms in vain.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np

from kgreason.compiled import kernel
from kgreason.engine.memory.blocks import fetch_add
from kgreason.engine.memory.layout import Block, Number
from kgreason.threads import Call

LOOKS = 1 << 17
"""How many times a thread looks for a change: for 0.2 ms."""
_UNTIL_KERNEL = 1 << 12
"""A thread that finds a call looks so many times more. Meanwhile its caller begins its own kernel and releases the GIL:
a thread that waits for the GIL sleeps."""
_ASKED, _ENDED, _UNUSED, _WORDS = 0, 8, 16, 24
"""The words that count calls and their ends. They stand in different lines of the CPU cache."""


@kernel
def look(words: Block, at: Number, value: Number, most: Number, then: Number) -> Number:
    """Return as soon as words[at] is not `value`, and `then` looks later; or after `most` looks."""
    looks = np.int64(0)
    while looks < most and fetch_add(words, at, np.int64(0)) == value:
        looks += 1
    if looks < most:
        for _ in range(then):
            looks += fetch_add(words, np.int64(_UNUSED), np.int64(0))
    return np.int64(looks)


class Standby:
    """Makes calls in threads of a pool, mostly in the same thread. `looks`: how often a thread looks; 0 is never."""

    def __init__(self, pool: ThreadPoolExecutor, looks: int = LOOKS) -> None:
        self.pool, self._looks = pool, looks
        self._words = np.zeros(_WORDS, dtype=np.int64)
        self._counts = self._words.data
        self._lock = threading.Lock()
        """Protects `_call`, `_is_awake` and the count of calls."""
        self._call: Call[object] | None = None
        self._is_awake = False
        self._ended = 0

    def start(self, function: Callable[..., object], *arguments: object) -> Call[object]:
        """Have a thread call a function, and return the call. The call before must have ended.

        If no thread can be started, nothing calls the function before `Call.result`.
        """
        call = Call(partial(function, *arguments))
        self._ended = self._counts[_ENDED]
        try:
            with self._lock:
                is_awake, self._is_awake = self._is_awake, True
                self._call = call
                self._counts[_ASKED] += 1
            if not is_awake:
                self.pool.submit(partial(self._serve, call, self._counts[_ASKED]))
        except BaseException as error:
            self._is_awake = False  # if a thread is awake after all, two may see the next call, and one makes it
            if not isinstance(error, RuntimeError):
                raise
        return call

    def wait(self, call: Call[object]) -> None:
        """Wait for the end of the last call, but not for long."""
        if not call.is_ended:
            look(self._words, _ENDED, self._ended, self._looks, 0)

    def _serve(self, call: Call[object] | None, asked: int) -> None:
        """In a thread of the pool: make a call, and those that come soon after it. `asked`: the number of the call."""
        while call is not None:
            call.run()
            self._counts[_ENDED] += 1
            look(self._words, _ASKED, asked, self._looks, _UNTIL_KERNEL)
            with self._lock:
                call, asked, before = self._call, self._counts[_ASKED], asked
                if asked == before:
                    call = None
                    self._is_awake = False
