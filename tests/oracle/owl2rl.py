"""OWL 2 RL by the book: the rows of the W3C tables, run until none adds a triple.

Source: OWL 2 Profiles (Second Edition), section 4.3, Tables 4 to 9; those of Table 8 for the literals that occur.
Generalised triples, such as literals as subjects, are derived and kept. Named rows are *noise* and off by default;
while eq-ref is off, no other row derives `x owl:sameAs x` either.

Cost: a row runs over its whole table each round, through indexes; LUBM(1,0) closes in seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial

from tests.oracle.tables import rows, table8

from .graph import Contradiction, Graph, Triple
from .vocabulary import SAME_AS

Row = Callable[[Graph], Iterator[Triple]]
Check = Callable[[Graph], Iterator[Contradiction]]


_TABLES = rows.rows(rows.OWL2RL)
ROWS: dict[str, Row] = {
    **{name: partial(rows.conclusions, row) for name, row in _TABLES.items() if row.then},
    "dt-type1": table8.dt_type1,
    "dt-type2": table8.dt_type2,
    "dt-eq": table8.dt_eq,
    "dt-diff": table8.dt_diff,
}
CHECKS: dict[str, Check] = {
    **{name: partial(rows.contradictions, row) for name, row in _TABLES.items() if not row.then},
    "dt-not-type": table8.dt_not_type,
}
CAREFUL: dict[str, Row] = {
    name: partial(rows.conclusions, _TABLES[name], careful=True)
    for name in ("eq-trans", "eq-rep-s", "eq-rep-p", "eq-rep-o")
}
"""Rows that follow no link between two literals that are known to differ."""
NOISE = frozenset({"eq-ref", "prp-ap", "cls-thing", "cls-nothing1", "scm-cls", "scm-op", "scm-dp", "dt-type1"})
TABLE_8 = frozenset({"dt-type1", "dt-type2", "dt-eq", "dt-diff", "dt-not-type"})
"""The rows that look inside literals, or say what is a datatype."""


def close(
    triples: Iterable[Triple],
    *,
    noise: bool | Collection[str] = False,
    without: Collection[str] = (),
    letter: bool = False,
) -> tuple[set[Triple], set[Contradiction]]:
    """The closure and the contradictions in it.

    `noise` switches all noisy rows on, or those named; `without` switches rows off. `letter`: literals of different
    values that are linked are made equal; so they are without dt-diff, which tells them apart.
    """
    loud = NOISE if noise is True else frozenset(noise or ())
    off = (NOISE - loud) | set(without)
    graph = Graph(triples)
    active = ROWS if letter or "dt-diff" in off else ROWS | CAREFUL
    saturate(graph, [row for name, row in active.items() if name not in off], reflexive="eq-ref" not in off)
    checks = (check for name, check in CHECKS.items() if name not in off)
    return graph.triples, {contradiction for check in checks for contradiction in check(graph)}


def saturate(graph: Graph, rows: Iterable[Row], *, reflexive: bool = True) -> None:
    """Run the rows until none adds a triple; without `reflexive` none adds `x owl:sameAs x`."""
    rows, before = list(rows), -1
    while len(graph.triples) > before:
        before = len(graph.triples)
        for row in rows:
            for triple in [triple for triple in row(graph) if triple not in graph]:
                if reflexive or triple[1] != SAME_AS or triple[0] != triple[2]:
                    graph.add(triple)
