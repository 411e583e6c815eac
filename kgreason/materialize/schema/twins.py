"""`Twins`: finds the restrictions that say the same (*twins*), and makes the facts that the rules of twins.dl read.

    asserted schema triples, removed and added  ->  LiveTwins  ->  rows of scm_twin, scm_some, ..; the representatives

One of several twins is the representative of all. The facts are asserted in the schema's engine and in the engine of
the data. The translation of axioms uses the representatives. The facts and the representatives depend only on the set
of asserted schema triples; the option `schema` does not change them. The lock of the graph must be held, as for all of
the materializer. Cost: that of `ontology.twins`, and a look at each schema triple that is added or removed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from kgreason.engine.program.encoding import relation_text, terms_of_row
from kgreason.materialize.schema.rows import are_about_restrictions, decode_triples
from kgreason.ontology.twins import ARITIES, LiveTwins
from kgreason.ontology.undo import UndoLog
from kgreason.rules.model import Atom, Constant, Triple
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.columns import Int32

GROUP = "twins"
"""The group of the rules of twins.dl."""


class TwinChange(NamedTuple):
    """How an edit changes the facts about restrictions.

    - `gone`, `come`: the facts to retract and to assert, as a dict: number of columns -> the rows of this width.
    - `represented` maps each restriction whose representative has changed to the new representative, or to None if the
      restriction has no representative now.
    """

    gone: dict[int, Int32]
    come: dict[int, Int32]
    represented: dict[Constant, Constant | None]


NOTHING_SAID = TwinChange({}, {}, {})


class Twins:
    """Finds the restrictions of a graph that say the same (twins).

    `declared`: schema triples that count as asserted although no graph has them.
    """

    def __init__(self, dictionary: Dictionary, declared: Iterable[Triple] = ()) -> None:
        self._dictionary = dictionary
        dictionary.intern(relation_text(name, arity) for name, arity in ARITIES.items())
        self._log = UndoLog()
        self._live = LiveTwins(self._log)
        self._live.change((), declared)
        self.accept()

    def change(self, removed: Int32, added: Int32) -> TwinChange:
        """Take the schema triples that an edit retracts and asserts. Returns how the facts about restrictions change.

        `removed`, `added`: the triples, int32[n, 3]. Call `accept` or `rollback` afterwards.
        """
        gone, come = (decode_triples(self._dictionary, rows[are_about_restrictions(rows)]) for rows in (removed, added))
        if not (gone or come):
            return NOTHING_SAID
        change = self._live.change(gone, come)
        nodes = [str(fact.terms[0]) for facts in change for fact in facts if fact.relation == "scm_twin"]
        represented = {node: self._live.representatives.get(node) for node in nodes}
        return TwinChange(self._rows(change.gone), self._rows(change.come), represented)

    def accept(self) -> None:
        """Make the changes since the last `accept` final."""
        self._log.commit()

    def rollback(self) -> None:
        """Undo the changes since the last `accept`."""
        self._log.rollback()

    @property
    def facts(self) -> set[Atom]:
        """All present facts about restrictions."""
        return self._live.facts

    def sources(self, fact: Atom) -> tuple[Triple, ...]:
        """Return the asserted triples from which a fact about a restriction was read; nothing for any other fact."""
        return self._live.sources(fact) if fact in self._live.facts else ()

    def _rows(self, facts: Iterable[Atom]) -> dict[int, Int32]:
        found: dict[int, list[tuple[str, ...]]] = {}
        for fact in facts:
            row = tuple(map(str, terms_of_row(fact)))
            found.setdefault(len(row), []).append(row)
        intern = self._dictionary.intern
        return {
            width: np.asarray(intern(text for row in rows for text in row), dtype=np.int32).reshape(-1, width)
            for width, rows in found.items()
        }
