"""`kgreason load` and `kgreason materialize` as whole processes, compared with other programs.

    load          compared with Oxigraph's bulk load of the finished closure, which every load has to do
    materialize   compared with `reasonable`, an OWL 2 RL reasoner in Rust
    two_cores     load on two cores, compared with one

kgreason is that of the wheel (`installation`), as the other programs are installed from wheels. A first run does not
count. `two_cores` limits the cores of the process, not the threads of kgreason: Oxigraph has threads of its own.
Cost: some seconds a run, and a minute for the wheel.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

from benchmarks.installation import environment
from benchmarks.lubm import ONTOLOGY
from benchmarks.model import Measurement
from benchmarks.process import kgreason, on_cores, rival, run, shown
from benchmarks.timing import Pairs, alternate
from benchmarks.workspace import SkippedError, Workspace

_ROUNDS = 3

Command = list[str | Path]


def load_lubm(workspace: Workspace, universities: int = 5) -> Command:
    """The command that loads LUBM(universities,0) into the folder `store`, with the `kgreason` of this checkout."""
    return kgreason("load", "-l", "store", "-f", *_lubm(workspace, universities), "--rules", "owl2rl")


def _from_wheel(workspace: Workspace, command: Command) -> Command:
    """The same command with the `kgreason` of the wheel."""
    return [environment(workspace) / "bin" / "kgreason", *command[1:]]


def _materialize_lubm(workspace: Workspace) -> Command:
    return _from_wheel(workspace, kgreason("materialize", *_lubm(workspace), "--rules", "owl2rl", "-o", "closure.nt"))


def _lubm(workspace: Workspace, universities: int = 5) -> tuple[str, str]:
    return workspace.lubm(universities).name, workspace.ontology(ONTOLOGY).name


def load(workspace: Workspace) -> Measurement:
    """`kgreason load` of LUBM(5,0) under OWL 2 RL over Oxigraph's bulk load of its closure."""
    run(_materialize_lubm(workspace), workspace.folder)  # the closure
    ours = _from_wheel(workspace, load_lubm(workspace))
    return _compare(workspace, ours, rival("bulk_load", "rival", "closure.nt"), ("store", "rival"))


def materialize(workspace: Workspace) -> Measurement:
    """`kgreason materialize` of LUBM(5,0) under OWL 2 RL over `reasonable`."""
    if importlib.util.find_spec("reasonable") is None:
        raise SkippedError("reasonable is not installed: it comes with the extra `bench`")
    turtle = workspace.fresh("lubm5.ttl")  # N-Triples is Turtle, and reasonable knows only that suffix
    turtle.symlink_to(workspace.lubm(5))
    theirs = rival("reason", "rival.nt", turtle.name, ONTOLOGY)
    ours = _materialize_lubm(workspace)
    run(ours, workspace.folder)
    return _compare(workspace, ours, theirs, ("closure.nt", "rival.nt"))


def two_cores(workspace: Workspace) -> Measurement:
    """`kgreason load` of LUBM(10,0) under OWL 2 RL on two cores over the same on one."""
    command = _from_wheel(workspace, load_lubm(workspace, 10))

    def seconds(cores: int) -> float:
        workspace.fresh("store")
        with on_cores(cores):
            return run(command, workspace.folder).seconds

    seconds(2)
    pairs = alternate(lambda: seconds(2), lambda: seconds(1), _ROUNDS)
    return Measurement(pairs.ratio, f"processes, {pairs}", commands=(shown(command),))


def _compare(workspace: Workspace, ours: Command, theirs: Command, outputs: tuple[str, str]) -> Measurement:
    """Our command over theirs, in turns, each writing its output anew."""

    def seconds(command: Command, output: str) -> float:
        workspace.fresh(output)
        return run(command, workspace.folder).seconds

    pairs: Pairs = alternate(lambda: seconds(ours, outputs[0]), lambda: seconds(theirs, outputs[1]), _ROUNDS)
    return Measurement(pairs.ratio, f"processes, {pairs}", commands=(shown(ours), shown(theirs)))
