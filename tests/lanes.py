"""Which tests are quick, and which of the slow ones a change must pass.

    quick    takes at most 0.15 s; `scripts/test` runs all of these
    slow     needs a session of Spark, or has a line in durations.tsv: `seconds <tab> id of the test`;
             `scripts/test --all` runs these, too.
             An id without parameters stands for all parameters of a test of which three in four are slow
    changed  the slow tests for the last commits; `scripts/test --changed` runs these, and `.ci/run` does

`changed` takes the slow tests of each folder that imports a module that the last commits changed, or whose own files
they changed. Of the other slow tests it takes a twentieth, by the number of the commit, so that twenty commits take
all. Both together may take `BUDGET` seconds by the durations. If they would take longer, the number of the commit draws
from them what fits.

Law: a run with the same commit takes the same tests on each machine, so that the workers of a run agree. What is left
out is counted and named at the end of the run. Cost: reading the imports of all tests takes a second.
"""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from statistics import fmean
from zlib import crc32

import grimp  # import-linter brings it

ROOT = Path(__file__).parents[1]
DURATIONS = Path(__file__).with_name("durations.tsv")
QUICK = 0.15
"""Seconds. A test that takes longer is slow."""
BUDGET = 600
"""Seconds of one process that the tests of `changed` may take."""
SHARE = 20
"""One in so many of the other slow tests is taken."""
LAST = 12 * 3600
"""Seconds. Commits that are so much older than the newest one are not among the last commits."""


@cache
def durations() -> dict[str, float]:
    """Return the seconds that each slow test takes, by the id of the test."""
    if not DURATIONS.is_file():
        return {}
    lines = (line.split("\t") for line in DURATIONS.read_text(encoding="utf-8").splitlines())
    return {test: float(seconds) for seconds, test in lines}


def seconds_of(test: str) -> float | None:
    """Return the seconds that a test takes, or None if the test is quick."""
    return durations().get(test, durations().get(without_parameters(test)))


def without_parameters(test: str) -> str:
    """Return the id of a test without its parameters."""
    return test.partition("[")[0]


def write_durations(measured: Mapping[str, float]) -> None:
    """Replace the lines of the tests that were measured, with all their parameters. Quick tests lose their lines."""
    took: dict[str, dict[str, float]] = {}
    for test, seconds in measured.items():
        took.setdefault(without_parameters(test), {})[test] = seconds
    kept = {test: seconds for test, seconds in durations().items() if without_parameters(test) not in took}
    for name, each in took.items():
        is_whole = sorted(each.values())[len(each) // 4] > QUICK
        kept |= {name: fmean(each.values())} if is_whole else {test: s for test, s in each.items() if s > QUICK}
    lines = (f"{kept[test]:.2f}\t{test}\n" for test in sorted(kept))
    DURATIONS.write_text("".join(lines), encoding="utf-8")


def changed_tests(tests: Iterable[str]) -> set[str]:
    """Return those of the slow `tests` that a run for the last commits takes.

    Each is the id of a test. A test without a line in the durations counts as one second.
    """
    number, files = last_commits()
    folders, turn = folders_of(files), number % SHARE
    chosen = {test for test in tests if folder_of(test) in folders or crc32(test.encode()) % SHARE == turn}
    left: float = BUDGET
    fitting = set()
    for test in sorted(chosen, key=lambda test: crc32(f"{number} {test}".encode())):
        left -= seconds_of(test) or 1
        if left < 0:
            break
        fitting.add(test)
    return fitting


def folder_of(test: str) -> str:
    """Return the folder of tests that the test is in: `tests/graph` of `tests/graph/commits/test_edits.py::...`."""
    return "/".join(test.partition("::")[0].split("/")[:2])


def left_out(tests: Sequence[str]) -> list[str]:
    """Return lines that count and name the tests of a run for the last commits that are left out, a line a folder."""
    counts = Counter(map(folder_of, tests))
    return [f"left out, slow tests of {folder}: {count}" for folder, count in sorted(counts.items())]


@cache
def last_commits() -> tuple[int, frozenset[str]]:
    """Return the number of commits, and the files that the last commits changed.

    Changes and files that are not committed yet are among them.

    KGREASON_BASE names the commit before the last ones. Without it they are those of the last hours. If git does not
    know, all files count as changed.
    """
    try:
        moment = _git("log", "-1", "--format=%ct")
        base = os.environ.get("KGREASON_BASE") or _git("rev-list", "-1", f"--min-age={int(moment) - LAST}", "HEAD")
        changed = _git("diff", "--name-only", base.strip()) + _git("ls-files", "--others", "--exclude-standard")
        return int(_git("rev-list", "--count", "HEAD")), frozenset(changed.splitlines())
    except (OSError, ValueError, subprocess.CalledProcessError):
        files = (path for folder in ("kgreason", "tests") for path in (ROOT / folder).rglob("*.py"))
        return 0, frozenset(path.relative_to(ROOT).as_posix() for path in files)


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def folders_of(files: Iterable[str]) -> set[str]:
    """Return the folders of tests that a change of these files concerns."""
    own = {folder_of(file) for file in files if file.startswith("tests/") and file.count("/") > 1}
    modules = {module for file in files if file.startswith("kgreason/") for module in _modules(file)}
    modules |= {_module(file) for file in files if file.startswith("tests/") and file.endswith(".py")}
    concerned = {test for module in modules for test in _importers(module)}
    return own | {folder_of(module.replace(".", "/")) for module in concerned if module.startswith("tests.")}


def _module(file: str) -> str:
    return file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _modules(file: str) -> Iterable[str]:
    """Return the modules that a file of kgreason is, or, for a grammar and its like, those beside it."""
    if file.endswith(".py"):
        return [_module(file)]
    return [_module(path.relative_to(ROOT).as_posix()) for path in (ROOT / file).parent.glob("*.py")]


@cache
def _importers(module: str) -> set[str]:
    graph = _imports()
    return graph.find_modules_that_directly_import(module) if module in graph.modules else set()


@cache
def _imports() -> grimp.ImportGraph:
    return grimp.build_graph("kgreason", "tests", cache_dir=None)
