"""`Edit`: what a commit is asked for. `Change`: what it did to the graph. `Work`: how it was evaluated.

Rows are ids of a dictionary: a quad is subject, predicate, object and graph, and graph 0 is the default graph.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kgreason.engine.memory.layout import Int32
from kgreason.rules.model import Rule

if TYPE_CHECKING:
    from kgreason.materialize.precomputed import Evaluated

NO_QUADS: Int32 = np.empty((0, 4), dtype=np.int32)


class Edit(NamedTuple):
    """What a commit is asked for: quads int32[n, 4] to retract, each once, and others to assert; the user's rules.

    `own` is None where these stay. `evaluated`: what follows from the quads, for a graph without facts. `unknown`: how
    many more quads are to be retracted, which have terms that the graph never had.
    """

    removed: Int32 = NO_QUADS
    added: Int32 = NO_QUADS
    own: tuple[Rule, ...] | None = None
    evaluated: Evaluated | None = None
    unknown: int = 0


class Work(NamedTuple):
    """How a commit was evaluated.

    `strategy` is "update" or "bootstrap"; `switched` says that an update was begun and dropped. `rewrites` were
    extended, `retranslated` axioms of `axioms` translated anew, `rules_added` and `rules_removed` are rules in force.
    """

    strategy: str
    switched: bool
    rewrites: int
    retranslated: int = 0
    axioms: int = 0
    rules_added: int = 0
    rules_removed: int = 0


class Change(NamedTuple):
    """What an edit did: the RDF triples int32[n, 3] whose kind changed, with both kinds; asserted quads int32[m, 4].

    `missed` quads were to be retracted and were not asserted.
    """

    rows: Int32
    before: NDArray[np.int8]
    after: NDArray[np.int8]
    removed_quads: Int32
    added_quads: Int32
    missed: int
    work: Work
