"""The load of a server, small and short."""

from __future__ import annotations

import pytest

from benchmarks.served import load, rivals


def test_readers_writers_and_followers_of_a_small_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load, "READERS", 4)
    run = load.measured(1, 4, 10)
    assert min(run.alone, run.beside, run.edits, run.early, run.late, *run.seconds) > 0


def test_oxigraph_finds_the_same() -> None:
    sides = dict(rivals.compare(1, 2))
    assert sides["kgreason"].values == sides["oxigraph"].values > 40_000
    assert all(rates.queries > 0 and rates.edit > 0 for rates in sides.values())
