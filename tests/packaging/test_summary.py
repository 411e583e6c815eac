"""What pytest says at the end of a run."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NEEDS = """
import pytest

@pytest.mark.parametrize("number", range({count}))
def test_that_needs_data(number):
    pytest.skip("no shared test data: /no/such/folder is missing")

def test_that_needs_something_else():
    pytest.skip("something else is missing")
"""


LATE = """
import pytest

def test_that_is_quick():
    pass

@pytest.mark.slow
@pytest.mark.parametrize("number", range(2))
def test_that_is_slow(number):
    pass
"""


def summarised(folder: Path, program: str, **more: str) -> list[str]:
    """The lines of a run of tests that use what our tests share."""
    (folder / "conftest.py").write_text("from tests.conftest import pytest_runtest_setup, pytest_terminal_summary\n")
    (folder / "pytest.ini").write_text("[pytest]\nmarkers = slow\n")
    (folder / "test_program.py").write_text(program)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(folder), str(folder)]
    environment = os.environ | {"PYTHONPATH": str(ROOT)} | more
    found = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment, check=False)
    assert found.returncode == 0, found.stdout + found.stderr
    return found.stdout.splitlines()


@pytest.mark.parametrize(("count", "line"), [(0, ""), (1, "1 test was skipped: "), (3, "3 tests were skipped: ")])
def test_tests_without_their_data_are_counted_in_one_line(tmp_path: Path, count: int, line: str) -> None:
    said = [each for each in summarised(tmp_path, NEEDS.format(count=count)) if "no shared test data" in each]
    assert len(said) == bool(count)
    assert all(each.startswith(line) and each.endswith("is missing") for each in said)


def test_slow_tests_that_would_begin_too_late_are_skipped_and_counted(tmp_path: Path) -> None:
    *_, said, counts = summarised(tmp_path, LATE, KGREASON_TESTS_UNTIL=str(time.time() - 1))
    assert said == "2 tests were skipped: no time left for slow tests, as KGREASON_TESTS_UNTIL has passed"
    assert counts.startswith("1 passed, 2 skipped")


@pytest.mark.parametrize("until", ["inf", str(2**40)])
def test_slow_tests_run_while_there_is_time(tmp_path: Path, until: str) -> None:
    assert summarised(tmp_path, LATE, KGREASON_TESTS_UNTIL=until)[-1].startswith("3 passed")
