"""What every test shares: test suites and data, Hypothesis without a clock, Ctrl-C, kernels that are compiled."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest
from hypothesis import settings

from kgreason.graph.knowledge_graph import KnowledgeGraph

_SHARED_DATA = Path(__file__).parents[2] / "shared" / "data"
NO_SHARED_DATA = "no shared test data"
"""Why tests of the data beside the project are skipped where it is missing begins with this."""
_UNTIL = float(os.environ.get("KGREASON_TESTS_UNTIL", "inf"))
"""In seconds since 1970. No slow test begins later, so that a run ends within its time."""
_NO_TIME = "no time left for slow tests"

# With CI set Hypothesis takes the same examples each time: what fails then, a change has broken. Elsewhere it searches.
# 30 examples, not the usual 100, keep tests quick. A test can ask for more, and so can --hypothesis-profile.
_name = settings.get_current_profile_name()
_current = settings.get_profile(_name)
_examples = 30 if _name in ("default", "ci") else _current.max_examples
settings.register_profile("kgreason", settings(_current, deadline=None, max_examples=_examples))
settings.load_profile("kgreason")

# A shell that starts tests in the background has them ignore Ctrl-C, and every process that they start as well.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure(config: pytest.Config) -> None:
    """Compile the kernels before the workers start, which would all compile them at the same time."""
    if config.getoption("numprocesses", None):
        with KnowledgeGraph.open() as graph, graph.transaction() as tx:
            tx.add("<http://e/s> <http://e/p> <http://e/o> .")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of shared test data beside the project; the test is skipped where it is missing."""
    if not _SHARED_DATA.is_dir():
        pytest.skip(f"{NO_SHARED_DATA}: {_SHARED_DATA} is missing")
    return _SHARED_DATA


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a slow test that would begin too late."""
    if time.time() > _UNTIL and item.get_closest_marker("slow"):
        pytest.skip(_NO_TIME)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say, in one line for each reason, how many tests were skipped."""
    reasons = [str(report.longrepr[2]) for report in terminalreporter.getreports("skipped") if report.longrepr]
    for why, explained in (
        (NO_SHARED_DATA, f"{NO_SHARED_DATA}, as {_SHARED_DATA} is missing"),
        (_NO_TIME, f"{_NO_TIME}, as KGREASON_TESTS_UNTIL has passed"),
    ):
        if count := sum(why in reason for reason in reasons):
            were = "1 test was" if count == 1 else f"{count} tests were"
            terminalreporter.line(f"{were} skipped: {explained}", yellow=True)
