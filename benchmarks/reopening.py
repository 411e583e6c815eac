"""The time to reopen a store and commit a first edit, divided by the time to load it: whole processes.

A closed store restores its engine from a snapshot when it is edited, and evaluates nothing again. Every edit adds
another triple; it is in the journal, which the next edit replays.

Cost: some seconds a load; kernels are compiled and cached by a first run that does not count.
"""

from __future__ import annotations

from itertools import count
from pathlib import Path

from benchmarks.files import load_lubm
from benchmarks.model import Measurement
from benchmarks.process import kgreason, run, shown
from benchmarks.timing import alternate
from benchmarks.workspace import Workspace

_ROUNDS = 3
_EDITED = "edited"


def lubm(workspace: Workspace) -> Measurement:
    """The first edit of a LUBM(5,0) that was closed over its load."""
    return over_load(workspace, load_lubm(workspace), _ROUNDS)


def over_load(workspace: Workspace, load: list[str | Path], rounds: int) -> Measurement:
    """An edit of the store that the command `load` makes in the folder `store`, over that command."""
    workspace.fresh("store")
    run(load, workspace.folder)
    (workspace.folder / "store").rename(workspace.fresh(_EDITED))
    numbers = count()
    run(_edit(next(numbers)), workspace.folder)

    def reload() -> float:
        workspace.fresh("store")
        return run(load, workspace.folder).seconds

    pairs = alternate(lambda: run(_edit(next(numbers)), workspace.folder).seconds, reload, rounds)
    return Measurement(pairs.ratio, f"processes, {pairs}", commands=(shown(_edit(0)), shown(load)))


def _edit(number: int) -> list[str | Path]:
    friend = f"<http://example.org/bench/friend{number}>"
    text = f"INSERT DATA {{ <http://example.org/bench/me> <http://xmlns.com/foaf/0.1/knows> {friend} }}"
    return kgreason("update", "-l", _EDITED, "--update", text)
