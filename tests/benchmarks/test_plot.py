"""Plots of the law of `auto`, from seconds that were made up: no time is measured here."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import get_args
from xml.etree import ElementTree

import pytest

from benchmarks import __main__, elastic
from benchmarks.__main__ import main
from benchmarks.model import Benchmark, Measurement
from benchmarks.states import SIDES, Side, Turn, closure
from benchmarks.workspace import Workspace
from kgreason.engine.changes import Strategy
from kgreason.engine.engine import Engine
from kgreason.zset.columns import Int32

STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)
SIZES = elastic.sizes(1_000)
START = closure(100, 1_000)
LAW = Benchmark("law-small", "auto over the better: a small closure", 2, "x", partial(elastic.worst, lambda _: START))
PLAIN = Benchmark("plain", "no plot", 2, "x", lambda _: Measurement(1.0, "as it was given"))


def seconds(strategy: Strategy, size: int) -> Turn:
    """An Update costs more for more facts, a Bootstrap does not; `auto` misses the law from 50 facts on."""
    update, bootstrap = 1e-4 * size, 1e-2
    auto = min(update, bootstrap) * (1.1 if size < 50 else 2.5)
    taken = {"update": update, "bootstrap": bootstrap, "auto": auto}[strategy]
    return Turn(taken, taken / 4)


def seconds_of(strategy: Strategy, size: int, side: Side) -> float:
    """The seconds of one side."""
    turn = seconds(strategy, size)
    return turn.deleted if side == "deleted" else turn.added


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> None:
    """Benchmarks of a law and of something else; no engine commits."""

    def turns(engine: Engine, table: int, parts: Sequence[Int32], strategy: Strategy) -> list[Turn]:
        return [seconds(strategy, len(part)) for part in parts]

    monkeypatch.setattr(elastic, "turns", turns)
    monkeypatch.setattr(__main__, "BENCHMARKS", [LAW, PLAIN])


class Svg:
    """The parts of an SVG file: its texts, and the points of each line by the id of its group."""

    def __init__(self, path: Path) -> None:
        self.root = ElementTree.parse(path).getroot()
        self.texts = {"".join(text.itertext()) for text in self.root.iterfind(".//{*}text")}

    def line(self, name: str) -> list[tuple[float, float]]:
        """The points of the path in the only group of this id."""
        (group,) = self.root.iterfind(f".//{{*}}g[@id='{name}']")
        path = group.find("{*}path")
        assert path is not None
        numbers = [float(word) for word in path.attrib["d"].split() if word not in "ML"]
        return list(zip(numbers[::2], numbers[1::2], strict=True))

    def height(self, name: str) -> float:
        """Where a level line is."""
        (height,) = {height for _, height in self.line(name)}
        return height


def plotted(folder: Path) -> Svg:
    assert main(["--plot", str(folder)]) == 0
    return Svg(folder / "law-small.svg")


def scale(low: tuple[float, float], high: tuple[float, float]) -> Callable[[float], float]:
    """Return a function that tells the value at a place of a logarithmic axis.

    `low` and `high` are two known points of the axis, each a place and its value.
    """
    (start, first), (end, last) = low, high
    return lambda place: first * (last / first) ** ((place - start) / (end - start))


@pytest.mark.usefixtures("given")
def test_only_a_benchmark_of_the_law_is_plotted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "new" / "plots"
    plotted(folder)
    assert [path.name for path in folder.iterdir()] == ["law-small.svg"]
    said = capsys.readouterr().out
    assert f"    plot: {folder / 'law-small.svg'}\n" in said
    assert "plain" in said


@pytest.mark.usefixtures("given")
def test_a_plot_says_what_was_measured(tmp_path: Path) -> None:
    texts = plotted(tmp_path).texts
    assert {"facts deleted", "facts added", "facts in the commit", "update", "bootstrap", "auto"} <= texts
    assert {"1.15 for nine of ten", "2 for all", "1 ms", "10 ms"} <= texts
    assert any(text.startswith("law-small: auto over the better: a small closure") for text in texts)
    assert any("0.1 ms added" in text for text in texts)


@pytest.mark.usefixtures("given")
@pytest.mark.parametrize("side", SIDES)
def test_the_plotted_ratios_are_those_that_are_reported(side: Side, tmp_path: Path, workspace: Workspace) -> None:
    svg = plotted(tmp_path)
    ratio = scale((svg.height(f"{side}-1"), 1), (svg.height(f"{side}-2"), 2))
    assert ratio(svg.height(f"{side}-1.15")) == pytest.approx(1.15, rel=1e-3)
    reported = LAW.run(workspace).others
    ratios = [ratio(height) for _, height in svg.line(f"{side}-ratio")]
    assert ratios == pytest.approx([reported[f"{side}-{size}"][0] for size in SIZES], rel=1e-3)


@pytest.mark.usefixtures("given")
@pytest.mark.parametrize("side", SIDES)
def test_the_plotted_seconds_are_those_of_the_commits(side: Side, tmp_path: Path) -> None:
    svg = plotted(tmp_path)
    (left, low), *_, (right, high) = svg.line(f"{side}-update")
    size = scale((left, SIZES[0]), (right, SIZES[-1]))
    second = scale((low, seconds_of("update", 1, side)), (high, seconds_of("update", 500, side)))
    for strategy in STRATEGIES:
        points = svg.line(f"{side}-{strategy}")
        assert [size(x) for x, _ in points] == pytest.approx(SIZES, rel=1e-2)
        assert [second(y) for _, y in points] == pytest.approx(
            [seconds_of(strategy, each, side) for each in SIZES], rel=1e-2
        )


@pytest.mark.usefixtures("given")
def test_a_ratio_counts_a_tenth_of_a_millisecond_on_both_sides(workspace: Workspace) -> None:
    found = LAW.run(workspace)
    assert found.others["deleted-1"][0] == pytest.approx(2.1 / 2)
    assert found.value == max(ratio for panel in found.panels for ratio in panel.ratios)
    assert found.value == pytest.approx(251 / 101)


@pytest.mark.usefixtures("given")
def test_the_same_measurement_gives_the_same_file(tmp_path: Path) -> None:
    for folder in ("first", "second"):
        plotted(tmp_path / folder)
    first, second = ((tmp_path / folder / "law-small.svg").read_bytes() for folder in ("first", "second"))
    assert first == second
    assert b"<dc:date>" not in first


@pytest.mark.usefixtures("given")
def test_the_json_file_has_the_seconds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--json", str(tmp_path / "figures.json")]) == 0
    values = {figure["name"]: figure["value"] for figure in json.loads((tmp_path / "figures.json").read_text())}
    assert values["law-small-deleted-1-update"] == 1e-4
    assert values["law-small-added-500-bootstrap"] == 1e-2 / 4
    assert sum(name.endswith("-auto") for name in values) == 2 * len(SIZES)
    assert "deleted-1-update" not in capsys.readouterr().out


@pytest.mark.usefixtures("given")
def test_without_matplotlib_nothing_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["--plot", str(tmp_path / "plots")]) == 1
    said = "--plot needs matplotlib, which is not installed: pip install 'kgreason[bench]'\n"
    assert capsys.readouterr().out == said
    assert not (tmp_path / "plots").exists()
