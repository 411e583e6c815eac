"""`auto` beside the better of Update and Bootstrap, over commits from one fact to half of all.

The question is that of Zhao et al., *Towards Elastic Incrementalization for Datalog*: how far does a choice made
beforehand fall behind the better choice? The workload is our own and not that of the paper. So the figures of the two
cannot be compared.

The sizes of the commits grow by a constant factor; each part is deleted and then added again. Three engines of the same
facts take turns, one for each strategy.

    auto       the time that `auto` takes, over the time that the better of the other two takes for each commit, both
               summed over the commits
    worst      the largest such ratio of one commit. The law is that it is at most 2, and at most 1.15 for nine of ten
               commits (`most`). Commits of less than a millisecond count less: a tenth of a millisecond is added to
               both times, as nobody can choose better in less. A figure for each commit has its ratio, and two
               panels have the seconds behind the ratios for `scripts/bench --plot`.

Before the first commit each engine deletes and adds one fact by an Update, which makes plans that every Update needs.
The time of a commit is the median of its rounds. Commits of at most 1 % of the facts are short, and one of them can
take several times as long as the next one. So they have more rounds, except under the strategy `bootstrap`, whose time
does not depend on the size of a commit.

Cost: for each round 26 commits under three strategies; those of half of all facts take as long as a Bootstrap or more.
"""

from __future__ import annotations

from itertools import islice
from statistics import median
from typing import get_args

from benchmarks.commits import Scene
from benchmarks.model import Measurement, Panel
from benchmarks.states import SIDES, Side, Start, Turn, turns
from benchmarks.workspace import Workspace
from kgreason.engine.changes import Strategy

_COMMITS = 13
_ROUNDS, _SHORT_ROUNDS = 3, 11
_MOST, _MOMENT = 0.9, 1e-4
_STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)


def auto(scene: Scene, workspace: Workspace) -> Measurement:
    """`auto` over the better of Update and Bootstrap, summed over the series."""
    return series(scene(workspace), _ROUNDS)


def worst(scene: Scene, workspace: Workspace) -> Measurement:
    """`auto` over the better of Update and Bootstrap for the commit where this ratio is largest."""
    start = scene(workspace)
    taken = _taken(start, _ROUNDS)
    panels = tuple(_panel(side, sizes(start.changed), taken[side]) for side in SIDES)
    ordered = sorted(ratio for panel in panels for ratio in panel.ratios)
    others = {"most": (ordered[int(_MOST * len(ordered))], "x")}
    for panel in panels:
        names = (f"{panel.side}-{size}" for size in panel.sizes)
        others |= {name: (ratio, "x") for name, ratio in zip(names, panel.ratios, strict=True)}
    how = f"{_how(start, _ROUNDS)}; {1_000 * _MOMENT:g} ms added to both sides of a ratio"
    return Measurement(ordered[-1], how, others, panels=panels)


def _panel(side: Side, changed: list[int], taken: list[dict[Strategy, float]]) -> Panel:
    """The commits of one side, with `auto` over the better of the other two for each commit."""
    seconds: dict[str, tuple[float, ...]] = {name: tuple(each[name] for each in taken) for name in _STRATEGIES}
    better = map(min, seconds["update"], seconds["bootstrap"])
    ratios = ((auto + _MOMENT) / (best + _MOMENT) for auto, best in zip(seconds["auto"], better, strict=True))
    return Panel(side, tuple(changed), seconds, tuple(ratios))


def series(start: Start, rounds: int) -> Measurement:
    """The series, each commit the median of its rounds."""
    taken = _taken(start, rounds)
    return Measurement(_ratio(taken["deleted"] + taken["added"]), _how(start, rounds), _others(taken))


def _how(start: Start, rounds: int) -> str:
    return (
        f"{_COMMITS} sizes from 1 to {start.changed // 2:,} facts, deleted and added; medians of {rounds} rounds,"
        f" of {_SHORT_ROUNDS} up to 1 %"
    )


def _taken(start: Start, rounds: int) -> dict[Side, list[dict[Strategy, float]]]:
    """The seconds of each commit under each strategy."""
    engines = {strategy: start.fresh() for strategy in _STRATEGIES}
    for engine in engines.values():
        turns(engine, start.table, [next(start.parts(1))], "update")
    taken: dict[Side, list[dict[Strategy, float]]] = {side: [] for side in SIDES}
    for size in sizes(start.changed):
        parts = start.parts(size)
        found: dict[Strategy, list[Turn]] = {strategy: [] for strategy in _STRATEGIES}
        most = _SHORT_ROUNDS if 100 * size <= start.changed else rounds
        for number, part in enumerate(islice(parts, most)):
            for strategy, engine in engines.items():
                if number < rounds or strategy != "bootstrap":
                    found[strategy] += turns(engine, start.table, [part], strategy)
        for side in SIDES:
            taken[side].append({name: median(getattr(turn, side) for turn in each) for name, each in found.items()})
    return taken


def sizes(facts: int) -> list[int]:
    """The numbers of facts that the commits change: from one to half of all, in equal factors."""
    return [round((facts / 2) ** (step / (_COMMITS - 1))) for step in range(_COMMITS)]


def _ratio(commits: list[dict[Strategy, float]]) -> float:
    best = sum(min(taken["update"], taken["bootstrap"]) for taken in commits)
    return sum(taken["auto"] for taken in commits) / best


def _others(taken: dict[Side, list[dict[Strategy, float]]]) -> dict[str, tuple[float, str]]:
    others: dict[str, tuple[float, str]] = {side: (_ratio(commits), "x") for side, commits in taken.items()}
    for strategy in _STRATEGIES:
        others[strategy] = sum(each[strategy] for commits in taken.values() for each in commits), "s"
    return others
