"""Rules that begin with the same atoms, as they are and with the atoms as a relation of its own: what each costs.

    as they are   h1(?x, ?w) :- a(?x, ?y), b(?y, ?z), c1(?z, ?w) .    h2(?x, ?w) :- a(?x, ?y), b(?y, ?z), c2(?z, ?w) .
    shared        p(?x, ?z) :- a(?x, ?y), b(?y, ?z) .                 h1(?x, ?w) :- p(?x, ?z), c1(?z, ?w) .   ...

`python -m benchmarks.prefixes` prints the rewrites of a Bootstrap, of 1 % of the facts of `a` deleted and added, and of
one rule removed and added, and the facts in all. The counts are exact, so the page that uses them
(docs/decisions/shared-prefixes.md) needs no quiet machine. `wide`: the prefix holds for many pairs; `narrow`: for few,
though it takes many rewrites to find them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping

import numpy as np

from benchmarks.programs import random_graph, relational
from kgreason.zset.columns import Int32

_NODES, _EDGES = 2_000, 8_000
HEADER = "input", "rules", "form", "Bootstrap", "1 % deleted", "added", "rule removed", "added", "facts"


def rules(count: int, *, is_shared: bool) -> str:
    """The text of `count` rules."""
    prefix, first = "a(?x, ?y), b(?y, ?z)", ""
    if is_shared:
        prefix, first = "p(?x, ?z)", f"p(?x, ?z) :- {prefix} ."
    return first + " ".join(f"h{n}(?x, ?w) :- {prefix}, c{n}(?z, ?w) ." for n in range(count))


def tables(count: int, *, is_narrow: bool) -> Mapping[str, Int32]:
    """The facts: three relations of random pairs. If `is_narrow`, the y of `b` are few and rarely met."""
    b = random_graph(_NODES, _EDGES, 2)
    if is_narrow:
        b = np.unique(np.column_stack([b[:, 0] % 50, b[:, 1] % 20]), axis=0).astype(np.int32)
    return {
        "a": random_graph(_NODES, _EDGES, 1),
        "b": b,
        **{f"c{n}": random_graph(_NODES, _EDGES, 3 + n) for n in range(count)},
    }


def costs(count: int, *, is_shared: bool, is_narrow: bool) -> tuple[int, ...]:
    """The rewrites of the Bootstrap, of both sides of a change and of a rule; the number of facts."""
    engine, facts = relational(rules(count, is_shared=is_shared), tables(count, is_narrow=is_narrow))
    bootstrap = engine.bootstrap(facts).rewrites
    ((table, rows),) = facts.items()
    chosen = {table: rows[rows[:, 0] == rows[0, 0]][: _EDGES // 100]}
    changed = [
        engine.commit(added, removed, strategy="update").rewrites for added, removed in (({}, chosen), (chosen, {}))
    ]
    last = list(engine.rules)[-1]
    removed = engine.commit({}, {}, [], [last], strategy="update").rewrites
    added = engine.commit({}, {}, [last], [], strategy="update").rewrites
    return bootstrap, *changed, removed, added, len(engine.facts)


def lines() -> Iterator[str]:
    """Yield the lines of a table in Markdown."""
    yield f"| {' | '.join(HEADER)} |"
    yield f"|{'---|' * len(HEADER)}"
    for is_narrow in (False, True):
        for count in (1, 2, 4, 8):
            for is_shared in (False, True):
                numbers = costs(count, is_shared=is_shared, is_narrow=is_narrow)
                words = "narrow" if is_narrow else "wide", str(count), "shared" if is_shared else "as they are"
                cells = (*words, *(f"{number:,}" for number in numbers))
                yield f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    sys.stdout.writelines(f"{line}\n" for line in lines())
