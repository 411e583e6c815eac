"""`Standby`: a thread that has ended a call stands by for the next one, so that it need not be woken.

A level with many heads calls all workers hundreds of times, for a fraction of a millisecond each. A thread that sleeps
takes about 0.05 ms to wake, and Python's queues and locks make it sleep after every call. So after a call a thread of
the pool looks for the next call for a short while, and the caller looks for the end of the call in the same way. Both
look in a kernel, without the GIL. Then they sleep as other threads do.

Law: only the time differs. A call is made once, whoever makes it: see `threads.Call`. A crew with more workers than
CPUs does not look, because a thread that looks would take the CPU from one that works.

Threads: a standby belongs to one crew. One thread at a time calls `start`, `wait` and `forget`.

Cost: 0.01 ms for a call, in place of 0.08. Each thread that looks uses its CPU for up to `LOOKS` looks in vain: 0.3 ms
where a look takes 2 ns.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np

from kgreason.compiled import Number, kernel
from kgreason.engine.memory.blocks import fetch_add
from kgreason.engine.memory.layout import Block
from kgreason.threads import Call

LOOKS = 1 << 17
"""How many times a thread looks for a change."""
_UNTIL_KERNEL = 1 << 9
"""A thread that finds a call looks so many times more. Meanwhile its caller begins its own kernel and releases the GIL:
a thread that waits for the GIL sleeps."""
_ASKED, _ENDED, _UNUSED, _WORDS = 0, 8, 16, 24
"""The words with the numbers of the last call and of the last call that ended. They are in different lines of the CPU
cache."""


@kernel
def wait_for_word(words: Block, at: Number, value: Number, most: Number, more: Number) -> Number:
    """Look at words[at] until it is at least `value`, at most `most` times; if it is, look `more` times more.

    Returns the number of looks.
    """
    looks = np.int64(0)
    while looks < most and fetch_add(words, at, np.int64(0)) < value:
        looks += 1
    if looks < most:
        for _ in range(more):
            looks += fetch_add(words, np.int64(_UNUSED), np.int64(0))
    return np.int64(looks)


class Standby:
    """Makes calls in threads of a pool, mostly in the same thread. `looks`: how often a thread looks; 0 is never."""

    def __init__(self, pool: ThreadPoolExecutor, looks: int = LOOKS) -> None:
        self.pool, self._looks = pool, looks
        self.call: Call[object] | None = None
        """The last call, until `forget`."""
        self._words = np.zeros(_WORDS, dtype=np.int64)
        self._numbers = self._words.data
        self._lock = threading.Lock()
        """Protects `call`, `_is_awake` and the number of the last call."""
        self._is_awake = False

    def start(self, function: Callable[..., object], *arguments: object) -> None:
        """Have a thread call a function. The call before must have ended.

        If no thread can be started, nothing calls the function before `Call.result`. After an error, a thread may make
        the call all the same.
        """
        try:
            with self._lock:
                is_awake, self._is_awake = self._is_awake, True
                self.call = Call(partial(function, *arguments))
                self._numbers[_ASKED] += 1
            if not is_awake:
                self.pool.submit(partial(self._serve, self.call, self._numbers[_ASKED]))
        except BaseException as error:
            self._is_awake = False  # if a thread is awake after all, two may see the next call, and one makes it
            if not isinstance(error, RuntimeError):
                raise

    def wait(self) -> None:
        """Wait for the end of the call, but not for long."""
        if self.call is not None and self._is_awake and not self.call.is_ended:
            wait_for_word(self._words, _ENDED, self._numbers[_ASKED], self._looks, 0)

    def forget(self) -> None:
        """Forget the call, which has ended, with its arguments."""
        with self._lock:
            self.call = None

    def _serve(self, call: Call[object] | None, number: int) -> None:
        """In a thread of the pool: make a call, and those that come soon after it. `number`: the number of the call."""
        try:
            while True:
                if call is not None:  # it is None if the caller has made it and has forgotten it
                    call.call_once()
                call = None
                self._numbers[_ENDED] = number
                wait_for_word(self._words, _ASKED, number + 1, self._looks, _UNTIL_KERNEL)
                with self._lock:
                    if self._numbers[_ASKED] == number:
                        self._is_awake = False
                        return
                    call, number = self.call, self._numbers[_ASKED]
        except BaseException:
            self._is_awake = False
            raise
