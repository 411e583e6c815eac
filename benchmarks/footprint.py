"""Bytes: what a fact, a term and a whole load cost in memory, at LUBM(5,0) under OWL 2 RL.

The spare room of arrays counts too, since other programs cannot use this memory. Bytes vary less than seconds: one run
is enough for arrays, and the median of three runs for the peak of a process.
"""

from __future__ import annotations

from statistics import median

from benchmarks.files import load_lubm
from benchmarks.lubm import materialize
from benchmarks.model import Measurement
from benchmarks.process import run, shown
from benchmarks.workspace import Workspace
from kgreason.engine.facts.table import TABLE
from kgreason.engine.index.arrangements import ARRANGEMENTS

_ROUNDS = 3


def fact(workspace: Workspace) -> Measurement:
    """Bytes of the fact table and its arrangements for each fact, terms apart."""
    engine = materialize(workspace, 5).engine
    nbytes = engine._circuit.memory.nbytes
    facts, arrangements = nbytes(*TABLE) / len(engine), nbytes(*ARRANGEMENTS) / len(engine)
    how = f"{len(engine):,} facts: {facts:.1f} bytes of fact table and {arrangements:.1f} of arrangements each"
    return Measurement(engine.nbytes / len(engine), how)


def term(workspace: Workspace) -> Measurement:
    """Bytes of the dictionary for each term, its text included."""
    dictionary = materialize(workspace, 5).dictionary
    return Measurement(dictionary.nbytes / len(dictionary), f"{len(dictionary):,} terms")


def load(workspace: Workspace) -> Measurement:
    """Peak memory of a load over the size of its data file."""
    peaks = []
    for _ in range(_ROUNDS):
        workspace.fresh("store")
        peaks.append(run(load_lubm(workspace), workspace.folder).peak)
    size = workspace.lubm(5).stat().st_size
    how = f"{median(peaks) / 1e6:.0f} MB over {size / 1e6:.0f} MB; median of {_ROUNDS} runs"
    return Measurement(median(peaks) / size, how, commands=(shown(load_lubm(workspace)),))
