"""`python -m benchmarks [--only NAME...]`: run benchmarks and print their figures.

A name may be a pattern, as in `--only 'el-*'`.
`--spark` runs the benchmarks on Spark, and `--list` lists all benchmarks. `--json FILE` also writes the figures to a
file. `--plot FOLDER` also draws the plots of measurements that have panels.

`--rivals` instead measures kgreason beside other systems, in turns: the table that opens docs/benchmarks.md, and then
the benchmarks whose other side is a reasoner. Systems that are missing are named with the reason.

`--large [--universities N...]` instead loads, asks and edits large graphs (`large`).

If a benchmark fails, its error is reported, the other benchmarks run, and the exit status is 1. A missed aim does not
change the exit status.
"""

from __future__ import annotations

import fnmatch
import sys
import traceback
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

from benchmarks import large, plot, report
from benchmarks.model import Benchmark, Figure
from benchmarks.rivals import columns
from benchmarks.suite import ALL, BENCHMARKS, ON_SPARK
from benchmarks.workspace import SkippedError, Workspace


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmarks that the arguments name; returns the exit status."""
    options = _parser().parse_args(arguments)
    if options.large:
        return _large(options.universities or large.SIZES)
    if options.rivals:
        return _rivals(columns.SIZES)
    if options.list:
        _say(*report.listed(ALL))
        return 0
    if options.plot:
        if not plot.is_possible():
            _say("--plot needs matplotlib, which is not installed: pip install 'kgreason[bench]'")
            return 1
        options.plot.mkdir(parents=True, exist_ok=True)
    wanted = ON_SPARK if options.spark else BENCHMARKS
    chosen = [each for each in ALL if each.name in chain(*options.only)] if options.only else wanted
    with Workspace() as workspace:
        figures, failed = run(chosen, workspace, options.plot)
    if options.json:
        report.write(options.json, figures)
    return int(failed)


def _rivals(sizes: Sequence[tuple[int, int]]) -> int:
    """Measure kgreason beside other systems; returns the exit status."""
    with Workspace() as workspace:
        _say(*columns.run(sizes, workspace))
        chosen = [benchmark for benchmark in ALL if benchmark.name in columns.REASONERS]
        _, has_failed = run(chosen, workspace)
    return int(has_failed)


def _large(sizes: Sequence[int]) -> int:
    """Measure large graphs, and print a table and whether the aims are met; returns the exit status."""
    runs: list[large.Run] = []
    with Workspace() as workspace:
        try:
            for done in large.measure(sorted(sizes), workspace):
                runs.append(done)
                _say(*large.table(runs), "")
        except large.FullDiskError as error:
            _say(str(error))
            return 1
    _say(*large.verdicts(runs))
    return 0


def run(benchmarks: Sequence[Benchmark], workspace: Workspace, plots: Path | None = None) -> tuple[list[Figure], bool]:
    """Run benchmarks one after the other and print their results; returns their figures, and whether one failed.

    The figures hold the points of panels, which are not printed. `plots` is the folder for plots.
    """
    figures: list[Figure] = []
    failed = False
    for benchmark in benchmarks:
        try:
            measurement = benchmark.run(workspace)
        except SkippedError as reason:
            _say(f"{benchmark.name:30} skipped: {reason}")
        except Exception:
            failed = True
            _say(f"{benchmark.name:30} FAILED", *traceback.format_exc().splitlines())
        else:
            figures += [*benchmark.figures(measurement), *benchmark.points(measurement)]
            _say(*report.measured(benchmark, measurement))
            if plots and measurement.panels:
                _say(f"    plot: {plot.write(plots, benchmark, measurement)}")
    return figures, failed


def _parser() -> ArgumentParser:
    parser = ArgumentParser(prog="scripts/bench", description="Run the benchmarks and print their figures.")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures to a file")
    text = "also plot each benchmark law-*, as an SVG file in a folder; needs the extra `bench`"
    parser.add_argument("--plot", type=Path, metavar="FOLDER", help=text)
    parser.add_argument("--spark", action="store_true", help="run the benchmarks on Spark, which take half an hour")
    text = "measure kgreason beside other systems: cargo, Soufflé, Java and Maven are used where they are installed"
    parser.add_argument("--rivals", action="store_true", help=text)
    parser.add_argument("--large", action="store_true", help="load, ask and edit large graphs, which takes an hour")
    sizes = ", ".join(map(str, large.SIZES))
    text = f"with --large: how many universities each graph has (default: {sizes})"
    parser.add_argument("--universities", nargs="+", type=int, metavar="N", help=text)
    text = "run only these benchmarks; a name may be a pattern, such as 'el-*'"
    parser.add_argument("--only", nargs="+", type=_names, metavar="NAME", help=text)
    parser.add_argument("--list", action="store_true", help="list the benchmarks and their aims")
    return parser


def _names(pattern: str) -> list[str]:
    """Return the names that match a pattern of a shell. Raises ArgumentTypeError if no benchmark has such a name."""
    if found := fnmatch.filter([benchmark.name for benchmark in ALL], pattern):
        return found
    raise ArgumentTypeError(f"no benchmark has the name {pattern}: --list lists them")


def _say(*lines: str) -> None:
    sys.stdout.writelines(f"{text}\n" for text in lines)
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
