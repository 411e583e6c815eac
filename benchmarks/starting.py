"""Short commands as whole processes: the seconds that a user waits.

Only these benchmarks are not ratios, since a user notices the seconds. A first run, which does not count, compiles the
kernels, except in the benchmark that measures compilation. The ontology is the family ontology that kgreason ships.
"""

from __future__ import annotations

from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.model import Measurement
from benchmarks.process import kgreason, run, shown
from benchmarks.workspace import Workspace

_FAMILY = "family.ttl"
_ROUNDS = 7
_QUERY = "SELECT ?x ?y WHERE { ?x <http://example.org/family#hasParent> ?y }"


def query(workspace: Workspace) -> Measurement:
    """`kgreason query` on a small store."""
    store = workspace.fresh("family").name
    name = workspace.ontology(_FAMILY).name
    run(kgreason("load", "-l", store, "-f", name, "--rules", "owl2rl"), workspace.folder)
    return _seconds(workspace, kgreason("query", "-l", store, "--query", _QUERY))


def materialize(workspace: Workspace) -> Measurement:
    """`kgreason materialize` of a small ontology."""
    return _seconds(workspace, _materialize(workspace))


def first_compile(workspace: Workspace) -> Measurement:
    """The same when no kernel has been compiled yet; one run, as there is only one first time."""
    command = _materialize(workspace)
    with TemporaryDirectory(dir=workspace.folder) as cache:
        seconds = run(command, workspace.folder, {"NUMBA_CACHE_DIR": cache}).seconds
    how = "one run, NUMBA_CACHE_DIR an empty folder"
    return Measurement(seconds, how, commands=(shown(command),))


def _materialize(workspace: Workspace) -> list[str | Path]:
    return kgreason("materialize", workspace.ontology(_FAMILY).name, "--rules", "owl2rl", "-o", "family.nt")


def _seconds(workspace: Workspace, command: list[str | Path]) -> Measurement:
    run(command, workspace.folder)
    seconds = [run(command, workspace.folder).seconds for _ in range(_ROUNDS)]
    how = f"median of {_ROUNDS} processes, {min(seconds):.2f} to {max(seconds):.2f} s"
    return Measurement(median(seconds), how, commands=(shown(command),))
