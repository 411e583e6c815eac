"""CSPA and CSDA on generated programs, against their rules as products of matrices."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from tests.examples.programs import EXAMPLES, Row, read, run

FOLDER = EXAMPLES / "alias-and-dataflow"
Matrix = npt.NDArray[np.bool_]


def generated(calls: int, seed: int, folder: Path) -> dict[str, set[Row]]:
    runpy.run_path(str(FOLDER / "generate.py"))["write"](calls, seed, folder)
    return {path.stem: read(path) for path in folder.iterdir()}


class Matrices:
    """Relations of expressions as matrices: 1 where a pair is in the relation."""

    def __init__(self, *relations: set[Row]) -> None:
        self._names = sorted({name for relation in relations for row in relation for name in row})

    def of(self, relation: set[Row]) -> Matrix:
        numbers = {name: number for number, name in enumerate(self._names)}
        matrix = np.zeros((len(numbers), len(numbers)), dtype=bool)
        for one, other in relation:
            matrix[numbers[one], numbers[other]] = True
        return matrix

    def rows(self, matrix: Matrix) -> set[Row]:
        return {(self._names[one], self._names[other]) for one, other in zip(*np.nonzero(matrix), strict=True)}


def product(*factors: Matrix) -> Matrix:
    """The pairs that a chain of pairs connects. NumPy multiplies floats much faster than booleans."""
    first, *others = (factor.astype(np.float32) for factor in factors)
    for other in others:
        first = ((first @ other) > 0).astype(np.float32)
    return first > 0


def follow(calls: int, seed: int, folder: Path) -> None:
    """Compare the aliases of a generated program with those of the matrices."""
    tables = generated(calls, seed, folder)
    matrices = Matrices(tables["assign"], tables["dereference"])
    assign, star = matrices.of(tables["assign"]), matrices.of(tables["dereference"])
    same = np.diag(assign.any(axis=0) | assign.any(axis=1))
    flow, memory, value = assign | same, same, assign & False
    before = -1
    while before != (before := int(flow.sum() + memory.sum() + value.sum())):
        flow = flow | product(assign, memory) | product(flow, flow)
        memory = memory | product(star.T, value, star)
        value = value | product(flow.T, flow) | product(flow.T, memory, flow)
    found = run(FOLDER / "aliases.dl", {}, folder)
    assert found["valueFlow"] == matrices.rows(flow)
    assert found["memoryAlias"] == matrices.rows(memory)
    assert found["valueAlias"] == matrices.rows(value)


@pytest.mark.parametrize(("calls", "seed"), [(0, 1), (1, 2), (3, 3), (8, 4), (12, 5)])
def test_aliases_are_those_of_the_matrices(calls: int, seed: int, tmp_path: Path) -> None:
    follow(calls, seed, tmp_path)


@pytest.mark.parametrize("seed", range(3))
def test_aliases_of_larger_programs(seed: int, tmp_path: Path) -> None:
    follow(150, seed, tmp_path)


@pytest.mark.parametrize(("calls", "seed"), [(0, 1), (5, 2), (60, 3)])
def test_nulls_go_where_assignments_lead(calls: int, seed: int, tmp_path: Path) -> None:
    tables = generated(calls, seed, tmp_path)
    wanted: set[Row] = set()
    for statement, variable in tables["nullEdge"]:
        seen, waiting = {variable}, [variable]
        while waiting:
            place = waiting.pop()
            reached = {to for from_, to in tables["assign"] if from_ == place} - seen
            seen |= reached
            waiting += reached
        wanted |= {(statement, place) for place in seen}
    assert run(FOLDER / "nulls.dl", {}, tmp_path)["null"] == wanted


def test_a_generated_program_grows_with_its_calls(tmp_path: Path) -> None:
    sizes = [len(generated(calls, 1, tmp_path / str(calls))["assign"]) for calls in (10, 100, 1000)]
    assert sizes[0] * 5 < sizes[1]
    assert sizes[1] * 5 < sizes[2]
    assert generated(100, 1, tmp_path / "again") == generated(100, 1, tmp_path / "100")
