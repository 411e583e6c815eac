"""Plots: one SVG file for each benchmark whose measurement has panels.

A plot has a column for each panel. The upper part has the seconds of a commit under each strategy. The lower part has
the ratios that the benchmark reports: `auto` over the better of the other two strategies. Lines mark the bounds of the
law of `auto` (see `elastic`), 1.15 and 2. All axes are logarithmic.

The strategies differ in colour, marker and dash, so a plot can be read without colours. The colours are those of Okabe
and Ito, which colour-blind readers can tell apart. The same measurement gives the same file, with the same matplotlib.

matplotlib comes with the extra `bench`. It is imported only to draw. Cost: about a second for each plot.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.model import Benchmark, Measurement, Panel

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LINES: dict[str, dict[str, Any]] = {
    "update": {"color": "#0072B2", "marker": "o", "linestyle": "-", "markersize": 7},
    "bootstrap": {"color": "#D55E00", "marker": "s", "linestyle": "--", "markersize": 6},
    "auto": {"color": "black", "marker": "x", "linestyle": ":", "markersize": 5},
}
_BOUNDS = {1.15: "1.15 for nine of ten", 2: "2 for all"}
_STYLE = {
    "svg.fonttype": "none",
    "svg.hashsalt": "kgreason",
    "font.size": 10,
    "xtick.labelsize": 9,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "lines.linewidth": 1.3,
    "lines.markerfacecolor": "none",
}


def is_possible() -> bool:
    """Whether matplotlib is installed."""
    return importlib.util.find_spec("matplotlib") is not None


def write(folder: Path, benchmark: Benchmark, measurement: Measurement) -> Path:
    """Draw the panels of a measurement; returns the path of the file, which has the name of the benchmark."""
    from matplotlib import style
    from matplotlib.figure import Figure

    path = folder / f"{benchmark.name}.svg"
    panels = measurement.panels
    with style.context(["default", _STYLE]):
        figure = Figure(figsize=(9.5, 6), layout="constrained")
        figure.suptitle(f"{benchmark.name}: {benchmark.what}\n{measurement.how}", fontsize=11)
        rows = figure.subplots(2, len(panels), sharex=True, sharey="row", squeeze=False, height_ratios=(3, 1.2))
        for above, below, panel in zip(*rows, panels, strict=True):
            _seconds(above, panel)
            _ratios(below, panel)
        _bounds(rows[1][-1], [ratio for panel in panels for ratio in panel.ratios])
        rows[0][0].set_ylabel("time of the commit")
        rows[1][0].set_ylabel("auto over\nthe better")
        figure.legend(*rows[0][0].get_legend_handles_labels(), loc="outside lower center", ncols=len(_LINES))
        figure.savefig(path, format="svg", metadata={"Date": None})
    return path


def _seconds(axes: Axes, panel: Panel) -> None:
    """The seconds of each strategy."""
    from matplotlib.ticker import EngFormatter

    axes.set_title(f"facts {panel.side}")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(EngFormatter("s"))
    for strategy, line in _LINES.items():
        axes.plot(panel.sizes, panel.seconds[strategy], label=strategy, gid=f"{panel.side}-{strategy}", **line)


def _ratios(axes: Axes, panel: Panel) -> None:
    """The ratios, and the lines that bound them."""
    axes.set_xlabel("facts in the commit")
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.plot(panel.sizes, panel.ratios, gid=f"{panel.side}-ratio", **_LINES["auto"])
    for bound in (1, *_BOUNDS):
        axes.axhline(bound, gid=f"{panel.side}-{bound}", color="#888888", linestyle="-." if bound in _BOUNDS else "-")


def _bounds(axes: Axes, ratios: list[float]) -> None:
    """A scale with room for all ratios, and words at the right end of the lines."""
    from matplotlib.ticker import LogLocator, NullLocator

    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_minor_locator(NullLocator())
    axes.set_ylim(0.8 * min(1, *ratios), 1.2 * max(2, *ratios))
    for bound, text in _BOUNDS.items():
        axes.annotate(text, (1, bound), (4, 0), ("axes fraction", "data"), "offset points", va="center", fontsize=8)
