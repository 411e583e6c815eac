"""`update`: carries out a SPARQL 1.1 Update request as one commit, and says what it did.

Law: a request is carried out completely or not at all. Nobody sees the graph after only some of its operations.
Cost: see `steps`.
"""

from __future__ import annotations

from typing import NamedTuple

from kgreason.graph.changes.delta import Delta
from kgreason.graph.commits import Committer
from kgreason.graph.sparql_update.steps import EditableGraph
from kgreason.graph.sparql_update.uncommitted_store import WhereLimits
from kgreason.graph.transaction import Transaction
from kgreason.sparql.operations import Operation
from kgreason.store.homes.home import Home


class Updated(NamedTuple):
    """The result of an update.

    - `delta`: the delta of the commit; if nothing has changed, it is empty and its `commit` is 0.
    - `unasserted`: how many of the quads to delete were not asserted.
    - `entailed`: how many of the quads to delete stay in the default graph only because rules derive them.
    """

    delta: Delta
    unasserted: int
    entailed: int

    def __repr__(self) -> str:
        """Say what changed, how many of the quads to delete were not asserted, and how many stay in the graph."""
        missed = f"; rows to delete that were not asserted: {self.unasserted}" if self.unasserted else ""
        stays = f"; rows to delete that stay because rules derive them: {self.entailed}" if self.entailed else ""
        return f"<Updated: {repr(self.delta)[1:-1]}{missed}{stays}>"


def update(
    committer: Committer,
    home: Home,
    transaction: Transaction,
    operations: tuple[Operation, ...],
    wheres: WhereLimits | None = None,
) -> Updated:
    """Carry out the operations of a request as one commit on the graph `committer`, whose home is `home`.

    `transaction` collects the edits; this function ends it. `wheres`: see `EditableGraph`.
    Raises QueryError, QueryTimeoutError, and the errors of a commit.
    """
    editing = EditableGraph(committer, home, transaction, wheres)
    try:
        outcome = editing.run(operations)
    except BaseException:
        transaction.end(False)
        raise
    transaction.end(True)
    return Updated(transaction.delta, outcome.unasserted, editing.count_entailed(outcome))
