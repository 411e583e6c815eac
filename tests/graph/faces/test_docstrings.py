"""Examples in docstrings run, and say what they say."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

import kgreason

ROOT = Path(kgreason.__path__[0])


def name_of(path: Path) -> str:
    """Return the name of the module in a file."""
    return ".".join(path.relative_to(ROOT.parent).with_suffix("").parts).removesuffix(".__init__")


MODULES = [name_of(path) for path in sorted(ROOT.rglob("*.py")) if ">>>" in path.read_text(encoding="utf-8")]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module(name: str) -> None:
    module = importlib.import_module(name)
    examples = [test for test in doctest.DocTestFinder().find(module) if test.examples]
    runner = doctest.DocTestRunner()
    for each in examples:  # a runner makes a debugger for each text that it gets, with or without examples
        runner.run(each)
    assert examples
    assert runner.summarize().failed == 0


def test_the_front_doors_have_examples() -> None:
    assert {"kgreason", "kgreason.graph.knowledge_graph"} <= set(MODULES)
