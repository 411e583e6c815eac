"""The memory block: an address is that of the array, whatever interrupts its growth; kernels know their sources."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

import kgreason
from kgreason.compiled.library import kernel_sources
from kgreason.engine.memory import blocks as memory_module
from kgreason.engine.memory.blocks import Memory
from kgreason.engine.memory.buffers import grow
from kgreason.engine.memory.layout import ARRAYS, COUNTERS, ROWS
from kgreason.rules.model import Atom, Rule, Variable
from tests.engine.systems import System

X = Variable("x")


def address(memory: Memory, name: str) -> int:
    return int(memory.block[COUNTERS + 3 * ARRAYS.index(name)])


def test_an_interrupt_while_an_array_moves_leaves_its_new_address(monkeypatch: pytest.MonkeyPatch) -> None:
    def grow_and_interrupt(array: np.ndarray, needed: int, most: int) -> None:
        grow(array, needed)
        raise KeyboardInterrupt

    memory = Memory()
    memory["rows"] = np.ones((16, 6), dtype=np.int32)
    monkeypatch.setattr(memory_module, "grow", grow_and_interrupt)
    with pytest.raises(KeyboardInterrupt):
        memory.grow("rows", 1 << 22)
    assert address(memory, "rows") == memory["rows"].ctypes.data
    assert memory.block[ROWS + 1] == len(memory["rows"]) == 1 << 22


@pytest.mark.parametrize("array", [np.zeros(3, dtype=np.int64), np.zeros((4, 4), dtype=np.int32).T[:2]])
def test_an_array_that_does_not_fit_is_refused(array: np.ndarray) -> None:
    with pytest.raises(TypeError, match=r"rows: .* does not fit the memory block"):
        Memory()["rows"] = array


def test_what_appeared_is_not_a_view_of_the_table() -> None:
    system = System()
    appeared = system.engine.bootstrap({system.engine.table(True, 3): np.array([[1, 2, 3]], dtype=np.int32)}).rows
    assert not np.shares_memory(appeared, system.engine.circuit.memory["rows"])


def test_an_interrupt_while_a_rule_is_planned_leaves_no_ghost(monkeypatch: pytest.MonkeyPatch) -> None:
    system = System()
    system.update([Atom("p", ("<a>",))])
    planner = system.engine.planner
    add = planner.add

    def add_and_interrupt(*rules: object) -> int:
        add(*rules)  # type: ignore[arg-type]
        raise KeyboardInterrupt

    monkeypatch.setattr(planner, "add", add_and_interrupt)
    with pytest.raises(KeyboardInterrupt):
        system.update([], [Rule((Atom("q", (X,)),), (Atom("p", (X,)),))])
    monkeypatch.undo()
    assert system.update([Atom("p", ("<b>",))]) == {("p", ("<b>",))}


def test_the_layout_belongs_to_the_sources_of_the_kernels(tmp_path: Path) -> None:
    package = tmp_path / "kgreason"
    shutil.copytree(Path(kgreason.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    names = {path.relative_to(package).as_posix() for path in kernel_sources(package)}
    some = {"memory/layout.py", "memory/blocks.py", "level/fixpoint.py", "program/shapes.py"}
    assert {f"engine/{name}" for name in some} | {"terms/interning.py"} <= names
    assert not any(name.startswith("cli/") for name in names)
