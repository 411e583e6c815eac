"""Progress on a terminal: a bar for each stage of a long command, and a message before kernels are compiled.

Everything goes to standard error. If standard error is not a terminal, nothing is shown. `--verbose` adds a line for
each stage that is done. `within` ends work that takes too long.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from kgreason.errors import LimitError

_CLOCK = "{desc} {elapsed}"
_DELAY = 1
"""Bars are drawn from this second of a command on; a short command draws none."""


class Bars:
    """A `Progress` that draws bars.

    Make it before the work begins, because it prints a line first if kernels must be compiled.
    """

    def __init__(self, verbose: bool) -> None:
        self._verbose, self._begun = verbose, time.perf_counter()
        if verbose or sys.stderr.isatty():
            _announce()

    @contextmanager
    def __call__(self, stage: str, total: int | None = None) -> Iterator[Callable[[int], object]]:
        """Show a bar during a `with` block, for one stage of the command.

        The block gets a function. Call it with the number of steps that were done since its last call.
        """
        begun = time.perf_counter()
        if sys.stderr.isatty():
            with self._drawn(stage, total) as report:
                yield report
        else:
            yield _ignore
        if self._verbose:
            click.echo(f"kgreason: {stage} took {time.perf_counter() - begun:.2f} s", err=True)

    @contextmanager
    def _drawn(self, stage: str, total: int | None) -> Iterator[Callable[[int], object]]:
        from tqdm import tqdm  # takes 20 ms to import, and starts a thread

        begun = time.perf_counter()
        delay = max(0.0, self._begun + _DELAY - begun)
        with tqdm(
            desc=stage, total=total, unit="", unit_scale=True, leave=False, bar_format=_CLOCK, delay=delay
        ) as bar:

            def report(done: int) -> None:
                if done:
                    bar.bar_format = None  # there is something to count
                    bar.update(done)
                elif time.perf_counter() - begun > delay:
                    bar.refresh()

            yield report


def _ignore(_done: int) -> None:
    pass


def _announce() -> None:
    """If kernels must be compiled first, print a line that says so."""
    from kgreason import compiled  # importing a member would make the cache take this module for one of kernels
    from kgreason.engine.engine import is_compiled

    if not is_compiled():
        click.echo(f"kgreason: {compiled.ONCE}", err=True)


@contextmanager
def within(seconds: float | None, what: str) -> Iterator[None]:
    """Interrupt the block if it takes longer than `seconds`. None is no limit.

    The interrupt is a SIGINT, as of Ctrl-C. After it, raises LimitError, which says that `what` took too long. Only the
    main thread may use this.
    """
    if seconds is None:
        yield
        return
    main, is_over = threading.main_thread().ident, threading.Event()
    assert main is not None

    def stop() -> None:
        is_over.set()
        signal.pthread_kill(main, signal.SIGINT)  # ends what the thread waits for, too

    before = signal.getsignal(signal.SIGINT)
    if before == signal.SIG_IGN:  # a shell starts commands in the background so
        signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(seconds, stop)
    timer.daemon = True
    timer.start()
    try:
        try:
            yield
        finally:
            timer.cancel()
            timer.join()  # a signal that was sent just now arrives inside the outer `try`
    except KeyboardInterrupt:
        if not is_over.is_set():
            raise
        raise LimitError(f"{what} took longer than {seconds:g} s; nothing was changed") from None
    finally:
        if before == signal.SIG_IGN:
            signal.signal(signal.SIGINT, before)
