"""How long work shows on a terminal: a bar for each stage, and a word before kernels are compiled.

Everything goes to standard error. Where that is no terminal nothing is shown, unless `--verbose` asks for a line about
each stage that is done.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click
from tqdm import tqdm

_CLOCK = "{desc} {elapsed}"
_DELAY = 1
"""Seconds after which the bar of a stage is drawn."""


class Bars:
    """A `Progress` that draws bars; made ahead of all work, it says whether kernels have to be compiled."""

    def __init__(self, verbose: bool) -> None:
        self._verbose = verbose
        if verbose or sys.stderr.isatty():
            _announce()

    @contextmanager
    def __call__(self, stage: str, total: int | None = None) -> Iterator[Callable[[int], object]]:
        """A context whose value is called with the number of steps done since the last call."""
        begun = time.perf_counter()
        with tqdm(
            desc=stage,
            total=total,
            unit="",
            unit_scale=True,
            leave=False,
            disable=not sys.stderr.isatty(),
            bar_format=_CLOCK,
            delay=_DELAY,
        ) as bar:

            def report(done: int) -> None:
                if done:
                    bar.bar_format = None  # there is something to count
                    bar.update(done)
                elif time.perf_counter() - begun > _DELAY:
                    bar.refresh()

            yield report
        if self._verbose:
            click.echo(f"kgreason: {stage} took {time.perf_counter() - begun:.2f} s", err=True)


def _announce() -> None:
    """Say that kernels are compiled, if they are."""
    from kgreason import compiled  # naming a member of it would make this a module of kernels to the cache
    from kgreason.engine.level.fixpoint import advance

    if not compiled.is_compiled(advance):
        click.echo(f"kgreason: {compiled.ONCE}", err=True)
