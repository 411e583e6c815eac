"""An owlready2 world and a graph to follow it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from kgreason import KnowledgeGraph


@pytest.fixture
def world() -> Iterator[Any]:
    owlready2 = pytest.importorskip("owlready2", reason="the extra owlready2 is not installed")
    world = owlready2.World()
    yield world
    world.close()


@pytest.fixture
def live() -> Iterator[KnowledgeGraph]:
    with KnowledgeGraph.open(rules=["owl2rl"]) as graph:
        yield graph


@pytest.fixture
def graph(live: KnowledgeGraph) -> KnowledgeGraph:
    """The same; modules of rdflib have a `graph` of their own."""
    return live
