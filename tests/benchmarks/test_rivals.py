"""Other systems beside kgreason: what runs, what is skipped and why, and the table of their figures.

No rival is needed: programs that print what a rival prints stand in for it, and record how they were called.
"""

from __future__ import annotations

import stat
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks.__main__ import main
from benchmarks.programs import random_graph
from benchmarks.rivals import columns
from benchmarks.rivals.systems import SYSTEMS, Outcome, System, Task
from benchmarks.suite import ALL
from benchmarks.workspace import SkippedError, Workspace

EDGES = random_graph(20, 30)
TASK = Task(EDGES, (3, 1), 2)

SOUFFLE = """
import sys
from pathlib import Path
words, here = sys.argv[1:], Path(sys.argv[0]).parent
with (here / "calls").open("a") as calls:
    print(*[Path(word).name for word in words], file=calls)
if "-o" in words:
    target = Path(words[words.index("-o") + 1])
    target.write_text(Path(sys.argv[0]).read_text())
    target.chmod(0o700)
else:
    facts = Path(words[words.index("-F") + 1]) / "edge.facts"
    edges = [tuple(line.split("\\t")) for line in facts.read_text().splitlines()]
    known, new = set(), set(edges)
    while new - known:
        known |= new
        new = {(x, z) for x, y in known for w, z in edges if y == w}
    print(f"tc\\t{len(known)}")
"""
"""A Soufflé that computes closures alone. What it compiles is another copy of it."""
CARGO = """
import sys
from pathlib import Path
words = sys.argv[1:]
(Path(sys.argv[0]).parent / "calls").open("a").write(" ".join([Path.cwd().name, *words]) + "\\n")
if Path.cwd().name == "dyre" and not (Path(sys.argv[0]).parent / "builds-all").exists():
    sys.exit("error: could not compile")
target = Path.cwd() / "target" / "release"
target.mkdir(parents=True, exist_ok=True)
program = target / Path.cwd().name
lines = "load 0.5", "round 0.1 0.2", "round 0.3 0.4", "facts FACTS"
program.write_text(f"#!{sys.executable}\\nprint(*{lines}, sep=chr(10))")
program.chmod(0o700)
"""


def installed(folder: Path, name: str, text: str) -> None:
    """A program that is found on the path."""
    path = folder / name
    path.write_text(f"#!{sys.executable}\n{text}")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def systems(*names: str) -> list[System]:
    return [system for system in SYSTEMS if system.name in names and system.threads == 1]


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is the whole path, and one for what cargo builds."""
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setattr("benchmarks.rivals.systems.BUILDS", tmp_path / "builds")
    return folder


def closure() -> int:
    reach = np.zeros((20, 20), dtype=bool)
    reach[EDGES[:, 0], EDGES[:, 1]] = True
    for _ in range(5):
        reach |= (reach.astype(int) @ reach.astype(int)) > 0
    return int(reach.sum())


def test_souffle_is_called_with_facts_folders_and_threads(programs: Path, workspace: Workspace) -> None:
    installed(programs, "souffle", SOUFFLE)
    measured = columns.measure(TASK, 2, workspace, systems("kgreason", "Soufflé, compiled", "Soufflé, interpreted"))
    assert not measured.skipped
    assert {outcome.facts for taken in measured.outcomes.values() for outcome in taken} == {closure()}
    run = "-F souffle -D souffle -j 1"
    assert (programs / "calls").read_text().splitlines() == ["-o closure-1 closure.dl -j 1", *[f"closure.dl {run}"] * 2]
    assert (workspace.folder / "calls").read_text().splitlines() == [run] * 2, "what was compiled runs by itself"
    lines = list(columns.table("a closure", {"3 edges": 3, "one edge": 1}, measured))
    assert lines[0] == "| work | kgreason, 1 thread | Soufflé, compiled, 1 thread | Soufflé, interpreted, 1 thread |"
    assert [line.split("|")[1].strip() for line in lines[2:7]] == [
        "a closure", "- 3 edges deleted", "- 3 edges added", "- one edge deleted", "- one edge added"
    ]  # fmt: skip
    assert all(line.endswith("| from scratch | from scratch |") for line in lines[3:7])


def test_cargo_builds_and_a_system_that_does_not_build_is_skipped(programs: Path, workspace: Workspace) -> None:
    installed(programs, "cargo", CARGO.replace("FACTS", str(closure())))
    measured = columns.measure(TASK, 1, workspace, systems("kgreason", "differential dataflow", "DYRE's crate"))
    assert measured.skipped == {"DYRE's crate": "cargo cannot build it: error: could not compile"}
    calls = (programs / "calls").read_text().splitlines()
    assert calls == [f"{name} build --release --quiet" for name in ("differential", "dyre")]
    (outcome,) = next(taken for system, taken in measured.outcomes.items() if system.name != "kgreason")
    assert (outcome.facts, outcome.load) == (closure(), 0.5)
    assert [side for change in outcome.changes for side in change] == pytest.approx([0.2, 0.3] * 2)
    lines = list(columns.table("a closure", {"3 edges": 3, "one edge": 1}, measured))
    assert [cell.strip() for cell in lines[3].split("|")[3:4]] == ["200 ms"]
    assert "- DYRE's crate: skipped, cargo cannot build it: error: could not compile." in lines


def test_a_build_that_takes_too_long_is_skipped(
    programs: Path, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchmarks.rivals.systems.BUILD_SECONDS", 0.05)
    installed(programs, "cargo", "import time; time.sleep(60)")
    assert columns.measure(TASK, 1, workspace, systems("DYRE's crate")) == (
        {},
        {"DYRE's crate": "cargo needs more than 0.05 s to build it; the next run goes on"},
    )


def test_a_system_that_is_skipped_is_built_once(workspace: Workspace) -> None:
    tried = []

    def ready(_: Workspace):  # type: ignore[no-untyped-def]
        tried.append("build")
        raise SkippedError("no compiler")

    systems = [System("large", threads, ready) for threads in (1, 1)]
    assert columns.measure(TASK, 1, workspace, systems) == ({}, {"large": "no compiler"})
    assert tried == ["build"]


def test_systems_that_find_another_number_of_facts_are_refused(programs: Path, workspace: Workspace) -> None:
    installed(programs, "cargo", CARGO.replace("FACTS", "7"))
    (programs / "builds-all").touch()
    with pytest.raises(AssertionError, match=r"different numbers of facts: kgreason .*, DYRE's crate 7"):
        columns.measure(TASK, 1, workspace, systems("kgreason", "DYRE's crate"))


def test_where_all_rivals_are_missing_each_is_named_with_its_reason(
    programs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(columns, "SIZES", ((20, 30),))
    monkeypatch.setattr(columns, "REASONERS", ("el-classify-20000",))
    assert main(["--rivals"]) == 0
    said = capsys.readouterr().out
    assert not list(programs.iterdir())
    for name in ("differential dataflow", "DYRE's crate"):
        assert f"- {name}: skipped, cargo is not installed." in said
    for name in ("compiled", "interpreted"):
        assert f"- Soufflé, {name}: skipped, souffle is not installed." in said
    assert "skipped: ELK needs Java and Maven" in said


def test_a_system_that_fails_later_leaves_the_table(workspace: Workspace) -> None:
    def ready(_: Workspace):  # type: ignore[no-untyped-def]
        def run(_: Task) -> Outcome:
            raise SkippedError("out of memory")

        return run

    measured = columns.measure(TASK, 2, workspace, [*systems("kgreason"), System("weak", 1, ready)])
    assert [system.name for system in measured.outcomes] == ["kgreason"]
    assert measured.skipped == {"weak": "out of memory"}


def test_the_benchmarks_beside_reasoners_are_there() -> None:
    assert set(columns.REASONERS) <= {benchmark.name for benchmark in ALL}
