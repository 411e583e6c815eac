"""What pytest says at the end of a run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.lanes import BUDGET

ROOT = Path(__file__).parents[2]
CONFTEST = """
from pathlib import Path

from tests import lanes
from tests.conftest import *

lanes.SHARE = 1
lanes.DURATIONS = Path(r"{}") / "durations.tsv"
"""
NEEDS = """
import pytest

@pytest.mark.parametrize("number", range({count}))
def test_that_needs_data(number):
    pytest.skip("no shared test data: /no/such/folder is missing")

def test_that_needs_something_else():
    pytest.skip("something else is missing")
"""


def summary(folder: Path, program: str, *arguments: str) -> list[str]:
    """The lines of a run of tests that use what our tests share, with a file of durations of their own."""
    (folder / "conftest.py").write_text(CONFTEST.format(folder))
    (folder / "pytest.ini").write_text("[pytest]\nmarkers = slow\n")
    (folder / "test_program.py").write_text(program)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(folder), str(folder)]
    command += arguments
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    found = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment, check=False)
    assert found.returncode == 0, found.stdout + found.stderr
    return found.stdout.splitlines()


@pytest.mark.parametrize(("count", "line"), [(0, ""), (1, "1 test was skipped: "), (3, "3 tests were skipped: ")])
def test_tests_without_their_data_are_counted_in_one_line(tmp_path: Path, count: int, line: str) -> None:
    said = [each for each in summary(tmp_path, NEEDS.format(count=count)) if "no shared test data" in each]
    assert len(said) == bool(count)
    assert all(each.startswith(line) and each.endswith("is missing or has too little") for each in said)


CHANGED = """
import time

import pytest

@pytest.fixture(scope="module")
def shared():
    time.sleep(0.5)

@pytest.mark.parametrize("number", range(3))
def test_that_shares(number, shared):
    pass

def test_that_takes_long():
    time.sleep(0.5)
"""


def test_a_fixture_that_tests_share_does_not_make_the_first_one_slow(tmp_path: Path) -> None:
    summary(tmp_path, CHANGED, "--write-durations")
    (line,) = (tmp_path / "durations.tsv").read_text().splitlines()
    assert line.endswith("test_program.py::test_that_takes_long")


def test_slow_tests_that_are_left_out_are_counted_and_named(tmp_path: Path) -> None:
    tests = [
        *(f"test_program.py::test_that_shares[{number}]" for number in range(3)),
        "test_program.py::test_that_takes_long",
    ]
    (tmp_path / "durations.tsv").write_text("".join(f"{BUDGET}\t{test}\n" for test in tests))
    *_, said, counts = summary(tmp_path, CHANGED, "-m", "slow", "--changed")
    assert said.strip() == "left out, slow tests of test_program.py: 3"
    assert counts.startswith("1 passed, 3 deselected")
