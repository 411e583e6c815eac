"""Which slow tests run for the last commits, and the file of durations that says what is slow."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests import lanes

ROOT = Path(__file__).parents[2]
TESTS = [f"tests/{folder}/test_law.py::test_law[{number}]" for folder in ("graph", "rdf") for number in range(100)]


def take(monkeypatch: pytest.MonkeyPatch, number: int, *changed: str, took: float = 1) -> set[str]:
    monkeypatch.setattr(lanes, "last_commits", lambda: (number, frozenset(changed)))
    monkeypatch.setattr(lanes, "durations", lambda: dict.fromkeys(TESTS, took))
    return lanes.changed_tests(TESTS)


def test_a_folder_whose_tests_import_what_was_changed_is_taken_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = take(monkeypatch, 1, "kgreason/rdf/lines/canonicalization.py")
    assert {test for test in TESTS if test.startswith("tests/rdf/")} < chosen < set(TESTS)


def test_a_folder_whose_tests_were_changed_is_taken_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    assert {test for test in TESTS if "/rdf/" in test} < take(monkeypatch, 1, "tests/rdf/test_reader.py")


def test_twenty_commits_take_all_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    each = [take(monkeypatch, number) for number in range(300, 320)]
    assert set().union(*each) == set(TESTS)
    assert sum(map(len, each)) == len(TESTS)


def test_a_grammar_concerns_the_tests_of_the_modules_beside_it() -> None:
    assert "tests/sparql" in lanes.folders_of(["kgreason/sparql/grammar.lark"])


def test_the_chosen_tests_fit_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(take(monkeypatch, 1, "tests/rdf/test_reader.py", took=lanes.BUDGET / 7)) == 7


def test_every_duration_is_that_of_a_test() -> None:
    for file in {test.partition("::")[0] for test in lanes.durations()}:
        text = (ROOT / file).read_text(encoding="utf-8")
        names = {test.split("::")[1].partition("[")[0] for test in lanes.durations() if test.startswith(f"{file}::")}
        assert not [name for name in names if not re.search(rf"\b{name}\b", text)]


def test_the_nightly_jobs_run_all_folders() -> None:
    jobs = (ROOT / ".github/workflows/nightly.yml").read_text(encoding="utf-8")
    folders = {f"tests/{path.relative_to(ROOT / 'tests').parts[0]}" for path in (ROOT / "tests").glob("*/**/test_*.py")}
    assert set(re.findall(r"tests/\w+", jobs)) == folders


def test_one_line_stands_for_the_parameters_of_a_slow_test(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(lanes, "DURATIONS", tmp_path / "durations.tsv")
    monkeypatch.setattr(lanes, "durations", lanes.durations.__wrapped__)
    slow = {f"tests/a/test_a.py::test_slow[{number}]": 1.0 + number for number in range(4)}
    mixed = {"tests/a/test_a.py::test_mixed[1]": 0.1, "tests/a/test_a.py::test_mixed[2]": 2.0}
    lanes.write_durations(slow | mixed | {"tests/a/test_a.py::test_old": 3.0})
    lanes.write_durations({"tests/a/test_a.py::test_old": 0.1})
    assert lanes.durations() == {"tests/a/test_a.py::test_mixed[2]": 2.0, "tests/a/test_a.py::test_slow": 2.5}
    assert [lanes.seconds_of(test) for test in (*slow, *mixed)] == [2.5] * 4 + [None, 2.0]
