"""The experiments of the papers: their tables have the right shape. Their numbers are checked by nobody."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from benchmarks.papers.__main__ import EXPERIMENTS, main
from benchmarks.papers.impact import _choice, _claim
from benchmarks.papers.model import Experiment, Plot, Table
from benchmarks.papers.shapiro import neighbours, reached
from benchmarks.papers.workloads import closure, parts, pointers, rmat
from benchmarks.programs import random_graph
from benchmarks.workspace import SkippedError, Workspace
from tests.tables import table

TABLE = Table(
    "Closures",
    ("size", "seconds"),
    [("small", 0.5), ("large", 1200.0)],
    "one run",
    Plot("c", "n", "s", {"one": [(1, 0.5), (2, 1.0)]}),
)


def is_whole(made: Table) -> bool:
    is_drawn = made.plot is None or (bool(made.plot.lines) and all(made.plot.lines.values()))
    return bool(made.rows) and is_drawn and all(len(row) == len(made.columns) for row in made.rows)


@pytest.mark.parametrize("name", [each.name for each in EXPERIMENTS])
def test_the_tables_of_an_experiment_are_whole(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With no other system, not even Spark."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("benchmarks.spark.find_spec", lambda _: None)
    (experiment,) = (each for each in EXPERIMENTS if each.name == name)
    with Workspace() as workspace:
        tables = [*experiment.run(workspace, False)]
    assert all(map(is_whole, tables))
    assert any(each.plot for each in tables)


def test_a_report_goes_on_after_what_is_missing_or_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object) -> Iterator[Table]:
        raise SkippedError("no data")

    def broken(*_: object) -> Iterator[Table]:
        raise ValueError("broken")

    runs = {"missing": missing, "broken": broken, "whole": lambda *_: iter([TABLE])}
    experiments = [Experiment(name, "a paper", "a question", "", run) for name, run in runs.items()]
    monkeypatch.setattr("benchmarks.papers.__main__.EXPERIMENTS", experiments)
    assert main(["--folder", str(tmp_path)]) == 1
    text, html = ((tmp_path / f"papers.{kind}").read_text() for kind in ("md", "html"))
    assert "Skipped: no data." in text
    assert "Failed." in text
    assert "| small | 0.5 |\n| large | 1,200 |" in text
    assert "<td>1,200</td>" in html


def test_a_page_takes_a_report_over_between_its_marks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "page.md"
    monkeypatch.setattr("benchmarks.papers.__main__._PAGE", path)
    experiment = Experiment("whole", "a paper", "a question", "", lambda *_: iter([TABLE]))
    monkeypatch.setattr("benchmarks.papers.__main__.EXPERIMENTS", [experiment])
    path.write_text("# Page\n\n<!-- a run of scripts/papers --page -->old\n<!-- the end of the run -->\n\nrest\n")
    for _ in range(2):
        assert main(["--folder", str(tmp_path), "--page"]) == 0
        text = path.read_text()
        assert text.startswith("# Page\n")
        assert text.endswith("<!-- the end of the run -->\n\nrest\n")
        assert text.count("### whole: a question") == text.count("| small | 0.5 |") == 1
        assert "old" not in text
        assert "![" not in text
    path.write_text("no marks")
    with pytest.raises(ValueError, match="the marks"):
        main(["--folder", str(tmp_path), "--page"])


def test_claims_are_read_off_the_points() -> None:
    assert _claim({"deleted": [(1, 0.1), (10, 0.9), (100, 1.5)], "added": [(1, 2.0)]}) == (
        "An Update is faster than a Bootstrap, facts deleted: up to 10, facts added: never"
    )
    assert _choice({"auto": 3.0, "update": 2.0, "bootstrap": 6.0}) == 1.5


def test_the_names_of_experiments_differ() -> None:
    assert len({each.name for each in EXPERIMENTS}) == len(EXPERIMENTS)
    assert main(["--list"]) == 0


@table(("load", "count"), [(closure(random_graph(30, 60)), 60), (pointers(50), 60)])
def test_a_part_that_is_deleted_is_added_again(load, count: int) -> None:  # type: ignore[no-untyped-def]
    with Workspace() as workspace:
        loaded, half = load(workspace, 1), load(workspace, 0.5)
    assert half.asserted == round(loaded.asserted / 2)
    for part in parts(loaded.asserted, 5, 2):
        assert len(part) == 5
        assert loaded.change(part, False, "update") > 0
        assert loaded.change(part, True, "update") > 0
    assert loaded.bootstrap() > 0


def test_the_plain_program_finds_the_closure() -> None:
    edges = rmat(4, 30)
    reach = np.zeros((16, 16), dtype=bool)
    reach[edges[:, 0], edges[:, 1]] = True
    for _ in range(4):
        reach |= (reach.astype(int) @ reach.astype(int)) > 0
    assert reached.py_func(*neighbours(edges, 16)) == reach.sum()
