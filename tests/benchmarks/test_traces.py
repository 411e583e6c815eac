"""How many modules an edit enters, and how often it changes module: laws, and bounds that a change should not raise."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from benchmarks.traces import edits, traced
from kgreason import KnowledgeGraph

BOUNDS = {
    "add a fact": (31, 102),
    "add a subclass axiom": (54, 226),
    "load a file": (61, 271),
    "add a rule with NOT": (73, 340),
}
"""The most modules, and the most changes of module. What is new pays for its way: raise a bound only with a reason."""
_E = "http://example.org/"
_RULE = f"[?x, a, <{_E}Alone>] :- [?x, a, <{_E}Cat>], NOT [?x, <{_E}friend>, <{_E}anyone>] ."


@pytest.mark.parametrize("name", BOUNDS)
def test_an_edit_enters_few_modules_and_seldom_changes_module(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging.getLogger("kgreason"), "propagate", False)  # nobody hears of it: no line is written
    with KnowledgeGraph.open(tmp_path / "store") as graph:
        edit = edits(graph, tmp_path)[name]
        for _ in range(2):  # kernels and caches
            edit()
        found = traced(edit)
    most = BOUNDS[name]
    assert (found.modules <= most[0], found.module_changes <= most[1]) == (True, True), found


def test_a_fact_that_no_operator_reads_enters_no_module_of_operators() -> None:
    with KnowledgeGraph.open(rules=["rdfs"]) as graph:
        with graph.transaction() as tx:
            tx.add_rules(_RULE)
        entered = [
            _modules(partial(graph.add, each))
            for each in (*((f"{_E}{name}", f"{_E}likes", f"{_E}x") for name in "ab"), (f"{_E}a", "a", f"{_E}Cat"))
        ]
    of_operators = [{name for name in names if "/materialize/operators/" in name} for names in entered]
    assert (of_operators[1], len(of_operators[2]) > 0) == (set(), True)


def test_strata_call_nothing_above_rules() -> None:
    with KnowledgeGraph.open(rules=["rdfs"]) as graph, graph.transaction() as tx:
        tx.add_rules(_RULE)
        called = _modules(lambda: tx.end(True), by="kgreason/rules/strata.py")
    assert {name.partition("kgreason/")[2].partition("/")[0] for name in called} == {"rules"}


def _modules(call: Callable[[], object], by: str = "") -> set[str]:
    """Return the files of kgreason whose functions are called; with `by`, only calls from that file count."""
    found = set[str]()

    def look(frame: FrameType, event: str, _: Any) -> None:
        caller, name = frame.f_back, frame.f_code.co_filename
        if event == "call" and "/kgreason/" in name and caller and caller.f_code.co_filename.endswith(by):
            found.add(name)

    sys.setprofile(look)
    try:
        call()
    finally:
        sys.setprofile(None)
    return found
