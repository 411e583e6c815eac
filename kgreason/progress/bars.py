"""`LiveBars`: a `Progress` that draws a bar for each stage, in a notebook or on a terminal.

On a terminal the bars go to standard error. Elsewhere nothing is drawn. A bar disappears when its stage ends.

Threads: a `LiveBars` belongs to the thread that calls `report`; on a terminal another thread redraws the bar.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress

_PAUSE = 0.2
"""A bar in a notebook is drawn anew after so many seconds."""


class _Bar(Protocol):
    def update(self, count: int) -> None: ...
    def stop(self) -> None: ...


class LiveBars:
    """Draws bars from `delay` seconds after it was made: shorter work draws none."""

    def __init__(self, delay: float = 0) -> None:
        self._begun, self._delay = time.perf_counter(), delay

    @contextmanager
    def __call__(self, stage: str, total: int | None = None) -> Iterator[Callable[[int], object]]:
        """Draw a bar during a `with` block, for one stage of the work.

        The block gets a function. Call it with the number of steps that were done since its last call.
        """
        make = _NotebookBar if _display() else _TerminalBar if _is_terminal() else None
        bar: _Bar | None = None
        count = 0

        def report(done: int) -> None:
            nonlocal bar, count
            count += done
            if bar is None and make is not None and time.perf_counter() - self._begun >= self._delay:
                bar = make(stage, total)
            if bar is not None:
                bar.update(count)

        try:
            yield report
        finally:
            if bar is not None:
                bar.stop()


def _is_terminal() -> bool:
    return sys.stderr is not None and not sys.stderr.closed and sys.stderr.isatty()


def _display() -> Callable[..., Any] | None:
    """Return IPython's `display` if this process is the kernel of a notebook."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is None or not hasattr(shell, "kernel"):
        return None
    found: Callable[..., Any] = import_module("IPython.display").display
    return found


class _TerminalBar:
    """A bar on standard error. A thread redraws it ten times a second."""

    def __init__(self, stage: str, total: int | None) -> None:
        self._bar = _new_bar(stage, total)
        self._bar.start()

    def update(self, count: int) -> None:
        self._bar.update(self._bar.task_ids[0], completed=count)

    def stop(self) -> None:
        self._bar.stop()


class _NotebookBar:
    """A bar in the output of a cell. Rich's own way to draw there needs another package, `ipywidgets`."""

    def __init__(self, stage: str, total: int | None) -> None:
        self._bar, self._drawn = _new_bar(stage, total), time.perf_counter()
        display = _display()
        assert display is not None
        self._shown = display(self._bar, display_id=True)

    def update(self, count: int) -> None:
        self._bar.update(self._bar.task_ids[0], completed=count)
        if time.perf_counter() - self._drawn > _PAUSE:
            self._shown.update(self._bar)
            self._drawn = time.perf_counter()

    def stop(self) -> None:
        self._shown.update({"text/plain": ""}, raw=True)


def _new_bar(stage: str, total: int | None) -> RichProgress:
    """Make a bar, or without a total the number of steps."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn  # takes a tenth of a second

    steps = "{task.completed:,}" if total is None else "{task.completed:,} of {task.total:,}"
    columns = [TextColumn(stage), *([BarColumn()] if total else []), TextColumn(steps), TimeElapsedColumn()]
    console = Console(file=sys.stderr, markup=False)
    bar = Progress(*columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=False)
    bar.add_task(stage, total=total)
    return bar
