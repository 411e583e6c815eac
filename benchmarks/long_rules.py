"""Long rules: the time to read a rule and put it in force, as its body grows.

    reach(?x0) :- edge(?x0, ?x1), edge(?x1, ?x2), ... , edge(?xn, ?x0) .

The value is the time for a rule with twice as many atoms, divided by the time for the shorter rule. It is four if the
cost is the square of the length, and eight if it is the cube. Cost: some seconds.
"""

from __future__ import annotations

from benchmarks.model import Measurement
from benchmarks.timing import alternate, timed
from benchmarks.workspace import Workspace
from kgreason.graph.knowledge_graph import KnowledgeGraph

FEW, MANY = 100, 200
_ROUNDS = 3


def many_over_few(workspace: Workspace) -> Measurement:  # noqa: ARG001 - it needs no files
    """A ring of `MANY` atoms over one of `FEW`."""
    in_force(FEW)
    pairs = alternate(lambda: in_force(MANY), lambda: in_force(FEW), _ROUNDS)
    return Measurement(pairs.ratio, f"{pairs} ({MANY} and {FEW} atoms)")


def in_force(length: int) -> float:
    """The seconds until a ring of so many atoms is a rule in force."""
    atoms = ", ".join(f"edge(?x{number}, ?x{(number + 1) % length})" for number in range(length))

    def add(graph: KnowledgeGraph) -> None:
        with graph.transaction() as tx:
            tx.add_rules(f"@rule long reach(?x0) :- {atoms} .")

    with KnowledgeGraph.open(rules=["none"]) as graph:
        graph.add(("http://e/a", "http://e/p", "http://e/b"))
        return timed(lambda: add(graph))
