"""The way of an edit through the code: the number of modules entered, and of changes of module and of package.

    python -m benchmarks.traces

Each edit runs twice without a trace, so that imports, kernels and caches are not counted, and once traced. (The first
commit of a graph is a Bootstrap, the second an Update.) Every call of a function of kgreason counts. A change is a call
from a function of another module or package (the folder in `kgreason`). The Spark load is traced only on the driver,
and only if Spark is installed. Cost: seconds, with Spark half a minute.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.util import find_spec
from itertools import count, pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any, NamedTuple

import kgreason
from kgreason import KnowledgeGraph

_ROOT = str(Path(kgreason.__file__).parent) + "/"
_E = "http://example.org/"
_SUBCLASS = "http://www.w3.org/2000/01/rdf-schema#subClassOf"
_RULE = "@rule r{0}\n[?x, <http://e/q{0}>, ?y] :- [?x, <http://e/p{0}>, ?y], NOT [?x, <http://e/n{0}>, ?y] ."
_NUMBERS = count(1)


class Trace(NamedTuple):
    """How many modules one edit entered, and how often it changed module and package."""

    modules: int
    module_changes: int
    package_changes: int


def traced(edit: Callable[[], object]) -> Trace:
    """The modules that the functions called by an edit are in, in the order of the calls."""
    names: list[str] = []

    def look(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(_ROOT):
            names.append(frame.f_code.co_filename[len(_ROOT) :])

    sys.setprofile(look)
    try:
        edit()
    finally:
        sys.setprofile(None)
    packages = [name.split("/")[0] for name in names]
    return Trace(len(set(names)), _changes(names), _changes(packages))


def _changes(names: list[str]) -> int:
    return sum(one != other for one, other in pairwise(names))


def edits(graph: KnowledgeGraph, folder: Path) -> dict[str, Callable[[], object]]:
    """The edits of a graph by name; each call of one does it to something that is new to this process.

    So no cache knows it, whatever graphs there were before. Files are written to `folder`.
    """

    def fact() -> object:
        return graph.add((f"{_E}i{next(_NUMBERS)}", f"{_E}p", f"{_E}j"))

    def axiom() -> object:
        return graph.add((f"{_E}C{next(_NUMBERS)}", _SUBCLASS, f"{_E}D"))

    def load() -> object:
        return graph.load(_file(folder, next(_NUMBERS)))

    def rule() -> None:
        with graph.transaction() as tx:
            tx.add_rules(_RULE.format(next(_NUMBERS)))

    found: dict[str, Callable[[], object]] = {
        "add a fact": fact,
        "add a subclass axiom": axiom,
        "load a file": load,
        "add a rule with NOT": rule,
    }
    if find_spec("pyspark"):
        found["load by Spark"] = lambda: _spark(folder, next(_NUMBERS))
    return found


def _file(folder: Path, number: int) -> Path:
    path = folder / f"{number}.nt"
    path.write_text(f"<{_E}k{number}> <{_E}p> <{_E}j> .\n<{_E}k{number}> <{_SUBCLASS}> <{_E}D> .\n")
    return path


def _spark(folder: Path, number: int) -> None:
    from kgreason.cli import main

    arguments = ["load", "-l", str(folder / f"spark{number}"), "--pipeline", "spark", "-f", str(_file(folder, number))]
    main(arguments, standalone_mode=False)


def main() -> None:
    """Trace every edit, a line each."""
    with TemporaryDirectory() as folder, KnowledgeGraph.open(Path(folder) / "store") as graph:
        for name, edit in edits(graph, Path(folder)).items():
            edit()
            edit()
            found = traced(edit)
            sys.stdout.write(
                f"{name:22}{found.modules:5} modules {found.module_changes:7} changes of module"
                f" {found.package_changes:7} of package\n"
            )


if __name__ == "__main__":
    main()
