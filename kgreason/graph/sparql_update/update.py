"""`update`: a SPARQL 1.1 Update request carried out on a graph as one commit, and what came of it.

Law: a request is carried out as a whole or not at all, and nobody sees a part of it. Cost: see `editing`.
"""

from __future__ import annotations

from typing import NamedTuple

from kgreason.graph.changes.delta import Delta
from kgreason.graph.commits import LiveGraph
from kgreason.graph.sparql_update.steps import Editing
from kgreason.graph.transaction import Transaction
from kgreason.sparql.operations import Operation
from kgreason.store.repository import Repository


class Updated(NamedTuple):
    """What an update did: its `delta`, which is empty and has commit 0 where nothing has changed.

    Of the rows that its DELETEs named, `unasserted` had not been asserted, and `entailed` stay: they are entailed.
    """

    delta: Delta
    unasserted: int
    entailed: int


def update(live: LiveGraph, home: Repository, transaction: Transaction, operations: tuple[Operation, ...]) -> Updated:
    """Carry a request out in a transaction, which ends with it. Raises QueryError, and what a commit raises."""
    editing = Editing(live, home, transaction)
    try:
        outcome = editing.run(operations)
    except BaseException:
        transaction.end(False)
        raise
    transaction.end(True)
    return Updated(transaction.delta, outcome.unasserted, editing.entailed(outcome))
