"""Write the tables of a random C program: `python generate.py CALLS SEED FOLDER`.

A function has variables and statements of five forms: p = q, p = *q, *p = q, p = NULL, and calls of functions that come
later in the text, so that no call is recursive. The tables are context-sensitive by inlining: each call has a copy of
the function with variables of its own. A call assigns its argument to v0 of the copy, and v1 of the copy to a variable.

A variable is named after the calls that lead to its copy: `f0.2.f3/v1` is v1 of f3, which the third statement of f0
calls. The size of the tables grows with the number of calls. Calls that would come after the last one are left out.
"""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random
from typing import NamedTuple

FUNCTIONS = 40
STATEMENTS = 8
VARIABLES = 6
FORMS = ("copy", "copy", "load", "store", "null", "call", "call")
Tables = dict[str, set[tuple[str, str]]]


class Statement(NamedTuple):
    """`left` and `right` are numbers of variables, `callee` is the number of the function that a call calls."""

    form: str
    left: int
    right: int
    callee: int


def functions(random: Random) -> list[list[Statement]]:
    """The text of a program: the statements of each function."""
    return [[_statement(number, random) for _ in range(STATEMENTS)] for number in range(FUNCTIONS)]


def _statement(function: int, random: Random) -> Statement:
    is_last = function + 1 == FUNCTIONS
    form = random.choice(FORMS[:-2] if is_last else FORMS)
    callee = 0 if is_last else min(function + random.randint(1, 5), FUNCTIONS - 1)
    return Statement(form, random.randrange(VARIABLES), random.randrange(VARIABLES), callee)


def tables(text: list[list[Statement]], calls: int) -> Tables:
    """The tables of a program whose first function is called, and which makes `calls` other calls at most."""
    found: Tables = {"assign": set(), "dereference": set(), "nullEdge": set()}
    copies = [(0, "f0")]
    for number, name in copies:
        for place, (form, p, q, callee) in enumerate(text[number]):
            left, right = f"{name}/v{p}", f"{name}/v{q}"
            if form == "null":
                found["nullEdge"].add((f"{name}.{place}", left))
            elif form == "copy":
                found["assign"].add((right, left))
            elif form == "load":
                found["dereference"].add((right, f"*{right}"))
                found["assign"].add((f"*{right}", left))
            elif form == "store":
                found["dereference"].add((left, f"*{left}"))
                found["assign"].add((right, f"*{left}"))
            elif len(copies) <= calls:
                copy = f"{name}.{place}.f{callee}"
                copies.append((callee, copy))
                found["assign"] |= {(right, f"{copy}/v0"), (f"{copy}/v1", left)}
    return found


def write(calls: int, seed: int, folder: Path) -> None:
    """Write the tables of the program with this seed into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in tables(functions(Random(seed)), calls).items():
        lines = (f"{one}\t{other}\n" for one, other in sorted(rows))
        (folder / f"{name}.facts").write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    write(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
