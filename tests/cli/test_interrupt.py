"""Ctrl-C: status 130, one line, and the store as it was. Each is a process of its own that gets a real SIGINT."""

from __future__ import annotations

import itertools
import signal
import subprocess
import time
from pathlib import Path

import pytest

from kgreason.lubm import generate
from kgreason.resources import resource
from tests.cli.calling import answers, done, start, triples

DEPARTMENTS = 4
ONTOLOGY = resource("ontologies", "univ-bench.ttl")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Data that takes a second or two to load."""
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
        done("load", "-l", path, "-f", ONTOLOGY)
    return path


def held(store: Path) -> set[str]:
    """What a store holds, and what queries see of it."""
    if not store.exists():
        return set()
    found = triples(store)
    assert answers(store, "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }") == {(str(len(found)),)}
    return found


def interrupted(process: subprocess.Popen[str]) -> list[str]:
    """Interrupt a process; the lines that it says until its end."""
    process.send_signal(signal.SIGINT)
    _, told = process.communicate()
    assert process.returncode == 130, told
    return told.splitlines()


def test_while_reading(store: Path, data: Path) -> None:
    before = held(store)
    process = start("load", "-l", store, "-f", "-", "--format", "nt", stdin=subprocess.PIPE)
    assert process.stdin
    process.stdin.write(data.read_text())  # which ends when nearly all has been read
    process.stdin.flush()
    assert interrupted(process) == ["kgreason: interrupted"]
    assert held(store) == before


@pytest.mark.parametrize(("after", "delay"), [("reading", 0), ("reading", 0.2), ("reasoning", 0)])
def test_while_reasoning_and_storing(store: Path, data: Path, after: str, delay: float) -> None:
    before = held(store)
    process = start("load", "-l", store, "-f", data, ONTOLOGY, "--verbose")
    assert process.stderr
    while f"kgreason: {after} took" not in process.stderr.readline():
        assert process.poll() is None
    time.sleep(delay)
    assert interrupted(process)[-1] == "kgreason: interrupted"
    assert held(store) == before
    done("load", "-l", store, "-f", data, ONTOLOGY)
    assert len(held(store)) > len(before) + 10_000


def test_materialize_leaves_the_file_that_was_there(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.nt"
    out.write_text("before")
    process = start("materialize", data, "-o", out, "--verbose")
    assert process.stderr
    process.stderr.readline()
    assert interrupted(process) == ["kgreason: interrupted"]
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"out.nt": "before"}
