"""What every test shares: the folder of test suites and data, and Hypothesis without a clock."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

_SHARED_DATA = Path(__file__).parents[2] / "shared" / "data"

settings.register_profile("kgreason", deadline=None)
settings.load_profile("kgreason")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of shared test data beside the project; the test is skipped where it is missing."""
    if not _SHARED_DATA.is_dir():
        pytest.skip(f"no shared test data: {_SHARED_DATA} is missing")
    return _SHARED_DATA
