"""Streams and the circuit that connects them (DBSP, sections 2 and 5).

A stream is a function from time to Z-sets. A time is a tuple with one number for each level of nesting: a stream of
commits has times `(commit,)`, a stream of levels within commits `(commit, level)`, and so on. (The paper has streams of
streams instead: the same functions, with one argument at a time.) An operator defines a new stream by its value at one
time. Values are computed on demand, and only once.

    Stream     the value at a time is a function of the inputs
    Source     values pushed from outside, one at each commit
    Delay      z^-1; only a delay may get its input after other streams use it, so every loop goes through a delay

A `Circuit` holds the streams, refuses bad wiring, and counts the commits, which are the first axis of time. It keeps
the values of the running commit and of the commit before, because z^-1 looks no further back. If the commit before did
not compute a value, the value counts as zero; `operators.eliminate` explains why it is zero. A commit that fails leaves
no trace.

Cost: one dictionary look-up for a known value.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, Generic, TypeAlias

from kgreason.circuit.zset import A, ZSet

Time: TypeAlias = tuple[int, ...]


class Circuit:
    """The streams that are connected with each other, and the clock of the commits.

    `now` is the number of finished commits, and so the time of the next commit. `wanted_next` lists the values that the
    next commit will look back at; a commit computes these values before it ends.
    """

    def __init__(self) -> None:
        self.now = 0
        self.streams: list[Stream[Any]] = []
        self.wanted_next: deque[tuple[Stream[Any], Time]] = deque()

    def run(self, *outputs: Stream[A]) -> ZSet[A]:
        """Evaluate one commit and return the value of the last output. After an error the circuit is as before.

        The outputs are evaluated in their order. If each output reads the one before, pass all of them: then Python's
        stack does not grow with their number.
        """
        done = False
        value: ZSet[A] = {}
        try:
            for output in outputs:
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
    """A function from times to Z-sets: `value` computes the Z-set at one time, a tuple of `axes` numbers.

    `inputs` are the streams that `value` reads. Raises ValueError for inputs of another circuit.
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

    def values_of_commit(self) -> dict[Time, ZSet[A]]:
        """Return the values that the last commit computed, by their times."""
        return self._settled

    def end_commit(self, done: bool) -> None:
        """End the running commit.

        If `done`, the values of the commit before are dropped, otherwise those of this commit.
        """
        if done:
            self._settled = self._running
        self._running = {}


class Source(Stream[A]):
    """A stream with one value for each commit, pushed from outside; the value is zero at a commit without a push."""

    def __init__(self, circuit: Circuit) -> None:
        super().__init__(circuit, 1, lambda _: {})

    def push(self, zset: ZSet[A]) -> None:
        """Set the value that this source has at the next commit."""
        self._running[(self.circuit.now,)] = zset


class Delay(Stream[A]):
    """z^-1 along an axis: `z^-1(s)[t] = s[t - 1]`, and zero at 0. Raises ValueError for wrong wiring.

    time    0    1    2    3
    s       a    b    c    d
    z^-1    0    a    b    c
    """

    def __init__(self, circuit: Circuit, axes: int, axis: int) -> None:
        if not 0 <= axis < axes:
            raise ValueError(f"circuit: cannot delay along axis {axis}: the stream has only the axes 0 to {axes - 1}")
        super().__init__(circuit, axes, self._before)
        self._axis = axis
        self._source: Stream[A] | None = None

    def connect(self, source: Stream[A]) -> None:
        """Set the stream that this delay reads. Raises ValueError at a second call, or for wrong wiring."""
        if self._source is not None or source.circuit is not self.circuit or source.axes != self.axes:
            raise ValueError("circuit: connect a delay only once, to a stream of the same circuit with as many axes")
        self._source = source

    def _before(self, time: Time) -> ZSet[A]:
        if self._source is None:
            raise ValueError("circuit: a delay has no input; call `connect` first")
        axis = self._axis
        if axis == 0:
            self.circuit.wanted_next.append((self._source, time))
        return self._source[(*time[:axis], time[axis] - 1, *time[axis + 1 :])] if time[axis] else {}
