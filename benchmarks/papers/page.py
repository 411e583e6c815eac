"""The report of the experiments: Markdown, the same as HTML, and a plot for each table that has one."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Iterator
from importlib.metadata import PackageNotFoundError, version
from itertools import cycle
from pathlib import Path

from markdown_it import MarkdownIt

from benchmarks import plot as plots
from benchmarks.papers.model import Cell, Experiment, Plot, Table
from benchmarks.report import number

_PACKAGES = "kgreason", "numpy", "numba", "pyoxigraph", "owlrl", "reasonable"
_STYLE = """
body { font: 16px sans-serif; max-width: 60em; margin: auto }
td, th { padding: .2em .8em; text-align: right }
td:first-child { text-align: left }
"""


def head(is_full: bool) -> Iterator[str]:
    """Yield the first lines: what this is, the machine and the versions."""
    versions = ", ".join(f"{name} {found}" for name in _PACKAGES if (found := _version(name)))
    yield "# The experiments of the papers\n"
    yield f"{'Full' if is_full else 'Small'} sizes. Python {platform.python_version()}, {versions}.\n"
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    yield f"{machine}. Seconds are of this machine; compare ratios.\n"


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def section(experiment: Experiment, is_full: bool) -> Iterator[str]:
    """Yield the lines that stand above the tables of an experiment, with the command that makes them again."""
    yield f"## {experiment.name}: {experiment.question}\n"
    found = f" The paper found: {experiment.claim}" if experiment.claim else ""
    yield f"{experiment.source}.{found}\n"
    yield f"    scripts/papers {'--full ' if is_full else ''}{experiment.name}\n"


def table(each: Table, folder: Path) -> Iterator[str]:
    """Yield the lines of a table; its plot is drawn in the folder, if matplotlib is installed."""
    yield f"### {each.title}\n"
    yield f"| {' | '.join(each.columns)} |"
    yield f"|{'---|' * len(each.columns)}"
    yield from (f"| {' | '.join(map(_text, row))} |" for row in each.rows)
    yield ""
    if each.remark:
        yield f"{each.remark[0].upper()}{each.remark[1:]}.\n"
    if each.plot and plots.is_possible():
        yield f"![{each.plot.y} by {each.plot.x}]({_draw(each.plot, folder).name})\n"


def _text(cell: Cell) -> str:
    return cell if isinstance(cell, str) else number(cell)


def _draw(plot: Plot, folder: Path) -> Path:
    from matplotlib.figure import Figure

    path = folder / f"{plot.name}.svg"
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    for (name, points), marker in zip(plot.lines.items(), cycle("osx^vD"), strict=False):
        axes.plot(*zip(*points, strict=True), marker=marker, label=name)
    axes.set(xlabel=plot.x, ylabel=plot.y, xscale="log", yscale="log")
    axes.legend()
    figure.savefig(path, format="svg", metadata={"Date": None})
    return path


_FIRST, _LAST = "<!-- a run of scripts/papers --page -->", "<!-- the end of the run -->"


def take_over(page: Path, lines: Iterable[str]) -> None:
    """Replace what a page has between its two marks by a report: without its title and plots, one level deeper.

    Raises ValueError for a page without the marks.
    """
    before, first, rest = page.read_text(encoding="utf-8").partition(_FIRST)
    _, last, after = rest.partition(_LAST)
    if not (first and last):
        raise ValueError(f"{page}: the marks {_FIRST} and {_LAST} are missing")
    shown = (f"#{line}" if line.startswith("##") else line for line in lines if not line.startswith(("# ", "![")))
    page.write_text(f"{before}{first}\n\n{chr(10).join(shown)}\n{last}{after}", encoding="utf-8")


def write(folder: Path, lines: Iterable[str]) -> None:
    """Write the report into a folder, as `papers.md` and `papers.html`."""
    text = "\n".join(lines)
    (folder / "papers.md").write_text(text, encoding="utf-8")
    body = MarkdownIt().enable("table").render(text)
    first = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Papers</title><style>{_STYLE}</style>'
    (folder / "papers.html").write_text(f"{first}{body}</html>", encoding="utf-8")
