"""Andersen's analysis of random programs, against the statements carried out until nothing changes."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from random import Random

import pytest

from tests.examples.programs import EXAMPLES, Row, run

PROGRAM = EXAMPLES / "points-to" / "program.dl"
TYPES = ["Top", "Left", "Right", "Low"]
EXTENDS = {("Left", "Top"), ("Right", "Top"), ("Low", "Left")}
ABOVE = {"Top": {"Top"}, "Left": {"Left", "Top"}, "Right": {"Right", "Top"}, "Low": {"Low", "Left", "Top"}}
Statement = tuple[str, str, str, str]


def analysed(statements: list[Statement], types: dict[str, str]) -> tuple[set[Row], set[Row], set[Row]]:
    """What points where, the casts that may fail, the pointers that may be null where they are followed."""
    points: defaultdict[str, set[str]] = defaultdict(set)

    def passes(value: str, type_: str) -> bool:
        return value == "null" or type_ in ABOVE[types[value]]

    size = -1
    while size != (size := sum(map(len, points.values()))):
        for form, p, q, type_ in statements:
            match form:
                case "address":
                    points[p] |= {q}
                case "copy":
                    points[p] |= points[q]
                case "load":
                    points[p] |= {value for place in points[q] - {"null"} for value in points[place]}
                case "store":
                    for place in points[p] - {"null"}:
                        points[place] |= points[q]
                case "cast":
                    points[p] |= {value for value in points[q] if passes(value, type_)}
    casts = [(p, q, type_) for form, p, q, type_ in statements if form == "cast"]
    followed = {q if form == "load" else p for form, p, q, _ in statements if form in ("load", "store")}
    return (
        {(p, value) for p, values in points.items() for value in values},
        {(p, q, value) for p, q, type_ in casts for value in points[q] if not passes(value, type_)},
        {(p,) for p in followed if "null" in points[p]},
    )


@pytest.mark.parametrize("seed", range(6))
def test_the_analysis_finds_what_carrying_out_the_statements_finds(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    variables = [f"v{number}" for number in range(15)]
    types = {variable: random.choice(TYPES) for variable in variables}
    statements: list[Statement] = []
    for _ in range(40):
        form = random.choice(["address", "address", "copy", "load", "store", "cast", "cast"])
        right = [*variables, "null", "null"] if form == "address" else variables
        type_ = random.choice(TYPES) if form == "cast" else ""
        statements.append((form, random.choice(variables), random.choice(right), type_))
    tables: dict[str, set[Row]] = {"type": set(types.items()), "extends": {*EXTENDS}}
    for name in ("address", "copy", "load", "store", "cast"):
        tables[name] = {(p, q, type_) if type_ else (p, q) for form, p, q, type_ in statements if form == name}
    found = run(PROGRAM, tables, tmp_path)
    assert (found["pointsTo"], found["badCast"], found["throughNull"]) == analysed(statements, types)
