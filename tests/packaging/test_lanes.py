"""Which slow tests run for the last commits, and the file of durations that says what is slow."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests import lanes

ROOT = Path(__file__).parents[2]
TESTS = [f"tests/{folder}/test_law.py::test_law[{number}]" for folder in ("graph", "rdf") for number in range(100)]


def taken(monkeypatch: pytest.MonkeyPatch, commit: str, *changed: str, took: float = 1) -> set[str]:
    monkeypatch.setattr(lanes, "last_commits", lambda: (commit, frozenset(changed)))
    monkeypatch.setattr(lanes, "durations", lambda: dict.fromkeys(TESTS, took))
    return lanes.changed_tests(TESTS)


def test_a_folder_whose_tests_import_what_was_changed_is_taken_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = taken(monkeypatch, "a", "kgreason/rdf/formats.py")
    assert {test for test in TESTS if test.startswith("tests/rdf/")} < chosen < set(TESTS)


def test_a_folder_whose_tests_were_changed_is_taken_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    assert {test for test in TESTS if "/rdf/" in test} < taken(monkeypatch, "a", "tests/rdf/test_reader.py")


def test_commits_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    each = [taken(monkeypatch, f"commit {number}") for number in range(200)]
    assert set().union(*each) == set(TESTS)
    assert max(map(len, each)) < len(TESTS) / 5


def test_what_is_taken_fits_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(taken(monkeypatch, "a", "tests/rdf/test_reader.py", took=lanes.BUDGET / 7)) == 7


def test_every_duration_is_that_of_a_test() -> None:
    for file in {test.partition("::")[0] for test in lanes.durations()}:
        text = (ROOT / file).read_text(encoding="utf-8")
        names = {test.split("::")[-1].partition("[")[0] for test in lanes.durations() if test.startswith(f"{file}::")}
        assert not [name for name in names if not re.search(rf"\b{name}\b", text)]


def test_the_nightly_jobs_run_all_folders() -> None:
    jobs = (ROOT / ".github/workflows/nightly.yml").read_text(encoding="utf-8")
    folders = {f"tests/{path.parent.name}" for path in (ROOT / "tests").glob("*/test_*.py")}
    assert set(re.findall(r"tests/\w+", jobs)) == folders
