"""The server is killed under load (see `benchmarks.served.kills`)."""

from __future__ import annotations

from pathlib import Path

from benchmarks.served.kills import killed
from tests.volume import many


def test_a_server_that_is_killed_again_and_again_has_lost_nothing(tmp_path: Path) -> None:
    kills = max(8, many(8))  # of fewer kills, the average could be too low by chance
    assert killed(tmp_path, kills, seed=1) >= 5 * kills
