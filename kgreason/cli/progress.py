"""Progress of a command: a bar for each stage on a terminal, and with `--verbose` a line for each stage.

Everything goes to standard error. `time_limit` ends work that takes too long.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from kgreason.errors import LimitError
from kgreason.progress.bars import LiveBars

_DELAY = 1
"""Bars are drawn from this second of a command on; a short command draws none."""


class Bars(LiveBars):
    """Bars for a command; with `verbose` a line says how long each stage took."""

    def __init__(self, verbose: bool) -> None:
        super().__init__(_DELAY)
        self._verbose = verbose

    @contextmanager
    def __call__(self, stage: str, total: int | None = None) -> Iterator[Callable[[int], object]]:
        """Show a bar during a `with` block, for one stage of the command; see `LiveBars`."""
        begun = time.perf_counter()
        with super().__call__(stage, total) as report:
            yield report
        if self._verbose:
            click.echo(f"kgreason: {stage} took {time.perf_counter() - begun:.2f} s", err=True)


@contextmanager
def time_limit(seconds: float | None, what: str) -> Iterator[None]:
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
