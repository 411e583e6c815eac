"""Counts the W3C's cases by suite and kind, and prints them at the end of a run."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

_NAMED = "w3c"


@pytest.fixture(autouse=True)
def _note(request: pytest.FixtureRequest, record_property: Any) -> None:
    """Have the report of a case know which one it is."""
    named = getattr(request.node, "callspec", None) and request.node.callspec.params.get("named")
    if named:
        record_property(_NAMED, (named.suite, named.kind))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print for each suite and kind how many cases passed, of how many."""
    passed: Counter[tuple[str, str]] = Counter()
    run: Counter[tuple[str, str]] = Counter()
    for outcome in ("passed", "failed", "xfailed", "xpassed"):
        for report in terminalreporter.getreports(outcome):
            for key, value in report.user_properties:
                if key == _NAMED and (report.when == "call"):
                    run[tuple(value)] += 1
                    passed[tuple(value)] += outcome in ("passed", "xpassed")
    if run:
        terminalreporter.section("W3C test cases that pass")
    for suite, kind in sorted(run):
        terminalreporter.line(f"{suite:<12} {kind:<22} {passed[suite, kind]:>3} of {run[suite, kind]}")
