"""What pytest says at the end of a run."""

from __future__ import annotations

import os
import subprocess
import sys
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


@pytest.mark.parametrize(("count", "line"), [(0, ""), (1, "1 test was skipped: "), (3, "3 tests were skipped: ")])
def test_tests_without_their_data_are_counted_in_one_line(tmp_path: Path, count: int, line: str) -> None:
    (tmp_path / "conftest.py").write_text("from tests.conftest import pytest_terminal_summary\n")
    (tmp_path / "test_needs.py").write_text(NEEDS.format(count=count))
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--rootdir",
        str(tmp_path),
        str(tmp_path),
    ]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    found = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment, check=False)
    assert found.returncode == 0, found.stdout + found.stderr
    said = [each for each in found.stdout.splitlines() if "no shared test data" in each]
    assert len(said) == bool(count)
    assert all(each.startswith(line) and each.endswith("is missing") for each in said)
