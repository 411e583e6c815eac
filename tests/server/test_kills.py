"""The server is killed under load (see `benchmarks.served.kills`)."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.served.kills import killed


@pytest.mark.slow
def test_a_server_that_is_killed_twenty_times_has_lost_nothing(tmp_path: Path) -> None:
    assert killed(tmp_path, 20, seed=1) >= 100
