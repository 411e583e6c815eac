"""Long commands: `query --timeout` and Ctrl-C end them at once, and terminals are told how far they are."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kgreason.cli import progress
from kgreason.errors import LimitError
from tests.cli.calling import call, start, succeed

ENDLESS = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l . ?m ?n ?o }"

SAYING = """
import sys
from kgreason.cli.ask import query
from kgreason.cli import main

call_in_worker = query.call_in_worker

def saying(*arguments):
    print("waiting", file=sys.stderr, flush=True)
    return call_in_worker(*arguments)

query.call_in_worker = saying
main()
"""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stopping")
    (folder / "data.nt").write_text("".join(f"<http://e/{n}> <http://e/p> <http://e/o> .\n" for n in range(300)))
    succeed("load", "-l", folder / "store", "-f", folder / "data.nt", "--rules", "none")
    return folder / "store"


def test_a_timeout_is_an_error(store: Path) -> None:
    process = start("query", "-l", store, "--query", ENDLESS, "--timeout", 0.5)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (1, "", "kgreason: the query took longer than 0.5 s\n")


@pytest.mark.skipif(sys.platform == "win32", reason="the system has no SIGINT of its own")
def test_ctrl_c_ends_a_query(store: Path) -> None:
    command = [sys.executable, "-c", SAYING, "query", "-l", str(store), "--query", ENDLESS]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stderr
    assert process.stderr.readline() == "waiting\n"
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(timeout=0.5)  # so that Oxigraph evaluates by now
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=30) == ("", "kgreason: interrupted\n")
    assert process.returncode == 130


def test_a_timeout_that_is_not_reached_changes_nothing(store: Path) -> None:
    query = ("query", "-l", store, "--query", "SELECT ?s { ?s <http://e/p> ?o }")
    assert succeed(*query, "--timeout", 60) == succeed(*query)


def test_a_wrong_timeout_is_refused(store: Path) -> None:
    assert call("query", "-l", store, "--query", "ASK {}", "--timeout", 0).exit_code == 2


def test_bars_come_after_a_second_and_on_terminals_alone(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for is_terminal in (False, True):
        monkeypatch.setattr(sys.stderr, "isatty", lambda is_terminal=is_terminal: is_terminal)
        bars = progress.Bars(False)
        with bars("quick") as report:
            report(1)
            report(0)
        with bars("slow", 4) as report:
            for _ in range(4):
                time.sleep(0.4)
                report(1)
        shown = capsys.readouterr().err
        assert "quick" not in shown
        assert ("slow" in shown) == is_terminal


def test_the_second_counts_from_the_beginning_of_the_command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A command of many short stages shows its bars as well."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(progress, "_DELAY", 0.3)
    bars = progress.Bars(False)
    for stage in ("first", "second", "third"):
        with bars(stage, 2) as report:
            report(1)
            time.sleep(0.2)
            report(1)
    shown = capsys.readouterr().err
    assert "first" not in shown
    assert "third" in shown


@pytest.mark.skipif(sys.platform == "win32", reason="the system has no SIGINT of its own")
def test_a_time_limit_holds_in_a_command_that_a_shell_has_put_into_the_background() -> None:
    """A shell that is not interactive has such commands ignore SIGINT."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with (
            pytest.raises(LimitError, match=r"the sleep took longer than 0\.1 s"),
            progress.time_limit(0.1, "the sleep"),
        ):
            time.sleep(30)
        assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
