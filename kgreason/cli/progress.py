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
from typing import TYPE_CHECKING

import click

from kgreason.errors import LimitError

if TYPE_CHECKING:
    from rich.progress import Progress

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
        bar: Progress | None = None
        count = 0

        def report(done: int) -> None:
            nonlocal bar, count
            count += done
            if bar is None and time.perf_counter() - self._begun > _DELAY:
                bar = _started(stage, total)
            if bar is not None:
                bar.update(bar.task_ids[0], completed=count)

        try:
            yield report
        finally:
            if bar is not None:
                bar.stop()


def _started(stage: str, total: int | None) -> Progress:
    """Draw a bar, or without a total the number of steps. Something is drawn anew ten times a second by a thread."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn  # takes a tenth of a second

    steps = "{task.completed:,}" if total is None else "{task.completed:,} of {task.total:,}"
    columns = [TextColumn(stage), *([BarColumn()] if total else []), TextColumn(steps), TimeElapsedColumn()]
    console = Console(file=sys.stderr, markup=False)
    bar = Progress(*columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=False)
    bar.add_task(stage, total=total)
    bar.start()
    return bar


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
