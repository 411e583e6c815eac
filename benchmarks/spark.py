"""The pipeline on Spark beside the one in process: `kgreason load` of LUBM, whole processes, on two local cores.

    spark-linear      time for a triple at 50 universities over that at 20; the engine computes the closure
    spark-lubm20      the time of Spark over that of one process at 20 universities; the engine computes the closure
    spark-little      Java with less than half of the memory that 50 universities take as text
    spark-close       a closure from ids to closed Parquet, over the engine's Bootstrap with two threads
    spark-files       a closure from files to files, over `kgreason materialize` in one process
    spark-cores       a closure from files to files on two cores over one
    spark-flat        the cost of a triple in a closure of 100 universities over 5
    spark-cluster     seconds for the closure of LUBM(1) on two workers of one core each
    spark-workers     memory of eight workers that close 100 universities, over 1 GB for each

A straight line is drawn through the times at two sizes, for Spark and for one process. Spark is faster on this machine
beyond the size where the two lines meet (the COST of McSherry et al., as the Shapiro paper asks for). The data comes
from `kgreason.lubm`. Closures do not count the start of the session, nor the first closure in it. Workers are processes
of this machine (Spark's `local-cluster`). Cost: an hour, ten GB.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType

from benchmarks.lubm import ONTOLOGY
from benchmarks.model import Measurement
from benchmarks.process import failed, kgreason, on_cores, run, shown
from benchmarks.tree import ALL, TreeOutcome, run_tree
from benchmarks.workspace import SkippedError, Workspace
from kgreason.lubm.generator import generate

_SPARK = ("--pipeline", "spark", "--master", "local[2]")
_SIZES = (5, 20, 50)
_LITTLE = "512m"
_SCRIPT = str(Path(__file__).with_name("spark_closing.py"))
_FEW, _SOME, _MANY = 10, 20, 100
"""The numbers of universities of closures."""


def linear(workspace: Workspace) -> Measurement:
    """Seconds for a triple at 50 universities over 20."""
    cost = {size: _load(workspace, size, *_SPARK).seconds / _triples(workspace, size) for size in (20, 50)}
    others = {
        f"{size}-{what}": figure
        for size in _SIZES
        for what, figure in _figures(_load(workspace, size, *_SPARK)).items()
    }
    how = ", ".join(f"{each * 1e6:.1f} us a triple at {size}" for size, each in cost.items())
    return Measurement(cost[50] / cost[20], how, others, (shown(_command(50, *_SPARK)),))


def beside_local(workspace: Workspace) -> Measurement:
    """Spark's seconds over those of one process, at 20 universities, and where they would meet."""
    spark, local = (
        {size: _load(workspace, size, *how) for size in (5, 20)} for how in (_SPARK, ("--pipeline", "local"))
    )
    runs = {f"{what}-{size}": each[size] for what, each in (("local", local), ("spark", spark)) for size in (5, 20)}
    runs["spark-50"] = _load(workspace, 50, *_SPARK)
    others = {f"{run}-{what}": figure for run, outcome in runs.items() for what, figure in _figures(outcome).items()}
    meeting = _meeting(workspace, spark, local)
    how = f"{spark[20].seconds:.1f} s over {local[20].seconds:.1f} s; {meeting}"
    commands = (shown(_command(20, *_SPARK)), shown(_command(20, "--pipeline", "local")))
    return Measurement(spark[20].seconds / local[20].seconds, how, others, commands)


def little_memory(workspace: Workspace) -> Measurement:
    """Java's memory, limited, over the bytes of the data that it closes."""
    data = _files(workspace, 50)
    settings = ("--conf", f"spark.driver.memory={_LITTLE}")
    command = kgreason("materialize", data.name, ONTOLOGY, *_SPARK, *settings, "-o", "closure.parquet")
    workspace.fresh("closure.parquet")
    outcome = run_tree(command, workspace.folder)
    share = (int(_LITTLE[:-1]) << 20) / data.stat().st_size
    return Measurement(share, f"{_LITTLE} for Java", _figures(outcome), (shown(command),))


def closing_step(workspace: Workspace) -> Measurement:
    """Spark's seconds from ids in Parquet to closed facts in Parquet, over the engine's Bootstrap with two threads."""
    spark = _closure(workspace, 2, _SOME)
    script = str(Path(__file__).with_name("spark_bootstrap.py"))
    bootstrap = json.loads(_said([sys.executable, script, f"lubm{_SOME}-own.nt", ONTOLOGY], workspace))["bootstrap"]
    how = f"{spark['closing']:.1f} s over {bootstrap:.1f} s at {_SOME} universities"
    return Measurement(spark["closing"] / bootstrap, how, _steps(spark))


def files_to_files(workspace: Workspace) -> Measurement:
    """Spark's seconds from files to files over those of `kgreason materialize` in one process."""
    spark = _closure(workspace, 2, _FEW)
    command = kgreason("materialize", f"lubm{_FEW}-own.nt", ONTOLOGY, "-o", workspace.fresh("closure.parquet").name)
    local = run([*command, "--pipeline", "local"], workspace.folder).seconds
    how = f"{spark['files']:.1f} s over {local:.1f} s at {_FEW} universities; the process counts with its start"
    return Measurement(spark["files"] / local, how, _steps(spark), (shown(command),))


def flat(workspace: Workspace) -> Measurement:
    """The cost of a triple at `_MANY` universities over that at five."""
    costs = {size: _closure(workspace, 2, size)["files"] / _triples(workspace, size) for size in (5, _MANY)}
    how = ", ".join(f"{cost * 1e6:.1f} us a triple at {size}" for size, cost in costs.items())
    return Measurement(costs[_MANY] / costs[5], how)


def small_cluster(workspace: Workspace) -> Measurement:
    """Seconds for the closure of LUBM(1) on two workers of one core each."""
    took, outcome = _on_cluster(workspace, 2, 1)
    how = f"{took['first']:.1f} s for the ontology alone, before"
    return Measurement(took["files"], how, {**_steps(took), **_peaks(outcome)})


def little_workers(workspace: Workspace) -> Measurement:
    """Memory of eight workers, Java and Python, that close 100 universities, over 1 GB for each."""
    workers, settings = 8, {"spark.executor.memory": "512m", "spark.kgreason.partMemory": "400m"}
    took, outcome = _on_cluster(workspace, workers, _MANY, settings)
    memory = (outcome.peaks["executors"] + outcome.peaks["workers"]) / workers
    how = f"{memory / 2**20:.0f} MB for each worker, {took['files']:.0f} s for {_MANY} universities"
    return Measurement(memory / 2**30, how, {**_steps(took), **_peaks(outcome)})


def two_cores(workspace: Workspace) -> Measurement:
    """Spark's seconds for a closure on two cores over those on one.

    The processes of Java and Python together have so many cores: with `local[1]` alone, Java compiles and collects
    garbage, and Python parses, on the other one.
    """
    two, one = (_closure(workspace, cores, _SOME) for cores in (2, 1))
    each = ", ".join(f"{took['files'] / _triples(workspace, _SOME) * 1e6:.1f} us" for took in (two, one))
    how = f"{two['files']:.1f} s over {one['files']:.1f} s at {_SOME} universities; a triple costs {each}"
    runs = {1: _steps(one), 2: _steps(two)}
    steps = {f"{step}-on-{cores}": figure for cores, took in runs.items() for step, figure in took.items()}
    return Measurement(two["files"] / one["files"], how, steps)


@cache
def _closure(workspace: Workspace, cores: int, size: int) -> dict[str, float]:
    """Seconds for the closure of so many universities in a Spark session of its own on so many cores, by steps."""
    return closing(workspace, cores, "owl2rl", _files(workspace, size).name, ONTOLOGY)


def closing(workspace: Workspace, cores: int, rules: str, *files: str) -> dict[str, float]:
    """Seconds for the closure of files of the workspace under rules, in a Spark session of its own, by steps.

    The session has closed the last file before (the step `first`). Raises SkippedError where PySpark is missing.
    """
    _check()
    output = workspace.fresh("closure.parquet").name
    with on_cores(cores):
        told = _said([sys.executable, _SCRIPT, f"local[{cores}]", "{}", output, rules, *files], workspace)
    workspace.fresh(output)
    seconds: dict[str, float] = json.loads(told)
    return seconds


def _on_cluster(
    workspace: Workspace, workers: int, size: int, settings: Mapping[str, str] = MappingProxyType({})
) -> tuple[dict[str, float], TreeOutcome]:
    """Seconds by steps, and memory, for a closure by so many workers of one core each, on two cores of this machine."""
    files = _files(workspace, size).name, ONTOLOGY
    output, home = workspace.fresh("closure.parquet").name, workspace.fresh("spark")
    home.mkdir()  # workers write their logs into the folder of Spark, which others may use
    spec = find_spec("pyspark")
    assert spec is not None
    for part in Path(str(spec.origin)).parent.iterdir():
        if part.name != "work":
            (home / part.name).symlink_to(part)
    master = f"local-cluster[{workers},1,1024]"
    with on_cores(2):
        command = [sys.executable, _SCRIPT, master, json.dumps(dict(settings)), output, "owl2rl", *files]
        outcome = run_tree(command, workspace.folder, {"SPARK_HOME": str(home)})
    return json.loads(outcome.said), outcome


def _said(command: list[str], workspace: Workspace) -> str:
    done = subprocess.run(command, cwd=workspace.folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise failed(command, done.returncode, done.stderr)
    return done.stdout


def _steps(seconds: dict[str, float]) -> dict[str, tuple[float, str]]:
    return {step: (each, "s") for step, each in seconds.items()}


def _command(size: int, *how: str) -> list[str | Path]:
    return kgreason("load", "-l", "store", "-f", f"lubm{size}-own.nt", ONTOLOGY, "--rules", "owl2rl", *how)


@cache
def _load(workspace: Workspace, size: int, *how: str) -> TreeOutcome:
    """A load into a store of its own; the same is measured once."""
    _files(workspace, size)
    workspace.fresh("store")
    outcome = run_tree(_command(size, *how), workspace.folder)
    workspace.fresh("store")
    return outcome


def _files(workspace: Workspace, size: int) -> Path:
    """The data, with the ontology beside it."""
    _check()
    workspace.ontology(ONTOLOGY)
    return _data(workspace, size)


def _check() -> None:
    """Raise SkippedError where PySpark is missing."""
    if find_spec("pyspark") is None:
        raise SkippedError("PySpark is not installed: run scripts/setup --spark")


def _data(workspace: Workspace, size: int) -> Path:
    """The project's own LUBM data of so many universities, as one file."""
    path = workspace.folder / f"lubm{size}-own.nt"
    if not path.exists():
        with path.open("w") as file:
            for _, lines in generate(size):
                file.writelines(lines)
    return path


@cache
def _triples(workspace: Workspace, size: int) -> int:
    with _data(workspace, size).open("rb") as file:
        return sum(1 for _ in file)


def _figures(outcome: TreeOutcome) -> dict[str, tuple[float, str]]:
    return {"seconds": (outcome.seconds, "s"), **_peaks(outcome)}


def _peaks(outcome: TreeOutcome) -> dict[str, tuple[float, str]]:
    peaks = {f"peak-{kind}": (peak / 2**20, "MB") for kind, peak in sorted(outcome.peaks.items()) if kind != ALL}
    return {**peaks, "peak": (outcome.peaks[ALL] / 2**20, "MB")}


def _meeting(workspace: Workspace, spark: dict[int, TreeOutcome], local: dict[int, TreeOutcome]) -> str:
    """Where two straight lines through the times at 5 and 20 universities meet."""
    low, high = (_triples(workspace, size) for size in (5, 20))
    slopes = [(times[20].seconds - times[5].seconds) / (high - low) for times in (spark, local)]
    if slopes[0] >= slopes[1]:
        return "on two cores Spark costs more a triple, so that it does not overtake at any size"
    starts = [times[5].seconds - slope * low for times, slope in zip((spark, local), slopes, strict=True)]
    return f"Spark would overtake at {(starts[0] - starts[1]) / (slopes[1] - slopes[0]) / 1e6:.0f} million triples"
