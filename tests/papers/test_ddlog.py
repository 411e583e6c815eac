"""Labelled reachability in DDlog's way: a program, and a script of changes whose results are told as changes.

Source: Ryzhyk and Budiu, *Differential Datalog*. The program is written in the syntax of rule files.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.calling import succeed

PROGRAM = """
@relation edge(from: xsd:string, to: xsd:string) .
@relation given_label(node: xsd:string, label: xsd:string) .
label(?x, ?l) :- given_label(?x, ?l) .
label(?y, ?l) :- label(?x, ?l), edge(?x, ?y) .
"""
"""A node has the labels that are given to it, and those of the nodes with an edge to it."""

SCRIPT = """
start; insert edge("a", "b"), insert edge("b", "c"), insert edge("c", "b"); commit dump_changes;
echo "a label is given";
insert given_label("a", "red"), insert given_label("c", "blue"); commit dump_changes;
echo "an edge goes";
delete edge("a", "b"); commit dump_changes;
echo "a label is taken back";
delete given_label("c", "blue"); commit dump_changes;
dump label;
"""
"""b and c are in a circle: neither may keep a label that only the other one gives it."""

CHANGES = {
    "a label is given": {"+": {("a", "red"), ("b", "red"), ("c", "red"), ("b", "blue"), ("c", "blue")}, "-": set()},
    "an edge goes": {"+": set(), "-": {("b", "red"), ("c", "red")}},
    "a label is taken back": {"+": set(), "-": {("b", "blue"), ("c", "blue")}},
}


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    for name, text in (("program.dl", PROGRAM), ("script.txt", SCRIPT)):
        (tmp_path / name).write_text(text)
    return tmp_path / "program.dl", tmp_path / "script.txt"


def test_a_script_tells_the_changes_of_each_commit(files: tuple[Path, Path], tmp_path: Path) -> None:
    program, script = files
    lines = succeed("run", program, "-F", tmp_path, "--script", script).splitlines()
    found: dict[str, dict[str, set[tuple[str, ...]]]] = {}
    for line in lines:
        if line in CHANGES:
            found[line] = {"+": set(), "-": set()}
        elif line[0] in "+-":
            found[next(reversed(found))][line[0]].add(tuple(json.loads(f"[{line[7:-1]}]")))
        else:
            assert line == 'label("a", "red")', "what is left in the end"
    assert found == CHANGES
