"""The folders of inputs that once were read wrongly."""

from __future__ import annotations

from pathlib import Path

import pytest

_CASES = Path(__file__).parents[3] / "shared" / "cases"


@pytest.fixture(scope="session")
def shared_cases() -> Path:
    """The folder of small cases beside the project; the test is skipped where it is missing."""
    if not _CASES.is_dir():
        pytest.skip(f"no shared test data: {_CASES} is missing")
    return _CASES
