"""OWL 2 RL by the book: the rows of the W3C tables, run until none adds a triple.

Source: OWL 2 Profiles (Second Edition), section 4.3, Tables 4 to 9; those of Table 8 for the literals that occur.
Generalised triples, such as literals as subjects, are derived and kept. Named rows are *noise* and off by default;
while eq-ref is off, no other row derives `x owl:sameAs x` either.

Cost: a row runs over its whole table each round, through indexes; LUBM(1,0) closes in seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

from tests.oracle.tables import table4, table5, table6, table7, table8, table9

from .graph import Contradiction, Graph, Triple
from .vocabulary import SAME_AS

Row = Callable[[Graph], Iterator[Triple]]
Check = Callable[[Graph], Iterator[Contradiction]]


def row_name(function: Callable[..., Any]) -> str:
    """The name that the tables give to the row: `prp-dom` for `prp_dom`."""
    return function.__name__.replace("_", "-")


def _named(*tables: Iterable[Callable[..., Any]]) -> dict[str, Any]:
    return {row_name(function): function for table in tables for function in table}


ROWS: dict[str, Row] = _named(table4.ROWS, table5.ROWS, table6.ROWS, table7.ROWS, table8.ROWS, table9.ROWS)
CHECKS: dict[str, Check] = _named(table4.CHECKS, table5.CHECKS, table6.CHECKS, table7.CHECKS, table8.CHECKS)
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
    careful: dict[str, Row] = {} if letter or "dt-diff" in off else {**table4.CAREFUL}
    rows = ROWS | careful
    saturate(graph, [row for name, row in rows.items() if name not in off], reflexive="eq-ref" not in off)
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
