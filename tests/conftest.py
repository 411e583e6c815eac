"""What every test shares: its lane, test suites and data, Hypothesis without a clock, Ctrl-C, compiled kernels."""

from __future__ import annotations

import gc
import signal
import time
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from kgreason.graph.knowledge_graph import KnowledgeGraph
from tests import lanes
from tests.volume import many

_SHARED = Path(__file__).parents[2] / "shared"
NO_SHARED_DATA = "no shared test data"
"""Why tests of the data beside the project are skipped where it is missing begins with this."""

# With CI set Hypothesis takes the same examples each time: what fails then, a change has broken. Elsewhere it searches.
# 8 examples, not the usual 100, keep tests quick. KGREASON_HISTORIES asks for more, and so does --hypothesis-profile.
_name = settings.get_current_profile_name()
_current = settings.get_profile(_name)
_examples = many(8) if _name in ("default", "ci") else _current.max_examples
settings.register_profile("kgreason", settings(_current, deadline=None, max_examples=_examples))
settings.load_profile("kgreason")

# A shell that starts tests in the background has them ignore Ctrl-C, and every process that they start as well.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure(config: pytest.Config) -> None:
    """Compile the kernels before the workers start, which would all compile them at the same time."""
    config.pluginmanager.register(_Workers())
    config.pluginmanager.register(_Durations(config))
    if config.getoption("numprocesses", None):
        with KnowledgeGraph.open() as graph, graph.transaction() as tx:
            tx.add("<http://e/s> <http://e/p> <http://e/o> .")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of shared test data beside the project; the test is skipped where it is missing."""
    return _shared_folder("data")


@pytest.fixture(scope="session")
def shared_cases() -> Path:
    """The folder of small cases beside the project; the test is skipped where it is missing."""
    return _shared_folder("cases")


def _shared_folder(name: str) -> Path:
    if not (_SHARED / name).is_dir():
        pytest.skip(f"{NO_SHARED_DATA}: {_SHARED / name} is missing")
    return _SHARED / name


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("lanes", "which tests run; tests/lanes.py")
    group.addoption("--changed", action="store_true", help="of the slow tests, run those for the last commits")
    group.addoption("--write-durations", action="store_true", help="write how long the tests took: tests/durations.tsv")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the slow tests. A run for the last commits leaves slow tests out."""
    slow = {item.nodeid for item in items if lanes.seconds_of(item.nodeid) or _starts_spark(item)}
    for item in items:
        if item.nodeid in slow:
            item.add_marker(pytest.mark.slow)
    if config.getoption("changed"):
        left_out = slow - lanes.changed_tests(slow)
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid in left_out])
        items[:] = [item for item in items if item.nodeid not in left_out]
        _note_left_out(config, sorted(left_out))


def _starts_spark(item: pytest.Item) -> bool:
    """Whether a test needs a session of Spark, which no quick test is worth: a process starts it in ten seconds."""
    return "spark" in getattr(item, "fixturenames", ())


def pytest_collection_finish() -> None:
    """Keep what was collected out of Python's garbage collection, which would walk over all of it for each test."""
    gc.collect()
    gc.freeze()


_LEFT_OUT = pytest.StashKey[Sequence[str]]()
_TOOK = pytest.StashKey[dict[str, float]]()
_shared: dict[str, float] = {}
"""The seconds that fixtures of several tests took in the set-up of the present test."""


def _note_left_out(config: pytest.Config, tests: list[str]) -> None:
    """Keep what is left out for the end of the run. A worker of pytest-xdist hands it over."""
    if hasattr(config, "workeroutput"):
        config.workeroutput["left_out"] = tests
    config.stash[_LEFT_OUT] = tests


class _Workers:
    """Takes over what a worker of pytest-xdist left out; all workers leave the same tests out."""

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        node.config.stash[_LEFT_OUT] = getattr(node, "workeroutput", {}).get("left_out", [])


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[Any]) -> Generator[None, object, object]:
    started = time.perf_counter()
    result = yield
    if fixturedef.scope != "function":
        _shared["seconds"] = _shared.get("seconds", 0) + time.perf_counter() - started
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A fixture that several tests share is not a part of the time of the first one."""
    report = yield
    report.duration = max(0.0, report.duration - _shared.pop("seconds", 0))
    return report


class _Durations:
    """Adds up how long each test takes: its set-up, its call, and what comes after."""

    def __init__(self, config: pytest.Config) -> None:
        self._took = config.stash[_TOOK] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.outcome != "skipped":
            self._took[report.nodeid] = self._took.get(report.nodeid, 0) + report.duration


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say what was skipped or left out, and which quick tests were not quick."""
    reasons = [str(report.longrepr[2]) for report in terminalreporter.getreports("skipped") if report.longrepr]
    if count := sum(NO_SHARED_DATA in reason for reason in reasons):
        were = "1 test was" if count == 1 else f"{count} tests were"
        terminalreporter.line(
            f"{were} skipped: {NO_SHARED_DATA}, as {_SHARED} is missing or has too little", yellow=True
        )
    for line in lanes.left_out(config.stash.get(_LEFT_OUT, [])):
        terminalreporter.line(line, yellow=True)
    took = config.stash[_TOOK]
    if config.getoption("write_durations"):
        lanes.write_durations(took)
        return
    late = [test for test, seconds in took.items() if seconds > 10 * lanes.QUICK and not lanes.seconds_of(test)]
    for test in late:
        terminalreporter.line(f"{took[test]:.1f} s, and no line in tests/durations.tsv: {test}", yellow=True)
