"""`DataFlags`: which generic rules the data calls for, beside the rules that the schema was translated to.

Law: a flag is set exactly if the present facts call for it, or if the open commit has set it. Cost: a look at the facts
that changed; while a flag is set, also at the facts that left.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kgreason.engine.changes import Changes
from kgreason.materialize.schema.closure import ClosureChange
from kgreason.materialize.schema.rows import (
    SAME_AS,
    Mentions,
    are_about_restrictions,
    has_schema_link,
    is_schema,
)
from kgreason.materialize.state import Flags
from kgreason.zset.columns import ABSENT, Int32

if TYPE_CHECKING:
    from kgreason.materialize.materialized_graph import MaterializedGraph

_NO_ROWS = np.empty((0, 3), dtype=np.int32)


class DataFlags:
    """Computes the flags of a materialized graph."""

    def __init__(self, graph: MaterializedGraph) -> None:
        self._graph = graph
        self._seen: dict[str, Int32] = {}
        """For each flag a row, int32[1, 3], that has called for it. It may be gone, so it is looked at again."""

    def has_schema_link(self, rows: Int32, schema: Int32) -> bool:
        """Whether an owl:sameAs triple among `rows`, int32[n, 3], links a term of the closed schema.

        `schema`: the triples that the closed schema got. If there are any, all owl:sameAs triples of the graph are
        looked at, too.
        """
        if not self._graph.selection.datatypes:  # without owl2rl, no rule reads owl:sameAs
            return False
        if len(schema):
            rows = np.concatenate([rows, self.same_as_triples()])
        return bool((rows[:, 1] == SAME_AS).any()) and has_schema_link(rows, self._graph.closed_schema_rows())

    def same_as_triples(self) -> Int32:
        """Return the present owl:sameAs triples: int32[n, 3]."""
        found = self._graph.engine.rows_with(self._graph.triples, {1: SAME_AS})
        if found is None or not len(found):
            return _NO_ROWS
        rows = np.ascontiguousarray(found[:, :3])
        return rows[self._graph.holds(rows)]

    def flags_of_schema(self, schema: Int32) -> Flags:
        """Return which of the flags `exceeded` and `restricted` the schema triples `schema`, int32[n, 3], set.

        No flag is set if the closed schema has all of them.
        """
        if not self._graph.selection.profiles:  # nothing is translated, so no rule is missing
            return Flags()
        if not len(schema) or not len(schema := self._graph.stratum.missing_triples(schema)):
            return Flags()
        self._seen["exceeded"] = schema[:1]
        is_translated, described = self._graph.selection.schema == "axioms", schema[:0]
        if self._graph.selection.without_twins:
            self._seen["restricted"] = described = schema[are_about_restrictions(schema)][:1]
        return Flags(False, is_translated, len(described) > 0)

    def _are_causes_present(self) -> bool:
        """Whether the rows that have called for the flags exceeded and restricted still do, for those that are set."""
        flags = self._graph.flags._asdict()
        rows = np.concatenate([_NO_ROWS, *(self._seen.get(name, _NO_ROWS) for name in flags if flags[name])])
        if len(rows) < sum(flags.values()) or not (is_schema(rows) & self._graph.holds(rows)).all():
            return False
        is_described = not flags["restricted"] or bool(are_about_restrictions(rows).any())
        return is_described and len(self._graph.stratum.missing_triples(rows)) == len(rows)

    def with_set_flags(self, found: Flags) -> Flags:
        """Return the flags that are set already, together with those that are set in `found`.

        If this includes `same_as`, only `same_as` is returned, because then all generic rules run.
        """
        if self._graph.flags.same_as or found.same_as:
            return Flags(True)
        return Flags(
            False, self._graph.flags.exceeded or found.exceeded, self._graph.flags.restricted or found.restricted
        )

    def needed_flags(self, changes: Changes, mentioned: Mentions, closure_lost: Int32) -> Flags:
        """Return the flags that are set already, and those that must be set because of the changes of the commit.

        `changes`: the changes of the commit so far; new facts may set a flag. `mentioned`: the `mentions` of the rows.
        `closure_lost`: triples that left the closed schema; if they are still facts, they may set a flag.

        If the rows have neither a schema triple nor an owl:sameAs triple, and nothing left the closed schema, no flag
        must be set, and nobody has to ask.
        """
        if self._graph.flags.same_as:
            return self._graph.flags
        rows, is_new = changes.rows, (changes.before == ABSENT) & (changes.tables == self._graph.triples)
        schema, same = rows[is_new & mentioned.schema, :3], rows[is_new & mentioned.same, :3]
        if len(closure_lost):
            lost = closure_lost[self._graph.holds(closure_lost)]
            schema = np.concatenate([schema, lost[is_schema(lost)]])
        return self._flags_of(np.ascontiguousarray(schema), same)

    def remaining_flags(self, changes: Changes, closure: ClosureChange, before: Flags | None) -> Flags:
        """Return the flags without those that the present facts no longer call for. Call it while a flag is set.

        The flags are computed again only if the commit has removed facts, changed the closed schema (`closure`) or set
        a flag, and only if the rows that have called for the flags are gone. Otherwise the present flags are returned.
        Cost: while a flag is set, a look at the removed facts. If the flags are computed, also a look at the owl:sameAs
        triples, or at all facts.
        """
        gone = changes.rows[(changes.after == ABSENT) & (changes.tables == self._graph.triples), :3]
        is_told = before is not None and self._graph.flags != before
        if self._graph.flags.same_as:
            is_told |= bool(len(closure.removed) or (gone[:, 1] == SAME_AS).any())
            if not is_told or self.has_schema_link(self.same_as_triples(), _NO_ROWS):
                return self._graph.flags
        elif (
            not (is_told or len(closure.removed) or len(closure.added) or is_schema(gone).any())
            or self._are_causes_present()
        ):
            return self._graph.flags
        rows, tables, _ = self._graph.engine.facts.contents()
        return self.flags_of_schema(np.ascontiguousarray(rows[(tables == self._graph.triples) & is_schema(rows), :3]))

    def flags_of_rows(self, rows: Int32) -> Flags:
        """Return the flags that are set already, and those that present triples `rows`, int32[n, 3], call for."""
        return self._flags_of(rows[is_schema(rows)], rows[rows[:, 1] == SAME_AS])

    def _flags_of(self, schema: Int32, same: Int32) -> Flags:
        """Return what `flags_of_rows` does, for its schema and owl:sameAs triples. No other triple sets a flag."""
        if not (len(schema) or len(same)):
            return self._graph.flags
        return self.with_set_flags(self.flags_of_schema(schema)._replace(same_as=self.has_schema_link(same, _NO_ROWS)))
