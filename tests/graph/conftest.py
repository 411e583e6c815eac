"""A graph of a dog, in memory or on disk, for the tests that edit one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kgreason.graph.knowledge_graph import KnowledgeGraph

from .dog_graph import dog_graph


@pytest.fixture(params=["memory", "disk"])
def graph(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[KnowledgeGraph]:
    """A graph of a dog, in memory or on disk."""
    with dog_graph(None if request.param == "memory" else tmp_path / "store") as opened:
        yield opened
