"""Examples in docstrings run, and say what they say."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import kgreason

MODULES = ["kgreason", *(module.name for module in pkgutil.walk_packages(kgreason.__path__, "kgreason."))]


@pytest.mark.parametrize("name", [name for name in MODULES if not name.endswith("__main__")])
def test_the_examples_of_a_module(name: str) -> None:
    found = doctest.testmod(importlib.import_module(name))
    assert found.failed == 0
    assert found.attempted or name not in ("kgreason", "kgreason.graph.knowledge_graph")
