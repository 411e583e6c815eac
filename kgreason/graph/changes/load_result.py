"""`Loaded`: the result of `load` and `unload`: counts of the graph after the commit, and the delta of the commit.

Cost: nothing is computed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kgreason.graph.changes.delta import Delta
    from kgreason.rdf.lines.skipped_lines import Skipped


class Loaded(dict[str, Any]):
    """The result of a load: a dict with the counts of `KnowledgeGraph.stats` after the load, `missed` and `seconds`.

    `missed` is the number of quads that an `unload` was to retract and that were not asserted. `seconds` is the time
    that the call took. The attribute `delta` has what the load changed.

    If malformed lines were to be skipped, `skipped` is their number, and the attribute `skipped` has the first of them.
    """

    def __init__(self, counts: dict[str, Any], delta: Delta, seconds: float, skipped: Skipped | None = None) -> None:
        super().__init__(counts, missed=delta.missed, seconds=round(seconds, 3))
        self.delta, self.skipped = delta, skipped
        if skipped is not None:
            self["skipped"] = skipped.count

    def __repr__(self) -> str:
        """Return a text that says what this load changed, and then the size of the whole graph."""
        missed = f"; quads that were not there: {self['missed']}" if self["missed"] else ""
        graph = f"triples in the graph now: {self['facts']} ({self['asserted']} asserted)"
        return f"<Loaded: {repr(self.delta)[1:-1]}{missed}; {graph}; {self['seconds']} s>"
