"""Ctrl-C: status 130, one line, and the store as it was. Each is a process of its own that gets a real SIGINT."""

from __future__ import annotations

import itertools
import signal
import subprocess
import sys
from pathlib import Path

import click
import pytest

from kgreason.cli.bulk.lubm import lubm
from kgreason.cli.commands import main
from kgreason.lubm import generate
from kgreason.resources import resource
from tests.cli.calling import answers, call, start, succeed, triples

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the system has no SIGINT of its own")
DEPARTMENTS = 4
INTERRUPTING = """
import os, signal, sys
from contextlib import contextmanager
from kgreason.cli import main, progress
from kgreason.graph import commits

_, wanted, moment, *arguments = sys.argv
commits.SMALL = 10_000  # so that what is loaded later is no small commit, which has no stage of its own

class Interrupting(progress.Bars):
    @contextmanager
    def __call__(self, stage, total=None):
        def strike(now):
            if stage == wanted and now == moment:
                os.kill(os.getpid(), signal.SIGINT)

        strike("begins")
        with super().__call__(stage, total) as report:
            yield lambda done: (report(done), strike("goes on"))
        strike("ends")

progress.Bars = Interrupting
main(arguments)
"""
ONTOLOGY = resource("ontologies", "univ-bench.ttl")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """More than one batch of quads."""
    path = tmp_path_factory.mktemp("data") / "departments.nt"
    with path.open("w") as file:
        for _, lines in itertools.islice(generate(1), DEPARTMENTS):
            file.writelines(lines)
    return path


@pytest.fixture(params=["first load", "later load"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A store ahead of the load that is interrupted: it is not there yet, or it holds the ontology."""
    path = tmp_path / "store"
    if request.param == "later load":
        succeed("load", "-l", path, "-f", ONTOLOGY)
    return path


def content(store: Path) -> set[str]:
    """What a store holds, and what queries see of it."""
    if not store.exists():
        return set()
    found = triples(store)
    assert answers(store, "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }") == {(str(len(found)),)}
    return found


def interrupting(stage: str, moment: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run a command line that gets a SIGINT when a stage begins, goes on (the first word of it) or ends."""
    command = [sys.executable, "-c", INTERRUPTING, stage, moment, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_while_reading(store: Path, data: Path) -> None:
    before = content(store)
    process = start("load", "-l", store, "-f", "-", "--format", "nt", stdin=subprocess.PIPE)
    assert process.stdin
    process.stdin.write(data.read_text())  # which ends when nearly all has been read
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    assert process.communicate()[1] == "kgreason: interrupted; nothing was changed\n"
    assert process.returncode == 130
    assert content(store) == before


@pytest.mark.parametrize(
    ("stage", "moment"),
    [
        ("reading", "goes on"),
        ("reasoning", "begins"),
        ("reasoning", "goes on"),
        ("storing", "begins"),
        ("storing", "ends"),
    ],
)
def test_at_every_stage(stage: str, moment: str, store: Path, data: Path) -> None:
    before = content(store)
    process = interrupting(stage, moment, "load", "-l", store, "-f", data, ONTOLOGY)
    assert (process.returncode, process.stdout, process.stderr) == (
        130,
        "",
        "kgreason: interrupted; nothing was changed\n",
    )
    assert content(store) == before


def test_the_load_can_be_done_again(store: Path, data: Path) -> None:
    interrupting("storing", "ends", "load", "-l", store, "-f", data, ONTOLOGY)
    succeed("load", "-l", store, "-f", data, ONTOLOGY)
    assert content(store) == set(succeed("materialize", data, ONTOLOGY, "-o", "-").splitlines())


@pytest.mark.parametrize("stage", ["reading", "reasoning", "writing"])
def test_materialize_leaves_the_file_that_was_there(stage: str, data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.nt"
    out.write_text("before")
    process = interrupting(stage, "goes on", "materialize", data, "-o", out)
    assert (process.returncode, process.stderr) == (130, "kgreason: interrupted; nothing was written\n")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"out.nt": "before"}


def test_run_writes_no_table_in_part(tmp_path: Path) -> None:
    (tmp_path / "copy.dl").write_text("copy(?x) :- edge(?x) .")
    (tmp_path / "edge.facts").write_text("".join(f"{n}\n" for n in range(1000)))
    (tmp_path / "copy.csv").write_text("before")
    process = interrupting("writing", "goes on", "run", tmp_path / "copy.dl", "-F", tmp_path, "-D", tmp_path)
    assert (process.returncode, process.stderr) == (130, "kgreason: interrupted\n")
    assert (tmp_path / "copy.csv").read_text() == "before"
    assert len(list(tmp_path.iterdir())) == 3


AFTER_THE_CHANGE = """
import os, signal
from kgreason import KnowledgeGraph
from kgreason.cli import main

load = KnowledgeGraph.load

def loading(*arguments, **options):
    load(*arguments, **options)
    os.kill(os.getpid(), signal.SIGINT)

KnowledgeGraph.load = loading
main()
"""


def test_after_the_change(store: Path, data: Path) -> None:
    command = [sys.executable, "-c", AFTER_THE_CHANGE, "load", "-l", str(store), "-f", str(data)]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (process.returncode, process.stderr) == (130, "kgreason: interrupted; the change was made before that\n")
    assert content(store)


AT_AN_IMPORT = """
import os, signal, sys

class Striking:
    def find_spec(self, name, *_):
        if name == sys.argv[1]:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Striking())
from kgreason.cli import main
main(["update", "--help"])
"""
AT_THE_END = """
import atexit, os, signal
from kgreason.cli import main

atexit.register(os.kill, os.getpid(), signal.SIGINT)
main(["lubm", "--help"])
"""


def run(code: str, *arguments: str, handler: str = "default_int_handler") -> tuple[int, str, bool]:
    """Run some code where Python has set this handler: its status, what it says of errors, whether it helps."""
    code = f"import signal; signal.signal(signal.SIGINT, signal.{handler})\n{code}"
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)
    return done.returncode, done.stderr, "Usage:" in done.stdout


@pytest.mark.parametrize("name", ["kgreason.cli.commands", "click", "pyoxigraph", "kgreason.graph.opening.options"])
def test_while_python_still_imports(name: str) -> None:
    assert run(AT_AN_IMPORT, name) == (-signal.SIGINT, "", False)
    assert run(AT_AN_IMPORT, name, handler="SIG_IGN") == (0, "", True)


def test_while_python_ends() -> None:
    assert run(AT_THE_END) == (-signal.SIGINT, "", True)
    assert run(AT_THE_END, handler="SIG_IGN") == (0, "", True)


@pytest.mark.parametrize(("command", "said"), [(lubm, "kgreason: interrupted\n"), (main, "\n")])
def test_ahead_of_the_command(monkeypatch: pytest.MonkeyPatch, command: click.Command, said: str) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "parse_args", interrupted)
    result = call("lubm", "--help")
    assert (result.exit_code, result.output) == (130, said)
