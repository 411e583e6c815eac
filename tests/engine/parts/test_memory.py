"""The memory block: an address is that of the array, whatever interrupts its growth; kernels know their sources."""

from __future__ import annotations

import mmap
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

import numpy as np
import pytest

import kgreason
from kgreason.compiled.library import kernel_sources
from kgreason.engine.memory import blocks
from kgreason.engine.memory import layout as at
from kgreason.engine.memory.blocks import Memory, cut, grow, zeros
from kgreason.rules.model import Atom, Rule, Variable
from tests.engine.systems import System
from tests.tables import table

X = Variable("x")


def address(memory: Memory, name: str) -> int:
    return int(memory.block[at.COUNTERS + 3 * at.ARRAYS.index(name)])


def test_an_interrupt_while_an_array_moves_leaves_its_new_address(monkeypatch: pytest.MonkeyPatch) -> None:
    def grow_and_interrupt(array: np.ndarray, needed: int, most: int) -> np.ndarray:
        array.resize((needed, *array.shape[1:]), refcheck=False)
        raise KeyboardInterrupt

    memory = Memory()
    memory["rows"] = np.ones((16, 6), dtype=np.int32)
    monkeypatch.setattr(blocks, "grow", grow_and_interrupt)
    with pytest.raises(KeyboardInterrupt):
        memory.grow("rows", 1 << 22)
    assert address(memory, "rows") == memory["rows"].ctypes.data
    assert memory.block[at.ROWS + 1] == len(memory["rows"]) == 1 << 22


LARGE = 1 << 20
"""Rows of two int32 columns that take more than 4 MB."""
has_areas = pytest.mark.skipif(not blocks._has_areas(), reason="here an array does not grow where it is")


@has_areas
def test_a_large_array_grows_where_it_is() -> None:
    array = zeros((LARGE, 2), np.int32)
    array[:] = 7
    grown = grow(array, 3 * LARGE)
    assert grown.ctypes.data == array.ctypes.data
    assert len(grown) == 3 * LARGE
    assert (grown[:LARGE] == 7).all()
    assert not grown[LARGE:].any()


@has_areas
def test_a_small_array_moves_once_on_its_way() -> None:
    array, places = np.arange(16, dtype=np.int32), set()
    while len(array) < 1 << 23:
        array = grow(array, len(array) + 1)
        places.add(array.ctypes.data if array.nbytes >= 4 << 20 else 0)
    assert len(places) == 2
    assert (array[:16] == np.arange(16)).all()
    assert not array[16:].any()


@table("kept", [0, 1, 5, LARGE // 4, LARGE // 4 + 1, 2 * LARGE])
def test_an_array_that_was_cut_grows_by_zeros(kept: int) -> None:
    array = zeros((LARGE, 2), np.int32)
    array[:] = 7
    array = grow(cut(array, kept), LARGE)
    assert (array[:kept] == 7).all()
    assert not array[kept:].any()


@has_areas
def test_memory_that_is_cut_off_is_given_back() -> None:
    array = zeros((32 * LARGE, 2), np.int32)
    array[:] = 7
    before = resident()
    array = cut(array, 5)
    assert before - resident() > 200 << 20
    assert (array == 7).all()


def resident() -> int:
    """The bytes of memory that the process has."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * mmap.PAGESIZE


def test_an_array_grows_without_an_area(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on other systems, and where addresses are scarce."""
    monkeypatch.setattr(blocks, "_area", lambda size: None)
    array = zeros((LARGE, 2), np.int32)
    array[:] = 7
    array = grow(cut(grow(array, 3 * LARGE), LARGE // 2), LARGE)
    assert (array[: LARGE // 2] == 7).all()
    assert not array[LARGE // 2 :].any()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has such limits")
@pytest.mark.parametrize("limit", ["used + (1 << 28)", "memory + (3 << 30)"])
def test_scarce_addresses_are_not_used_up(limit: str) -> None:
    """Under `ulimit -v` no array gets an area."""
    script = f"""
import os, resource, numpy as np
from kgreason.engine.memory.blocks import cut, grow, zeros
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
memory = os.sysconf("SC_PHYS_PAGES") * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, ({limit},) * 2)
array = zeros(1 << 22, np.int32)
array[:] = 7
assert array.flags.owndata
array = grow(array, 1 << 23)
print(int(array.sum()), len(cut(array, 3)))
"""
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (ran.stdout, ran.stderr) == (f"{7 << 22} 3\n", "")


@has_areas
def test_more_than_the_memory_of_the_machine_is_an_error() -> None:
    """Not a process that the system kills."""
    with pytest.raises(MemoryError):
        zeros(1 << 60, np.int8)


@pytest.mark.parametrize(
    "change", [lambda memory: memory.grow("rows", 2 * LARGE), lambda memory: memory.cut("rows", 5)]
)
def test_an_interrupt_at_any_line_leaves_the_array(change: Callable[[Memory], None]) -> None:
    memory = Memory()
    memory["rows"] = zeros((LARGE, 2), np.int32)
    for stop in range(1_000):
        memory["rows"][:5] = 7
        left = iter(range(stop))

        def trace(frame: FrameType, event: str, _: object, left: Iterator[int] = left) -> object:
            code = frame.f_code
            moves = code.co_filename == blocks.__file__ and not code.co_qualname.startswith("Memory.")
            if moves and event == "line" and next(left, None) is None:
                raise KeyboardInterrupt
            return trace

        sys.settrace(trace)  # type: ignore[arg-type]
        try:
            change(memory)
        except KeyboardInterrupt:
            pass
        else:
            break
        finally:
            sys.settrace(None)
        assert address(memory, "rows") == memory["rows"].ctypes.data
        assert memory.block[at.ROWS + 1] == len(memory["rows"]) == LARGE
        assert (memory["rows"][:5] == 7).all()
    assert stop > 5
    grown = grow(memory["rows"], 3 * LARGE)
    assert not grown[5:].any()


def test_an_array_that_outgrows_its_area_gets_a_larger_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "_MOST", 1 << 20)
    array = zeros(LARGE, np.int32)
    array[:] = 7
    for _ in range(3):
        array = grow(array, 2 * len(array))
    assert (array[:LARGE] == 7).all()
    assert not array[LARGE:].any()


@pytest.mark.parametrize("array", [np.zeros(3, dtype=np.int64), np.zeros((4, 4), dtype=np.int32).T[:2]])
def test_an_array_that_does_not_fit_is_refused(array: np.ndarray) -> None:
    with pytest.raises(TypeError, match=r"rows: .* does not fit the memory block"):
        Memory()["rows"] = array


def test_new_facts_are_not_a_view_of_the_table() -> None:
    system = System()
    appeared = system.engine.bootstrap({system.engine.table(True, 3): np.array([[1, 2, 3]], dtype=np.int32)}).rows
    assert not np.shares_memory(appeared, system.engine._circuit.memory["rows"])


def test_an_interrupt_while_a_rule_is_planned_leaves_no_ghost(monkeypatch: pytest.MonkeyPatch) -> None:
    system = System()
    system.update([Atom("p", ("<a>",))])
    planner = system.engine._planner
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
