"""`Loaded`: the result of `load` and `unload`: counts of the graph after the commit, and the delta of the commit.

Cost: nothing is computed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kgreason.graph.changes.delta import Delta


class Loaded(dict[str, Any]):
    """The counts of `KnowledgeGraph.stats` after a load, with `missed` and `seconds`; `delta` is what the load changed.

    `missed` is how many of the quads to retract an `unload` did not find. `seconds` is how long the call took.
    """

    def __init__(self, counts: dict[str, Any], delta: Delta, seconds: float) -> None:
        super().__init__(counts, missed=delta.missed, seconds=round(seconds, 3))
        self.delta = delta

    def __repr__(self) -> str:
        """Say what this load changed, and then how much the whole graph holds."""
        missed = f"; quads that were not there: {self['missed']}" if self["missed"] else ""
        graph = f"triples in the graph now: {self['facts']} ({self['asserted']} asserted)"
        return f"<Loaded: {repr(self.delta)[1:-1]}{missed}; {graph}; {self['seconds']} s>"
