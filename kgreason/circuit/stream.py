"""Streams and the circuit they are wired in (DBSP, sections 2 and 5).

A stream is a function from time to Z-sets. Its time is a tuple of as many numbers as it is nested deep: a stream of
commits has times `(commit,)`, a stream of levels within commits `(commit, level)`, and so on; the paper's streams of
streams are these functions, one argument at a time. An operator makes a stream from others by saying what its value is
at one time. Evaluation is on demand, and every value is computed once.

    Stream     the value at a time is a function of the inputs
    Source     values pushed from outside, one at each commit
    Delay      z^-1, the one stream that may be wired after it is used: so every loop goes through a delay

A `Circuit` is the arena: it holds the streams, refuses bad wiring, and owns the first axis of time, the commits. It
remembers the commit that runs and the one before, which is as far back as z^-1 looks. A value of the commit before
that was never asked for counts as zero: see `eliminate` in `operators` for why it is. A commit that fails is forgotten
as if it had not been.

Cost: one dictionary look-up for a value that is known.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, Generic, TypeAlias

from kgreason.circuit.zset import A, ZSet

Time: TypeAlias = tuple[int, ...]


class Circuit:
    """An arena of streams, and the number of commits that have run: the time of the next one.

    `wanted_next` is what the next commit will look back at: a commit computes it too before it is done.
    """

    def __init__(self) -> None:
        self.now = 0
        self.streams: list[Stream[Any]] = []
        self.wanted_next: deque[tuple[Stream[Any], Time]] = deque()

    def run(self, output: Stream[A]) -> ZSet[A]:
        """Evaluate one commit; the value of `output`, a stream of commits. After an error it is as it was before."""
        done = False
        try:
            value = output[(self.now,)]
            while self.wanted_next:
                stream, time = self.wanted_next.popleft()
                stream[time]
            done = True
        finally:
            self.wanted_next.clear()
            for stream in self.streams:
                stream.end_commit(done)
            self.now += done
        return value


class Stream(Generic[A]):
    """Values at times of `axes` numbers, made by `value` from the `inputs`.

    Raises ValueError for inputs of another circuit.
    """

    def __init__(
        self, circuit: Circuit, axes: int, value: Callable[[Time], ZSet[A]], inputs: tuple[Stream[Any], ...] = ()
    ) -> None:
        if any(stream.circuit is not circuit for stream in inputs):
            raise ValueError("circuit: a stream of another circuit cannot be an input")
        self.circuit: Circuit = circuit
        self.axes, self._value = axes, value
        self._running: dict[Time, ZSet[A]] = {}
        self._settled: dict[Time, ZSet[A]] = {}
        circuit.streams.append(self)

    def __getitem__(self, time: Time) -> ZSet[A]:
        if time[0] < self.circuit.now:
            return self._settled.get(time, {})
        value = self._running.get(time)
        if value is None:
            value = self._running[time] = self._value(time)
        return value

    def settled(self) -> dict[Time, ZSet[A]]:
        """The values that the last commit asked for, by time."""
        return self._settled

    def end_commit(self, done: bool) -> None:
        """Keep what the commit computed in place of the commit before, or forget it."""
        if done:
            self._settled = self._running
        self._running = {}


class Source(Stream[A]):
    """A stream of commits whose value is pushed from outside; zero where nothing is."""

    def __init__(self, circuit: Circuit) -> None:
        super().__init__(circuit, 1, lambda _: {})

    def push(self, zset: ZSet[A]) -> None:
        """The value at the next commit."""
        self._running[(self.circuit.now,)] = zset


class Delay(Stream[A]):
    """z^-1 along an axis: `z^-1(s)[t] = s[t - 1]`, and zero at 0. Raises ValueError when it is wired wrongly.

    time    0    1    2    3
    s       a    b    c    d
    z^-1    0    a    b    c
    """

    def __init__(self, circuit: Circuit, axes: int, axis: int) -> None:
        if not 0 <= axis < axes:
            raise ValueError(f"circuit: a stream of {axes} axes has no axis {axis} to be delayed along")
        super().__init__(circuit, axes, self._before)
        self._axis = axis
        self._source: Stream[A] | None = None

    def connect(self, source: Stream[A]) -> None:
        """Say which stream this one delays, once."""
        if self._source is not None or source.circuit is not self.circuit or source.axes != self.axes:
            raise ValueError("circuit: a delay takes one stream, of its own circuit and as deep as itself")
        self._source = source

    def _before(self, time: Time) -> ZSet[A]:
        if self._source is None:
            raise ValueError("circuit: a delay that nothing is connected to")
        axis = self._axis
        if axis == 0:
            self.circuit.wanted_next.append((self._source, time))
        return self._source[(*time[:axis], time[axis] - 1, *time[axis + 1 :])] if time[axis] else {}
