"""The runner and its report: formats, what is skipped, what fails. Nothing is measured."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import report
from benchmarks.__main__ import main, run
from benchmarks.model import Benchmark, Figure, Measurement
from benchmarks.suite import ALL, BENCHMARKS
from benchmarks.timing import Pairs, alternate
from benchmarks.workspace import SkippedError, Workspace

NAMES = [benchmark.name for benchmark in ALL]


def given(workspace: Workspace) -> Measurement:
    return Measurement(2.25, "4.5 s over 2 s", {"rewrites": (12_345_678.0, "rewrites")}, ("kgreason load",))


def skips(workspace: Workspace) -> Measurement:
    raise SkippedError("no data")


def fails(workspace: Workspace) -> Measurement:
    raise ValueError("broken")


GIVEN = Benchmark("given", "what was given", 2.5, "x", given)


def test_each_benchmark_has_a_name_of_its_own() -> None:
    assert len(set(NAMES)) == len(NAMES)
    assert {benchmark.name: benchmark.aim for benchmark in BENCHMARKS}["load-lubm5"] == 1


def test_a_measurement_is_reported_with_its_aim_and_its_command(workspace: Workspace) -> None:
    assert list(report.measured(GIVEN, given(workspace))) == [
        "given                                  2.25 x   at most 2.5: met",
        "given-rewrites                   12,345,678 rewrites",
        "    what was given",
        "    4.5 s over 2 s",
        "    $ kgreason load",
        "    $ scripts/bench --only given",
    ]


@pytest.mark.parametrize(("value", "verdict"), [(2.5, "met"), (2.51, "MISSED")])
def test_an_aim_is_an_upper_bound(value: float, verdict: str) -> None:
    assert report.line(Figure("a", value, 2.5, "x")).endswith(f"at most 2.5: {verdict}")


def test_the_json_file_is_a_list_of_figures(workspace: Workspace, tmp_path: Path) -> None:
    figures, failed = run([GIVEN, Benchmark("skipped", "", 1, "x", skips)], workspace)
    report.write(tmp_path / "figures.json", figures)
    assert not failed
    assert json.loads((tmp_path / "figures.json").read_text()) == [
        {"name": "given", "value": 2.25, "aim": 2.5, "unit": "x"},
        {"name": "given-rewrites", "value": 12345678.0, "aim": None, "unit": "rewrites"},
    ]


def test_the_others_run_when_one_is_skipped_or_fails(workspace: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    chosen = [Benchmark("skipped", "", 1, "x", skips), Benchmark("failing", "", 1, "x", fails), GIVEN]
    figures, failed = run(chosen, workspace)
    said = capsys.readouterr().out
    assert failed
    assert [figure.name for figure in figures] == ["given", "given-rewrites"]
    assert "skipped: no data" in said
    assert "ValueError: broken" in said


def test_list_names_every_benchmark(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == NAMES


def test_a_name_that_is_not_there_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--only", "no-such-benchmark"])
    assert "no benchmark has the name no-such-benchmark" in capsys.readouterr().err


def test_a_pattern_chooses_the_benchmarks_that_match(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = [replace(GIVEN, name=name) for name in ("el-one", "other", "el-two")]
    monkeypatch.setattr("benchmarks.__main__.ALL", found)
    assert main(["--only", "el-*"]) == 0
    assert re.findall(r"--only ([\w-]+)", capsys.readouterr().out) == ["el-one", "el-two"]


def test_a_benchmark_without_its_data_is_skipped(workspace: Workspace) -> None:
    editor = next(benchmark for benchmark in BENCHMARKS if benchmark.name == "text-editor")
    with pytest.raises(SkippedError, match=r"insert\.txt\.gz is missing"):
        editor.run(workspace)


def test_lubm_is_made_once(workspace: Workspace) -> None:
    path = workspace.lubm(1)
    first = path.stat()
    assert 90_000 < path.read_bytes().count(b"\n") < 130_000
    assert workspace.lubm(1).stat().st_mtime_ns == first.st_mtime_ns


def test_the_ratio_is_the_median_of_pairs_and_sides_run_in_turns() -> None:
    assert Pairs((1.0, 9.0, 4.0), (1.0, 3.0, 2.0)).ratio == 2.0
    order: list[str] = []

    def side(name: str) -> float:
        order.append(name)
        return 1.0

    alternate(lambda: side("A"), lambda: side("B"), 3)
    assert "".join(order) == "ABABAB"
