"""`LiveReadings`: the readings of a schema that is edited, and the axioms that an edit removes and adds.

The *reading* of a node holds the axioms whose main subject is this node (`read/collect.py`). After an edit, two kinds
of nodes are read again and compared: nodes whose triples changed, and nodes with a list that runs through such a node.
The reading of any other node stays the same: an axiom that uses a restriction has only the restriction's node as a
constant.

Law: after any sequence of edits, `axioms` and `broken` are what `collect` finds in the remaining triples.
Cost: the triples of the nodes that are read again, with their lists.
"""

from __future__ import annotations

from collections.abc import Iterable

from kgreason.ontology.change import Change
from kgreason.ontology.read.axioms import Axiom
from kgreason.ontology.read.collect import Broken, Reading, read_node
from kgreason.ontology.read.schema import LiveSchema
from kgreason.ontology.undo import Index, UndoLog
from kgreason.rules.model import Constant, Triple


class LiveReadings:
    """The readings (axioms by node) of a schema that is edited; empty at first."""

    def __init__(self, log: UndoLog) -> None:
        self._log = log
        self._schema = LiveSchema(log)
        self._readings: dict[Constant, Reading] = {}
        self._readers: Index[Constant, Constant] = Index(log)
        self._broken: dict[Constant, tuple[Broken, ...]] = {}

    @property
    def broken(self) -> tuple[Broken, ...]:
        """The axioms whose list has a fault, ordered by node."""
        return tuple(broken for _, found in sorted(self._broken.items()) for broken in found)

    def change(self, removed: Iterable[Triple], added: Iterable[Triple]) -> Change[Axiom]:
        """Remove schema triples, then add others. Returns the axioms that go and come, ordered by node.

        An axiom whose list has changed is both removed and added.
        """
        gone: list[Axiom] = []
        come: list[Axiom] = []
        for node in sorted(self.touched(self._schema.change(removed, added))):
            before, after = self._readings.get(node), read_node(self._schema, node)
            gone += _without(before, after)
            come += _without(after, before)
            self._replace(node, before, after)
        return Change(tuple(gone), tuple(come))

    def touched(self, subjects: Iterable[Constant]) -> set[Constant]:
        """The nodes whose readings depend on triples with one of these subjects."""
        return {node for subject in subjects for node in (subject, *self._readers.at(subject))}

    def _replace(self, node: Constant, before: Reading | None, after: Reading) -> None:
        self._register(node, before.reads if before else frozenset(), after.reads)
        if after.axioms or after.broken:
            self._log.put(self._readings, node, after)
        elif before:
            self._log.drop(self._readings, node)
        if after.broken:
            self._log.put(self._broken, node, after.broken)
        elif node in self._broken:
            self._log.drop(self._broken, node)

    def _register(self, node: Constant, before: frozenset[Constant], after: frozenset[Constant]) -> None:
        """Update the index from list cells to the nodes that read them.

        A node reads the cells `after`, not `before`.
        """
        for cell in before - after - {node}:
            self._readers.discard(cell, node)
        for cell in after - before - {node}:
            self._readers.add(cell, node)


def _without(reading: Reading | None, other: Reading | None) -> tuple[Axiom, ...]:
    """The axioms of one reading that another reading does not have. Axioms with equal sources are equal."""
    axioms = reading.axioms if reading else ()
    if not axioms or not other:
        return axioms
    known = {axiom.sources for axiom in other.axioms}
    return tuple(axiom for axiom in axioms if axiom.sources not in known)
