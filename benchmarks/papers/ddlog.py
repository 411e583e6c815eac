"""*Differential Datalog*, Figure 8: labels that spread over a network unless a machine denies them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from benchmarks.language import network
from benchmarks.papers.alone import alone
from benchmarks.papers.model import Cell, Experiment, Lines, Plot, Table
from benchmarks.states import seconds as timed
from benchmarks.workspace import Workspace
from kgreason.materialize.edit import Edit
from kgreason.memory import resident_bytes

_ADDED, _REMOVED = 0.12, 0.03
"""The shares of the links that arrive and leave, as in the paper."""


def reachability(_: Workspace, is_full: bool) -> Iterator[Table]:
    """Load networks of growing size, of two ends of links a machine; then 12 % more links arrive, and 3 % leave."""
    rows: list[tuple[Cell, ...]] = []
    lines: Lines = {"load": [], "+12 %": [], "-3 %": []}
    for size in (10_000, 30_000, 100_000, 300_000, 1_000_000)[: 5 if is_full else 3]:
        links, facts, taken, memory = alone(_measured, size)
        rows.append((size, links, facts, *taken, memory / (1 << 20)))
        for line, seconds in zip(lines.values(), taken, strict=True):
            line.append((size, seconds))
    columns = ("machines", "links", "facts", "load, s", "+12 %, s", "-3 %, s", "memory, MiB")
    remark = "memory: by how much a process of its own grew"
    yield Table("Labelled reachability", columns, rows, remark, Plot("reachability", "machines", "seconds", lines))


def _measured(size: int) -> tuple[int, int, list[float], int]:
    """The links and the facts of a network, the seconds of its load and of two changes, and the memory in bytes."""
    before = resident_bytes() or 0
    materializer, between, others = network(size, size)
    late = np.argsort(np.random.default_rng(1).random(len(between)))[: round(_ADDED * len(between))]
    early = np.delete(between, late, axis=0)

    def carry_out(edit: Edit) -> None:
        materializer.change(edit, strategy="auto")
        materializer.accept()

    gone = early[: round(_REMOVED * len(between))]
    edits = (Edit(added=np.concatenate([early, others])), Edit(added=between[late]), Edit(removed=gone))
    taken = [timed(partial(carry_out, edit)) for edit in edits]
    return len(between), len(materializer.engine.facts), taken, (resident_bytes() or 0) - before


EXPERIMENTS = (
    Experiment(
        "ddlog-reachability",
        "DDlog, Figure 8",
        "How do a load and changes of labelled reachability grow with the network?",
        "DDlog is several times faster than a program in Java that was written and tuned by hand.",
        reachability,
    ),
)
