"""The text editor: random edits against a walk of the tree, and a long real history."""

from __future__ import annotations

import gzip
import hashlib
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from tests.examples import programs

PROGRAM = programs.EXAMPLES / "text-editor" / "program.dl"
Element = tuple[int, int]
Insert = tuple[int, int, int, int]


def run(folder: Path, inserts: list[Insert], removed: set[Element]) -> list[Element]:
    """The rows of `result`, sorted."""
    found = programs.run(PROGRAM, {"insert": inserts, "remove": sorted(removed)}, folder)["result"]
    return sorted((int(one), int(other)) for one, other in found)


def walked(inserts: list[Insert], removed: set[Element]) -> list[Element]:
    """The same by a walk of the tree."""
    children: defaultdict[Element, list[Element]] = defaultdict(list)
    for counter, node, parent, parent_node in inserts:
        children[parent, parent_node].append((counter, node))
    waiting, order = [(0, 0)], list[Element]()
    while waiting:
        element = waiting.pop()
        order.append(element)
        waiting += sorted(children[element])
    seen = [element for element in order[1:] if element not in removed]
    return sorted({(one[0], other[0]) for one, other in pairwise(seen)})


@pytest.mark.parametrize("seed", range(5))
def test_the_text_editor_walks_the_tree(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    elements: list[Element] = [(0, 0)]
    inserts: list[Insert] = []
    for counter in range(1, 60):
        node = random.randrange(3)
        inserts.append((counter, node, *random.choice(elements[-6:])))
        elements.append((counter, node))
    removed = {element for element in elements[1:] if random.random() < 0.4}
    assert run(tmp_path, inserts, removed) == walked(inserts, removed)


def test_the_text_editor_on_a_long_history(shared_data: Path, tmp_path: Path) -> None:
    def rows(name: str) -> list[tuple[int, ...]]:
        text = gzip.decompress((shared_data / "datalog" / "crdt" / f"{name}.txt.gz").read_bytes()).decode()
        return [tuple(map(int, line.split())) for line in text.splitlines()]

    inserts = [(a, b, c, d) for a, b, c, d in rows("insert")]
    found = run(tmp_path, inserts, {(a, b) for a, b in rows("remove")})
    text = "\n".join(f"{one} {other}" for one, other in found)
    assert hashlib.sha256(text.encode()).hexdigest().startswith("4de4e9008356b54e")
